#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/minres.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/support/krylov.hpp"
#include "tests/support/method_runs.hpp"
#include "tests/support/sparse.hpp"

// Methods whose headers know nothing of processes: the same bits of x, the same residuals and the same iterations on
// any number of them as in the space of one.
namespace residua {
namespace {

using namespace support;

#if !defined(RESIDUA_TEST_SCALAR)
#define RESIDUA_TEST_SCALAR expansion<double, 2>
#endif
using element = RESIDUA_TEST_SCALAR;

enum class precondition { none, jacobi, block_jacobi, chebyshev };

struct setting {
    long bits;  ///< of formats whose precision is a value
    std::int32_t width, height;
    stop_rule asked;
    std::vector<precondition> preconditions{precondition::none, precondition::jacobi, precondition::block_jacobi,
                                            precondition::chebyshev};
    std::vector<index_t> counts{1, 2, 3, 4, 7};
};

/// Grids with a few blocks of sums in the format of this test, and a single point: a few iterations, and runs to a
/// tolerance.
std::vector<setting> settings()
{
    if constexpr (number<element>) {
        return {{0, 20, 130, rule(1e-300, 14)},
                {0, 1, 1, rule(1e-300, 14)},
                {0, 8, 130, rule(1e-28, 500), {precondition::chebyshev}, {3}}};
    } else if constexpr (std::same_as<element, rns>) {
        return {{106, 20, 80, rule(1e-300, 4)},
                {212, 20, 80, rule(1e-300, 2), {precondition::jacobi}, {3}},
                {212, 1, 1, rule(1e-300, 4)}};
    } else {
        return {{424, 45, 92, rule(1e-300, 3)},
                {848, 45, 92, rule(1e-300, 2), {precondition::jacobi}, {2, 7}},
                {424, 1, 1, rule(1e-300, 4)},
                {424, 10, 210, rule(1e-8, 500), {precondition::chebyshev}, {3}}};
    }
}

template <class E>
struct space_of {
    using type = host_space<E>;
    static type make(long) { return {}; }
};
template <run_time_format E>
struct space_of<E> {
    using type = blas_space<host_executor, E>;
    static type make(long bits) { return {{}, typename array_traits<E>::format(bits)}; }
};
using plain_space = typename space_of<element>::type;

struct outcome {
    iteration_report report;
    std::vector<double> residuals;
    std::vector<std::byte> x;  ///< own rows
};

/// A matrix, whole or own rows from `first_row` on, in a space.
template <class S>
struct problem {
    const S& space;
    const sparse_matrix& a;
    index_t first_row;
    chebyshev_interval interval;
    any_operator<S> (*in_space)(const S& space, const sparse_matrix& a);
};

template <class S, class Method>
outcome run(const problem<S>& of, precondition which, const Method& method, const stop_rule& given,
            const std::vector<double>& right_side)
{
    using vector = typename S::vector;
    const S& space = of.space;
    const any_operator<S> matrix = of.in_space(space, of.a);
    any_operator<S> m;
    if (which == precondition::block_jacobi) {
        m = of.in_space(space, invert_blocks(of.a, false, of.first_row).matrix);
    } else if (which != precondition::none) {
        m = of.in_space(space, invert_diagonal(of.a, false, of.first_row).matrix);
    }
    if (which == precondition::chebyshev) {
        using chebyshev = chebyshev_preconditioner<S, any_operator<S>, any_operator<S>>;
        const auto polynomial = std::make_shared<const chebyshev>(space, of.a.cols, matrix, m, of.interval, 3);
        m.function = [polynomial](const S& on, const vector& x, vector& y) { polynomial->apply(on, x, y); };
    }
    auto b = space.make_vector(right_side);
    auto x = space.make_vector(of.a.cols);
    space.scal(space.make_scalar(1.0) / space.make_scalar(3.0), b);
    outcome result;
    stop_rule asked = given;
    asked.on_iteration = [&](index_t, double residual) { result.residuals.push_back(residual); };
    result.report = method(space, matrix, m, b, x, asked);
    result.x = bytes_of(space, x);
    return result;
}

void expect_equal(const outcome& found, const outcome& whole, const std::string& what)
{
    EXPECT_EQ(found.residuals, whole.residuals) << what;
    EXPECT_EQ(found.report.status, whole.report.status) << what;
    EXPECT_EQ(found.report.iterations, whole.report.iterations) << what;
    EXPECT_EQ(found.report.matvecs, whole.report.matvecs) << what;
    EXPECT_EQ(found.report.recursive_residual, whole.report.recursive_residual) << what;
    EXPECT_EQ(found.report.message, whole.report.message) << what;
}

template <class Method>
void expect_bits_of_one_process(biased_random& random, const Method& method, bool symmetric, const setting& at)
{
    const sparse_matrix a = grid(at.width, at.height, 1, symmetric ? 0.0 : 0.4);
    const plain_space space = space_of<element>::make(at.bits);
    std::vector<double> b(static_cast<std::size_t>(a.rows));
    for (double& each : b) {
        each = random.full(-3, 3);
    }
    for (const precondition which : at.preconditions) {
        const problem<plain_space> one{space, a, 0, find_chebyshev_interval(a),
                                       [](const plain_space& on, const sparse_matrix& m) { return matrix_in(on, m); }};
        const outcome whole = run(one, which, method, at.asked, b);
        ASSERT_FALSE(whole.residuals.empty());
        for (const index_t count : at.counts) {
            const std::string what = std::to_string(a.rows) + " rows, " + std::to_string(at.bits) +
                                     " bits, preconditioner " + std::to_string(static_cast<int>(which)) + ", " +
                                     std::to_string(count) + " processes";
            run_in_pieces(space, random, a.rows, count, [&](const auto& in_pieces, thread_process& all) {
                using D = distributed_space<plain_space>;
                const sparse_matrix own = cut_rows(a, in_pieces.first(), in_pieces.last());
                const problem<D> of_all{in_pieces, own, in_pieces.first(),
                                        find_chebyshev_interval(all, in_pieces.rows(), own), &own_rows_in<plain_space>};
                const outcome found = run(of_all, which, method, at.asked, b);
                expect_equal(found, whole, what);
                EXPECT_EQ(found.x, own_part_of(in_pieces, whole.x)) << what;
            });
        }
    }
}

template <class Method>
void expect_bits_of_one_process(const Method& method, bool symmetric)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const setting& at : settings()) {
        expect_bits_of_one_process(random, method, symmetric, at);
    }
}

