"""Single numbers from what Python has."""

from __future__ import annotations

import numbers
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from . import _core
from ._errors import InputError, InputTypeError
from ._number import Number

# A number is a Real, a decimal in a str, or a fraction.
Taken = Any


def module_type(module: str, *names: str) -> tuple[type, ...]:
    """Types of a module that may not be loaded; then nothing is of them."""
    loaded = sys.modules.get(module)
    return tuple(t for t in (getattr(loaded, name, None) for name in names) if isinstance(t, type))


def check_bits(bits: object, name: str = "bits") -> int | None:
    """A precision for input."""
    if bits is None:
        return None
    if isinstance(bits, bool) or not isinstance(bits, (int, np.integer)):
        raise InputTypeError(f"{name}: {bits!r} is not an int")
    if not 1 <= bits <= _core.most_bits:
        raise InputError(f"{name}: {bits} is not from 1 to {_core.most_bits}")
    return int(bits)


def _finite(x: float, where: str) -> float:
    if not np.isfinite(x):
        raise InputError(f"{where}: {x} is no finite number")
    return x


def _power_of_two(n: int) -> int | None:
    return n.bit_length() - 1 if n > 0 and n & (n - 1) == 0 else None


def _of_fraction(numerator: int, denominator: int) -> Taken:
    if denominator == 0:
        raise InputError("a fraction with the denominator 0 is no number")
    shift = _power_of_two(denominator)
    if shift is None:
        return Fraction(numerator, denominator)
    return _core.Real.of_binary(numerator, -shift)


def _of_mpmath(x: Any, where: str) -> _core.Real:
    sign, mantissa, exponent, _ = x._mpf_
    if mantissa == 0 and exponent != 0:
        raise InputError(f"{where}: {x} is no finite number")
    return _core.Real.of_binary(-int(mantissa) if sign else int(mantissa), int(exponent))


def _of_gmpy2(x: Any, where: str) -> Taken:
    kind = type(x).__name__
    if kind == "mpz" or kind == "xmpz":
        return _core.Real.of_integer(int(x))
    if kind == "mpq":
        return _of_fraction(int(x.numerator), int(x.denominator))
    if kind == "mpfr":
        if not sys.modules["gmpy2"].is_finite(x):
            raise InputError(f"{where}: {x} is no finite number")
        mantissa, exponent = x.as_mantissa_exp()
        return _core.Real.of_binary(int(mantissa), int(exponent))
    raise InputTypeError(f"{where}: a gmpy2.{kind} is not a real number")


def _of_flint(x: Any, where: str) -> Taken:
    kind = type(x).__name__
    if kind == "fmpz":
        return _core.Real.of_integer(int(x))
    if kind == "fmpq":
        return _of_fraction(int(x.p), int(x.q))
    if kind in ("arb", "arf"):
        if not x.is_finite():
            raise InputError(f"{where}: {x} is no finite number")
        if kind == "arb" and not x.is_exact():
            raise InputError(f"{where}: {x} is a ball and not a number; take its middle by .mid()")
        mantissa, exponent = x.man_exp()
        return _core.Real.of_binary(int(mantissa), int(exponent))
    raise InputTypeError(f"{where}: a flint.{kind} is not a real number")


def take(x: Any, where: str) -> Taken:
    """One number of any type: a Real, a decimal or a fraction."""
    if type(x) is float or isinstance(x, float):
        return _core.Real.of_float(_finite(x, where))
    if isinstance(x, Number):
        x._require_finite()
        return x._real
    if isinstance(x, (bool, np.bool_)):
        raise InputTypeError(f"{where}: {x} is a bool and not a number")
    if isinstance(x, (int, np.integer)):
        return _core.Real.of_integer(int(x))
    if isinstance(x, str):
        return x.strip()
    if isinstance(x, Decimal):
        if not x.is_finite():
            raise InputError(f"{where}: {x} is no finite number")
        return str(x)
    if isinstance(x, np.floating):  # longdouble too
        _finite(x, where)  # type: ignore[arg-type]
        return _of_fraction(*(int(part) for part in x.as_integer_ratio()))
    if isinstance(x, module_type("mpmath", "mpf")):
        return _of_mpmath(x, where)
    if isinstance(x, (complex, np.complexfloating)) or type(x).__name__ in ("mpc", "acb", "ComplexNumber"):
        raise InputTypeError(f"{where}: {x} is complex, and a real number is needed{'' if x.imag else '; give its .real'}")
    module = type(x).__module__
    if module == "gmpy2" or module.startswith("gmpy2."):
        return _of_gmpy2(x, where)
    if module == "flint" or module.startswith("flint."):
        return _of_flint(x, where)
    if isinstance(x, numbers.Integral):
        return _core.Real.of_integer(int(x))
    if isinstance(x, numbers.Rational):
        return _of_fraction(int(x.numerator), int(x.denominator))
    if hasattr(x, "item") and getattr(x, "ndim", None) == 0:
        return take(x.item(), where)
    raise InputTypeError(f"{where}: {type(x).__name__} is not a type of numbers that residua takes")


def rounded(taken: Taken, bits: int | None) -> _core.Real:
    if isinstance(taken, str):
        return _core.Real.of_decimal(taken, bits or _core.decimal_bits)
    if isinstance(taken, Fraction):
        return _core.Real.of_ratio(taken.numerator, taken.denominator, bits or _core.decimal_bits)
    return taken if bits is None else taken.rounded(bits)


def to_real(x: Any, bits: int | None = None, where: str = "value") -> _core.Real:
    """One number, rounded to so many bits; None: exactly, where it can be."""
    bits = check_bits(bits)
    if isinstance(x, float) and not np.isfinite(x):
        return _core.Real.of_float(x)
    return rounded(take(x, where), bits)
