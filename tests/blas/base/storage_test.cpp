#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <residua/blas/base/check.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;

template <class T>
struct storage_test : testing::Test {};
TYPED_TEST_SUITE(storage_test, formats, format_name);

TYPED_TEST(storage_test, a_new_vector_is_zero_and_its_planes_are_aligned)
{
    using T = TypeParam;
    for (const index_t n : {0, 1, 7, 8, 9, 511, 512, 513, 4096, 100003}) {
        const residua::vector<host_executor, T> x(n);
        const auto v = x.view();

        EXPECT_EQ(v.size, n);
        EXPECT_GE(v.start.plane_stride, n);
        EXPECT_EQ(v.start.plane_stride % 8, 0);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % 64, 0u);
        for (index_t i = 0; i < n; ++i) {
            ASSERT_TRUE(same_bits(x.get(i), T{0.0}));
        }
        EXPECT_LE(static_cast<double>(v.start.plane_stride * terms_of<T>) * 8.0, x.bytes(n));
    }
}

TYPED_TEST(storage_test, planes_of_long_vectors_do_not_meet_modulo_a_page)
{
    using T = TypeParam;
    for (const index_t n : {512, 1000, 1024, 65536, 100000}) {
        const auto stride = residua::vector<host_executor, T>(n).view().start.plane_stride;
        for (index_t k = 1; k < std::min(8, terms_of<T>); ++k) {
            EXPECT_GE(k * stride % 512, 64) << n;
            EXPECT_LE(k * stride % 512, 512 - 64) << n;
        }
        EXPECT_LT(stride, n + 128);
    }
}

TYPED_TEST(storage_test, elements_are_stored_and_loaded_term_by_term)
{
    using T = TypeParam;
    biased_random random;
    residua::vector<host_executor, T> x(9);
    const T a = random.number<T>(0, 0);

    x.set(4, a);

    EXPECT_TRUE(same_bits(x.get(4), a));
    for (int k = 0; k < terms_of<T>; ++k) {
        EXPECT_EQ(x.view().plane(k)[4], term(a, k));
    }
    EXPECT_TRUE(same_bits(x.get(3), T{0.0}));
    EXPECT_TRUE(same_bits(x.get(5), T{0.0}));
}

TYPED_TEST(storage_test, copies_are_deep_and_moves_take_over)
{
    using T = TypeParam;
    residua::vector<host_executor, T> x(3);
    x.set(1, T{2.0});

    residua::vector<host_executor, T> y = x;
    y.set(1, T{3.0});
    EXPECT_TRUE(same_bits(x.get(1), T{2.0}));

    const double* const data = y.view().data();
    residua::vector<host_executor, T> z = std::move(y);
    EXPECT_EQ(z.view().data(), data);
    x = z;
    EXPECT_TRUE(same_bits(x.get(1), T{3.0}));
    EXPECT_NE(x.view().data(), data);
}

TYPED_TEST(storage_test, a_matrix_is_stored_by_columns_in_planes)
{
    using T = TypeParam;
    biased_random random;
    residua::matrix<host_executor, T> a(5, 3);
    const T value = random.number<T>(0, 0);

    a.set(4, 2, value);

    const auto v = a.view();
    EXPECT_EQ(v.rows, 5);
    EXPECT_EQ(v.cols, 3);
    for (int k = 0; k < terms_of<T>; ++k) {
        EXPECT_EQ(v.plane(k)[2 * v.ld + 4], term(value, k));
    }
    EXPECT_TRUE(same_bits(v.column(2).load(4), value));
    EXPECT_TRUE(same_bits(a.get(3, 2), T{0.0}));
}

TYPED_TEST(storage_test, views_are_cut_into_parts_blocks_rows_and_columns)
{
    using T = TypeParam;
    residua::matrix<host_executor, T> a(7, 5);
    for (index_t j = 0; j < 5; ++j) {
        for (index_t i = 0; i < 7; ++i) {
            a.set(i, j, T{static_cast<double>(10 * i + j)});
        }
    }

    const matrix_view<host_executor, const T> inside = std::as_const(a).view().block(2, 1, 4, 3);
    ASSERT_EQ(inside.rows, 4);
    ASSERT_EQ(inside.cols, 3);
    ASSERT_EQ(inside.row(1).size, 3);
    ASSERT_EQ(inside.column(2).part(1, 4).size, 3);
    for (index_t i = 0; i < 4; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            const T expected{static_cast<double>(10 * (i + 2) + j + 1)};
            EXPECT_TRUE(same_bits(inside.column(j).load(i), expected));
            EXPECT_TRUE(same_bits(inside.row(i).load(j), expected));
            EXPECT_TRUE(same_bits(inside.row(i).part(j, 3).load(0), expected));
            EXPECT_TRUE(same_bits(inside.column(j).part(i, 4).load(0), expected));
        }
    }

    a.view().row(3).part(1, 5).store(2, T{-1.0});
    EXPECT_TRUE(same_bits(a.get(3, 3), T{-1.0}));
    EXPECT_TRUE(same_bits(a.get(3, 2), T{32.0}));
}

