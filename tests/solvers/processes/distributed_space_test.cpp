#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/processes/distributed_space.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/support/krylov.hpp"
#include "tests/support/sparse.hpp"

namespace residua {
namespace {

using namespace support;

const std::vector<index_t> counts{1, 2, 3, 4, 7};

/// f(space) for a space of every kind of format.
template <class F>
void for_each_space(const F& f)
{
    f(host_space<double>{});
    f(host_space<expansion<double, 2>>{});
    f(host_space<expansion<double, 3>>{});
    f(host_space<expansion<double, 4>>{});
    f(multidigit_space<host_executor>{{}, multidigit_format(424)});
    f(multidigit_space<host_executor>{{}, multidigit_format(848)});
    f(rns_space<host_executor>{{}, rns_format(212)});
}

/// n numbers of all bits of the space, of sizes from 2^-30 to 2^30 times `scale`.
template <class S>
typename S::vector random_vector(const S& space, biased_random& random, index_t n, double scale = 1.0)
{
    auto x = space.make_vector(n);
    for (index_t i = 0; i < n; ++i) {
        auto number = space.make_scalar(random.full(-30, 30));
        for (int term = 1; term < 4; ++term) {
            number = number + number * space.make_scalar(random.full(-60, -54));
        }
        x.set(i, number * space.make_scalar(scale));
    }
    return x;
}

}  // namespace

TEST(distributed_space_test, has_the_own_rows_of_vectors)
{
    using S = host_space<expansion<double, 2>>;
    run_processes(3, [](thread_process& all) {
        const distributed_space<S> space(S{}, partition({0, 512, 512, 1000}), all);
        std::vector<double> values(1000);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<double>(i);
        }
        const auto x = space.make_vector(values);
        const index_t own[] = {512, 0, 488};
        EXPECT_EQ(x.size(), own[all.rank()]);
        EXPECT_EQ(space.size(x), 1000);
        EXPECT_EQ(space.make_vector(1000).size(), own[all.rank()]);
        if (all.rank() == 2) {
            EXPECT_EQ(to_double(x.get(0)), 512.0);
            EXPECT_EQ(to_double(x.get(487)), 999.0);
        }
        EXPECT_EQ(to_double(space.dot(x, x)), 999.0 * 1000.0 * 1999.0 / 6.0);
        EXPECT_EQ(to_double(space.norm_inf(x)), 999.0);
        EXPECT_THROW((void)space.make_vector(999), dimension_error);
        EXPECT_THROW((void)space.make_vector(std::vector<double>(488)), dimension_error);
        EXPECT_THROW(distributed_space<S>(S{}, partition({0, 512, 1000}), all), dimension_error);
        EXPECT_THROW(distributed_space<S>(S{}, partition({0, 500, 500, 1000}), all), dimension_error);
    });
}

TEST(distributed_space_test, sums_have_the_bits_of_the_whole_vectors)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for_each_space([&]<class S>(const S& space) {
        for (const index_t n : {1, 511, 513, 5000, 20000}) {
            const auto x = random_vector(space, random, n);
            const auto y = random_vector(space, random, n);
            const auto product = bytes_of(space, space.dot(x, y));
            const auto norm = bytes_of(space, space.norm2(x));
            for (const index_t count : counts) {
                run_in_pieces(space, random, n, count, [&](const auto& in_pieces, thread_process&) {
                    const auto own_x = piece_of(in_pieces, x);
                    const auto own_y = piece_of(in_pieces, y);
                    EXPECT_EQ(bytes_of(space, in_pieces.dot(own_x, own_y)), product) << n << " in " << count;
                    EXPECT_EQ(bytes_of(space, in_pieces.norm2(own_x)), norm) << n << " in " << count;
                });
            }
        }
    });
}

TEST(distributed_space_test, norms_have_the_bits_of_the_whole_vectors_beyond_the_range_of_squares)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for_each_space([&]<class S>(const S& space) {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double scale : {0x1p-1055, 0x1p-1000, 0x1p-500, 0x1p480, 0x1p990, 0.0, nan}) {
            const index_t n = 5000;
            const auto x = random_vector(space, random, n, scale);
            const auto norm = space.norm2(x);
            const auto from_square = space.norm2(x, space.dot(x, x));
            for (const index_t count : {2, 3, 7}) {
                run_in_pieces(space, random, n, count, [&](const auto& in_pieces, thread_process&) {
                    const auto own = piece_of(in_pieces, x);
                    const auto found = in_pieces.norm2(own);
                    const auto found_from_square = in_pieces.norm2(own, in_pieces.dot(own, own));
                    if (is_finite(norm)) {
                        EXPECT_EQ(bytes_of(space, found), bytes_of(space, norm)) << scale;
                        EXPECT_EQ(bytes_of(space, found_from_square), bytes_of(space, from_square)) << scale;
                    } else {
                        EXPECT_FALSE(is_finite(found));
                        EXPECT_FALSE(is_finite(found_from_square));
                    }
                });
            }
        }
    });
}

