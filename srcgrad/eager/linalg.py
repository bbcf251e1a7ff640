"""Linear algebra under the names that PyTorch has for it."""

from srcgrad.eager.products import LinAlgError, det, inv, solve
from srcgrad.eager.reductions import norm, vector_norm

__all__ = ["LinAlgError", "det", "inv", "norm", "solve", "vector_norm"]
