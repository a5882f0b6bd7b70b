#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/krylov.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// A binary64 matrix as an operator on vectors of T.
template <class T>
struct host_matrix {
    csr<host_executor, double> a;

    explicit host_matrix(const io::coo<double>& entries) : a(make(entries)) {}

    static csr<host_executor, double> make(const io::coo<double>& entries) { return csr_from_coo(entries); }

    void apply(const host_space<T>& space, const vector<host_executor, T>& x, vector<host_executor, T>& y) const
    {
        blas::spmv<T>(space.exec, T{1.0}, a, x.view(), T{0.0}, y.view());
    }
};

template <class T>
struct host_identity {
    void apply(const host_space<T>& space, const vector<host_executor, T>& x, vector<host_executor, T>& y) const
    {
        space.copy(x, y);
    }
};

template <class T>
struct host_jacobi {
    std::vector<double> diagonal;

    explicit host_jacobi(const io::coo<double>& a) : diagonal(static_cast<std::size_t>(a.rows))
    {
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            if (a.row[k] == a.col[k]) {
                diagonal[a.row[k]] = a.value[k];
            }
        }
    }

    void apply(const host_space<T>&, const vector<host_executor, T>& x, vector<host_executor, T>& y) const
    {
        for (index_t i = 0; i < x.size(); ++i) {
            y.set(i, x.get(i) / T{diagonal[i]});
        }
    }
};

/// b = ones, x0 = 0.
template <class T, class M>
iteration_report host_cg(const io::coo<double>& entries, const M& m, const stop_rule& r,
                         std::vector<real>* solution = nullptr)
{
    const host_space<T> space;
    const host_matrix<T> a(entries);
    auto b = space.make_vector(entries.rows);
    auto x = space.make_vector(entries.rows);
    space.fill(T{1.0}, b);
    cg_workspace<host_space<T>> work(space, entries.rows);
    const iteration_report report = cg(space, a, m, b, x, r, work);
    if (solution != nullptr) {
        solution->clear();
        for (index_t i = 0; i < x.size(); ++i) {
            solution->push_back(to_real(x.get(i)));
        }
    }
    return report;
}

template <class M>
real_run real_cg(const io::coo<double>& a, const M& m, std::vector<real> b, long bits, const stop_rule& r)
{
    const real_space space{bits};
    real_run run;
    run.x = space.make_vector(a.rows);
    for (real& value : b) {
        value = value.with_precision(bits);
    }
    cg_workspace<real_space> work(space, a.rows);
    run.report = cg(space, real_matrix{a}, m, b, run.x, r, work);
    return run;
}

/// Iterations of CG until the recursive residual is 1e-12 ||b||, b = ones, measured
/// independently with MPFR; at 53, 106, 159, 212, 424 bits.
struct cg_anchor {
    const char* name;
    bool jacobi;
    int counts[5];
};

const cg_anchor anchors[] = {
    {"LFAT5", false, {31, 19, 14, 14, 12}},     {"LFAT5", true, {10, 10, 10, 10, 10}},
    {"bcsstk01", false, {160, 91, 74, 70, 48}}, {"bcsstk01", true, {50, 48, 48, 48, 48}},
    {"bcsstk02", false, {60, 65, 51, 51, 51}},  {"bcsstk02", true, {49, 47, 47, 47, 47}},
};

void expect_in_band(index_t count, int anchor, bool binary64, const std::string& what)
{
    const double band = std::max((binary64 ? 0.10 : 0.05) * anchor, 2.0);
    EXPECT_LE(std::abs(static_cast<double>(count) - anchor), band)
        << what << ": " << count << " iterations, anchor " << anchor;
}

template <class T>
void expect_anchors(int column)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    for (const cg_anchor& anchor : anchors) {
        const io::coo<double> a = read_binary64((*dir / "public" / anchor.name).string() + ".mtx");

        const iteration_report report = anchor.jacobi ? host_cg<T>(a, host_jacobi<T>(a), rule(1e-12))
                                                      : host_cg<T>(a, host_identity<T>(), rule(1e-12));

        EXPECT_EQ(report.status, solve_status::converged);
        expect_in_band(report.iterations, anchor.counts[column], column == 0,
                       std::string(anchor.name) + (anchor.jacobi ? " jacobi" : " none"));
    }
}

}  // namespace

TEST(cg_test, solves_a_two_by_two_system_in_two_steps)
{
    const io::coo<double> a = from_rows({{4, 1}, {1, 3}});

    const real_run run = real_cg(a, real_identity{}, {real(1.0), real(2.0)}, 200, rule(1e-50));

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_EQ(run.report.iterations, 2);
    EXPECT_GT(agreeing_digits(run.x, {real(1.0, 200) / real(11.0), real(7.0, 200) / real(11.0)}), 55.0);
}

TEST(cg_test, takes_an_exact_guess_as_iteration_zero)
{
    const io::coo<double> a = from_rows({{2, 0}, {0, 2}});
    const real_space space{100};
    std::vector<real> x{real(1.0, 100), real(3.0, 100)};
    cg_workspace<real_space> work(space, 2);

    const iteration_report report =
        cg(space, real_matrix{a}, real_identity{}, {real(2.0), real(6.0)}, x, rule(1e-20), work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, 0);
}

