#include <residua/solvers/space/true_residual.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include <residua/blas/base/parallel.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/elements.hpp>
#include <residua/solvers/matrix/value_range.hpp>

namespace residua {
namespace {

constexpr long norm_bits = 64;
constexpr long more_bits = 64;  // more bits of decimals, whose rounding then adds nothing to that of products
constexpr long no_exponent = std::numeric_limits<long>::min() / 4;

long exponent_of(const real& a) { return is_zero(a) ? no_exponent : exponent(a); }

/// The greatest exponent among |b_i| and |a_ij| |x_j|, and the longest row: with k entries a row
/// is summed with an error of at most (k + 1)(2k + 2) 2^(exponent - bits), that of reading decimals to these bits included.
struct magnitude {
    long exponent = no_exponent;
    index_t longest_row = 0;
};

/// Operations for an MPFR product and its sum, as blas::detail::threads_for counts them: some 60 ns, more with bits.
double operations_of_entry(long bits) { return 1000.0 + 4.0 * static_cast<double>(bits); }

/// Calls f(begin, end) for parts of the rows, which take `operations_each` operations an entry.
template <class F>
void for_rows(const linear_system& system, double operations_each, const F& f)
{
    const double entries = static_cast<double>(system.rows) + static_cast<double>(system.nonzeros());
    blas::detail::parallel_weighted_ranges(
        system.rows, [&](index_t i) { return system.row_begin[i]; }, operations_each * entries, f);
}

magnitude magnitude_of(const linear_system& system, const std::vector<real>& b, const std::vector<real>& x)
{
    magnitude result;
    std::mutex joining;
    for_rows(system, 10.0, [&](index_t first, index_t last) {
        magnitude part;
        for (index_t i = first; i < last; ++i) {
            part.exponent = std::max(part.exponent, exponent_of(b[i]));
            const index_t begin = system.row_begin[i];
            const index_t end = system.row_begin[i + 1];
            part.longest_row = std::max(part.longest_row, end - begin);
            for (index_t k = begin; k < end; ++k) {
                const long a = is_zero_entry(system, k) ? no_exponent : entry_exponent(system, k);
                const long product = a + exponent_of(x[system.column[k]]);
                part.exponent = std::max(part.exponent, product);
            }
        }
        const std::lock_guard lock(joining);
        result.exponent = std::max(result.exponent, part.exponent);
        result.longest_row = std::max(result.longest_row, part.longest_row);
    });
    return result;
}

/// Returns whether anything was rounded.
bool evaluate_rows(const linear_system& system, const std::vector<real>& b, const std::vector<real>& x, long bits,
                   std::vector<real>& r)
{
    std::atomic<bool> any_rounded = false;
    const auto rows = [&](index_t begin, index_t end) {
        real product(0.0, bits);
        real room;
        bool cut = false;
        int rounded = 0;
        for (index_t i = begin; i < end; ++i) {
            io::ask_for_stop_at(i);
            real sum(0.0, bits);
            rounded |= mpfr_set(sum.mpfr(), b[i].mpfr(), MPFR_RNDN);
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                const real& x_j = x[system.column[k]];
                if (is_zero(x_j)) {
                    continue;
                }
                if (system.exact.empty()) {
                    rounded |= mpfr_mul_d(product.mpfr(), x_j.mpfr(), system.values[k], MPFR_RNDN);
                } else {
                    const real& a = system.exact.at(k, bits + more_bits, room, cut);
                    rounded |= mpfr_mul(product.mpfr(), x_j.mpfr(), a.mpfr(), MPFR_RNDN);
                }
                rounded |= mpfr_sub(sum.mpfr(), sum.mpfr(), product.mpfr(), MPFR_RNDN);
            }
            r[i] = std::move(sum);
        }
        if (rounded != 0 || cut) {
            any_rounded = true;
        }
    };
    for_rows(system, operations_of_entry(bits), rows);
    return any_rounded;
}

long exponent_of_largest(const real& norm_inf)
{
    return is_zero(norm_inf) || !is_finite(norm_inf) ? 0 : exponent(norm_inf);
}

/// sqrt(sum x_i^2), summed from left to right.
class sum_of_squares {
public:
    /// largest  exponent of the largest number
    explicit sum_of_squares(long largest) : largest_(largest) {}

