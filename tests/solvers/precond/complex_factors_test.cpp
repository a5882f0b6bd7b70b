// Factors of complex systems in every precision: of what is scaled, their determinants, and the solver's determinant.
#include <cmath>
#include <complex>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/complex/complex.hpp>
#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/blas_space.hpp>

using namespace residua;

namespace {

using z = std::complex<double>;

/// A dense matrix of Gaussian integers, hermitian and definite if it is to be.
std::vector<z> any(std::size_t n, bool definite, unsigned seed)
{
    std::mt19937 random(seed);
    const auto part = [&] { return static_cast<double>(static_cast<int>(random() % 19) - 9); };
    std::vector<z> a(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            a[i * n + j] = {part(), part()};
            a[j * n + i] = definite ? std::conj(a[i * n + j]) : z(part(), part());
        }
        if (definite) {
            a[i * n + i] = 20.0 * static_cast<double>(n);
        }
    }
    return a;
}

linear_system system_of(std::size_t n, const std::vector<z>& a)
{
    return make_system(dense_view<z>{static_cast<index_t>(n), static_cast<index_t>(n), a});
}

/// det(A) by Laplace's expansion of rows, exact as long as `real` holds the integers.
complex_number<real> determinant(const std::vector<std::vector<z>>& a)
{
    if (a.empty()) {
        return complex_number<real>(real(1.0, 400));
    }
    complex_number<real> sum(real(0.0, 400));
    for (std::size_t j = 0; j < a.size(); ++j) {
        std::vector<std::vector<z>> rest(a.begin() + 1, a.end());
        for (std::vector<z>& row : rest) {
            row.erase(row.begin() + static_cast<std::ptrdiff_t>(j));
        }
        const complex_number<real> term =
            complex_number<real>(real(a[0][j].real(), 400), real(a[0][j].imag(), 400)) * determinant(rest);
        sum += j % 2 == 0 ? term : -term;
    }
    return sum;
}

complex_number<real> determinant(std::size_t n, const std::vector<z>& a)
{
    std::vector<std::vector<z>> rows;
    for (std::size_t i = 0; i < n; ++i) {
        rows.emplace_back(a.begin() + static_cast<std::ptrdiff_t>(i * n),
                          a.begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
    }
    return determinant(rows);
}

double relative_error(const complex_number<real>& found, const complex_number<real>& exact)
{
    return to_double(abs(found - exact) / abs(exact));
}

const std::vector<arithmetic> formats{{number_format::native, 53},
                                      {number_format::expansion, 106},
                                      {number_format::multidigit, 300},
                                      {number_format::rns, 200}};

}  // namespace

TEST(complex_factors_test, have_the_determinant_of_the_complex_matrix_in_every_precision)
{
    for (const std::size_t n : {1, 2, 5, 6}) {
        for (const bool definite : {false, true}) {
            const std::vector<z> a = any(n, definite, static_cast<unsigned>(n));
            const complex_number<real> exact = determinant(n, a);
            const scaled_matrix m = scale(system_of(n, a), definite);
            const factor_kind kind = definite ? factor_kind::cholesky : factor_kind::lu;
            sparse_analyses analyses;
            std::vector<std::pair<long, factorization>> all{{53, factorize_native(m, kind, analyses)}};
            for (const arithmetic& in : formats) {
                all.emplace_back(in.bits, factorize_long(in, m));
            }
            for (const auto& [bits, factors] : all) {
                ASSERT_TRUE(factors.exist()) << n << " " << bits << " " << factors.failure();
                EXPECT_EQ(factors.kind(), kind);
                const auto found = factors.find_complex_determinant();
                ASSERT_TRUE(found) << n << " " << bits;
                EXPECT_LT(relative_error(*found, exact), std::ldexp(1e4, static_cast<int>(-bits))) << n << " " << bits;
                EXPECT_LT(relative_error(*factors.transposed().find_complex_determinant(), conj(exact)),
                          std::ldexp(1e4, static_cast<int>(-bits)));
            }
        }
    }
}

TEST(complex_factors_test, of_binary64_solve_with_the_matrix_and_its_adjoint)
{
    for (const bool definite : {false, true}) {
        const std::size_t n = 40;
        const linear_system a = system_of(n, any(n, definite, 7));
        sparse_analyses analyses;
        const factorization factors =
            factorize_native(scale(a, definite), definite ? factor_kind::cholesky : factor_kind::lu, analyses);
        ASSERT_TRUE(factors.exist()) << factors.failure();
        for (const bool transposed : {false, true}) {
            vector<host_executor, double> x(a.rows);
            for (index_t i = 0; i < a.rows; ++i) {  // b = K 1 or K' 1
                for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                    const index_t to = transposed ? a.column[k] : i;
                    x.set(to, x.get(to) + a.values[k]);
                }
            }

            factors.solve(x, transposed);

            for (index_t i = 0; i < a.rows; ++i) {
                EXPECT_NEAR(x.get(i), 1.0, 1e-10) << i;
            }
        }
    }
}