const auto run_minres = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                           const stop_rule& r) {
    minres_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return minres(space, a, m, b, x, r, work);
};

}  // namespace

TEST(processes_methods_test, cg)
{
    expect_bits_of_one_process(run_cg, true);
    if constexpr (shortenable_space<plain_space>) {
        biased_random random;
        SCOPED_TRACE(random.trace());
        const auto falling = [](const auto& space, const auto& a, const auto& m, const auto& b, auto& x,
                                const stop_rule& r) {
            cg_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
            const iteration_report report = cg(space, a, m, b, x, r, work, 8.0);
            EXPECT_FALSE(report.precision_changes.empty());
            return report;
        };
        expect_bits_of_one_process(random, falling, true,
                                   {424, 10, 210, rule(1e-60, 500), {precondition::none}, {2, 3}});
    }
}

TEST(processes_methods_test, fcg) { expect_bits_of_one_process(run_fcg, true); }
TEST(processes_methods_test, minres) { expect_bits_of_one_process(run_minres, true); }
TEST(processes_methods_test, bicgstab) { expect_bits_of_one_process(run_bicgstab, false); }
TEST(processes_methods_test, bicgstabl) { expect_bits_of_one_process(run_bicgstabl, false); }
TEST(processes_methods_test, idr) { expect_bits_of_one_process(run_idr, false); }
TEST(processes_methods_test, tfqmr) { expect_bits_of_one_process(run_tfqmr, false); }
TEST(processes_methods_test, gmres) { expect_bits_of_one_process(run_gmres, false); }

}  // namespace residua
