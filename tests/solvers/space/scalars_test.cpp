#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/methods/bicg.hpp>
#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/bicgstabl.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/fcg.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/methods/idr.hpp>
#include <residua/solvers/methods/lsqr.hpp>
#include <residua/solvers/methods/tfqmr.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>

#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// A host's space that counts what would wait for a device.
template <class T>
struct counting_space : host_space<T> {
    using base = host_space<T>;
    using vector = typename base::vector;
    using scalars = typename base::scalars;

    mutable index_t reads = 0;

    using base::dot;
    T dot(const vector& x, const vector& y) const
    {
        ++reads;
        return base::dot(x, y);
    }
    T norm2(const vector& x) const
    {
        ++reads;
        return base::norm2(x);
    }
    T norm2(const vector& x, const T& square) const
    {
        const double s = to_double(square);
        reads += 1e-200 < s && s < 1e200 ? 0 : 2;
        return base::norm2(x, square);
    }
    std::vector<T> fetched(const scalars& s, index_t count) const
    {
        ++reads;
        return base::fetched(s, count);
    }
};

template <class T>
struct counted_matrix {
    csr<host_executor, double> a;

    void apply(const counting_space<T>& space, const vector<host_executor, T>& x, vector<host_executor, T>& y) const
    {
        space.spmv(a, x, y);
    }
};

/// The reads of a solve of A x = (1, ..., n)', preconditioned with ILU(0): in all, and the most between two iterations.
struct counted {
    iteration_report report;
    index_t in_all = 0;
    index_t most = 0;
};

template <class T, class Solver>
counted count_reads(const io::coo<double>& entries, double tolerance, const Solver& solver)
{
    using space_type = counting_space<T>;
    const space_type space;
    const counted_matrix<T> a{csr_from_coo(entries)};
    const triangular_preconditioner<space_type> m(space, factorize_ilu0(rows_of(entries)));
    auto b = space.make_vector(entries.rows);
    auto x = space.make_vector(entries.rows);
    for (index_t i = 0; i < entries.rows; ++i) {
        b.set(i, T{static_cast<double>(i + 1)});
    }
    counted result;
    index_t before = 0;
    stop_rule r = rule(tolerance, 500);
    r.on_iteration = [&](index_t k, double) {
        result.most = k > 0 ? std::max(result.most, space.reads - before) : 0;
        before = space.reads;
    };
    result.report = solver(space, a, m, b, x, r);
    result.in_all = space.reads;
    EXPECT_EQ(result.report.status, solve_status::converged);
    return result;
}

const auto run_cg = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x, const stop_rule& r) {
    cg_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return cg(space, a, m, b, x, r, work);
};

const auto run_bicgstab = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                             const stop_rule& r) {
    bicgstab_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return bicgstab(space, a, m, b, x, r, work);
};

const auto run_bicgstabl = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                              const stop_rule& r) {
    bicgstabl_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return bicgstabl(space, a, m, b, x, r, work);
};

const auto run_idr = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x, const stop_rule& r) {
    idr_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return idr(space, a, m, b, x, r, work);
};

const auto run_fcg = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x, const stop_rule& r) {
    fcg_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return fcg(space, a, m, b, x, r, work);
};

const auto run_tfqmr = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x, const stop_rule& r) {
    tfqmr_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return tfqmr(space, a, m, b, x, r, work);
};

/// These two for symmetric A and M.
const auto run_bicg = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x, const stop_rule& r) {
    bicg_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return bicg(space, a, a, m, m, b, x, r, work);
};

const auto run_lsqr = [](const auto& space, const auto& a, const auto&, const auto& b, auto& x, const stop_rule& r) {
    lsqr_workspace<std::decay_t<decltype(space)>> work(space, space.size(b), space.size(x));
    return lsqr(space, a, a, b, x, r, work);
};

const auto run_gmres = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x, const stop_rule& r) {
    gmres_workspace<std::decay_t<decltype(space)>> work(space, space.size(b), 10);
    return gmres(space, a, m, b, x, r, work, orthogonalization::reorthogonalized);
};

