"""Tensors that record what is done with them, with PyTorch's names and words.

`import srcgrad.eager as torch` runs programs that use `torch.autograd`. There is no second list of
derivatives: each operation's is its row of srcgrad's table, and activations, losses and functions
given to `bridge` are NumPy functions that srcgrad itself differentiates. The one caveat: a part of
PyTorch's interface is here, enough for tutorials of automatic differentiation, on the CPU.
"""

from srcgrad.eager import autograd, linalg, methods, nn
from srcgrad.eager.bridge import bridge
from srcgrad.eager.dtypes import (
    cdouble,
    cfloat,
    complex64,
    complex128,
    double,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    long,
    set_default_dtype,
    short,
    uint8,
)
from srcgrad.eager.dtypes import bool_ as bool
from srcgrad.eager.dtypes import float32 as float
from srcgrad.eager.dtypes import int32 as int
from srcgrad.eager.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from srcgrad.eager.nn.functional import erf, log_softmax, relu, rsqrt, sigmoid, softmax
from srcgrad.eager.printing import set_printoptions
from srcgrad.eager.tensor import Size, Tensor
from srcgrad.eager.factories import (
    arange,
    as_tensor,
    bernoulli,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    logspace,
    manual_seed,
    meshgrid,
    normal,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    tensor,
    zeros,
    zeros_like,
)
from srcgrad.eager.pointwise import (
    abs,
    acos,
    acosh,
    add,
    allclose,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    clamp,
    cos,
    cosh,
    deg2rad,
    div,
    eq,
    equal,
    exp,
    exp2,
    expm1,
    floor_divide,
    fmod,
    ge,
    gt,
    hypot,
    isclose,
    isfinite,
    isinf,
    isnan,
    le,
    lerp,
    log,
    log10,
    log1p,
    log2,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    pow,
    rad2deg,
    reciprocal,
    remainder,
    sin,
    sinh,
    sqrt,
    square,
    sub,
    tan,
    tanh,
    where,
)
from srcgrad.eager.products import (
    addmm,
    bmm,
    det,
    dot,
    einsum,
    inner,
    inv,
    matmul,
    mm,
    mv,
    outer,
)
from srcgrad.eager.reductions import (
    all,
    amax,
    amin,
    any,
    argmax,
    argmin,
    argsort,
    ceil,
    count_nonzero,
    cumprod,
    cumsum,
    diff,
    floor,
    gather,
    index_select,
    logsumexp,
    masked_fill,
    masked_select,
    max,
    mean,
    median,
    min,
    nonzero,
    norm,
    prod,
    round,
    sign,
    sort,
    std,
    sum,
    take,
    topk,
    trunc,
    unique,
    var,
)
from srcgrad.eager.shaping import (
    cat,
    chunk,
    clone,
    contiguous,
    diag,
    diagonal,
    expand,
    expand_as,
    flatten,
    flip,
    hstack,
    movedim,
    narrow,
    permute,
    repeat,
    repeat_interleave,
    reshape,
    roll,
    select,
    split,
    squeeze,
    stack,
    t,
    to,
    trace,
    transpose,
    tril,
    triu,
    unbind,
    unsqueeze,
    vstack,
)
from srcgrad.eager.factories import zeros as empty  # noqa: F811
from srcgrad.eager.pointwise import abs as absolute
from srcgrad.eager.pointwise import clamp as clip
from srcgrad.eager.pointwise import div as divide
from srcgrad.eager.pointwise import mul as multiply
from srcgrad.eager.pointwise import neg as negative
from srcgrad.eager.pointwise import sub as subtract
from srcgrad.eager.pointwise import div as true_divide
from srcgrad.eager.products import det, inv
from srcgrad.eager.products import inv as inverse
from srcgrad.eager.shaping import cat as concat
from srcgrad.eager.shaping import expand as broadcast_to
from srcgrad.eager.shaping import flatten as ravel
from srcgrad.eager.shaping import repeat as tile
from srcgrad.eager.shaping import transpose as swapaxes

pi = 3.141592653589793
e = 2.718281828459045
inf = float64.numpy.type("inf").item()
nan = float64.numpy.type("nan").item()
