"""What a program gives, as data that can be kept."""

import importlib
import inspect
import math
import warnings

FAMILIES = ("elements", "reductions", "shapes", "networks", "graphs", "refusals")


def programs():
    """Return the programs by name."""
    found = {}
    for family in FAMILIES:
        module = importlib.import_module(f"{__package__}.{family}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_"):
                found[f"{family}.{name}"] = function
    return found


def outcome(program, torch):
    """Return what a program gives, or the error that ends it."""
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = program(torch)
    except Exception as error:
        return {"error": _class_of(error), "message": str(error)}
    given = given if isinstance(given, tuple) else (given,)
    return {"gives": [described(part, torch) for part in given]}


def _class_of(error):
    """Return the first class of an error that Python has."""
    return next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")


def described(value, torch):
    if isinstance(value, torch.Tensor):
        node = value.grad_fn
        return {
            "values": _numbers(value.detach().tolist()),
            "shape": list(value.shape),
            "dtype": str(value.dtype),
            "requires_grad": value.requires_grad,
            "is_leaf": value.is_leaf,
            "grad_fn": None if node is None else type(node).__name__,
        }
    if isinstance(value, (tuple, list)):
        return [described(part, torch) for part in value]
    return _numbers(value)


def _numbers(value):
    if isinstance(value, list):
        return [_numbers(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
