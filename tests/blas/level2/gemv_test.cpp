#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;

const host_executor exec;

template <class T>
struct gemv_test : testing::Test {
    static constexpr long p = number_traits<T>::precision_bits;
    static constexpr int terms = terms_of<T>;
    biased_random random;

    /// What the last step, alpha t + beta y, may be off by, relative to |alpha t| + |beta y|.
    static constexpr double update_bound()
    {
        return terms == 1 ? 4.0
                          : 2.0 * accumulation_error_bound<std::max(2, terms)>(1.0) +
                                product_error_bound<std::max(2, terms)>();
    }

    /// y <- alpha op(A) x + beta y against exact sums; A with values of V.
    template <class V>
    void expect_bound(index_t m, index_t n, bool transposed, const T& alpha, const T& beta)
    {
        SCOPED_TRACE("m = " + std::to_string(m) + ", n = " + std::to_string(n) + (transposed ? ", transposed" : ""));
        const auto a = random_matrix<V>(random, m, n, -20, 20);
        const index_t rows = transposed ? n : m;
        const index_t cols = transposed ? m : n;
        auto x = random_numbers<T>(random, cols, -20, 20);
        const auto y = random_numbers<T>(random, rows, -20, 20);
        if (!transposed && cols > 3) {  // the first row cancels
            for (index_t j = 0; j + 1 < cols; j += 2) {
                x[static_cast<std::size_t>(j + 1)] = -x[static_cast<std::size_t>(j)];
            }
        }
        guarded<T> from(x);
        guarded<T> to(y);

        if (transposed) {
            blas::gemv<T>(exec, blas::trans::yes, alpha, a.view(), from.view(), beta, to.view());
        } else {
            blas::gemv<T>(exec, blas::trans::no, alpha, a.view(), from.view(), beta, to.view());
        }

        const double sum =
            transposed ? blas::long_sum_error_bound<terms>(cols) : blas::dense_row_error_bound<terms>(cols);
        const auto result = to.values();
        for (index_t i = 0; i < rows; ++i) {
            exact_products exact;
            for (index_t j = 0; j < cols; ++j) {
                exact.add(wide(transposed ? a.get(j, i) : a.get(i, j)) * wide(x[static_cast<std::size_t>(j)]) *
                          wide(alpha));
            }
            exact.add(wide(beta) * wide(y[static_cast<std::size_t>(i)]));
            EXPECT_LE(error_units(wide(result[static_cast<std::size_t>(i)]), exact.value, exact.magnitude, p),
                      sum + 1.01 * update_bound())
                << "row " << i;
        }
        EXPECT_TRUE(to.margins_intact());
    }
};
TYPED_TEST_SUITE(gemv_test, formats, format_name);

// By hand.

TYPED_TEST(gemv_test, small_products_are_right)
{
    using T = TypeParam;
    residua::matrix<host_executor, double> a(2, 3);  // 1 2 3; 4 5 6
    residua::matrix<host_executor, T> own(2, 3);
    for (index_t i = 0; i < 2; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            a.set(i, j, static_cast<double>(3 * i + j + 1));
            own.set(i, j, T{a.get(i, j)});
        }
    }
    const auto x = make_vector<T>({T{1.0}, T{10.0}, T{100.0}});
    auto y = make_vector<T>({T{1.0}, T{2.0}});
    auto z = make_vector<T>({T{1.0}, T{1.0}, T{1.0}});

    blas::gemv<T>(exec, blas::trans::no, T{1.0}, a, x, T{0.0}, y.view());
    EXPECT_TRUE(same_bits(numbers<T>(y), {T{321.0}, T{654.0}}));
    blas::gemv<T>(exec, blas::trans::no, T{-1.0}, own, x, T{1.0}, y.view());
    EXPECT_TRUE(same_bits(numbers<T>(y), {T{0.0}, T{0.0}}));
    blas::gemv<T>(exec, blas::trans::yes, T{2.0}, a, make_vector<T>({T{1.0}, T{10.0}}), T{3.0}, z.view());
    EXPECT_TRUE(same_bits(numbers<T>(z), {T{85.0}, T{107.0}, T{129.0}}));
}