TEST(complex_factors_test, rows_and_columns_of_a_pair_are_scaled_alike)
{
    std::vector<z> a = any(6, false, 3);
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            a[i * 6 + j] *= std::ldexp(1.0, static_cast<int>(i * 40) - static_cast<int>(j * 90));
        }
    }
    a[2] = {0.0, a[2].imag()};
    const scaled_matrix m = scale(system_of(6, a), false);

    EXPECT_TRUE(m.is_scaled());
    EXPECT_TRUE(m.complex);
    for (std::size_t k = 0; k < 12; k += 2) {
        EXPECT_EQ(m.row_exponent[k], m.row_exponent[k + 1]);
        EXPECT_EQ(m.column_exponent[k], m.column_exponent[k + 1]);
    }
    for (const double value : m.values) {
        EXPECT_LE(std::abs(value), 2.0);
    }
    long scaled_by = 0;
    for (std::size_t k = 0; k < 12; ++k) {
        scaled_by += m.row_exponent[k] + m.column_exponent[k];
    }
    const complex_number<real> found = *factorize_long({number_format::multidigit, 300}, m).find_complex_determinant();
    EXPECT_LT(
        relative_error({ldexp(found.real(), -scaled_by / 2), ldexp(found.imag(), -scaled_by / 2)}, determinant(6, a)),
        1e-60);
}

TEST(complex_factors_test, a_singular_matrix_is_refused_by_its_complex_column)
{
    std::vector<z> a = any(4, false, 11);
    for (std::size_t i = 0; i < 4; ++i) {
        a[i * 4 + 2] = 0.0;
    }
    linear_system system = system_of(4, a);
    const factorization factors = factorize_long({number_format::multidigit, 300}, unscaled(system, false));

    EXPECT_EQ(factors.failure(), "no usable pivot in complex column 3: the matrix is singular to working precision");
    EXPECT_FALSE(factors.find_complex_determinant());
}

TEST(complex_factors_test, the_solver_tells_the_determinant_with_its_argument)
{
    const std::vector<z> a = any(6, false, 5);
    const complex_number<real> exact = determinant(6, a);
    solver by(system_of(6, a), {.digits = 40});

    const auto found = by.determinant();

    ASSERT_TRUE(found && found->parts);
    EXPECT_LT(relative_error({found->parts->first, found->parts->second}, exact), to_double(found->relative_error));
    EXPECT_LT(to_double(found->relative_error), 1e-40);
    EXPECT_LT(to_double(abs(found->value / abs(exact) - real(1.0))), to_double(found->relative_error));
}

/// RNS floats have no sums of products by columns: all goes column by column.
TEST(complex_factors_test, of_rns_floats_solve_with_small_errors)
{
    using space = rns_space<host_executor>;
    const space on{{}, rns_format(212)};
    auto a = on.make_matrix(8, 8);
    for (index_t i = 0; i < 4; ++i) {
        for (index_t j = 0; j < 4; ++j) {
            const double re = 1.0 / static_cast<double>(1 + i + j), im = i == j ? 2.0 : static_cast<double>(i - 2 * j);
            a.set(2 * i, 2 * j, on.make_scalar(re));
            a.set(2 * i + 1, 2 * j + 1, on.make_scalar(re));
            a.set(2 * i + 1, 2 * j, on.make_scalar(im));
            a.set(2 * i, 2 * j + 1, on.make_scalar(-im));
        }
    }
    auto x = on.make_vector(8);
    for (index_t i = 0; i < 8; ++i) {
        real sum(0.0, 400);
        for (index_t j = 0; j < 8; ++j) {
            sum += to_real(a.get(i, j));
        }
        x.set(i, on.make_scalar(sum));
    }

    const dense_factors<space> f(on, std::move(a), false, {.complex = true});
    ASSERT_EQ(f.failure(), "");
    f.solve(x);

    for (index_t i = 0; i < 8; ++i) {
        EXPECT_LT(to_double(ldexp(abs(to_real(x.get(i)) - real(1.0)), 212)), 1e6) << i;
    }
}
