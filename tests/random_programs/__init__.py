"""Random programs: NumPy functions drawn by a seed, differentiated, and compared with differences.

`python -m tests.random_programs --count N --seed S` draws N programs and judges the derivatives of
each. The parts, in the order in which a seed goes through them: `draft` (a program being written),
`reads`, `expressions`, `statements`, `loops`, `control`, `containers`, `tables`, `calls`,
`temporaries` (what may be written), `generate` (a whole program), `judge` (a verdict), `shrink`
(the smallest program that fails likewise), `histogram` (what the programs contained). `mistakes`
are faults of the compiler, made on purpose, and `faults` sees to it that programs find them.
"""