TYPED_TEST(gemv_test, sizes_that_do_not_fit_are_refused)
{
    using T = TypeParam;
    const residua::matrix<host_executor, double> a(2, 3);
    residua::vector<host_executor, T> two(2);
    residua::vector<host_executor, T> three(3);

    EXPECT_THROW(blas::gemv<T>(exec, blas::trans::no, T{1.0}, a, two, T{0.0}, two.view()), dimension_error);
    EXPECT_THROW(blas::gemv<T>(exec, blas::trans::no, T{1.0}, a, three, T{0.0}, three.view()), dimension_error);
    EXPECT_THROW(blas::gemv<T>(exec, blas::trans::yes, T{1.0}, a, three, T{0.0}, three.view()), dimension_error);
    EXPECT_THROW(blas::gemv<T>(exec, blas::trans::yes, T{1.0}, a, two, T{0.0}, two.view()), dimension_error);
}

TYPED_TEST(gemv_test, y_is_not_read_if_beta_is_zero)
{
    using T = TypeParam;
    const auto a = random_matrix<double>(this->random, 40, 5, -3, 3);
    const auto x = make_vector<T>(random_numbers<T>(this->random, 5, -3, 3));
    auto y = make_vector<T>(std::vector<T>(40, T{std::nan("")}));

    blas::gemv<T>(exec, blas::trans::no, T{2.5}, a, x, T{0.0}, y.view());

    for (index_t i = 0; i < y.size(); ++i) {
        EXPECT_TRUE(is_finite(y.get(i)));
    }
}

TYPED_TEST(gemv_test, a_matrix_without_columns_is_a_zero_matrix)
{
    using T = TypeParam;
    const residua::matrix<host_executor, double> a(3, 0);
    const residua::vector<host_executor, T> x(0);
    auto y = make_vector<T>({T{1.0}, T{2.0}, T{4.0}});

    blas::gemv<T>(exec, blas::trans::no, T{1.0}, a, x, T{0.5}, y.view());

    EXPECT_TRUE(same_bits(numbers<T>(y), {T{0.5}, T{1.0}, T{2.0}}));
}

// Against the oracle.

TYPED_TEST(gemv_test, a_binary64_matrix_keeps_the_bound)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const T alpha = this->random.template number<T>(-3, 3);
    const T beta = this->random.template number<T>(-3, 3);
    for (const bool transposed : {false, true}) {
        for (const auto& [m, n] : {std::pair{1, 1}, {5, 3}, {31, 64}, {33, 65}, {67, 130}, {3, 700}}) {
            this->template expect_bound<double>(m, n, transposed, alpha, beta);
            this->template expect_bound<double>(m, n, transposed, T{1.0}, T{0.0});
        }
        this->template expect_bound<double>(40, 40, transposed, T{-1.0}, T{1.0});
    }
}

TYPED_TEST(gemv_test, a_matrix_of_the_format_keeps_the_bound)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const T alpha = this->random.template number<T>(-3, 3);
    const T beta = this->random.template number<T>(-3, 3);
    for (const bool transposed : {false, true}) {
        for (const auto& [m, n] : {std::pair{1, 1}, {32, 7}, {33, 65}, {3, 300}, {140, 5}}) {
            this->template expect_bound<T>(m, n, transposed, alpha, beta);
            this->template expect_bound<T>(m, n, transposed, T{1.0}, T{0.0});
        }
    }
}

/// A part of a larger matrix: nothing beyond it may be read into the result.
TYPED_TEST(gemv_test, a_part_of_a_matrix_is_a_matrix)
{
    using T = TypeParam;
    auto whole = random_matrix<double>(this->random, 90, 90, -3, 3);
    residua::matrix<host_executor, double> part(37, 70);
    for (index_t j = 0; j < 70; ++j) {
        for (index_t i = 0; i < 37; ++i) {
            part.set(i, j, whole.get(i + 11, j + 5));
        }
    }
    whole.set(48, 5, std::nan(""));
    whole.set(48, 74, std::nan(""));
    const auto w = whole.view();
    const matrix_view<host_executor, const double> inside = w.block(11, 5, 37, 70);
    const auto x = make_vector<T>(random_numbers<T>(this->random, 70, -3, 3));
    residua::vector<host_executor, T> y(37);
    residua::vector<host_executor, T> z(37);

    blas::gemv<T>(exec, blas::trans::no, T{1.0}, part, x, T{0.0}, y.view());
    blas::gemv<T>(exec, blas::trans::no, T{1.0}, inside, x, T{0.0}, z.view());

    EXPECT_TRUE(same_bits(numbers<T>(z), numbers<T>(y)));
}

}  // namespace
}  // namespace residua
