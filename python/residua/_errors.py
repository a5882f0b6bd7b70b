"""What residua raises. All of it is a `residua.Error`, and the exception of Python that fits besides."""


class Error(Exception):
    """The base of all exceptions of residua."""


class InputError(Error, ValueError):
    """An argument, a number, an option or a file that makes no sense. The message names it."""


class DimensionError(InputError):
    """Sizes that do not fit each other."""


class InputTypeError(Error, TypeError):
    """An object of a type from which no number, vector or matrix can be taken exactly."""


class UnsupportedError(Error, ValueError):
    """A valid request that no method serves, such as conjugate gradients for a matrix that is not symmetric."""


class ResourceError(Error, MemoryError):
    """Memory would not suffice, or a GPU that is asked for is not there."""


class BusyError(Error, RuntimeError):
    """A call to a solver from one of its own callbacks."""