    void add(const std::vector<real>& v)
    {
        for (const real& x : v) {
            mpfr_mul_2si(square_.mpfr(), x.mpfr(), -largest_, MPFR_RNDN);
            mpfr_sqr(square_.mpfr(), square_.mpfr(), MPFR_RNDN);
            mpfr_add(sum_.mpfr(), sum_.mpfr(), square_.mpfr(), MPFR_RNDN);
        }
    }

    real root() const { return ldexp(sqrt(sum_), largest_); }

private:
    long largest_;
    real sum_{0.0, norm_bits};
    real square_{0.0, norm_bits};
};

}  // namespace

real norm2(const std::vector<real>& v)
{
    sum_of_squares sum(largest_exponent(v));
    sum.add(v);
    return sum.root();
}

real norm2_in_order(const long_vector& v)
{
    sum_of_squares sum(exponent_of_largest(v.norm_inf()));
    v.for_each_part([&](index_t, const std::vector<real>& part) { sum.add(part); });
    return sum.root();
}

real norm_inf(const std::vector<real>& v)
{
    real largest(0.0, norm_bits);
    for (const real& x : v) {
        if (is_nan(x)) {
            return x.with_precision(norm_bits);
        }
        if (mpfr_cmpabs(x.mpfr(), largest.mpfr()) > 0) {
            mpfr_abs(largest.mpfr(), x.mpfr(), MPFR_RNDN);
        }
    }
    return largest;
}

long largest_exponent(const std::vector<real>& v) { return exponent_of_largest(norm_inf(v)); }

scaled_double matrix_norm_inf(const linear_system& system)
{
    if (value_range(system).is_safe()) {  // the same sums, whose exponents need no care
        std::vector<double> sums(static_cast<std::size_t>(system.rows));
        for_rows(system, 10.0, [&](index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) {
                io::ask_for_stop_at(i);
                for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                    sums[i] += std::abs(system.values[k]);
                }
            }
        });
        return std::accumulate(sums.begin(), sums.end(), 0.0, [](double a, double b) { return std::max(a, b); });
    }
    scaled_double largest;
    for (index_t i = 0; i < system.rows; ++i) {
        io::ask_for_stop_at(i);
        scaled_double sum;
        for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
            sum = sum + abs(leading_part(system, k));
        }
        largest = std::max(largest, sum);
    }
    return largest;
}

real matrix_norm_frobenius(const linear_system& system)
{
    if (!system.exact.empty()) {
        return norm2(system.exact.in_bits(norm_bits));
    }
    real sum(0.0, norm_bits);
    for (const double a : system.values) {
        const real entry(a, norm_bits);
        sum += entry * entry;
    }
    return sqrt(sum);
}

normal_evaluation evaluate_normal(const linear_system& transposed, const real& norm_frobenius,
                                  const residual_evaluation& at, const real& wanted_error)
{
    const std::vector<real> zeros(static_cast<std::size_t>(transposed.rows), real(0.0));
    const residual_evaluation product = evaluate_residual(transposed, zeros, at.r.numbers(), wanted_error);  // -A'r
    return {product.norm2, product.error + norm_frobenius * at.error};
}

