#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/processes/distributed_rows.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/support/sparse.hpp"

namespace residua {
namespace {

using namespace support;

template <class S>
void expect_bits_of_whole_products(const S& space, biased_random& random, index_t n, bool long_entries)
{
    const sparse_matrix a = random_matrix(random, n, long_entries);
    const any_operator<S> whole = matrix_in(space, a);
    auto x = space.make_vector(n);
    auto b = space.make_vector(n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, space.make_scalar(random.full(-20, 20)) / space.make_scalar(3.0));
        b.set(i, space.make_scalar(random.full(-20, 20)) / space.make_scalar(7.0));
    }
    auto y = space.make_vector(n);
    auto r = space.make_vector(n);
    whole.apply(space, x, y);
    ASSERT_TRUE(whole.residual(space, x, b, r));
    const auto bytes_of_y = bytes_of(space, y);
    const auto bytes_of_r = bytes_of(space, r);
    for (const index_t count : {1, 2, 3, 4, 7}) {
        run_in_pieces(space, random, n, count, [&](const auto& in_pieces, thread_process&) {
            const auto rows = rows_in<S>(in_pieces, a);
            const auto own_x = piece_of(in_pieces, x);
            auto own_y = in_pieces.make_vector(n);
            for (int repeat = 0; repeat < 2; ++repeat) {
                rows.apply(in_pieces, own_x, own_y);
                EXPECT_EQ(bytes_of(space, own_y), own_part_of(in_pieces, bytes_of_y)) << n << " in " << count;
            }
            EXPECT_TRUE(rows.residual(in_pieces, own_x, piece_of(in_pieces, b), own_y));
            EXPECT_EQ(bytes_of(space, own_y), own_part_of(in_pieces, bytes_of_r)) << n << " in " << count;
        });
    }
}

}  // namespace

TEST(distributed_rows_test, numbers_columns_by_hand)
{
    // rows 2 and 3 of 6: 1 at columns 0, 2, 5 and at 1, 3
    const sparse_matrix rows{
        .rows = 2, .cols = 6, .row_begin = {0, 3, 5}, .column = {0, 2, 5, 1, 3}, .values = {1, 1, 1, 1, 1}};

    const local_rows local = renumber_columns(rows, 2, 4);

    EXPECT_EQ(local.ghosts, (std::vector<index_t>{0, 1, 5}));
    EXPECT_EQ(local.ghosts_before, 2);
    EXPECT_EQ(local.matrix.cols, 5);
    const auto columns = [](const sparse_matrix& a) { return numbers(a.column.begin(), a.column.end()); };
    EXPECT_EQ(columns(local.matrix), (numbers{0, 2, 4, 1, 3}));
    EXPECT_EQ(local.inner_begin, local.inner_end);
    EXPECT_EQ(local.border, (std::vector<index_t>{0, 1}));
    EXPECT_EQ(local.places(), 5);
    EXPECT_EQ(columns(local.part(0, 2)), (numbers{0, 2, 4, 1, 3}));
}

TEST(distributed_rows_test, most_rows_of_a_band_are_formed_while_numbers_travel)
{
    const sparse_matrix a = grid(20, 100);
    const local_rows middle = renumber_columns(cut_rows(a, 512, 1536), 512, 1536);
    EXPECT_EQ(middle.ghosts.size(), 40u);
    EXPECT_EQ(middle.inner_begin, 32);
    EXPECT_EQ(middle.inner_end, 992);       // 1004 in whole tiles
    EXPECT_EQ(middle.border.size(), 104u);  // rows 0 to 31 need 20 numbers behind them, and the last 32 as many before
    EXPECT_EQ(middle.part(32, 992).cols, 1024);
    EXPECT_EQ(middle.part(32, 992).column[0], 12);
    EXPECT_EQ(middle.part(992, 1024).cols, 144);
    EXPECT_EQ(middle.part(992, 1024).column[0], 20 + 52);  // own number 972, after 20 of others and own ones 0 to 51
    const local_rows first = renumber_columns(cut_rows(a, 0, 512), 0, 512);
    EXPECT_EQ(first.inner_begin, 0);
    EXPECT_EQ(first.inner_end, 480);
    const local_rows all = renumber_columns(a, 0, 2000);
    EXPECT_EQ(all.inner_begin, 0);
    EXPECT_EQ(all.inner_end, 2000);
    EXPECT_EQ(all.places(), 0);
    EXPECT_EQ(renumber_columns(cut_rows(a, 512, 512), 512, 512).matrix.cols, 0);
}