/// -u'' + c u' on n points, in rows that no product with 1 / 3 leaves exact.
io::coo<double> convection(index_t n, double c)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (index_t i = 0; i < n; ++i) {
        rows[i][i] = 2.0 + 1.0 / 3.0;
        for (const index_t far : {1, 7}) {
            if (i >= far) {
                rows[i][i - far] = rows[i - far][i] = -1.0 / static_cast<double>(far);
            }
        }
        if (i > 0) {
            rows[i][i - 1] -= c;
        }
    }
    return from_rows(rows);
}

template <class S>
void expect_scalars_by_hand(const S& space)
{
    auto x = space.make_vector(2);
    auto y = space.make_vector(2);
    space.fill(space.make_scalar(3.0), x);
    space.fill(space.make_scalar(-5.0), y);
    auto s = space.make_scalars(4);

    space.dot(x, y, s, 0);     // -30
    space.dot(x, x, s, 1);     // 18
    space.divide(s, 0, 1, 2);  // -30 / 18
    space.axmy(s, 1, x, y);    // -5 - 18 * 3
    const auto read = space.fetched(s, 4);

    ASSERT_EQ(read.size(), 4u);
    EXPECT_EQ(to_double(read[0]), -30.0);
    EXPECT_EQ(to_double(read[1]), 18.0);
    EXPECT_TRUE(read[2] == space.make_scalar(-30.0) / space.make_scalar(18.0));
    EXPECT_EQ(to_double(read[3]), 0.0);
    EXPECT_TRUE(space.norm2(x, read[1]) == space.norm2(x));
    EXPECT_EQ(to_double(space.dot(y, y)), 2.0 * 59.0 * 59.0);

    space.divide(s, 0, 3, 1);  // by zero
    space.fill(space.make_scalar(std::numeric_limits<double>::quiet_NaN()), x);
    space.dot(x, x, s, 3);
    space.divide(s, 0, 3, 2);  // by NaN
    const auto without_quotients = space.fetched(s, 3);
    ASSERT_EQ(without_quotients.size(), 3u);
    EXPECT_EQ(to_double(without_quotients[1]), 0.0);
    EXPECT_EQ(to_double(without_quotients[2]), 0.0);
}

/// A diagonal matrix, and after so many products a NaN.
struct failing_matrix {
    std::vector<double> diagonal;
    int good = 1000;
    mutable int products = 0;

    void apply(const real_space& space, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = space.make_scalar(diagonal[i]) * x[i];
        }
        if (++products > good) {
            y[0] = space.make_scalar(std::numeric_limits<double>::quiet_NaN());
        }
    }
};

template <class Solver>
real_run run_failing(const Solver& solver, const failing_matrix& a, const std::vector<double>& b, index_t most)
{
    const real_space space{200};
    const auto identity = [](const auto& x, auto& y) { y = x; };
    struct preconditioner {
        decltype(identity) f;
        void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const { f(x, y); }
    };
    std::vector<real> rhs;
    for (const double v : b) {
        rhs.push_back(space.make_scalar(v));
    }
    real_run run;
    run.x = space.make_vector(space.size(rhs));
    run.report = solver(space, a, preconditioner{identity}, rhs, run.x, rule(1e-50, most));
    return run;
}

}  // namespace

TEST(scalars_test, are_computed_where_the_vectors_are)
{
    expect_scalars_by_hand(host_space<double>{});
    expect_scalars_by_hand(host_space<expansion<double, 2>>{});
    expect_scalars_by_hand(host_space<expansion<double, 6>>{});
    expect_scalars_by_hand(multidigit_space<host_executor>{{}, multidigit_format(200)});
    expect_scalars_by_hand(rns_space<host_executor>{{}, rns_format(200)});
    expect_scalars_by_hand(real_space{200});
}

