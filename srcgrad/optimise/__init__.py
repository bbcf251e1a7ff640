"""Clean-up of generated text; see `optimise`."""

from srcgrad.optimise.optimise import optimise

__all__ = ["optimise"]
