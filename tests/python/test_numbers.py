"""Number and Numbers: exact ways in and out, against fractions, mpmath, gmpy2 and python-flint."""

import copy
import math
import numbers
import pickle
import random
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import residua
from residua import Number, Numbers, array

EXACT = [0, 1, -1, 2**53 + 1, -(3**300), 0.1, -1e-300, 5e-324, 1.7976931348623157e308, Fraction(7, 2**90),
         np.float32(0.1), np.int64(-(2**63)), np.uint64(2**64 - 1), np.float16(0.3), 2**5000 + 1]


@pytest.mark.parametrize("value", EXACT, ids=str)
def test_exact_values_stay_exact(value):
    x = Number(value)
    assert x.to_fraction() == Fraction(value.item() if isinstance(value, np.generic) else value)
    assert x.to_fraction() == Fraction(x.to_string()) or x.to_string() != ""
    assert Number(x.to_string(), bits=x.precision) == x


def test_longdouble_is_exact():
    x = np.longdouble(1) / 3
    assert Number(x).to_fraction() == Fraction(*(int(k) for k in x.as_integer_ratio()))


@pytest.mark.parametrize("bits", [1, 53, 106, 1000])
def test_fractions_and_decimals_are_rounded_to_nearest(bits):
    rng = random.Random(bits)
    for _ in range(50):
        exact = Fraction(rng.randint(-10**30, 10**30), rng.randint(1, 10**30))
        x = Number(exact, bits=bits).to_fraction()
        assert abs(x - exact) <= abs(x) * Fraction(1, 2**bits)
        text = f"{rng.randint(-10**40, 10**40)}e{rng.randint(-60, 60)}"
        y = Number(text, bits=bits).to_fraction()
        assert abs(y - Fraction(text)) <= abs(y) * Fraction(1, 2**bits)
        assert Number(Decimal(text), bits=bits) == Number(text, bits=bits)


def test_mpmath_goes_both_ways():
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workprec(400):
        values = [mpmath.pi, mpmath.mpf(1) / 3, mpmath.mpf("-1e-5000"), mpmath.mpf(0)]
        values[0] = +values[0]
    x = array(values)
    for mine, theirs in zip(x, values):
        assert mine.to_mpmath() == theirs
        assert mine.to_mpmath()._mpf_ == theirs._mpf_
    assert x.to_mpmath()[1] == values[1]
    assert array(mpmath.matrix(values)).shape == (4,)


def test_flint_goes_both_ways():
    flint = pytest.importorskip("flint")
    assert Number(flint.fmpz(3**200)).to_fraction() == 3**200
    assert Number(flint.fmpq(3, 8)).to_fraction() == Fraction(3, 8)
    assert Number(flint.arb(0.1)) == 0.1
    x = array([0.1, Fraction(1, 3), "1e-400"])
    for mine, theirs in zip(x, x.to_flint().entries()):
        assert theirs.is_exact()
        mantissa, exponent = theirs.man_exp()
        assert Fraction(int(mantissa)) * Fraction(2) ** int(exponent) == mine.to_fraction()
    with pytest.raises(residua.InputError, match="ball"):
        Number(flint.arb(1) / 3)


def test_gmpy2_comes_in():
    gmpy2 = pytest.importorskip("gmpy2")
    assert Number(gmpy2.mpz(-(7**100))).to_fraction() == -(7**100)
    assert Number(gmpy2.mpq(3, 4)).to_fraction() == Fraction(3, 4)
    x = gmpy2.mpfr("0.1", 300)
    assert Number(x).to_fraction() == Fraction(*(int(k) for k in x.as_integer_ratio()))
    with pytest.raises(residua.InputError):
        Number(gmpy2.mpfr("inf"))


