#include "bind.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <residua/blas/base/parallel.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/transpose.hpp>

namespace residua::python {
namespace {

using function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using operation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

constexpr double operations_each = 500.0;  // of binary64, about, for one on numbers of a few hundred bits

int reciprocal(mpfr_ptr to, mpfr_srcptr x, mpfr_rnd_t rounding) { return mpfr_ui_div(to, 1, x, rounding); }

/// floor(x / y). The quotient rounded downwards is not below an integer that the exact one reaches, if it has room for it.
int floor_divide(mpfr_ptr to, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding)
{
    long bits = real::integer_bits;
    if (mpfr_regular_p(x) != 0 && mpfr_regular_p(y) != 0) {
        bits = std::clamp<long>(mpfr_get_exp(x) - mpfr_get_exp(y) + 2, bits, real::max_bits);
    }
    real quotient(0.0, bits);
    mpfr_div(quotient.mpfr(), x, y, MPFR_RNDD);
    return mpfr_rint_floor(to, quotient.mpfr(), rounding);
}

/// x - y floor(x / y), which has the sign of y. The remainder of the truncated quotient is a number of as many bits as x
/// or y has.
int remainder(mpfr_ptr to, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding)
{
    real rest(0.0, std::max(mpfr_get_prec(x), mpfr_get_prec(y)));
    mpfr_fmod(rest.mpfr(), x, y, MPFR_RNDN);
    const bool other_sign = mpfr_sgn(rest.mpfr()) * mpfr_sgn(y) < 0;
    return other_sign ? mpfr_add(to, rest.mpfr(), y, rounding) : mpfr_set(to, rest.mpfr(), rounding);
}

/// The functions and operations, by the names that numpy has for them.
template <class F>
F named(const std::unordered_map<std::string, F>& all, const std::string& name)
{
    const auto found = all.find(name);
    if (found == all.end()) {
        throw argument_error("there is no function '" + name + "'");
    }
    return found->second;
}

function function_of(const std::string& name)
{
    static const std::unordered_map<std::string, function> all{
        {"absolute", mpfr_abs},   {"arccos", mpfr_acos},      {"arccosh", mpfr_acosh},    {"arcsin", mpfr_asin},
        {"arcsinh", mpfr_asinh},  {"arctan", mpfr_atan},      {"arctanh", mpfr_atanh},    {"cbrt", mpfr_cbrt},
        {"ceil", mpfr_rint_ceil}, {"cos", mpfr_cos},          {"cosh", mpfr_cosh},        {"exp", mpfr_exp},
        {"exp2", mpfr_exp2},      {"expm1", mpfr_expm1},      {"floor", mpfr_rint_floor}, {"log", mpfr_log},
        {"log10", mpfr_log10},    {"log1p", mpfr_log1p},      {"log2", mpfr_log2},        {"negative", mpfr_neg},
        {"positive", mpfr_set},   {"reciprocal", reciprocal}, {"sin", mpfr_sin},          {"rint", mpfr_rint_roundeven},
        {"sinh", mpfr_sinh},      {"sqrt", mpfr_sqrt},        {"square", mpfr_sqr},       {"tan", mpfr_tan},
        {"tanh", mpfr_tanh},      {"trunc", mpfr_rint_trunc},
    };
    return named(all, name);
}

operation operation_of(const std::string& name)
{
    static const std::unordered_map<std::string, operation> all{
        {"add", mpfr_add},
        {"arctan2", mpfr_atan2},
        {"copysign", mpfr_copysign},
        {"divide", mpfr_div},
        {"floor_divide", floor_divide},
        {"fmod", mpfr_fmod},
        {"hypot", mpfr_hypot},
        {"maximum", mpfr_max},
        {"minimum", mpfr_min},
        {"multiply", mpfr_mul},
        {"power", mpfr_pow},
        {"remainder", remainder},
        {"subtract", mpfr_sub},
    };
    return named(all, name);
}

/// RN(f(x)) with `bits` bits.
real evaluate(const std::string& name, const real& x, long bits)
{
    real y(0.0, bits);
    function_of(name)(y.mpfr(), x.mpfr(), MPFR_RNDN);
    return y;
}

real combine(const std::string& name, const real& x, const real& y, long bits)
{
    real z(0.0, bits);
    operation_of(name)(z.mpfr(), x.mpfr(), y.mpfr(), MPFR_RNDN);
    return z;
}

/// n numbers of `bits` bits, number i by make(i, pointer); each range of them has a `make` of its own from maker().
template <class Maker>
reals made_each(std::size_t n, long bits, double operations, const Maker& maker)
{
    std::vector<real> all(n);
    const nb::gil_scoped_release release;
    blas::detail::parallel_ranges(static_cast<index_t>(n), 1, operations, [&](index_t begin, index_t end) {
        auto make = maker();
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            all[i] = real(0.0, bits);
            make(i, all[i].mpfr());
        }
    });
    return shared(std::move(all));
}

reals evaluate_all(const std::string& name, const reals& x, long bits)
{
    const function f = function_of(name);
    const std::size_t n = x.all->size();
    return made_each(n, bits, operations_each * static_cast<double>(n),
                     [&] { return [&](std::size_t i, mpfr_ptr to) { f(to, (*x)[i].mpfr(), MPFR_RNDN); }; });
}

void require_as_many(const reals& x, const reals& y)
{
    if (x.all->size() != y.all->size()) {
        throw dimension_error(std::to_string(x.all->size()) + " numbers beside " + std::to_string(y.all->size()));
    }
}

reals combine_all(const std::string& name, const reals& x, const reals& y, long bits)
{
    require_as_many(x, y);
    const operation f = operation_of(name);
    const std::size_t n = x.all->size();
    return made_each(n, bits, operations_each * static_cast<double>(n), [&] {
        return [&](std::size_t i, mpfr_ptr to) { f(to, (*x)[i].mpfr(), (*y)[i].mpfr(), MPFR_RNDN); };
    });
}

/// -1, 0 or 1 as x_i is less than y_i, equal or greater; 2 if one of them is NaN.
nb::ndarray<nb::numpy, std::int8_t> compare(const reals& x, const reals& y)
{
    require_as_many(x, y);
    std::vector<std::int8_t> order(x.all->size());
    std::transform(x.all->begin(), x.all->end(), y.all->begin(), order.begin(), [](const real& a, const real& b) {
        return static_cast<std::int8_t>(a < b ? -1 : a == b ? 0 : b < a ? 1 : 2);
    });
    return array_of(std::move(order), {x.all->size()});
}

/// For each number, how many different numbers are less than it.
nb::ndarray<nb::numpy, std::int64_t> ranks(const reals& x)
{
    const std::size_t n = x.all->size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t p, std::size_t q) { return (*x)[p] < (*x)[q]; });
    std::vector<std::int64_t> rank(n);
    for (std::size_t k = 1; k < n; ++k) {
        rank[order[k]] = rank[order[k - 1]] + ((*x)[order[k - 1]] < (*x)[order[k]] ? 1 : 0);
    }
    return array_of(std::move(rank), {n});
}

