// Limits of condition for refinement whose corrections are GMRES's, by the precisions of factors, of Krylov vectors and of
// products with A: (u_g + u_p kappa) kappa^2 u_f^2 < 1.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/solvers/methods/gmres_ir.hpp>
#include <residua/solvers/methods/refine.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/eigen_reference.hpp"
#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long bits = 900;  // of all that is to be right
constexpr double tolerance = 1e-60;

/// Square, by rows.
struct exact_matrix {
    std::size_t n;
    std::vector<real> values;

    explicit exact_matrix(std::size_t order) : n(order), values(order * order, real(0.0, bits)) {}
    real& at(std::size_t i, std::size_t j) { return values[i * n + j]; }
    const real& at(std::size_t i, std::size_t j) const { return values[i * n + j]; }
};

/// A <- H A or A H, H = I - 2 v v' / v'v for a random v.
void reflect(exact_matrix& a, bool rows, biased_random& random)
{
    std::vector<real> v;
    real square(0.0, bits);
    for (std::size_t i = 0; i < a.n; ++i) {
        v.emplace_back(static_cast<double>(random.integer(-1000, 1000)) + 0.5, bits);
        square += v.back() * v.back();
    }
    for (std::size_t k = 0; k < a.n; ++k) {
        const auto element = [&](std::size_t l) -> real& { return rows ? a.at(k, l) : a.at(l, k); };
        real sum(0.0, bits);
        for (std::size_t l = 0; l < a.n; ++l) {
            sum += v[l] * element(l);
        }
        const real factor = real(2.0, bits) * sum / square;
        for (std::size_t l = 0; l < a.n; ++l) {
            element(l) -= factor * v[l];
        }
    }
}

/// Singular values 1, ..., 10^-decades, one as far from the next as every other; entries rounded to so many bits.
exact_matrix randsvd(std::size_t n, double decades, long entry_bits, biased_random& random)
{
    exact_matrix a(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double exponent = -decades * std::log2(10.0) * static_cast<double>(i) / static_cast<double>(n - 1);
        const double whole = std::floor(exponent);
        a.at(i, i) = ldexp(real(std::exp2(exponent - whole), bits), static_cast<long>(whole));
    }
    for (int k = 0; k < 3; ++k) {
        reflect(a, true, random);
        reflect(a, false, random);
    }
    for (real& x : a.values) {
        x = x.with_precision(entry_bits).with_precision(bits);
    }
    return a;
}

/// inverse(A) b by Eigen's LU.
std::vector<real> solved(const exact_matrix& a, const std::vector<real>& b)
{
    const auto n = static_cast<index_t>(a.n);
    const auto rows = Eigen::Map<const eigen_matrix>(a.values.data(), n, n).transpose();
    return reals(rows.partialPivLu().solve(Eigen::Map<const eigen_vector>(b.data(), n)));
}

/// A in a space, for products, and exactly, for residuals.
template <class T>
struct dense_operator {
    const exact_matrix& exact;
    matrix<host_executor, T> rounded;

    explicit dense_operator(const exact_matrix& a)
        : exact(a), rounded(static_cast<index_t>(a.n), static_cast<index_t>(a.n))
    {
        for (std::size_t i = 0; i < a.n; ++i) {
            for (std::size_t j = 0; j < a.n; ++j) {
                rounded.set(static_cast<index_t>(i), static_cast<index_t>(j), from_real<T>(a.at(i, j)));
            }
        }
    }

    void apply(const host_space<T>& space, const vector<host_executor, T>& x, vector<host_executor, T>& y) const
    {
        blas::gemv<T>(space.exec, blas::trans::no, T{1.0}, rounded.view(), x.view(), T{0.0}, y.view());
    }