TEST(cg_test, takes_a_zero_right_hand_side_as_solved)
{
    const real_run run = real_cg(poisson_1d(5), real_identity{}, std::vector<real>(5, real(0.0)), 100, rule(1e-20));

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_EQ(run.report.iterations, 0);
}

TEST(cg_test, reports_an_indefinite_matrix_as_breakdown)
{
    const real_run run =
        real_cg(from_rows({{1, 2}, {2, 1}}), real_identity{}, {real(1.0), real(-2.0)}, 100, rule(1e-20));

    EXPECT_EQ(run.report.status, solve_status::breakdown);
    EXPECT_NE(run.report.message.find("not positive definite"), std::string::npos);
}

TEST(cg_test, reports_a_nan_as_breakdown)
{
    const real nan = real(0.0) / real(0.0);

    const real_run run = real_cg(poisson_1d(3), real_identity{}, {real(1.0), nan, real(1.0)}, 100, rule(1e-20));

    EXPECT_EQ(run.report.status, solve_status::breakdown);
}

TEST(cg_test, returns_the_best_iterate_when_the_limit_is_reached)
{
    const io::coo<double> a = from_rows({{1e8, 0, 0}, {0, 1, 0.5}, {0, 0.5, 1}});
    for (index_t most = 0; most < 3; ++most) {
        const std::vector<real> b{real(1e8), real(1.0), real(-3.0)};
        double least = 1e300;
        stop_rule r = rule(1e-40, most);
        r.on_iteration = [&](index_t, double residual) { least = std::min(least, residual); };

        const real_run run = real_cg(a, real_identity{}, b, 200, r);

        EXPECT_EQ(run.report.status, solve_status::not_converged);
        EXPECT_DOUBLE_EQ(run.report.recursive_residual, least);
        std::vector<real> product(3, real(0.0, 200));
        real_matrix{a}.apply(real_space{200}, run.x, product);
        real_space{200}.axpy(real(-1.0), b, product);
        EXPECT_NEAR(to_double(norm2(product)) / to_double(norm2(b)) / least, 1.0, 1e-10);
    }
}

TEST(cg_test, matches_the_iteration_counts_of_an_independent_implementation)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    const long bits[5] = {53, 106, 159, 212, 424};
    for (const cg_anchor& anchor : anchors) {
        const io::coo<double> a = read_binary64((*dir / "public" / anchor.name).string() + ".mtx");
        for (int column = 0; column < 5; ++column) {
            const real_run run = anchor.jacobi ? real_cg(a, real_jacobi(a), ones(a.rows), bits[column], rule(1e-12))
                                               : real_cg(a, real_identity{}, ones(a.rows), bits[column], rule(1e-12));

            expect_in_band(run.report.iterations, anchor.counts[column], column == 0, anchor.name);
        }
    }
}

TEST(cg_test, matches_the_iteration_counts_in_binary64) { expect_anchors<double>(0); }
TEST(cg_test, matches_the_iteration_counts_in_106_bits) { expect_anchors<expansion<double, 2>>(1); }
TEST(cg_test, matches_the_iteration_counts_in_159_bits) { expect_anchors<expansion<double, 3>>(2); }
TEST(cg_test, matches_the_iteration_counts_in_212_bits) { expect_anchors<expansion<double, 4>>(3); }
TEST(cg_test, matches_the_iteration_counts_in_424_bits) { expect_anchors<expansion<double, 8>>(4); }

TEST(cg_test, follows_the_residual_far_below_the_exponent_range_of_binary64)
{
    // the residual falls to 1e-296, whose square is no binary64 number, nor are 8 terms of it
    const io::coo<double> a = poisson_1d(40);
    const host_space<expansion<double, 8>> space;
    using T = expansion<double, 8>;
    const host_matrix<T> matrix(a);
    auto b = space.make_vector(40);
    auto x = space.make_vector(40);
    b.set(0, T{0x1p-600});
    cg_workspace<host_space<T>> work(space, 40);
    stop_rule r = rule(1e-115);

    const iteration_report report = cg(space, matrix, host_identity<T>(), b, x, r, work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_LE(report.iterations, 42);
    EXPECT_LE(report.recursive_residual, 1e-115);
}

TEST(cg_test, reaches_residuals_of_1e_minus_400)
{
    const real_run run =
        real_cg(poisson_1d(30), real_identity{}, std::vector<real>(30, real("1e-350", 2000)), 2000, rule(1e-200));

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_LE(run.report.iterations, 30);
    // x_0 = n h / 2 of the discrete parabola
    EXPECT_GT(agreeing_digits({run.x[0]}, {real("1e-350", 2000) * real(15.0)}), 195.0);
}

TEST(cg_test, gives_the_same_bits_for_any_number_of_threads)
{
    const io::coo<double> a = poisson_1d(3000);
    std::vector<real> one_thread, two_threads;
    const int threads = omp_get_max_threads();

    omp_set_num_threads(1);
    host_cg<expansion<double, 3>>(a, host_identity<expansion<double, 3>>(), rule(1e-30, 200), &one_thread);
    omp_set_num_threads(3);
    host_cg<expansion<double, 3>>(a, host_identity<expansion<double, 3>>(), rule(1e-30, 200), &two_threads);
    omp_set_num_threads(threads);

    EXPECT_EQ(one_thread, two_threads);
}
