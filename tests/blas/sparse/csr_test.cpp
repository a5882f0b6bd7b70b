// What sparse storages hold, and what they refuse.
#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/io/team.hpp>
#include <tests/blas/sparse/random_coo.hpp>

namespace residua {
namespace {

using namespace support;

template <class T>
struct transpose_test : testing::Test {};
TYPED_TEST_SUITE(transpose_test, formats, format_name);

TYPED_TEST(transpose_test, the_transpose_has_the_entries_of_the_matrix)
{
    using V = TypeParam;
    biased_random random;
    auto a = random_coo<V>(random, 50, 37, 0.2);
    const auto t = transpose(csr_from_coo(a));

    std::swap(a.rows, a.cols);
    std::swap(a.row, a.col);
    io::sort_and_sum(a);
    const auto expected = csr_from_coo(a);

    EXPECT_EQ(t.rows(), 37);
    EXPECT_EQ(t.cols(), 50);
    EXPECT_TRUE(std::ranges::equal(t.row_begin(), expected.row_begin()));
    EXPECT_TRUE(std::ranges::equal(t.col(), expected.col()));
    EXPECT_TRUE(same_bits(numbers<V>(t.value()), numbers<V>(expected.value())));
}

TEST(csr, entries_are_checked)
{
    using coo = io::coo<double>;

    EXPECT_THROW(csr_from_coo(coo{2, 2, {0, 0}, {1, 0}, {1.0, 1.0}}), dimension_error);
    EXPECT_THROW(csr_from_coo(coo{2, 2, {1, 0}, {0, 0}, {1.0, 1.0}}), dimension_error);
    EXPECT_THROW(csr_from_coo(coo{2, 2, {0, 0}, {1, 1}, {1.0, 1.0}}), dimension_error);
    EXPECT_THROW(csr_from_coo(coo{2, 2, {2}, {0}, {1.0}}), dimension_error);
    EXPECT_THROW(csr_from_coo(coo{2, 2, {0}, {2}, {1.0}}), dimension_error);
    EXPECT_THROW(csr_from_coo(coo{2, 2, {0}, {-1}, {1.0}}), dimension_error);
    try {
        csr_from_coo(coo{2, 3, {0, 0}, {1, 7}, {1.0, 1.0}});
        FAIL();
    } catch (const dimension_error& e) {
        EXPECT_STREQ(e.what(), "csr_from_coo: entry 1 at (0, 7) of a 2 x 3 matrix is outside");
    }
}

TEST(csr, column_numbers_beyond_32_bits_are_refused)
{
    EXPECT_THROW((csr<host_executor, double>(1, index_t{1} << 31, 0)), unsupported_error);
    EXPECT_NO_THROW((csr<host_executor, double>(1, (index_t{1} << 31) - 1, 0)));
    EXPECT_THROW((csr<host_executor, double>(-1, 1, 0)), dimension_error);
    EXPECT_THROW((csr<host_executor, double>(1, 3, -1)), dimension_error);
    EXPECT_THROW((csr<host_executor, expansion<double, 3>>(1, 3, -1)), dimension_error);
}

TEST(csr, values_are_converted_on_the_way_in)
{
    io::coo<real> a{1, 2, {0, 0}, {0, 1}, {}};
    a.value.emplace_back("0.1", 200);
    a.value.emplace_back("-3", 200);

    using T = expansion<double, 3>;
    const auto matrix = csr_from_coo<T>(a, [](const real& x) { return from_real<T>(x); });

    EXPECT_TRUE(same_bits(matrix.value().load(0), from_real<T>(a.value[0])));
    EXPECT_TRUE(same_bits(matrix.value().load(1), T{-3.0}));
}

TEST(sliced_ell, padding_is_what_rows_fall_short_of_the_longest_of_their_slice)
{
    io::coo<double> entries{64, 64, {}, {}, {}};
    for (index_t i = 0; i < 64; ++i) {
        for (index_t j = 0; j < (i == 40 ? 3 : 1); ++j) {
            entries.row.push_back(i);
            entries.col.push_back(j);
            entries.value.push_back(1.0);
        }
    }
    const auto a = csr_from_coo(entries);
    using matrix = sliced_ell<host_executor, double>;
    const matrix sliced(a);

    EXPECT_EQ(sliced.entries(), 66);
    EXPECT_EQ(sliced.slices(), 2);
    EXPECT_EQ(sliced.slice_begin()[1], 1);
    EXPECT_EQ(sliced.slice_begin()[2], 4);
    EXPECT_DOUBLE_EQ(matrix::padding(a), 128.0 / 66.0);
    EXPECT_DOUBLE_EQ(matrix::padding(csr<host_executor, double>(5, 5, 0)), 1.0);
}

TEST(sliced_ell, every_entry_is_in_its_place_for_any_number_of_threads)
{
    constexpr index_t rows = 401, cols = 300;
    biased_random random;
    const auto a = csr_from_coo(random_coo<double>(random, rows, cols, 0.7));
    for (const int count : {1, 3, 8}) {
        const io::thread_limit threads(count);
        const sliced_ell<host_executor, double> sliced(a);
        for (index_t i = 0; i < rows; ++i) {
            const index_t first = a.row_begin()[i];
            ASSERT_EQ(sliced.length()[i], a.row_begin()[i + 1] - first);
            for (index_t k = 0; k < sliced.length()[i]; ++k) {
                ASSERT_EQ(sliced.col()[sliced.place(i, k)], a.col()[first + k]);
                ASSERT_TRUE(same_bits(sliced.value().load(sliced.place(i, k)), a.value().load(first + k)));
            }
        }
        for (index_t at = 0; at < static_cast<index_t>(sliced.is_run().size()); ++at) {
            for (index_t l = 0; l < 32 && sliced.is_run()[at] != 0; ++l) {
                ASSERT_EQ(sliced.col()[32 * at + l], sliced.col()[32 * at] + l);
            }
        }
    }
}

}  // namespace
}  // namespace residua
