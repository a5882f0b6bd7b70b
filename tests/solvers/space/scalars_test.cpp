#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/krylov.hpp"
#include "tests/support/method_runs.hpp"

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
    const csr_operator<T> a{csr_from_coo(entries)};
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