/// The sums of each `length` numbers that follow each other, exact and rounded once; `length` is at least 1.
reals sums(const reals& x, std::size_t length, long bits)
{
    const std::size_t n = x.all->size();
    return made_each(n / length, bits, operations_each * static_cast<double>(n), [&] {
        return [&x, terms = std::vector<mpfr_ptr>(length)](std::size_t i, mpfr_ptr to) mutable {
            for (std::size_t k = 0; k < terms.size(); ++k) {
                terms[k] = const_cast<mpfr_ptr>((*x)[i * terms.size() + k].mpfr());  // mpfr_sum only reads them
            }
            mpfr_sum(to, terms.data(), terms.size(), MPFR_RNDN);
        };
    });
}

/// The bits of the longest entry; decimals have decimal_bits().
long bits_of(const system& a)
{
    const exact_entries& exact = a.matrix->exact;
    if (exact.are_decimals()) {
        return decimal_bits();
    }
    long most = real::double_bits;
    real room;
    bool rounded = false;
    for (std::size_t k = 0; k < exact.size(); ++k) {
        most = std::max(most, exact.at(k, real::double_bits, room, rounded).precision());
    }
    return most;
}

/// Elements of A X, each the exact one, rounded once.
class product_elements {
public:
    product_elements(const linear_system& a, const reals& x, std::size_t columns) : a_(a), x_(x), columns_(columns) {}

