"""Benchmarks: how fast the generated text is, and how long it takes to make it.

They are not collected by pytest. From the root of the checkout, one at a time on a quiet machine:

    python -m tests.benchmarks.golden      run time of generated gradients / hand-written adjoints
    python -m tests.benchmarks.growth      compile time as programs grow, with growth exponents
    python -m tests.benchmarks.call        what a call of a gradient costs besides the gradient
    python -m tests.benchmarks.first_call  the first call of a 30-line function, by passes

Each takes `--help`, and prints the machine it ran on. `golden` and `growth` take the names of
what to measure (all, if none is given), and `--unclean` measures the text before the clean-up.
Matrix products may run in several threads, which makes them noisy where others run too: set
`OPENBLAS_NUM_THREADS=1` for `golden`. `growth` counts the CPU time of the process.
Ratios come from one process in which both sides alternate, so that a slow spell of the machine
meets both; the least of the repeats is the figure to look at, the median says how noisy it was.
"""