TYPED_TEST(storage_test, impossible_sizes_are_refused)
{
    using vector_type = residua::vector<host_executor, TypeParam>;
    using matrix_type = residua::matrix<host_executor, TypeParam>;
    constexpr index_t most = std::numeric_limits<index_t>::max();

    EXPECT_THROW(vector_type(-1), dimension_error);
    EXPECT_THROW(vector_type{most}, resource_error);
    EXPECT_THROW(vector_type(index_t{1} << 52), resource_error);
    EXPECT_THROW(matrix_type(-1, 1), dimension_error);
    EXPECT_THROW(matrix_type(1, -1), dimension_error);
    EXPECT_THROW(matrix_type(most, most), resource_error);
    EXPECT_THROW(matrix_type(index_t{1} << 30, index_t{1} << 30), resource_error);
}

/// Pages of the address space that this process has.
long mapped_pages()
{
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
}

TEST(buffer, small_and_large_ones_are_aligned_zeros_that_are_copied_and_moved)
{
    constexpr auto border = static_cast<index_t>(detail::least_mapped_bytes / sizeof(double));
    for (const index_t n : {index_t{1}, index_t{1000}, border - 1, border, border + 1, 3 * border + 12345}) {
        buffer<host_executor, double> x(n);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 64, 0u);
        EXPECT_EQ(std::count(x.span().begin(), x.span().end(), 0.0), n);
        std::iota(x.span().begin(), x.span().end(), 1.0);

        const buffer<host_executor, double> copy = x;
        const double* const place = x.data();
        buffer<host_executor, double> moved = std::move(x);
        EXPECT_EQ(moved.data(), place);
        EXPECT_EQ(x.size(), 0);
        moved.data()[n - 1] = -1.0;
        EXPECT_EQ(copy.data()[n - 1], static_cast<double>(n));
        x = copy;
        x = std::move(moved);
        EXPECT_EQ(x.data()[n - 1], -1.0);
        const buffer<host_executor, double> any(n, {}, uninitialized{});
        EXPECT_EQ(any.size(), n);
    }
}

TEST(buffer, what_large_ones_had_goes_back_to_the_system)
{
    constexpr index_t n = 10'000'000;
    const long before = mapped_pages();
    std::optional<buffer<host_executor, double>> first(n), second(n);
    buffer<host_executor, double> behind(1);
    EXPECT_GE(mapped_pages() - before, 2 * n * 8 / 65536);
    first.reset();
    second.reset();
    EXPECT_LE(mapped_pages() - before, n * 8 / 65536);
}

TEST(views, become_read_only_and_stay_of_their_format)
{
    using two = expansion<double, 2>;
    using to_read = matrix_view<host_executor, const two>;
    static_assert(std::is_convertible_v<matrix_view<host_executor, two>, to_read>);
    static_assert(!std::is_convertible_v<to_read, matrix_view<host_executor, two>>);
    static_assert(std::is_convertible_v<vector_view<host_executor, two>, vector_view<host_executor, const two>>);
    // the leading terms alone would be another matrix
    static_assert(!std::is_convertible_v<matrix_view<host_executor, two>, matrix_view<host_executor, const double>>);
    static_assert(!std::is_convertible_v<vector_view<host_executor, two>, vector_view<host_executor, const double>>);

    // the product of a view that may be written is that of one that may not
    matrix<host_executor, two> a(1, 1);
    vector<host_executor, two> x(1), y(1);
    a.set(0, 0, two{1.0} + two{0x1p-60});
    x.set(0, two{1.0});
    blas::gemv<two>(host_executor{}, blas::trans::no, 1.0, a.view(), x.view(), 0.0, y.view());
    EXPECT_TRUE(same_bits(y.get(0), a.get(0, 0)));
}

TEST(check, equal_sizes_pass_and_others_are_named)
{
    EXPECT_NO_THROW(require_equal("op", "sizes", 3, 3));
    try {
        require_equal("op", "sizes of x and y", 3, -4);
        FAIL();
    } catch (const dimension_error& e) {
        EXPECT_STREQ(e.what(), "op: sizes of x and y differ: 3 and -4");
    }
}

}  // namespace
}  // namespace residua