def test_arithmetic_is_rounded_correctly():
    rng = random.Random(1)
    for _ in range(200):
        p, q = rng.choice([53, 106, 200]), rng.choice([53, 106, 200])
        a = Number(Fraction(rng.randint(-10**9, 10**9), rng.randint(1, 10**9)), bits=p)
        b = Number(Fraction(rng.randint(1, 10**9), rng.randint(1, 10**9)), bits=q)
        bits = max(p, q)
        for mine, exact in [(a + b, a.to_fraction() + b.to_fraction()), (a - b, a.to_fraction() - b.to_fraction()),
                            (a * b, a.to_fraction() * b.to_fraction()), (a / b, a.to_fraction() / b.to_fraction())]:
            assert mine == Number(exact, bits=bits)


def test_numbers_are_in_the_tower():
    x = Number(Fraction(7, 3), bits=106)
    exact = x.to_fraction()
    assert isinstance(x, numbers.Real) and Fraction(x) == exact == Fraction(x.numerator, x.denominator)
    assert math.floor(x) == 2 and math.ceil(x) == 3 and math.trunc(-x) == -2 and math.floor(-x) == -3
    assert [round(x), round(Number(2.5)), round(Number(-3.5))] == [2, 2, -4]
    assert round(x, 3) == Number("2.333", bits=106) and round(Number(1250), -2) == 1200
    assert divmod(x, 2) == (1, x - 2) and -x // 2 == -2 and -x % 2 == Number(-exact % 2, bits=106)
    assert 10**30 // Number(7) == 10**30 // 7 and Number(10**400) // 3 == Number(10**400 // 3, bits=1329)
    assert x**2 == Number(exact**2, bits=106) and 2 ** Number(0.5) == Number(2).sqrt()
    assert Number(3) ** -1 == Number(Fraction(1, 3), 64)
    assert complex(x) == complex(float(x)) and x.real == x and x.imag == 0 and x.conjugate() == x


def test_other_numbers_mix_with_it_exactly():
    x = Number(Fraction(7, 3), bits=106)
    third, tenth = Fraction(1, 3), Decimal("0.1")
    value, short = x.to_fraction(), np.float32(0.1)
    for mine, exact in [(x * third, value / 3), (third - x, third - value), (x / tenth, value * 10),
                        (tenth + x, value + Fraction(1, 10)), (np.float64(0.1) * x, value * Fraction(0.1)),
                        (x - np.int64(3), value - 3), (x + short, value + Fraction(float(short)))]:
        assert isinstance(mine, Number) and mine == Number(exact, bits=106)
    little = Fraction(1, 2**100)
    assert x < Fraction(7, 3) + little and Fraction(7, 3) - little < x and x != Fraction(7, 3)
    assert Number(0.5) == Fraction(1, 2) == Number(0.5) == Decimal("0.5")
    assert Number("0.1") != tenth and Number(3) >= Decimal(3)
    assert Number(1) < Decimal("Infinity") and Number(0.5) in {Fraction(1, 2)} and Fraction(1, 2) in {Number(0.5)}
    for value in (0, -1, 7, 2**61 - 1, 2**61, -(2**200) - 1, 0.1, -1e-300, 5e-324):
        assert hash(Number(value)) == hash(value)
    assert hash(Number("1e100000", bits=100)) != 0  # makes no integer of so many digits
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workprec(500):
        assert mpmath.mpf(x) == x.to_mpmath() and isinstance(x * mpmath.mpf(1) / 3, Number)
        assert mpmath.mpf(1) + x == 1 + x.to_mpmath() and mpmath.sqrt(x) == mpmath.sqrt(x.to_mpmath())


def test_a_decimal_has_the_bits_of_what_stands_beside_it():
    tenth, x = Number("0.1"), Number(2, bits=212)
    assert (tenth * x).precision == (x / tenth).precision == (x + Fraction(1, 3)).precision == 212
    assert tenth * x == Number(Fraction(1, 5), bits=212)
    for short in (2, 0.5, Number(2), Number(0.5)):  # exact, and no result of a computation
        assert (tenth * short).precision == 8256
    assert (Number(2, bits=10000) * tenth).precision == 10000