    bool residual(const host_space<T>&, const vector<host_executor, T>& x, const vector<host_executor, T>& b,
                  vector<host_executor, T>& r) const
    {
        for (std::size_t i = 0; i < exact.n; ++i) {
            real sum = to_real(b.get(static_cast<index_t>(i))).with_precision(bits);
            for (std::size_t j = 0; j < exact.n; ++j) {
                sum -= exact.at(i, j) * to_real(x.get(static_cast<index_t>(j)));
            }
            r.set(static_cast<index_t>(i), from_real<T>(sum));
        }
        return true;
    }
};

using long_space = multidigit_space<host_executor>;

/// A for x in multi-digit floats, whose products and residuals are rounded once.
struct exact_operator {
    const exact_matrix& exact;

    void apply(const long_space& space, const long_space::vector& x, long_space::vector& y) const
    {
        const long_space::vector zero = space.make_vector(x.size());
        residual(space, x, zero, y);
        space.scal(space.make_scalar(-1.0), y);
    }

    bool residual(const long_space& space, const long_space::vector& x, const long_space::vector& b,
                  long_space::vector& r) const
    {
        for (std::size_t i = 0; i < exact.n; ++i) {
            real sum = to_real(b.get(static_cast<index_t>(i))).with_precision(bits);
            for (std::size_t j = 0; j < exact.n; ++j) {
                sum -= exact.at(i, j) * to_real(x.get(static_cast<index_t>(j)));
            }
            r.set(static_cast<index_t>(i), space.make_scalar(sum));
        }
        return true;
    }
};

template <class F>
F rounded_to(const real& x)
{
    if constexpr (std::is_same_v<F, float>) {
        return static_cast<float>(to_double(x.with_precision(24)));
    } else {
        return from_real<F>(x);
    }
}

/// P A = L U in numbers of F, applied in numbers of T.
template <class F, class T>
struct dense_lu {
    matrix<host_executor, T> factors;
    std::vector<index_t> row;  // of A, that row i of P A is

    explicit dense_lu(const exact_matrix& a) : factors(static_cast<index_t>(a.n), static_cast<index_t>(a.n))
    {
        std::vector<std::vector<F>> lu(a.n);
        for (std::size_t i = 0; i < a.n; ++i) {
            row.push_back(static_cast<index_t>(i));
            for (std::size_t j = 0; j < a.n; ++j) {
                lu[i].push_back(rounded_to<F>(a.at(i, j)));
            }
        }
        const auto size = [](const F& x) { return x < F(0.0) ? -x : x; };
        for (std::size_t k = 0; k < a.n; ++k) {
            std::size_t p = k;
            for (std::size_t i = k + 1; i < a.n; ++i) {
                p = size(lu[p][k]) < size(lu[i][k]) ? i : p;
            }
            std::swap(lu[k], lu[p]);
            std::swap(row[k], row[p]);
            for (std::size_t i = k + 1; i < a.n; ++i) {
                lu[i][k] = lu[i][k] / lu[k][k];
                for (std::size_t j = k + 1; j < a.n; ++j) {
                    lu[i][j] = lu[i][j] - lu[i][k] * lu[k][j];
                }
            }
        }
        for (std::size_t i = 0; i < a.n; ++i) {
            for (std::size_t j = 0; j < a.n; ++j) {
                const F& x = lu[i][j];
                if constexpr (std::is_same_v<F, float> || std::is_same_v<F, double>) {
                    factors.set(static_cast<index_t>(i), static_cast<index_t>(j), T{static_cast<double>(x)});
                } else {
                    factors.set(static_cast<index_t>(i), static_cast<index_t>(j), from_real<T>(to_real(x)));
                }
            }
        }
    }

    void apply(const host_space<T>& space, const vector<host_executor, T>& x, vector<host_executor, T>& y) const
    {
        for (std::size_t i = 0; i < row.size(); ++i) {
            y.set(static_cast<index_t>(i), x.get(row[i]));
        }
        blas::trsv(space.exec, blas::uplo::lower, blas::trans::no, blas::diag::unit, factors.view(), y.view(),
                   y.view());
        blas::trsv(space.exec, blas::uplo::upper, blas::trans::no, blas::diag::non_unit, factors.view(), y.view(),
                   y.view());
    }
};