TEST(scalars_test, give_the_norm_where_their_square_is_out_of_range)
{
    const host_space<expansion<double, 3>> space;
    auto x = space.make_vector(3);
    auto s = space.make_scalars(1);
    for (const double size : {1.0, 0x1p-1000, 0x1p-480, 0x1p600, 0x1p1000}) {
        space.fill(expansion<double, 3>{size}, x);

        space.dot(x, x, s, 0);

        EXPECT_TRUE(space.norm2(x, space.fetched(s, 1)[0]) == space.norm2(x)) << size;
        EXPECT_NEAR(to_double(space.norm2(x)) / size, std::sqrt(3.0), 1e-15) << size;
    }
}

TEST(scalars_test, are_read_once_an_iteration_by_cg)
{
    const counted reads = count_reads<expansion<double, 2>>(convection(60, 0.0), 1e-15, run_cg);

    EXPECT_GT(reads.report.iterations, 5);
    EXPECT_EQ(reads.most, 1);
    EXPECT_EQ(reads.in_all, reads.report.iterations + 2);  // of the first residual and of ||b||
}

TEST(scalars_test, are_read_once_an_iteration_by_bicgstab)
{
    const counted reads = count_reads<expansion<double, 2>>(convection(60, 0.3), 1e-15, run_bicgstab);

    EXPECT_GT(reads.report.iterations, 5);
    EXPECT_EQ(reads.most, 1);
    EXPECT_EQ(reads.in_all, reads.report.iterations + 2);
}

TEST(scalars_test, are_read_once_an_iteration_by_flexible_cg)
{
    const counted reads = count_reads<expansion<double, 2>>(convection(60, 0.0), 1e-15, run_fcg);

    EXPECT_GT(reads.report.iterations, 5);
    EXPECT_EQ(reads.most, 1);
    EXPECT_EQ(reads.in_all, reads.report.iterations + 2);
}

TEST(scalars_test, are_read_once_an_iteration_by_bicg)
{
    const counted reads = count_reads<expansion<double, 2>>(convection(60, 0.0), 1e-15, run_bicg);

    EXPECT_GT(reads.report.iterations, 5);
    EXPECT_EQ(reads.most, 1);
    EXPECT_EQ(reads.in_all, reads.report.iterations + 2);
}

TEST(scalars_test, are_read_three_times_a_cycle_of_four_products_by_bicgstabl)
{
    const counted reads = count_reads<expansion<double, 2>>(convection(60, 0.3), 1e-15, run_bicgstabl);

    EXPECT_GT(reads.report.iterations, 3);
    EXPECT_EQ(reads.most, 3);
    EXPECT_EQ(reads.in_all, 3 * reads.report.iterations + 2);
}

TEST(scalars_test, are_read_once_a_product_and_once_more_a_cycle_by_idr)
{
    const counted reads = count_reads<expansion<double, 2>>(convection(60, 0.3), 1e-15, run_idr);

    EXPECT_GT(reads.report.iterations, 10);
    EXPECT_EQ(reads.most, 2);
    EXPECT_EQ(reads.in_all, reads.report.iterations + reads.report.iterations / 5 + 2);
}

TEST(scalars_test, are_read_twice_an_iteration_by_tfqmr_and_lsqr)
{
    const counted tfqmr_reads = count_reads<expansion<double, 2>>(convection(60, 0.3), 1e-15, run_tfqmr);
    EXPECT_GT(tfqmr_reads.report.iterations, 5);
    EXPECT_EQ(tfqmr_reads.most, 2);
    EXPECT_EQ(tfqmr_reads.in_all, 2 * tfqmr_reads.report.iterations + 2);

    const counted lsqr_reads = count_reads<expansion<double, 2>>(convection(60, 0.0), 1e-15, run_lsqr);
    EXPECT_GT(lsqr_reads.report.iterations, 5);
    EXPECT_EQ(lsqr_reads.most, 2);
    EXPECT_EQ(lsqr_reads.in_all, 2 * lsqr_reads.report.iterations + 3);
}