TEST(distributed_rows_test, rows_at_the_border_need_few_runs_of_own_numbers)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t n : {40, 700, 9000}) {
        const sparse_matrix a = random_matrix(random, n, false);
        const local_rows local = renumber_columns(cut_rows(a, n / 4, n / 2), n / 4, n / 2);
        int runs = 0;
        for (std::size_t k = 0; k < local.border.size(); ++k) {
            runs += k == 0 || local.border[k] != local.border[k - 1] + 1 ? 1 : 0;
        }
        EXPECT_LE(runs, 8);
    }
}

TEST(distributed_rows_test, products_have_the_bits_of_the_whole_matrix)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const bool long_entries : {false, true}) {
        for (const index_t n : {1, 700, 2500}) {
            if (!long_entries) {
                expect_bits_of_whole_products(host_space<double>{}, random, n, false);
                expect_bits_of_whole_products(host_space<expansion<double, 3>>{}, random, n, false);
            }
            expect_bits_of_whole_products(host_space<expansion<double, 2>>{}, random, n, long_entries);
            expect_bits_of_whole_products(host_space<expansion<double, 4>>{}, random, n, long_entries);
            expect_bits_of_whole_products(multidigit_space<host_executor>{{}, multidigit_format(424)}, random, n,
                                          long_entries);
            expect_bits_of_whole_products(rns_space<host_executor>{{}, rns_format(212)}, random, n, long_entries);
        }
    }
}

TEST(distributed_rows_test, only_neighbours_talk)
{
    const sparse_matrix a = grid(20, 100);
    using S = host_space<expansion<double, 2>>;
    run_processes(4, [&](thread_process& all) {
        const distributed_space<S> space(S{}, partition({0, 512, 1024, 1536, 2000}), all);
        const auto rows = rows_in<S>(space, a);
        const auto x = space.make_vector(a.rows);
        auto y = space.make_vector(a.rows);
        rows.apply(space, x, y);
        EXPECT_EQ(all.messages(), all.rank() == 0 || all.rank() == 3 ? 1 : 2);
        EXPECT_EQ(all.joins(), 0);
    });
}

TEST(distributed_rows_test, shortened_spaces_use_the_same_rows)
{
    biased_random random;
    const index_t n = 5000;
    const sparse_matrix a = random_matrix(random, n, false);
    using S = multidigit_space<host_executor>;
    const S full{{}, multidigit_format(424)};
    const S less = full.shortened(200);
    auto x = less.make_vector(n);
    auto y = less.make_vector(n);
    less.fill(less.make_scalar(1.0) / less.make_scalar(3.0), x);
    matrix_in(less, a).apply(less, x, y);
    const auto whole = bytes_of(less, y);
    run_processes(2, [&](thread_process& all) {
        const distributed_space<S> space(full, partition({0, 2048, n}), all);
        const auto rows = rows_in<S>(space, a);
        auto long_x = space.make_vector(n);
        auto long_y = space.make_vector(n);
        rows.apply(space, long_x, long_y);
        const auto shorter = space.shortened(200);
        auto own = shorter.make_vector(n);
        rows.apply(shorter, piece_of(shorter, x), own);
        EXPECT_EQ(bytes_of(less, own), own_part_of(shorter, whole));
        rows.apply(space, long_x, long_y);
        EXPECT_EQ(to_double(space.norm_inf(long_y)), 0.0);
    });
}

TEST(distributed_rows_test, refuses_rows_that_do_not_fit)
{
    const sparse_matrix a = grid(20, 100);
    using S = host_space<double>;
    one_process one;
    const distributed_space<S> space(S{}, partition({0, 2000}), one);
    EXPECT_THROW(distributed_rows<S>(space, cut_rows(a, 0, 1999)), dimension_error);
    EXPECT_THROW(distributed_rows<S>(space, grid(20, 101)), dimension_error);
    sparse_matrix narrow = a;
    narrow.cols = 1999;
    EXPECT_THROW(distributed_rows<S>(space, narrow), dimension_error);
}

}  // namespace residua
