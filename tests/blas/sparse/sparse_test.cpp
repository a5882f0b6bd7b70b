#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;
using blas::diag;
using blas::uplo;

const host_executor exec;

/// Rows of very different length: empty ones, full ones, and about `density` of the rest.
template <class V>
io::coo<V> random_coo(biased_random& random, index_t rows, index_t cols, double density)
{
    io::coo<V> a;
    a.rows = rows;
    a.cols = cols;
    for (index_t i = 0; i < rows; ++i) {
        const int kind = random.integer(0, 9);
        const double part = kind == 0 ? 0.0 : kind == 1 ? 1.0 : density;
        for (index_t j = 0; j < cols; ++j) {
            if (random.uniform() < part) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(random.number<V>(-20, 20));
            }
        }
    }
    return a;
}

template <class T>
struct sparse_test : testing::Test {
    static constexpr long p = number_traits<T>::precision_bits;
    static constexpr int terms = terms_of<T>;
    biased_random random;

    template <class V>
    void expect_bound(index_t rows, index_t cols, double density, const T& alpha, const T& beta)
    {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(cols));
        const auto entries = random_coo<V>(random, rows, cols, density);
        const auto a = csr_from_coo(entries);
        const sliced_ell<host_executor, V> sliced(a);
        const auto x = random_numbers<T>(random, cols, -20, 20);
        const auto y = random_numbers<T>(random, rows, -20, 20);
        guarded<T> from(x);
        guarded<T> to(y);
        guarded<T> other(y);

        blas::spmv(exec, alpha, a, from.view(), beta, to.view());
        blas::spmv(exec, alpha, sliced, from.view(), beta, other.view());

        std::vector<exact_products> exact(y.size());
        std::vector<index_t> length(y.size());
        for (std::size_t k = 0; k < entries.value.size(); ++k) {
            const auto i = static_cast<std::size_t>(entries.row[k]);
            exact[i].add(wide(entries.value[k]) * wide(x[static_cast<std::size_t>(entries.col[k])]) * wide(alpha));
            ++length[i];
        }
        const auto result = to.values();
        for (std::size_t i = 0; i < y.size(); ++i) {
            exact[i].add(wide(beta) * wide(y[i]));
            const double update = terms == 1 ? 4.0
                                             : 2.0 * accumulation_error_bound<std::max(2, terms)>(1.0) +
                                                   product_error_bound<std::max(2, terms)>();
            EXPECT_LE(error_units(wide(result[i]), exact[i].value, exact[i].magnitude, p),
                      blas::sparse_row_error_bound<terms>(length[i]) + 1.01 * update)
                << "row " << i;
        }
        EXPECT_TRUE(same_bits(other.values(), result)) << "the two storages differ";
        EXPECT_TRUE(to.margins_intact() && other.margins_intact());
    }

    template <class V>
    void expect_small_residual(uplo triangle, diag diagonal, index_t n)
    {
        auto entries = random_coo<V>(random, n, n, 0.2);
        auto full = io::coo<V>{n, n, {}, {}, {}};
        for (std::size_t k = 0, i = 0; i < static_cast<std::size_t>(n); ++i) {
            const index_t row = static_cast<index_t>(i);
            bool placed = false;
            const auto place = [&](index_t j, const V& v) {
                full.row.push_back(row);
                full.col.push_back(j);
                full.value.push_back(v);
            };
            for (; k < entries.value.size() && entries.row[k] == row; ++k) {
                if (!placed && entries.col[k] >= row) {
                    place(row, random.template number<V>(23, 24));
                    placed = true;
                }
                if (entries.col[k] != row) {
                    place(entries.col[k], entries.value[k]);
                }
            }
            if (!placed) {
                place(row, random.template number<V>(23, 24));
            }
        }
        const auto a = csr_from_coo(full);
        const auto b = random_numbers<T>(random, n, -20, 20);
        guarded<T> from(b);
        guarded<T> to(b);
        guarded<T> in_place(b);

        blas::trsv(exec, triangle, diagonal, a, from.view(), to.view());
        blas::trsv(exec, triangle, diagonal, a, in_place.view(), in_place.view());

        EXPECT_TRUE(same_bits(in_place.values(), to.values()));
        const auto x = to.values();
        std::vector<exact_products> sum(b.size());
        for (std::size_t k = 0; k < full.value.size(); ++k) {
            const index_t i = full.row[k];
            const index_t j = full.col[k];
            if (i == j || (j < i) == (triangle == uplo::lower)) {
                const real entry = i == j && diagonal == diag::unit ? real(1.0) : wide(full.value[k]);
                sum[static_cast<std::size_t>(i)].add(entry * wide(x[static_cast<std::size_t>(j)]));
            }
        }
        constexpr double division = terms == 1 ? 1.0 : quotient_error_bound<std::max(2, terms)>();
        for (std::size_t i = 0; i < b.size(); ++i) {
            EXPECT_LE(error_units(sum[i].value, wide(b[i]), sum[i].magnitude, p),
                      2.0 * blas::sparse_row_error_bound<terms>(n + 1) + division)
                << "row " << i;
        }
    }
};
TYPED_TEST_SUITE(sparse_test, formats, format_name);