TEST(distributed_space_test, the_largest_element_is_that_of_the_whole_vector)
{
    using T = expansion<double, 2>;
    using S = host_space<T>;
    T below{1.0};
    below[1] = 0x1p-53;
    T above{1.0 + 0x1p-52};  // the same value in other terms
    above[1] = -0x1p-53;
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto& [first, second] : {std::pair(below, above), std::pair(above, below), std::pair(-above, below)}) {
        auto x = S{}.make_vector(2048);
        x.set(700, first);
        x.set(1600, second);
        const auto largest = bytes_of(S{}, blas::norm_inf<T>(host_executor{}, x.view()));
        for (const index_t count : counts) {
            run_in_pieces(S{}, random, 2048, count, [&](const auto& in_pieces, thread_process&) {
                auto own = piece_of(in_pieces, x);
                EXPECT_EQ(bytes_of(S{}, in_pieces.norm_inf(own)), largest) << count;
                if (in_pieces.first() <= 2000 && 2000 < in_pieces.last()) {
                    own.set(2000 - in_pieces.first(), T{std::nan("")});
                }
                EXPECT_FALSE(is_finite(in_pieces.norm_inf(own)));
            });
        }
    }
}

TEST(distributed_space_test, rows_are_gathered_scattered_and_archived_as_a_whole_vector)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for_each_space([&]<class S>(const S& local) {
        const auto whole = random_vector(local, random, 4500);
        message_writer expected;
        auto copy = whole;
        archive(expected, local, copy);
        for (const index_t count : {2, 5}) {
            run_in_pieces(local, random, whole.size(), count, [&](const auto& space, thread_process& all) {
                const bool is_first = all.rank() == 0;
                const auto none = space.make_host_vector(0);
                auto own = space.make_vector(whole.size());
                space.scatter(is_first ? whole : none, own);
                EXPECT_EQ(bytes_of(local, own), bytes_of(local, piece_of(space, whole)));
                EXPECT_EQ(bytes_of(local, space.gathered(own)), bytes_of(local, is_first ? whole : none));

                message_writer writer;
                shared_archive written(all, is_first ? &writer : nullptr, false);
                archive(written, space, own);
                EXPECT_EQ(writer.message(), is_first ? expected.message() : std::vector<std::byte>{});
                auto read = space.make_vector(whole.size());
                message_reader reader(expected.message());
                shared_archive found(all, is_first ? &reader : nullptr, true);
                archive(found, space, read);
                EXPECT_EQ(bytes_of(local, read), bytes_of(local, own));
            });
        }
    });
}

TEST(distributed_space_test, sums_that_are_asked_for_together_travel_together)
{
    for_each_space([]<class S>(const S& local) {
        run_processes(3, [&](thread_process& all) {
            const distributed_space<S> space(local, partition::even(5000, block_of_rows(5000), 3), all);
            auto x = space.make_vector(5000);
            auto y = space.make_vector(5000);
            space.fill(space.make_scalar(3.0), x);
            space.fill(space.make_scalar(-2.0), y);
            auto s = space.make_scalars(4);
            space.dot(x, y, s, 0);
            space.dot(x, x, s, 1);
            space.dot(x, x, s, 3);
            space.dot(y, y, s, 3);  // replaces the one before
            EXPECT_EQ(all.joins(), 0);
            space.divide(s, 0, 1, 2);
            space.axmy(s, 2, x, y);  // -2 + 2
            EXPECT_EQ(all.joins(), joins_of_sums<S>);
            const auto read = space.fetched(s, 4);
            EXPECT_EQ(all.joins(), joins_of_sums<S>);
            EXPECT_EQ(to_double(read[0]), -30000.0);
            EXPECT_EQ(to_double(read[1]), 45000.0);
            EXPECT_TRUE(read[2] == space.make_scalar(-30000.0) / space.make_scalar(45000.0));
            EXPECT_EQ(to_double(read[3]), 20000.0);
            EXPECT_LE(std::abs(to_double(space.norm2(y))), 1e-10);
        });
    });
}

TEST(distributed_space_test, cg_with_a_preconditioner_asks_twice_an_iteration_for_sums)
{
    const sparse_matrix a = grid(70, 70);
    for_each_space([&]<class S>(const S& local) {
        for (const bool preconditioned : {false, true}) {
            run_processes(3, [&](thread_process& all) {
                using D = distributed_space<S>;
                const D space(local, partition::even(a.rows, block_of_rows(a.rows), 3), all);
                const auto matrix = rows_in<S>(space, a);
                any_operator<D> m;
                if (preconditioned) {
                    m.function = [](const D& on, const auto& x, auto& y) {
                        on.copy(x, y);
                        on.scal(on.make_scalar(0.25), y);
                    };
                }
                auto b = space.make_vector(a.rows);
                auto x = space.make_vector(a.rows);
                space.fill(space.make_scalar(1.0), b);
                cg_workspace<D> work(space, a.rows);
                const iteration_report report = cg(space, matrix, m, b, x, rule(1e-6), work);
                EXPECT_GT(report.iterations, 20);
                // 2 more for ||b|| and the first residual
                EXPECT_EQ(all.joins(), (2 * report.iterations + 2) * joins_of_sums<S>);
            });
        }
    });
}

TEST(distributed_space_test, one_process_sends_nothing)
{
    using S = host_space<expansion<double, 2>>;
    run_processes(1, [](thread_process& all) {
        const distributed_space<S> space(S{}, partition({0, 1000}), all);
        auto x = space.make_vector(1000);
        space.fill(space.make_scalar(1e-200), x);
        EXPECT_TRUE(space.norm2(x) == S{}.norm2(x));
        EXPECT_EQ(all.joins(), 0);
    });
}

}  // namespace residua