residual_evaluation evaluate_residual(const linear_system& system, const std::vector<real>& b,
                                      const std::vector<real>& x, const real& wanted_error,
                                      const real& reading_error_of_b)
{
    if (static_cast<index_t>(b.size()) != system.rows) {
        throw dimension_error("b has " + std::to_string(b.size()) + " entries, the matrix " +
                              std::to_string(system.rows) + " rows");
    }
    if (static_cast<index_t>(x.size()) != system.cols) {
        throw dimension_error("x has " + std::to_string(x.size()) + " entries, the matrix " +
                              std::to_string(system.cols) + " columns");
    }
    const magnitude size = magnitude_of(system, b, x);
    // error of one row, (k + 1)(2k + 2) 2^(exponent - bits), times sqrt(rows)
    const double k = static_cast<double>(size.longest_row) + 1.0;
    const long growth =
        static_cast<long>(std::ceil(std::log2(2.0 * k * k * std::sqrt(static_cast<double>(system.rows) + 1.0))));
    long bits = 1024;
    if (size.exponent > no_exponent / 2 && !is_zero(wanted_error) && is_finite(wanted_error)) {
        bits = std::max(128L, size.exponent + growth - exponent(wanted_error) + 2);
    }
    bits = std::min(bits, std::max(1024L + growth, 64L * 1024L));

    residual_evaluation result;
    std::vector<real> r(static_cast<std::size_t>(system.rows));
    const bool rounded = evaluate_rows(system, b, x, bits, r);
    result.norm2 = norm2(r);
    result.norm_inf = norm_inf(r);
    result.r = long_vector(std::move(r));
    result.error = rounded ? ldexp(real(1.0), size.exponent + growth - bits) : real(0.0);
    // b is rounded once, and each of k entries, products and sums: gamma_{k+2} [Higham02, Sec. 3.1] with u = 2^-bits
    result.relative_error = rounded ? ldexp(real(2.0 * k), -bits) : real(0.0);
    const real& reading_error = max(system.reading_error, reading_error_of_b);
    if (!is_zero(reading_error) && size.exponent > no_exponent / 2) {
        // (|dA| |x| + |db|)_i <= reading_error (|A| |x| + |b|)_i, a row of k summands below 2^exponent
        const real of_reading = ldexp(reading_error, size.exponent + growth);
        result.can_be_sharpened = of_reading < result.error;
        result.error += of_reading;
        result.relative_error += reading_error;
    }
    return result;
}

namespace {

constexpr long safe_exponent = 400;  // products and sums of numbers within are within the range of binary64

bool is_safe(const scaled_doubles& v)
{
    const auto are_safe = [&](std::size_t begin, std::size_t end) {
        const auto first = v.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = v.begin() + static_cast<std::ptrdiff_t>(end);
        const auto fits = [](const scaled_double& x) { return std::abs(x.e) <= safe_exponent; };
        return static_cast<char>(std::all_of(first, last, fits));
    };
    return fold_elements<char>(v.size(), are_safe, std::logical_and<>()) != 0;
}

/// The sizes by sums of binary64, whose terms are well within its range.
void sum_in_binary64(const linear_system& system, const scaled_doubles& b, const scaled_doubles& x,
                     scaled_doubles& sizes)
{
    std::vector<double> of_x(x.size());
    for_each_element(x.size(), [&](std::size_t j) { of_x[j] = to_double(abs(x[j])); });
    for_rows(system, 10.0, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            io::ask_for_stop_at(i);
            double size = to_double(abs(b[static_cast<std::size_t>(i)]));
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                const double a = std::abs(system.values[static_cast<std::size_t>(k)]);
                size += a * of_x[static_cast<std::size_t>(system.column[static_cast<std::size_t>(k)])];
            }
            sizes[static_cast<std::size_t>(i)] = size;
        }
    });
}

}  // namespace

scaled_doubles residual_sizes(const linear_system& system, const scaled_doubles& b, const scaled_doubles& x)
{
    scaled_doubles sizes(static_cast<std::size_t>(system.rows));
    if (is_safe(b) && is_safe(x) && value_range(system).is_safe()) {
        sum_in_binary64(system, b, x, sizes);
        return sizes;
    }
    for_rows(system, 100.0, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            io::ask_for_stop_at(i);
            scaled_double size = abs(b[static_cast<std::size_t>(i)]);
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                const auto at = static_cast<std::size_t>(k);
                size = size + abs(leading_part(system, k) * x[static_cast<std::size_t>(system.column[at])]);
            }
            sizes[static_cast<std::size_t>(i)] = size;
        }
    });
    return sizes;
}

scaled_double largest_ratio(const scaled_doubles& r, const scaled_doubles& sizes)
{
    const auto larger = [](const scaled_double& a, const scaled_double& b) { return std::max(a, b); };
    const auto largest = [&](std::size_t begin, std::size_t end) {
        scaled_double result;
        for (std::size_t i = begin; i < end; ++i) {
            result = is_zero(sizes[i]) ? result : larger(result, abs(r[i] / sizes[i]));
        }
        return result;
    };
    return fold_elements<scaled_double>(sizes.size(), largest, larger);
}

real componentwise_backward_error(const residual_evaluation& at, const scaled_double& largest)
{
    const real known = to_real(largest);
    const bool resolved = at.is_rounded_once || at.relative_error <= ldexp(known, -20);
    return resolved ? known : known + at.relative_error;
}

}  // namespace residua