    void operator()(std::size_t i, mpfr_ptr to)
    {
        const auto begin = static_cast<std::size_t>(a_.row_begin[i / columns_]);
        const auto end = static_cast<std::size_t>(a_.row_begin[i / columns_ + 1]);
        terms_.clear();
        products_.resize(std::max(products_.size(), end - begin));
        for (std::size_t k = begin; k < end; ++k) {
            const real& factor = (*x_)[static_cast<std::size_t>(a_.column[k]) * columns_ + i % columns_];
            terms_.push_back(products_[k - begin].mpfr());
            set_product(terms_.back(), factor, k);
        }
        mpfr_sum(to, terms_.data(), terms_.size(), MPFR_RNDN);
    }

private:
    void set_product(mpfr_ptr to, const real& factor, std::size_t k)
    {
        if (a_.exact.empty()) {
            mpfr_set_prec(to, factor.precision() + real::double_bits);
            mpfr_mul_d(to, factor.mpfr(), a_.values[k], MPFR_RNDN);
            return;
        }
        bool rounded = false;
        const real& entry = a_.exact.at(k, decimal_bits(), room_, rounded);
        mpfr_set_prec(to, factor.precision() + entry.precision());
        mpfr_mul(to, factor.mpfr(), entry.mpfr(), MPFR_RNDN);
    }

    const linear_system& a_;
    const reals& x_;
    std::size_t columns_;
    std::vector<real> products_;
    std::vector<mpfr_ptr> terms_;
    real room_;
};

/// A X or A' X, every element the exact one, rounded once. Decimals count with decimal_bits().
///
/// shapes  A or A' (m x n), X (n x columns) and the product (m x columns) by rows
reals product(const system& a, const reals& x, std::size_t columns, long bits, bool transposed)
{
    linear_system turned;
    if (transposed) {
        turned = transpose(*a.matrix);
    }
    const linear_system& s = transposed ? turned : *a.matrix;
    if (x.all->size() != static_cast<std::size_t>(s.cols) * columns) {
        throw dimension_error("a product of " + std::to_string(s.rows) + " x " + std::to_string(s.cols) +
                              " numbers with " + std::to_string(x.all->size()));
    }
    return made_each(static_cast<std::size_t>(s.rows) * columns, bits,
                     operations_each * static_cast<double>(s.nonzeros()) * static_cast<double>(columns),
                     [&] { return product_elements(s, x, columns); });
}

}  // namespace

void bind_arithmetic(nb::module_& m)
{
    m.def("evaluate", evaluate, nb::arg("name"), nb::arg("x"), nb::arg("bits"));
    m.def("combine", combine, nb::arg("name"), nb::arg("x"), nb::arg("y"), nb::arg("bits"));
    m.def("evaluate_all", evaluate_all, nb::arg("name"), nb::arg("x"), nb::arg("bits"));
    m.def("combine_all", combine_all, nb::arg("name"), nb::arg("x"), nb::arg("y"), nb::arg("bits"));
    m.def("compare", compare, nb::arg("x"), nb::arg("y"));
    m.def("ranks", ranks, nb::arg("x"));
    m.def("sums", sums, nb::arg("x"), nb::arg("length"), nb::arg("bits"));
    m.def("bits_of", bits_of, nb::arg("a"));
    m.def("product", product, nb::arg("a"), nb::arg("x"), nb::arg("columns"), nb::arg("bits"), nb::arg("transposed"));
}

}  // namespace residua::python
