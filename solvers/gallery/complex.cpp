// Complex kinds, with indices from 0.

#include <array>
#include <cmath>
#include <utility>

#include <residua/arith/base/random.hpp>
#include <residua/arith/complex/complex.hpp>
#include <residua/solvers/gallery/kinds.hpp>

namespace residua::detail {
namespace {

using complex_real = complex_number<real>;

gallery_entry entry_of(index_t row, const complex_real& z) { return {row, z.real(), z.imag()}; }

/// Bits in which entries are formed: more than their digits.
long formation_bits(const gallery_options& options) { return static_cast<long>(4 * options.digits) + 64; }

/// -1 for each neighbour of a point of an n x n grid, the first axis fastest, and `diagonal(missing)` at the point, of whose four
/// neighbours so many are missing.
template <class Diagonal>
gallery_matrix five_points(index_t n, const Diagonal& diagonal)
{
    const index_t order = gallery_order(n, 2);
    std::array<complex_real, 5> centre;
    for (std::size_t missing = 0; missing < centre.size(); ++missing) {
        centre[missing] = diagonal(static_cast<long>(missing));
    }
    const double points = static_cast<double>(order);
    return {.order = order,
            .entries = points + 2.0 * (points - static_cast<double>(n)),
            .symmetric = true,
            .complex = true,
            .column = [n, centre](index_t j, std::vector<gallery_entry>& column) {
                const index_t x = j % n;
                const index_t y = j / n;
                const int missing = (x == 0) + (x == n - 1) + (y == 0) + (y == n - 1);
                column.push_back(entry_of(j, centre[static_cast<std::size_t>(missing)]));
                if (x < n - 1) {
                    column.push_back({j + 1, real(-1), real(0.0)});
                }
                if (y < n - 1) {
                    column.push_back({j + n, real(-1), real(0.0)});
                }
            }};
}

/// A complex number of modulus 1 with rational parts: a unit times ((a + i b) / c)^(+-1) with a^2 + b^2 = c^2.
complex_real random_phase(splitmix64& random, long bits)
{
    constexpr std::array<std::array<int, 3>, 4> triples{{{3, 4, 5}, {5, 12, 13}, {8, 15, 17}, {20, 21, 29}}};
    const std::uint64_t drawn = random();
    const std::array<int, 3>& of = triples[drawn >> 8 & 3];
    const real c(of[2], bits);
    real re = real(of[0], bits) / c;
    real im = real(of[1], bits) / c;
    if ((drawn & 1) != 0) {
        std::swap(re, im);
    }
    if ((drawn & 2) != 0) {
        re = -re;
    }
    if ((drawn & 4) != 0) {
        im = -im;
    }
    return {re, im};
}

}  // namespace

/// -laplace(u) - k^2 u times h^2 with kappa = k h; beyond the boundary u is (1 + i kappa) times its last value: waves leave.
gallery_matrix make_helmholtz2d(const gallery_options& options)
{
    const real kappa = options.wavenumber.with_precision(2 * options.wavenumber.precision());
    return five_points(options.n, [&](long missing) {
        return complex_real(real(4 - missing, kappa.precision()) - kappa * kappa,
                            -(real(missing, kappa.precision()) * kappa));
    });
}

/// -laplace(u) - (1 - i/2) k^2 u times h^2, kappa = k h, u = 0 beyond the boundary.
gallery_matrix make_shifted_laplacian2d(const gallery_options& options)
{
    const real kappa = options.wavenumber.with_precision(2 * options.wavenumber.precision());
    const real square = kappa * kappa;
    return five_points(options.n,
                       [&](long) { return complex_real(real(4, kappa.precision()) - square, ldexp(square, -1)); });
}

/// H - E at E = 1 of a particle behind the barrier V(x) = 4 / (1 + x^2), on n points between -10 and 10, times h^2. Coordinates are
/// rotated, x = r (4 + 3 i) / 5, so that outgoing waves decay.
gallery_matrix make_scattering1d(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const long bits = formation_bits(options);
    const complex_real rotated(real(4, bits) / real(5, bits), real(3, bits) / real(5, bits));
    const complex_real one(real(1, bits), real(0.0, bits));
    const complex_real kinetic = one / (rotated * rotated);
    const real h = real(20, bits) / real(n + 1, bits);
    return {.order = n,
            .entries = 2.0 * static_cast<double>(n) - 1.0,
            .symmetric = true,
            .complex = true,
            .column = [=](index_t j, std::vector<gallery_entry>& column) {
                const complex_real x = rotated * (h * real(j + 1, bits) - real(10, bits));
                const complex_real barrier = complex_real(real(4, bits), real(0.0, bits)) / (one + x * x);
                column.push_back(entry_of(j, kinetic * real(2, bits) + (barrier - one) * (h * h)));
                if (j < n - 1) {
                    column.push_back(entry_of(j + 1, -kinetic));
                }
            }};
}

/// t_k = (9/10 e^(i theta))^k below the diagonal, conjugate above: the covariance of a process with one complex pole.
gallery_matrix make_hermitian_toeplitz(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const long bits = formation_bits(options);
    const real angle = options.angle.with_precision(bits);
    const real size = real(9, bits) / real(10, bits);
    const double order = static_cast<double>(n);
    return {.order = n,
            .entries = order * (order + 1.0) / 2.0,
            .dense = true,
            .complex = true,
            .hermitian = true,
            .column = [=](index_t j, std::vector<gallery_entry>& column) {
                for (index_t i = j; i < n; ++i) {
                    const real k(i - j, bits);
                    const real modulus = pow(size, static_cast<long>(i - j));
                    column.push_back({i, modulus * cos(k * angle), modulus * sin(k * angle)});
                }
            }};
}

gallery_matrix with_phases(gallery_matrix a, const gallery_options& options)
{
    splitmix64 random{options.seed ^ 0x9e3779b97f4a7c15u};
    const long bits = formation_bits(options);
    std::vector<complex_real> left;
    std::vector<complex_real> right;
    for (index_t i = 0; i < a.order; ++i) {
        left.push_back(random_phase(random, bits));
        right.push_back(a.symmetric ? conj(left.back()) : random_phase(random, bits));
    }
    a.complex = true;
    a.hermitian = std::exchange(a.symmetric, false);
    a.column = [plain = std::move(a.column), left, right, definite = a.hermitian](index_t j,
                                                                                  std::vector<gallery_entry>& column) {
        plain(j, column);
        for (gallery_entry& each : column) {
            if (!definite || each.row != j) {
                each = entry_of(each.row, left[static_cast<std::size_t>(each.row)] *
                                              right[static_cast<std::size_t>(j)] * each.value);
            }
        }
    };
    return a;
}

}  // namespace residua::detail
