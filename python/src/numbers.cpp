#include "bind.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/numbers.hpp>

namespace residua::python {
namespace {

/// An integer of Python's, exactly.
real of_integer(const nb::int_& n)
{
    int overflow = 0;
    const long short_value = PyLong_AsLongAndOverflow(n.ptr(), &overflow);
    if (overflow == 0) {
        if (short_value == -1 && PyErr_Occurred() != nullptr) {
            throw nb::python_error();
        }
        return real(short_value);
    }
    const nb::str digits = nb::steal<nb::str>(PyNumber_ToBase(n.ptr(), 16));
    const std::string text = nb::cast<std::string>(digits);
    const bool negative = text.front() == '-';
    const std::string bare = text.substr(negative ? 3 : 2);  // behind 0x
    constexpr long bits_of_a_digit = 4;
    const auto bits = static_cast<long>(bare.size()) * bits_of_a_digit;
    if (bits > real::max_bits) {
        throw argument_error("an integer of " + std::to_string(bits) + " bits is beyond the range of a Number");
    }
    real x(0.0, bits);
    mpfr_set_str(x.mpfr(), bare.c_str(), 16, MPFR_RNDN);
    return negative ? -x : x;
}

real checked_range(real x)
{
    if (!is_finite(x)) {
        throw argument_error("a number beyond 2^(+-2^30) cannot be taken");
    }
    return x;
}

/// mantissa 2^exponent, exactly.
real of_binary(const nb::int_& mantissa, const nb::int_& exponent)
{
    const real m = of_integer(mantissa);
    int overflow = 0;
    const long e = PyLong_AsLongAndOverflow(exponent.ptr(), &overflow);
    if (is_zero(m)) {
        return m;
    }
    if (overflow != 0 || std::abs(e) > 2 * real::max_bits) {
        throw argument_error("a number beyond 2^(+-2^30) cannot be taken");
    }
    real x = ldexp(m, e);
    if (is_zero(x)) {
        throw argument_error("a number beyond 2^(+-2^30) cannot be taken");
    }
    return checked_range(std::move(x));
}

/// RN(numerator / denominator) with `bits` bits.
real of_ratio(const nb::int_& numerator, const nb::int_& denominator, long bits)
{
    const real n = of_integer(numerator);
    const real d = of_integer(denominator);
    if (is_zero(d)) {
        throw argument_error("a fraction with the denominator 0 is no number");
    }
    real q(0.0, bits);
    mpfr_div(q.mpfr(), n.mpfr(), d.mpfr(), MPFR_RNDN);
    return q;
}

/// An odd integer and an exponent whose product with a power of two is x; (0, 0) for zero.
std::pair<nb::int_, long> to_binary(const real& x)
{
    if (!is_finite(x)) {
        throw argument_error("a number that is not finite has no mantissa");
    }
    if (is_zero(x)) {
        return {nb::int_(0), 0};
    }
    mpz_t z;
    mpz_init(z);
    long e = mpfr_get_z_2exp(z, x.mpfr());
    const auto zeros = mpz_scan1(z, 0);
    mpz_tdiv_q_2exp(z, z, zeros);
    e += static_cast<long>(zeros);
    std::string digits(mpz_sizeinbase(z, 16) + 2, '\0');
    mpz_get_str(digits.data(), 16, z);
    mpz_clear(z);
    nb::int_ mantissa = nb::steal<nb::int_>(PyLong_FromString(digits.c_str(), nullptr, 16));
    if (!mantissa.is_valid()) {
        throw nb::python_error();
    }
    return {std::move(mantissa), e};
}

/// Terms k of all numbers side by side: (terms, n).
nb::ndarray<nb::numpy, double> terms_of_all(const reals& x, int terms)
{
    if (terms < 1 || terms > 39) {
        throw argument_error("terms: " + std::to_string(terms) + " is not from 1 to 39");
    }
    const std::size_t n = x.all->size();
    std::vector<double> planes(n * static_cast<std::size_t>(terms));
    std::vector<double> each(static_cast<std::size_t>(terms));
    for (std::size_t i = 0; i < n; ++i) {
        split_nearest((*x)[i], each);
        for (std::size_t k = 0; k < each.size(); ++k) {
            planes[k * n + i] = each[k];
        }
    }
    return array_of(std::move(planes), {static_cast<std::size_t>(terms), n});
}

std::vector<std::string> decimals(const reals& x, int digits)
{
    std::vector<std::string> all;
    all.reserve(x.all->size());
    for (const real& each : *x) {
        all.push_back(digits > 0 ? to_string(each, digits) : shortest(each));
    }
    return all;
}

/// log10 |x| to about 15 digits, whatever its size; -infinity for zero.
nb::ndarray<nb::numpy, double> log10_sizes(const reals& x)
{
    std::vector<double> sizes(x.all->size());
    std::transform(x.all->begin(), x.all->end(), sizes.begin(), [](const real& each) {
        long exponent = 0;
        const double leading = std::abs(mpfr_get_d_2exp(&exponent, each.mpfr(), MPFR_RNDN));
        return std::log10(leading) + static_cast<double>(exponent) * std::log10(2.0);
    });
    return array_of(std::move(sizes), {x.all->size()});
}

reals joined(const std::vector<const reals*>& parts)
{
    std::vector<real> all;
    for (const reals* part : parts) {
        all.insert(all.end(), part->all->begin(), part->all->end());
    }
    return shared(std::move(all));
}

}  // namespace

std::string shortest(const real& x)
{
    if (!is_finite(x) || is_zero(x)) {
        return to_string(x);
    }
    constexpr int least_normal = -1021;
    if (x.precision() == real::double_bits && exponent(x) >= least_normal && real(to_double(x)) == x) {
        char text[32];
        const auto [end, status] = std::to_chars(text, text + sizeof text, to_double(x), std::chars_format::scientific);
        return {text, end};
    }
    // a decimal that was read comes back with one to three digits less than distinguish all numbers
    const int all = round_trip_digits(x.precision());
    for (const int digits : {all - 3, all - 2, all - 1}) {
        if (digits > 0) {
            std::string text = to_string(x, digits);
            if (real(std::string_view(text), x.precision()) == x) {
                const std::size_t e = text.find('e');
                std::size_t end = text.find_last_not_of('0', e - 1);
                end += text[end] == '.' ? 0 : 1;
                return text.find('.') < e ? text.erase(end, e - end) : text;
            }
        }
    }
    return to_string(x);
}

void bind_numbers(nb::module_& m)
{
    m.attr("decimal_bits") = decimal_bits();
    m.attr("most_bits") = real::max_bits;

    nb::class_<real>(m, "Real", "A binary floating-point number of any precision; it does not change.")
        .def_static(
            "of_float", [](double x) { return real(x); }, nb::arg("x"))
        .def_static("of_integer", of_integer, nb::arg("n"))
        .def_static("of_binary", of_binary, nb::arg("mantissa"), nb::arg("exponent"))
        .def_static("of_ratio", of_ratio, nb::arg("numerator"), nb::arg("denominator"), nb::arg("bits"))
        .def_static(
            "of_decimal", [](const std::string& text, long bits) { return real(std::string_view(text), bits); },
            nb::arg("text"), nb::arg("bits"))
        .def_prop_ro("precision", &real::precision)
        .def("to_binary", to_binary)
        .def("to_float", [](const real& x) { return to_double(x); })
        .def(
            "to_text", [](const real& x, int digits) { return digits > 0 ? to_string(x, digits) : shortest(x); },
            nb::arg("digits"))
        .def("is_finite", [](const real& x) { return is_finite(x); })
        .def("is_nan", [](const real& x) { return is_nan(x); })
        .def("sign", [](const real& x) { return sign(x); })
        .def(
            "less", [](const real& a, const real& b) { return a < b; }, nb::arg("other"))
        .def(
            "equal", [](const real& a, const real& b) { return a == b; }, nb::arg("other"))
        .def(
            "rounded", [](const real& a, long bits) { return a.with_precision(bits); }, nb::arg("bits"));

    nb::class_<reals>(m, "Reals", "Numbers that do not change.")
        .def_static(
            "of_doubles", [](const flat_array<double>& x) { return shared(residua::reals(span_of(x))); },
            nb::arg("x").noconvert())
        .def_static(
            "of_list", [](std::vector<real> x) { return shared(std::move(x)); }, nb::arg("x"))
        .def_static("joined", joined, nb::arg("parts"))
        .def("__len__", [](const reals& x) { return x.all->size(); })
        .def(
            "at",
            [](const reals& x, std::size_t i) {
                if (i >= x.all->size()) {
                    throw nb::index_error();
                }
                return (*x)[i];
            },
            nb::arg("i"))
        .def(
            "gathered",
            [](const reals& x, const flat_array<std::int64_t>& places) {
                std::vector<real> some;
                some.reserve(places.size());
                for (const std::int64_t i : span_of(places)) {
                    if (i < 0 || static_cast<std::size_t>(i) >= x.all->size()) {
                        throw nb::index_error();
                    }
                    some.push_back((*x)[static_cast<std::size_t>(i)]);
                }
                return shared(std::move(some));
            },
            nb::arg("places"))
        .def("doubles", [](const reals& x) { return array_of(rounded_to<double>(*x), {x.all->size()}); })
        .def("log10_sizes", log10_sizes)
        .def("terms", terms_of_all, nb::arg("terms"))
        .def("decimals", decimals, nb::arg("digits"))
        .def("most_precision",
             [](const reals& x) {
                 long most = real::double_bits;
                 for (const real& each : *x) {
                     most = std::max(most, each.precision());
                 }
                 return most;
             })
        .def("are_finite", [](const reals& x) {
            return std::all_of(x.all->begin(), x.all->end(), [](const real& each) { return is_finite(each); });
        });
}

}  // namespace residua::python
