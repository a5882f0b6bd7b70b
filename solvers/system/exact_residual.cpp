#include <residua/solvers/system/exact_residual.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <residua/arith/multidigit/number.hpp>
#include <residua/blas/exact/spmv_exact.hpp>

namespace residua {
namespace {

constexpr long widest_exponent = 1L << 20;  // sums stay short
constexpr long spare_bits = 64;

using host_vector = residua::vector<host_executor, multidigit>;

/// The longest precision among the numbers; 0 if one of them does not fit a multi-digit float of that precision.
long precision_for(const std::vector<real>& v)
{
    long bits = multidigit_least_bits;
    for (const real& x : v) {
        bits = std::max(bits, x.precision());
        if (!is_zero(x) && std::abs(exponent(x)) > widest_exponent) {
            return 0;
        }
    }
    return bits <= multidigit_format::most_bits ? bits : 0;
}

host_vector converted(const std::vector<real>& v, long bits)
{
    const multidigit_format format(bits);
    host_vector result(format, static_cast<index_t>(v.size()));
    const auto view = result.view();
    const auto size = static_cast<index_t>(v.size());
    // elements of a tile have words of their own
#pragma omp parallel for schedule(static)
    for (index_t i = 0; i < size; ++i) {
        view.store(i, multidigit_number(format, v[static_cast<std::size_t>(i)]));
    }
    return result;
}

}  // namespace

bool exact_residual::suits(const linear_system& system)
{
    return system.exact.empty() && is_zero(system.reading_error);
}

exact_residual::exact_residual(const linear_system& system) : a_(system.rows, system.cols, system.nonzeros())
{
    std::copy(system.row_begin.begin(), system.row_begin.end(), a_.row_begin().begin());
    std::copy(system.column.begin(), system.column.end(), a_.col().begin());
    std::copy(system.values.begin(), system.values.end(), a_.value().data);
}

std::optional<residual_evaluation> exact_residual::operator()(const std::vector<real>& b,
                                                              const std::vector<real>& x) const
{
    const long bits_of_b = precision_for(b);
    const long bits_of_x = precision_for(x);
    if (bits_of_b == 0 || bits_of_x == 0) {
        return std::nullopt;
    }
    const long bits = std::min(bits_of_x / 2 + spare_bits, long{multidigit_format::most_bits});
    residual_evaluation result;
    if (std::all_of(x.begin(), x.end(), [](const real& each) { return is_zero(each); })) {
        result.r = b;
        result.error = real(0.0);
        result.relative_error = real(0.0);
    } else {
        const host_vector right = converted(b, bits_of_b);
        const host_vector at = converted(x, bits_of_x);
        host_vector r(multidigit_format(bits), static_cast<index_t>(b.size()));
        blas::residual_exact<multidigit, double>(host_executor{}, a_, at.view(), right.view(), r.view());
        result.r.resize(b.size());
        const auto view = std::as_const(r).view();
        const auto size = static_cast<index_t>(b.size());
#pragma omp parallel for schedule(static)
        for (index_t i = 0; i < size; ++i) {
            result.r[static_cast<std::size_t>(i)] = to_real(view.load(i)).with_precision(bits);
        }
        result.relative_error = ldexp(real(1.0), 1 - bits);
    }
    result.norm2 = norm2(result.r);
    result.norm_inf = norm_inf(result.r);
    if (!is_zero(result.relative_error)) {
        result.error = ldexp(result.norm2, 1 - bits);
    }
    result.is_rounded_once = true;
    return result;
}

}  // namespace residua
