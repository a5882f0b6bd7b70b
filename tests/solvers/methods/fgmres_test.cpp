#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/methods/gmres_ir.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/nonsymmetric.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class M>
iteration_report run(const real_space& space, const io::coo<double>& a, const M& m, const std::vector<real>& b,
                     std::vector<real>& x, const stop_rule& r, index_t restart, preconditioning use)
{
    gmres_workspace<real_space> work(space, a.rows, restart, use);
    return gmres(space, real_matrix{a}, m, b, x, r, work, orthogonalization::reorthogonalized);
}

/// Another diagonal matrix for every vector, whose images are kept.
struct changing {
    mutable std::vector<std::vector<real>> images;

    void apply(const real_space& space, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] * space.make_scalar(1.0 + static_cast<double>((3 * images.size() + 5 * i) % 7));
        }
        images.push_back(y);
    }
};

/// Some steps of GMRES in binary64, for vectors of any expansion.
template <class S>
struct inner_gmres {
    using binary64 = host_space<double>;
    struct matrix {
        csr<host_executor, double> rows;
        bool is_identity() const { return rows.rows() == 0; }
        void apply(const binary64& space, const binary64::vector& x, binary64::vector& y) const
        {
            space.spmv(rows, x, y);
        }
    };
    matrix a;
    index_t steps;
    mutable binary64::vector right, solution;
    mutable gmres_workspace<binary64> work;

    inner_gmres(const io::coo<double>& entries, index_t most)
        : a{csr_from_coo(entries)},
          steps(most),
          right(entries.rows),
          solution(entries.rows),
          work(binary64{}, entries.rows, most)
    {}

    void apply(const S& space, const typename S::vector& r, typename S::vector& z) const
    {
        const binary64 there;
        convert(space, r, there, right);
        there.fill(0.0, solution);
        gmres(there, a, matrix{}, right, solution, rule(1e-3, steps), work);
        convert(there, solution, space, z);
    }
};

}  // namespace

TEST(fgmres_test, has_the_steps_of_gmres_with_one_preconditioner)
{
    const real_space space{400};
    const io::coo<double> a = full_matrix(30);
    const std::vector<real> b = waves(space, 30);
    const real_jacobi m(a);
    for (const index_t restart : {7, 30}) {
        std::vector<double> fixed, flexible;
        stop_rule r = rule(1e-60);
        r.on_iteration = [&](index_t, double residual) { fixed.push_back(residual); };
        std::vector<real> x = space.make_vector(30), y = x;
        const iteration_report by_gmres = run(space, a, m, b, x, r, restart, preconditioning::fixed);
        r.on_iteration = [&](index_t, double residual) { flexible.push_back(residual); };
        const iteration_report report = run(space, a, m, b, y, r, restart, preconditioning::flexible);

        EXPECT_EQ(report.status, by_gmres.status);
        EXPECT_EQ(report.iterations, by_gmres.iterations);
        EXPECT_EQ(report.matvecs, by_gmres.matvecs);
        ASSERT_EQ(flexible.size(), fixed.size());
        for (std::size_t k = 0; k < static_cast<std::size_t>(restart); ++k) {
            EXPECT_EQ(flexible[k], fixed[k]) << k;  // bit for bit in the first cycle
        }
        EXPECT_GT(agreeing_digits(x, y), 55.0);

        x = space.make_vector(30);
        y = x;
        run(space, a, real_identity{}, b, x, rule(1e-60), restart, preconditioning::fixed);
        run(space, a, real_identity{}, b, y, rule(1e-60), restart, preconditioning::flexible);
        EXPECT_GT(agreeing_digits(x, y), 55.0);
    }
}

// Of all x in the span of the z_j it has the one with the least residual: that is orthogonal to every A z_j.
TEST(fgmres_test, residual_is_minimal_over_what_the_preconditioners_made)
{
    const real_space space{400};
    const io::coo<double> a = full_matrix(20);
    const std::vector<real> b = waves(space, 20);
    for (const index_t steps : {1, 2, 5, 12}) {
        const changing m;
        std::vector<real> x = space.make_vector(20);
        const iteration_report report = run(space, a, m, b, x, rule(0.0, steps), 20, preconditioning::flexible);

        ASSERT_EQ(static_cast<index_t>(m.images.size()), steps);
        const std::vector<real> r = residual_of(space, a, b, x);
        EXPECT_NEAR(to_double(space.norm2(r) / space.norm2(b)), report.recursive_residual, 1e-15);
        std::vector<real> image = space.make_vector(20);
        for (const std::vector<real>& z : m.images) {
            real_matrix{a}.apply(space, z, image);
            EXPECT_LT(to_double(abs(space.dot(r, image)) / (space.norm2(r) * space.norm2(image))), 1e-100);
        }

        const changing again;
        x = space.make_vector(20);
        run(space, a, again, b, x, rule(0.0, steps), 20, preconditioning::fixed);
        EXPECT_GT(to_double(space.norm2(residual_of(space, a, b, x)) / space.norm2(r)), 1.01) << "gmres is as good";
    }
}

TEST(fgmres_test, solves_in_n_steps_whatever_the_preconditioners)
{
    const real_space space{400};
    const io::coo<double> a = full_matrix(20);
    std::vector<real> x = space.make_vector(20);
    const iteration_report report =
        run(space, a, changing{}, waves(space, 20), x, rule(1e-90), 20, preconditioning::flexible);
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, 20);
}

TEST(fgmres_test, an_inner_iteration_in_binary64_serves_more_bits)
{
    using space_type = host_space<expansion<double, 4>>;
    const space_type space;
    const io::coo<double> entries = nearly_skew(200);
    struct matrix {
        csr<host_executor, double> rows;
        void apply(const space_type& on, const space_type::vector& x, space_type::vector& y) const
        {
            on.spmv(rows, x, y);
        }
    };
    const matrix a{csr_from_coo(entries)};
    space_type::vector b = space.make_vector(200), x = space.make_vector(200);
    space.fill(expansion<double, 4>{1.0}, b);
    gmres_workspace<space_type> work(space, 200, 20, preconditioning::flexible);
    const iteration_report report = gmres(space, a, inner_gmres<space_type>(entries, 40), b, x, rule(1e-55), work,
                                          orthogonalization::reorthogonalized);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_LT(report.recursive_residual, 1e-55);  // b - A x, computed anew
    EXPECT_LT(report.iterations, 100);
}

TEST(fgmres_test, zeros_and_singular_matrices)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(2);
    const auto solve = [&](const std::vector<std::vector<double>>& rows, const std::vector<real>& b) {
        x = space.make_vector(2);
        return run(space, from_rows(rows), changing{}, b, x, rule(1e-50, 60), 5, preconditioning::flexible);
    };
    EXPECT_EQ(solve({{2, 1}, {1, 3}}, {real(0.0), real(0.0)}).iterations, 0);
    EXPECT_EQ(solve({{2, 1}, {1, 3}}, {real(1.0), real(2.0)}).status, solve_status::converged);
    EXPECT_EQ(solve({{0, 1}, {0, 0}}, {real(0.0), real(1.0)}).status, solve_status::breakdown);
    EXPECT_EQ(solve({{2, std::nan("")}, {1, 3}}, {real(1.0), real(2.0)}).status, solve_status::breakdown);
}