def test_comparisons_and_hashes_agree_with_python():
    x = Number("0.1", bits=106)
    assert x != 0.1 and (x < 0.1 or x > 0.1) and not x == 0.1
    assert Number(0.1) == 0.1 and hash(Number(0.1)) == hash(0.1) and hash(Number(7)) == hash(7)
    assert Number(2**70 + 1) > 2**70 and Number(3) <= 3 and 3 >= Number(3)
    assert sorted([Number(3), 1, Number(2.5)]) == [1, 2.5, 3]
    assert Number("1") != "1" and Number(math.nan) != Number(math.nan)
    with pytest.raises(ZeroDivisionError):
        Number(1) / 0
    with pytest.raises(TypeError):
        Number(1) + "1"


@pytest.mark.parametrize("value", ["0.1", "123456.789", "-9.9999999", "1e-7", "1e20", "0", "0.5"])
@pytest.mark.parametrize("spec", [".3e", ".10e", ".3f", ".0f", ".15f", ".3g", ".12g", "+.2f", "12.4f", "e", "f", "g", ""])
def test_formats_are_those_of_a_decimal(value, spec):
    x = Number(value, bits=2000)
    if spec in ("e", "f", "g"):  # six digits, as of a float
        assert float(format(x, spec)) == pytest.approx(float(value), abs=1e-6, rel=1e-5)
    elif spec == "":
        assert Decimal(format(x)) == Decimal(value) or len(format(x)) > 100
    else:
        m, e = x.as_mantissa_exponent()
        with localcontext() as context:
            context.prec = 10000
            exact = Decimal(m) * Decimal(2) ** e
            assert Decimal(format(x, spec)) == Decimal(format(exact, spec))


def test_terms_add_up():
    x = array([Fraction(1, 3), "1e-40", -7], bits=159)
    planes = x.terms(3)
    assert planes.shape == (3, 3) and planes.dtype == np.float64
    for k, mine in enumerate(x):
        assert sum(Fraction(t) for t in planes[:, k]) == mine.to_fraction()
        assert planes[0, k] == float(mine)
    assert array([[1, 2], [3, 4]]).terms(2).shape == (2, 2, 2)


def test_slices_shapes_and_numpy():
    x = array([[1, 2, 3], [4, 5, 6]])
    assert x.shape == (2, 3) and x.ndim == 2 and x.size == 6 and len(x) == 2
    assert x[1, 2] == 6 and x[-1].shape == (3,) and x[:, 1].astype(float).tolist() == [2, 5]
    assert x.T.shape == (3, 2) and x.T[2, 0] == 3 and x.ravel().shape == (6,)
    assert x.reshape(3, 2)[2, 1] == 6 and (x[::-1, ::2].astype(float) == [[4, 6], [1, 3]]).all()
    assert np.asarray(x, dtype=float).dtype == np.float64 and np.asarray(x, dtype=object)[0, 0] == Number(1)
    assert list(array([1, 2])[0:0]) == []
    y = array(["0.1", "0.2"]) - array(["0.1", 0])
    assert y[0] == 0 and isinstance(y, Numbers)
    assert (2 * array([1, 2])).astype(float).tolist() == [2, 4]
    with pytest.raises(IndexError):
        array([1, 2])[2]
    with pytest.raises(IndexError):
        x[0, 3]


def test_pickles_and_copies_keep_bits():
    x = array([["0.1", Fraction(1, 3)], [3, 1e300]])
    y = pickle.loads(pickle.dumps(x))
    assert y.shape == x.shape and (x == y).all() and y.precision == x.precision
    assert copy.deepcopy(Number("0.1")) == Number("0.1")
    assert pickle.loads(pickle.dumps(Number(1.5))).precision == 53


def test_long_arrays_are_shown_short():
    assert len(repr(array(np.arange(100000.0)))) < 300
    assert "..." in repr(array(np.ones((50, 50))))