struct outcome {
    iteration_report report;
    double residual;  ///< ||b - A x|| / ||b||, the true one
    double error;     ///< ||x - inverse(A) b|| / ||inverse(A) b||
};

/// x in 848 bits, factors in F, GMRES in G, its products in P.
template <class F, class G, class P>
outcome refine_by_gmres(double decades)
{
    constexpr std::size_t n = 60;
    biased_random random;
    const exact_matrix a = randsvd(n, decades, number_traits<P>::precision_bits, random);
    const long_space space{{}, multidigit_format(848)};
    auto b = space.make_vector(n);
    std::vector<real> exact_b;
    for (index_t i = 0; i < static_cast<index_t>(n); ++i) {
        b.set(i, space.make_scalar(static_cast<double>(random.integer(-100, 100))));
        exact_b.push_back(to_real(b.get(i)).with_precision(bits));
    }
    const std::vector<real> right = solved(a, exact_b);

    const exact_operator of_x{a};
    const dense_operator<P> of_products(a);
    const dense_lu<F, P> factors(a);
    const gmres_corrections corrections(host_space<G>{}, host_space<P>{}, of_products, factors, n, rule(1e-6, 200),
                                        100);
    auto x = space.make_vector(n);
    refine_workspace<long_space> work(space, n);
    outcome result{refine(space, of_x, corrections, b, x, rule(tolerance, 200), work), 0.0, 0.0};

    auto r = space.make_vector(n);
    of_x.residual(space, x, b, r);
    result.residual = to_double(space.norm2(r) / space.norm2(b));
    real difference(0.0, bits), size(0.0, bits);
    for (std::size_t i = 0; i < n; ++i) {
        const real d = to_real(x.get(static_cast<index_t>(i))) - right[i];
        difference += d * d;
        size += right[i] * right[i];
    }
    result.error = to_double(sqrt(difference / size));
    return result;
}

/// Converges three powers of ten below the limit. Beyond it may, since GMRES has as many steps as there are unknowns; what is
/// told of x is true then too.
template <class F, class G, class P>
void expect_limit(double limit)
{
    const outcome within = refine_by_gmres<F, G, P>(limit - 3.0);
    EXPECT_EQ(within.report.status, solve_status::converged) << within.report.message;
    EXPECT_LE(within.residual, tolerance);
    EXPECT_LT(within.error, tolerance * std::pow(10.0, limit));

    bool fails = false;
    for (const double beyond : {6.0, 20.0, 60.0}) {
        const outcome far = refine_by_gmres<F, G, P>(limit + beyond);
        EXPECT_NEAR(far.report.recursive_residual, far.residual, 1e-10 * far.residual);
        if (far.report.status == solve_status::converged) {
            EXPECT_LE(far.residual, tolerance);
            EXPECT_LT(far.error, tolerance * std::pow(10.0, limit + beyond + 3.0));
        } else {
            EXPECT_EQ(far.report.status, solve_status::stagnated);
            EXPECT_FALSE(far.report.message.empty());
            fails = true;
        }
    }
    EXPECT_TRUE(fails);
}

}  // namespace

using dd = expansion<double, 2>;
using qd = expansion<double, 4>;
using eight = expansion<double, 8>;

TEST(gmres_ir_test, factors_in_binary32_gmres_in_binary64_products_in_dd) { expect_limit<float, double, dd>(15.2); }
TEST(gmres_ir_test, factors_in_binary64_gmres_in_binary64_products_in_dd) { expect_limit<double, double, dd>(21.0); }
TEST(gmres_ir_test, factors_in_binary64_gmres_in_dd_products_in_qd) { expect_limit<double, dd, qd>(31.8); }
TEST(gmres_ir_test, factors_in_binary64_gmres_in_qd_products_in_8_terms) { expect_limit<double, qd, eight>(47.9); }
TEST(gmres_ir_test, factors_in_dd_gmres_in_qd_products_in_8_terms) { expect_limit<dd, qd, eight>(63.7); }
