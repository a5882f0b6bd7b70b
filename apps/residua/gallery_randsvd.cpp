// A random matrix of given condition number.

#include <algorithm>
#include <cmath>
#include <memory>

#include <mpfr.h>

#include <fmt/format.h>

#include <residua/arith/base/random.hpp>

#include "gallery.hpp"
#include "memory.hpp"

namespace residua {
namespace {

/// Column-major, square.
struct real_matrix {
    index_t n = 0;
    std::vector<real> values;

    real& at(index_t i, index_t j) { return values[static_cast<std::size_t>(i + j * n)]; }
};

/// About normal: the sum of twelve uniform numbers, exact in binary64 and so the same everywhere.
double near_normal(splitmix64& random)
{
    double sum = 0.0;
    for (int k = 0; k < 12; ++k) {
        sum += std::ldexp(static_cast<double>(random() >> 24), -40);
    }
    return sum - 6.0;
}

struct reflector {
    index_t first = 0;  ///< acts on first, first + 1, ..., n - 1
    std::vector<real> v;
    real scale;  ///< 2 / v'v
};

reflector random_reflector(index_t first, index_t n, long bits, splitmix64& random)
{
    reflector result{.first = first, .v = {}, .scale = real(0.0, bits)};
    real squares(0.0, bits);
    for (index_t i = first; i < n; ++i) {
        result.v.emplace_back(near_normal(random), bits);
        squares += result.v.back() * result.v.back();
    }
    result.scale = is_zero(squares) ? real(0.0, bits) : real(2.0, bits) / squares;
    return result;
}

/// y[k * step] -= scale (v'y) v over the elements k of the reflector.
void reflect(const reflector& h, real* y, index_t step)
{
    real sum(0.0, h.scale.precision());
    for (std::size_t k = 0; k < h.v.size(); ++k) {
        const real& element = y[static_cast<index_t>(k) * step];
        mpfr_fma(sum.mpfr(), h.v[k].mpfr(), element.mpfr(), sum.mpfr(), MPFR_RNDN);
    }
    sum = -(sum * h.scale);
    for (std::size_t k = 0; k < h.v.size(); ++k) {
        real& element = y[static_cast<index_t>(k) * step];
        mpfr_fma(element.mpfr(), h.v[k].mpfr(), sum.mpfr(), element.mpfr(), MPFR_RNDN);
    }
}

void reflect_columns(const reflector& h, real_matrix& a)
{
#pragma omp parallel for schedule(static)
    for (index_t j = 0; j < a.n; ++j) {
        reflect(h, &a.at(h.first, j), 1);
    }
}

void reflect_rows(const reflector& h, real_matrix& a)
{
#pragma omp parallel for schedule(static)
    for (index_t i = 0; i < a.n; ++i) {
        reflect(h, &a.at(i, h.first), a.n);
    }
}

}  // namespace

/// A = U diag(sigma) V' with sigma_i = cond^(-i/(n-1)); U and V are products of n Householder
/// reflectors of random vectors, of which the k-th acts on the last n-k coordinates, so that they
/// are about uniformly distributed [Ste80]. `definite`: V = U. Everything is formed with 64 bits
/// more than the written digits and the condition number ask for, so that cond holds far beyond
/// 1e16 as long as the digits suffice.
gallery_matrix make_randsvd(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const double decades = to_double(log10(options.cond));
    const long bits = static_cast<long>(std::ceil(3.33 * (options.digits + decades))) + 64;
    const double size = static_cast<double>(n);
    require_memory(fmt::format("a random matrix of order {} with {} bits", n, bits).c_str(),
                   real_bytes(size * size + 2.0 * size, bits));

    const auto a = std::make_shared<real_matrix>();
    a->n = n;
    a->values.assign(static_cast<std::size_t>(n * n), real(0.0, bits));
    real decay(1.0, bits);
    if (n > 1) {
        decay = real(1.0, bits) / options.cond.with_precision(bits);
        mpfr_rootn_ui(decay.mpfr(), decay.mpfr(), static_cast<unsigned long>(n - 1), MPFR_RNDN);
    }
    for (index_t i = 0; i < n; ++i) {
        a->at(i, i) = pow(decay, static_cast<long>(i));
    }

    splitmix64 random{options.seed};
    for (index_t k = n - 1; k >= 0; --k) {
        const reflector left = random_reflector(k, n, bits, random);
        reflect_columns(left, *a);
        reflect_rows(options.definite ? left : random_reflector(k, n, bits, random), *a);
    }

    return {.order = n,
            .entries = options.definite ? size * (size + 1.0) / 2.0 : size * size,
            .symmetric = options.definite,
            .dense = true,
            .column = [a, symmetric = options.definite](index_t j, std::vector<gallery_entry>& column) {
                for (index_t i = symmetric ? j : 0; i < a->n; ++i) {
                    column.push_back({i, a->at(i, j)});
                }
            }};
}

}  // namespace residua
