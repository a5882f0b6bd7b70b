#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/complex_space.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/solvers/processes/shared_solves.hpp"
#include "tests/support/complex_sparse.hpp"

// Complex vectors in pieces, and methods with complex scalars that processes share: the bits of one process.
namespace residua {
namespace {

using namespace support;

/// f(space) for a space of real numbers of every kind of format that processes share.
template <class F>
void for_each_space(const F& f)
{
    f(host_space<double>{});
    f(host_space<expansion<double, 2>>{});
    f(host_space<expansion<double, 4>>{});
    f(multidigit_space<host_executor>{{}, multidigit_format(424)});
}

/// n complex numbers of all bits of the space, the same in every space of n.
template <class S>
typename S::vector some_vector(const S& parts, index_t n, int seed)
{
    auto x = parts.make_vector(2 * n);
    const auto by = parts.make_scalar(static_cast<double>(2 * seed + 5));
    for (index_t i = 0; i < 2 * n; ++i) {
        x.set(i, parts.make_scalar(static_cast<double>((i * (seed + 7)) % 101) - 50.0) / by);
    }
    return x;
}

template <class Scalar>
Scalar third(const auto& parts, double re, double im)
{
    const auto three = parts.make_scalar(3.0);
    return Scalar(parts.make_scalar(re) / three, parts.make_scalar(im) / three);
}

/// Everything that a complex space does with x and y, whole or own rows: the vectors, and the scalars.
template <class S>
struct results {
    std::vector<typename S::vector> vectors;
    std::vector<typename complex_space<S>::scalar> scalars;
};

template <class S>
results<S> run_all(const S& parts, const typename S::vector& x, const typename S::vector& y)
{
    const complex_space<S> space(parts);
    using scalar = typename complex_space<S>::scalar;
    const auto a = third<scalar>(parts, 2.0, -5.0);
    const auto b = third<scalar>(parts, -1.0, 0.5);
    results<S> all;
    auto s = space.make_scalars(5);
    space.dot(x, y, s, 0);
    space.dot(x, x, s, 1);
    space.divide(s, 0, 1, 2);
    space.dot(y, x, s, 3);
    space.dot(y, y, s, 1);  // replaces the one before
    all.scalars = space.fetched(s, 5);
    all.scalars.push_back(space.dot(y, x));
    all.scalars.push_back(space.norm2(x));
    all.scalars.push_back(space.norm2(x, space.dot(x, x)));
    for (int which = 0; which < 9; ++which) {
        auto z = y;
        switch (which) {
            case 0:
                space.axpy(a, x, z);
                break;
            case 1:
                space.xpay(x, a, z);
                break;
            case 2:
                space.waxpby(a, x, b, y, z);
                break;
            case 3:
                space.scal(a, z);
                break;
            case 4:
                space.fill(b, z);
                break;
            case 5:
                space.axmy(s, 2, x, z);
                break;
            case 6:
                space.axmy_conjugate(s, 3, x, z);
                break;
            case 7:
                space.conjugate(x, z);
                break;
            default:
                space.times_i(x, z);
        }
        all.vectors.push_back(z);
    }
    return all;
}

/// A system that the method is for.
linear_system system_for(method m, index_t side)
{
    if (traits_of(m).complex_symmetric) {
        complex_coo waves{poisson_2d(side), {}};
        for (std::size_t k = 0; k < waves.real_part.value.size(); ++k) {
            waves.imaginary.push_back(waves.real_part.row[k] == waves.real_part.col[k] ? 0.75 : 0.125);
        }
        return complex_system_of(waves);
    }
    return complex_system_of(traits_of(m).symmetric ? hermitian_grid(side) : absorbing_grid(side));
}

}  // namespace

TEST(complex_space_on_processes, has_the_bits_of_whole_vectors)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for_each_space([&]<class S>(const S& local) {
        for (const index_t n : {1, 255, 257, 3000}) {
            const auto x = some_vector(local, n, 1);
            const auto y = some_vector(local, n, 2);
            const results<S> whole = run_all(local, x, y);
            for (const index_t count : {1, 2, 3, 4, 7}) {
                run_in_pieces(local, random, 2 * n, count, [&](const auto& in_pieces, thread_process&) {
                    const auto own = run_all(in_pieces, piece_of(in_pieces, x), piece_of(in_pieces, y));
                    const std::string what = std::to_string(n) + " in " + std::to_string(count);
                    ASSERT_EQ(own.scalars.size(), whole.scalars.size());
                    for (std::size_t i = 0; i < whole.scalars.size(); ++i) {
                        EXPECT_TRUE(own.scalars[i] == whole.scalars[i]) << what << ", scalar " << i;
                    }
                    for (std::size_t i = 0; i < whole.vectors.size(); ++i) {
                        EXPECT_EQ(bytes_of(local, own.vectors[i]),
                                  own_part_of(in_pieces, bytes_of(local, whole.vectors[i])))
                            << what << ", vector " << i;
                    }
                });
            }
        }
    });
}

