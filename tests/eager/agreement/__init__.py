"""Small programs that run on PyTorch and on the eager tensors, a function each.

Each takes the module and returns what to compare: tensors, numbers, strings, or a tuple of these.
What PyTorch printed for them is in `data/`; `python -m tests.eager.agreement` writes it again,
run by an interpreter that has PyTorch.
"""