TEST(scalars_test, are_read_once_a_step_and_once_a_cycle_by_gmres)
{
    const counted reads = count_reads<expansion<double, 2>>(convection(60, 0.3), 1e-15, run_gmres);

    EXPECT_GT(reads.report.restarts, 1);
    EXPECT_EQ(reads.most, 2);  // where a cycle begins
    EXPECT_EQ(reads.in_all, reads.report.iterations + reads.report.restarts + 2);
}

TEST(scalars_test, are_read_once_more_where_the_residual_is_rescaled)
{
    const auto expect_few = [](const counted& reads) {
        EXPECT_EQ(reads.most, 2);
        const index_t more = reads.in_all - reads.report.iterations - 2;
        EXPECT_GE(more, 1);
        EXPECT_LE(more, 3);  // 1e-50 is 2^-166
    };
    expect_few(count_reads<expansion<double, 4>>(convection(60, 0.0), 1e-50, run_cg));
    expect_few(count_reads<expansion<double, 4>>(convection(60, 0.3), 1e-50, run_bicgstab));
    expect_few(count_reads<expansion<double, 4>>(convection(60, 0.0), 1e-50, run_fcg));
}

TEST(scalars_test, leave_x_as_it_was_where_a_step_of_cg_is_refused)
{
    const failing_matrix indefinite{{1.0, 1.25, -5.0}};
    const failing_matrix nan{{1.0, 1.25, 5.0}, 3};  // r_0, then two steps
    const std::vector<double> b{1.0, 1.0, 0.0625};

    const real_run refused = run_failing(run_cg, indefinite, b, 20);
    EXPECT_EQ(refused.report.status, solve_status::breakdown);
    EXPECT_EQ(refused.report.message, "p'Ap is not positive: the matrix is not positive definite");
    ASSERT_EQ(refused.report.iterations, 1);
    EXPECT_EQ(refused.x, run_failing(run_cg, indefinite, b, 1).x);

    const real_run broken = run_failing(run_cg, nan, b, 20);
    EXPECT_EQ(broken.report.status, solve_status::breakdown);
    ASSERT_EQ(broken.report.iterations, 2);
    EXPECT_EQ(broken.x, run_failing(run_cg, {{1.0, 1.25, 5.0}}, b, 2).x);
}

TEST(scalars_test, leave_x_as_it_was_where_a_step_of_bicgstab_is_refused)
{
    const std::vector<double> b{1.0, 1.0, 0.0078125};

    const real_run broken = run_failing(run_bicgstab, {{1.0, 1.25, 5.0}, 3}, b, 20);  // r_0, then one step

    EXPECT_EQ(broken.report.status, solve_status::breakdown);
    EXPECT_EQ(broken.report.message, "the shadow residual became orthogonal to A M p");
    ASSERT_EQ(broken.report.iterations, 1);
    EXPECT_EQ(broken.x, run_failing(run_bicgstab, {{1.0, 1.25, 5.0}}, b, 1).x);
}

TEST(scalars_test, leave_x_as_it_was_where_a_step_overflows)
{
    const counting_space<double> space;
    const counted_matrix<double> a{csr_from_coo(from_rows({{1e-310, 0}, {0, 1e-310}}))};
    const counted_matrix<double> identity{csr_from_coo(from_rows({{1, 0}, {0, 1}}))};
    auto b = space.make_vector(2);
    space.fill(1.0, b);
    const auto expect_refused = [&](const auto& solver) {
        auto x = space.make_vector(2);

        const iteration_report report = solver(space, a, identity, b, x, rule(1e-10));

        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_NE(report.message.find("too close to zero"), std::string::npos) << report.message;
        EXPECT_EQ(report.iterations, 0);
        EXPECT_EQ(x.get(0), 0.0);
        EXPECT_EQ(x.get(1), 0.0);
    };
    expect_refused(run_cg);
    expect_refused(run_bicgstab);
    expect_refused(run_bicgstabl);
    expect_refused(run_idr);
    expect_refused(run_fcg);
    expect_refused(run_tfqmr);
    expect_refused(run_bicg);
}