TEST(trsm_test, each_right_hand_side_has_the_bits_that_it_has_alone)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    constexpr index_t n = 40;
    auto entries = random_coo<double>(random, n, n, 0.4);
    for (std::size_t k = 0; k < entries.value.size(); ++k) {
        entries.value[k] = entries.row[k] == entries.col[k] ? 3.0 : random.uniform() - 0.5;
    }
    const auto a = csr_from_coo(entries);
    for (const index_t count : {0, 1, 2, 7, 8, 9, 33}) {
        for (const uplo triangle : {uplo::lower, uplo::upper}) {
            for (const diag diagonal : {diag::unit, diag::non_unit}) {
                residua::matrix<host_executor, double> x_t(count, n);
                for (index_t j = 0; j < count; ++j) {
                    for (index_t i = 0; i < n; ++i) {
                        x_t.set(j, i, random.value(-30, 30));
                    }
                }
                const residua::matrix<host_executor, double> b_t = x_t;

                blas::trsm_t(exec, triangle, diagonal, a, x_t.view());

                for (index_t j = 0; j < count; ++j) {
                    residua::vector<host_executor, double> x(n);
                    for (index_t i = 0; i < n; ++i) {
                        x.set(i, b_t.get(j, i));
                    }
                    blas::trsv(exec, triangle, diagonal, a, x.view(), x.view());
                    for (index_t i = 0; i < n; ++i) {
                        const double together = x_t.get(j, i);
                        const double alone = x.get(i);
                        ASSERT_TRUE(together == alone || (together != together && alone != alone)) << i << ' ' << j;
                    }
                }
            }
        }
    }
    residua::matrix<host_executor, double> wrong(2, n + 1);
    EXPECT_THROW(blas::trsm_t(exec, uplo::lower, diag::unit, a, wrong.view()), dimension_error);
}

// By hand.

TYPED_TEST(sparse_test, small_products_are_right)
{
    using T = TypeParam;
    const io::coo<double> entries{3, 2, {0, 0, 2}, {0, 1, 1}, {2.0, 3.0, 5.0}};  // 2 3; 0 0; 0 5
    const auto a = csr_from_coo(entries);
    const sliced_ell<host_executor, double> sliced(a);
    const auto x = make_vector<T>({T{10.0}, T{100.0}});
    auto y = make_vector<T>({T{1.0}, T{2.0}, T{3.0}});

    blas::spmv(exec, T{1.0}, a, x, T{2.0}, y.view());
    EXPECT_TRUE(same_bits(numbers<T>(y), {T{322.0}, T{4.0}, T{506.0}}));
    blas::spmv(exec, T{-1.0}, sliced, x, T{0.0}, y.view());
    EXPECT_EQ(to_real(y.get(0)), real(-320.0));
    EXPECT_EQ(to_real(y.get(1)), real(0.0));
    EXPECT_EQ(to_real(y.get(2)), real(-500.0));
}

TYPED_TEST(sparse_test, small_triangles_are_right)
{
    using T = TypeParam;
    const io::coo<double> entries{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {2.0, 3.0, 5.0, 4.0}};
    const auto a = csr_from_coo(entries);
    const auto b = make_vector<T>({T{8.0}, T{28.0}});
    residua::vector<host_executor, T> x(2);

    blas::trsv(exec, uplo::lower, diag::non_unit, a, b, x.view());
    EXPECT_TRUE(same_bits(numbers<T>(x), {T{4.0}, T{2.0}}));
    blas::trsv(exec, uplo::upper, diag::unit, a, b, x.view());
    EXPECT_TRUE(same_bits(numbers<T>(x), {T{-76.0}, T{28.0}}));
}

TYPED_TEST(sparse_test, what_is_not_stored_is_zero_also_times_infinity)
{
    using T = TypeParam;
    io::coo<double> entries{40, 3, {}, {}, {}};
    for (index_t i = 0; i < 40; ++i) {
        for (index_t j = 0; j < (i == 7 ? 3 : 1); ++j) {
            entries.row.push_back(i);
            entries.col.push_back(j);
            entries.value.push_back(1.0);
        }
    }
    const auto a = csr_from_coo(entries);
    const sliced_ell<host_executor, double> sliced(a);
    const auto x = make_vector<T>({T{1.0}, T{std::nan("")}, T{std::nan("")}});
    residua::vector<host_executor, T> y(40);
    residua::vector<host_executor, T> z(40);

    blas::spmv(exec, T{1.0}, a, x, T{0.0}, y.view());
    blas::spmv(exec, T{1.0}, sliced, x, T{0.0}, z.view());

    for (index_t i = 0; i < 40; ++i) {
        EXPECT_EQ(is_finite(y.get(i)), i != 7) << i;
        EXPECT_EQ(is_finite(z.get(i)), i != 7) << i;
    }
}