TEST(complex_space_on_processes, both_sums_of_a_dot_product_travel_together)
{
    for_each_space([]<class S>(const S& local) {
        run_processes(3, [&](thread_process& all) {
            using D = distributed_space<S>;
            const complex_space<D> space(D(local, partition::even(10000, block_of_rows(10000), 3), all));
            const auto& parts = space.real();
            auto x = space.make_vector(5000);
            auto y = space.make_vector(5000);
            EXPECT_EQ(space.size(x), 5000);
            space.fill(third<typename complex_space<D>::scalar>(parts, 3.0, 6.0), x);   // 1 + 2i
            space.fill(third<typename complex_space<D>::scalar>(parts, 9.0, -3.0), y);  // 3 - i
            auto s = space.make_scalars(4);
            space.dot(x, y, s, 0);
            space.dot(y, x, s, 1);
            space.dot(x, x, s, 2);
            EXPECT_EQ(all.joins(), 0);
            space.divide(s, 0, 2, 3);
            space.axmy(s, 3, x, y);
            space.axmy_conjugate(s, 1, x, y);
            const auto read = space.fetched(s, 4);
            EXPECT_EQ(all.joins(), joins_of_sums<S>);
            EXPECT_EQ(to_double(read[0].real()), 5000.0);  // (1 - 2i) (3 - i) = 1 - 7i
            EXPECT_EQ(to_double(read[0].imag()), -35000.0);
            EXPECT_TRUE(read[1] == conj(read[0]));
            EXPECT_EQ(to_double(read[2].real()), 25000.0);
            EXPECT_TRUE(space.dot(x, x) == read[2]);
            EXPECT_EQ(all.joins(), 2 * joins_of_sums<S>);
            EXPECT_TRUE(space.dot(x, y) == space.dot(x, y));
            EXPECT_EQ(all.joins(), 4 * joins_of_sums<S>);
        });
    });
}

// i x is where x is: no piece begins with an imaginary part.
TEST(complex_space_on_processes, takes_no_pieces_that_part_a_number)
{
    for (const index_t n : {index_t{2}, index_t{514}, index_t{1} << 20, index_t{2000001} * 2}) {
        EXPECT_EQ(blas::block_of_sum<double>(n) % 2, 0);
        EXPECT_EQ(blas::block_of_sum<multidigit>(n) % 2, 0);
        EXPECT_EQ(block_of_rows(n) % 2, 0);
    }
    for_each_space([]<class S>(const S& local) {
        for (const index_t odd : {1, 255, 511, 513, 2047, 2999}) {
            run_processes(2, [&](thread_process& all) {
                EXPECT_THROW(distributed_space<S>(local, partition({0, odd, 3000}), all), dimension_error) << odd;
            });
        }
    });
}

TEST(complex_on_processes, has_the_bits_and_the_figures_of_one)
{
    const std::vector<shared_case> cases{{method::gmres, preconditioner::none, 53, 30, 40, {2}},
                                         {method::gmres, preconditioner::block_jacobi, 159, 40, 40, {1, 2, 3, 4, 7}},
                                         {method::gmres, preconditioner::jacobi, 424, 34, 8, {2}},
                                         {method::bicgstab, preconditioner::jacobi, 212, 40, 0, {1, 2, 3, 4, 7}},
                                         {method::bicgstab, preconditioner::none, 424, 50, 10, {2, 4}},
                                         {method::bicgstabl, preconditioner::jacobi, 106, 40, 30},
                                         {method::idr, preconditioner::none, 106, 40, 40},
                                         {method::idr, preconditioner::block_jacobi, 636, 34, 10, {2}},
                                         {method::tfqmr, preconditioner::jacobi, 318, 34, 20},
                                         {method::tfqmr, preconditioner::none, 106, 34, 10},
                                         {method::cg, preconditioner::jacobi, 106, 34, 40},
                                         {method::cocg, preconditioner::none, 424, 34, 10, {2}},
                                         {method::cocr, preconditioner::block_jacobi, 53, 40, 40, {2}},
                                         {method::cocr, preconditioner::jacobi, 212, 40, 40, {1, 2, 3, 4, 5, 6, 7}}};
    for (const shared_case& each : cases) {
        const linear_system a = system_for(each.m, each.side);
        expect_bits_of_one(each, a, [&](index_t count, const solve_result& expected) {
            EXPECT_TRUE(expected.report.complex);
            run_with(count, [&](processes& all) {  // rows that nobody has all of
                solve_options with = options_of(each);
                with.processes = &all;
                const linear_system shared = share_rows(all, a);
                EXPECT_TRUE(shared.values.empty());
                const solve_result of_rows = solve(shared, with);
                expect_equal(of_rows, expected);
                EXPECT_EQ(of_rows.report.processes, count);
                EXPECT_TRUE(of_rows.report.complex);
                return code;
            });
        });
    }
}

TEST(complex_on_processes, leaves_bicg_and_full_matrices_to_one_process_as_for_real_systems)
{
    const linear_system small = complex_system_of(absorbing_grid(2));  // full: every second entry of its real form
    for (const long bits : {106, 424}) {
        const solve_options options = options_of(method::gmres, preconditioner::none, bits);
        const solve_result found = solve_on(3, small, options);
        expect_equal(found, solve(small, options));
        EXPECT_EQ(found.report.status, solve_status::converged);
    }
    run_with(2, [&](processes& all) {
        solve_options options = options_of(method::bicg, preconditioner::none, 106);
        options.processes = &all;
        EXPECT_THROW((void)solve(small, options), unsupported_error);
        return code;
    });
}

TEST(complex_on_processes, goes_on_from_a_checkpoint_on_another_number_of_them)
{
    for (const shared_case& each : {shared_case{method::bicgstab, preconditioner::jacobi, 212, 34, 60},
                                    shared_case{method::gmres, preconditioner::none, 424, 34, 20},
                                    shared_case{method::cocr, preconditioner::jacobi, 106, 34, 40},
                                    shared_case{method::idr, preconditioner::none, 106, 34, 40}}) {
        expect_to_go_on(each, system_for(each.m, each.side));
    }
}

}  // namespace residua
