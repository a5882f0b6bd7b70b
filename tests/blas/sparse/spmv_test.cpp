// Sparse products of both storages.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <tests/blas/sparse/random_coo.hpp>

namespace residua {
namespace {

using namespace support;

const host_executor exec;

template <class T>
struct spmv_test : testing::Test {
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
};
TYPED_TEST_SUITE(spmv_test, formats, format_name);

// By hand.

TYPED_TEST(spmv_test, small_products_are_right)
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

TYPED_TEST(spmv_test, what_is_not_stored_is_zero_also_times_infinity)
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

TYPED_TEST(spmv_test, sizes_that_do_not_fit_are_refused)
{
    using T = TypeParam;
    const csr<host_executor, double> a(2, 3, 0);
    const sliced_ell<host_executor, double> sliced(a);
    residua::vector<host_executor, T> two(2);
    residua::vector<host_executor, T> three(3);

    EXPECT_THROW(blas::spmv(exec, T{1.0}, a, two, T{0.0}, two.view()), dimension_error);
    EXPECT_THROW(blas::spmv(exec, T{1.0}, a, three, T{0.0}, three.view()), dimension_error);
    EXPECT_THROW(blas::spmv(exec, T{1.0}, sliced, two, T{0.0}, two.view()), dimension_error);
}

// Against the oracle.

TYPED_TEST(spmv_test, spmv_with_a_binary64_matrix_keeps_the_bound)
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

TYPED_TEST(spmv_test, spmv_with_a_matrix_of_the_format_keeps_the_bound)
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

/// Bands: most slices have consecutive columns, those at the borders have not, and their padding
/// must not reach into the result.
TYPED_TEST(spmv_test, runs_of_consecutive_columns_are_found_and_give_the_same_bits)
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

}  // namespace
}  // namespace residua