TYPED_TEST(sparse_test, sizes_that_do_not_fit_are_refused)
{
    using T = TypeParam;
    const csr<host_executor, double> a(2, 3, 0);
    const sliced_ell<host_executor, double> sliced(a);
    residua::vector<host_executor, T> two(2);
    residua::vector<host_executor, T> three(3);

    EXPECT_THROW(blas::spmv(exec, T{1.0}, a, two, T{0.0}, two.view()), dimension_error);
    EXPECT_THROW(blas::spmv(exec, T{1.0}, a, three, T{0.0}, three.view()), dimension_error);
    EXPECT_THROW(blas::spmv(exec, T{1.0}, sliced, two, T{0.0}, two.view()), dimension_error);
    EXPECT_THROW(blas::trsv(exec, uplo::lower, diag::unit, a, two, two.view()), dimension_error);
}

// Against the oracle.

TYPED_TEST(sparse_test, spmv_with_a_binary64_matrix_keeps_the_bound)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const T alpha = this->random.template number<T>(-3, 3);
    const T beta = this->random.template number<T>(-3, 3);
    for (const auto& [m, n] : {std::pair{0, 3}, {1, 1}, {31, 40}, {32, 5}, {33, 64}, {300, 90}}) {
        this->template expect_bound<double>(m, n, 0.05, alpha, beta);
        this->template expect_bound<double>(m, n, 0.3, T{1.0}, T{0.0});
    }
}

TYPED_TEST(sparse_test, spmv_with_a_matrix_of_the_format_keeps_the_bound)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const T alpha = this->random.template number<T>(-3, 3);
    const T beta = this->random.template number<T>(-3, 3);
    for (const auto& [m, n] : {std::pair{1, 1}, {33, 40}, {70, 90}}) {
        this->template expect_bound<T>(m, n, 0.1, alpha, beta);
        this->template expect_bound<T>(m, n, 0.1, T{-1.0}, T{1.0});
    }
}

TYPED_TEST(sparse_test, triangles_leave_residuals_as_small_as_promised)
{
    SCOPED_TRACE(this->random.trace());
    for (const uplo triangle : {uplo::lower, uplo::upper}) {
        for (const diag diagonal : {diag::non_unit, diag::unit}) {
            for (const index_t n : {1, 5, 40}) {
                this->template expect_small_residual<double>(triangle, diagonal, n);
            }
            this->template expect_small_residual<TypeParam>(triangle, diagonal, 33);
        }
    }
}

TYPED_TEST(sparse_test, the_transpose_has_the_entries_of_the_matrix)
{
    using V = TypeParam;
    auto a = random_coo<V>(this->random, 50, 37, 0.2);
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

/// Bands: most slices have consecutive columns, those at the borders have not, and their padding
/// must not reach into the result.
TYPED_TEST(sparse_test, runs_of_consecutive_columns_are_found_and_give_the_same_bits)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {33, 64, 100, 200}) {
        io::coo<double> band{n, n, {}, {}, {}};
        for (index_t i = 0; i < n; ++i) {
            for (const index_t offset : {-40, -1, 0, 1, 7}) {
                if (i + offset >= 0 && i + offset < n && !(i % 67 == 5 && offset == 7)) {
                    band.row.push_back(i);
                    band.col.push_back(i + offset);
                    band.value.push_back(this->random.value(-3, 3));
                }
            }
        }
        const auto a = csr_from_coo(band);
        const sliced_ell<host_executor, double> sliced(a);
        const auto x = random_numbers<T>(this->random, n, -9, 9);
        guarded<T> from(x, std::nan(""));
        guarded<T> y(x);
        guarded<T> z(x);

        blas::spmv(exec, T{1.0}, a, from.view(), T{0.0}, y.view());
        blas::spmv(exec, T{1.0}, sliced, from.view(), T{0.0}, z.view());

        EXPECT_TRUE(same_bits(z.values(), y.values())) << "n = " << n;
        const auto runs = std::ranges::count(sliced.is_run(), std::uint8_t{1});
        EXPECT_EQ(runs > 0, n >= 64) << "n = " << n;
        for (index_t s = 0; s < sliced.slices(); ++s) {
            for (index_t k = sliced.slice_begin()[s]; k < sliced.slice_begin()[s + 1]; ++k) {
                const auto col = sliced.col().subspan(static_cast<std::size_t>(k) * 32, 32);
                for (index_t l = 0; l < 32; ++l) {
                    EXPECT_TRUE(col[l] >= 0 && col[l] < n);
                    EXPECT_TRUE(sliced.is_run()[k] == 0 || col[l] == col[0] + l);
                }
            }
        }
    }
}

// Storage.

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

}  // namespace
}  // namespace residua
