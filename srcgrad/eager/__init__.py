"""Tensors that record what is done with them, with PyTorch's names and words.

`import srcgrad.eager as torch` runs programs that use `torch.autograd`. There is no second list of
derivatives: each operation's is its row of srcgrad's table, and activations, losses and functions
given to `bridge` are NumPy functions that srcgrad itself differentiates. The one caveat: a part of
PyTorch's interface is here, enough for tutorials of automatic differentiation, on the CPU.
"""

from srcgrad.eager import autograd, linalg, nn
from srcgrad.eager import dtypes as _dtypes
from srcgrad.eager import factories as _factories
from srcgrad.eager import methods as _methods
from srcgrad.eager import modes as _modes
from srcgrad.eager import pointwise as _pointwise
from srcgrad.eager import products as _products
from srcgrad.eager import reductions as _reductions
from srcgrad.eager import shaping as _shaping
from srcgrad.eager.bridging import bridge
from srcgrad.eager.contents import Size
from srcgrad.eager.dtypes import *  # noqa: F403 - its `__all__` says what is public
from srcgrad.eager.dtypes import bool_, float32, int32
from srcgrad.eager.factories import *  # noqa: F403 - its `__all__` says what is public
from srcgrad.eager.modes import *  # noqa: F403 - its `__all__` says what is public
from srcgrad.eager.nn.functional import erf, log_softmax, relu, rsqrt, sigmoid, softmax
from srcgrad.eager.pointwise import *  # noqa: F403 - its `__all__` says what is public
from srcgrad.eager.printing import set_printoptions
from srcgrad.eager.products import *  # noqa: F403 - its `__all__` says what is public
from srcgrad.eager.reductions import *  # noqa: F403 - its `__all__` says what is public
from srcgrad.eager.shaping import *  # noqa: F403 - its `__all__` says what is public
from srcgrad.eager.tensor import Tensor

absolute, clip, divide, true_divide = (
    *(_pointwise.abs, _pointwise.clamp, _pointwise.div, _pointwise.div),
)
multiply, negative, subtract = _pointwise.mul, _pointwise.neg, _pointwise.sub
arcsin, arccos, arctan, arctan2 = (
    *(_pointwise.asin, _pointwise.acos, _pointwise.atan, _pointwise.atan2),
)
concat, broadcast_to, ravel = _shaping.cat, _shaping.expand, _shaping.flatten
tile, swapaxes, inverse = _shaping.repeat, _shaping.transpose, _products.inv

bool, float, int = bool_, float32, int32

e, pi, inf, nan = _methods.CONSTANTS

__all__ = [
    "Size",
    "Tensor",
    "absolute",
    "arccos",
    "arcsin",
    "arctan",
    "arctan2",
    "autograd",
    "bool",
    "bridge",
    "broadcast_to",
    "clip",
    "concat",
    "divide",
    "e",
    "erf",
    "float",
    "inf",
    "int",
    "inverse",
    "linalg",
    "log_softmax",
    "multiply",
    "nan",
    "negative",
    "nn",
    "pi",
    "ravel",
    "relu",
    "rsqrt",
    "set_printoptions",
    "sigmoid",
    "softmax",
    "subtract",
    "swapaxes",
    "tile",
    "true_divide",
]
for _module in (_dtypes, _factories, _modes, _pointwise, _products, _reductions, _shaping):
    __all__ += _module.__all__
