#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;

const host_executor exec;

template <class T>
struct elementwise_test : testing::Test {
    biased_random random;
};
TYPED_TEST_SUITE(elementwise_test, formats, format_name);

/// What one product added to a number may be off by, in units of 2^-p (|a x| + |y|).
template <class T>
constexpr double axpy_bound()
{
    return terms_of<T> == 1 ? 1.01 * 2.0 : accumulation_error_bound<std::max(2, terms_of<T>)>(1.0);
}

template <class T>
void expect_axpy(const T& a, const T& x, const T& y, const T& result, index_t i)
{
    const real exact = wide(a) * wide(x) + wide(y);
    const real magnitude = abs(wide(a) * wide(x)) + abs(wide(y));
    EXPECT_LE(error_units(wide(result), exact, magnitude, number_traits<T>::precision_bits), axpy_bound<T>())
        << "element " << i;
}

// By hand.

TYPED_TEST(elementwise_test, axpy_keeps_what_one_binary64_addition_would_lose)
{
    using T = TypeParam;
    const auto x = make_vector<T>({T{0x1p-80}});
    auto y = make_vector<T>({T{1.0}});

    blas::axpy(exec, T{1.0}, x, y.view());

    const real kept = terms_of<T> == 1 ? real(0.0) : ldexp(real(1.0, 200), -80);
    EXPECT_EQ(to_real(y.get(0)), real(1.0) + kept);
}

TYPED_TEST(elementwise_test, the_formulas_hold_on_small_numbers)
{
    using T = TypeParam;
    const auto x = make_vector<T>({T{1.0}, T{2.0}, T{-3.0}});
    const std::vector<T> y0{T{10.0}, T{20.0}, T{30.0}};
    auto y = make_vector<T>(y0);
    auto w = make_vector<T>(y0);

    blas::axpy(exec, T{2.0}, x, y.view());
    EXPECT_TRUE(same_bits(numbers<T>(y), {T{12.0}, T{24.0}, T{24.0}}));
    blas::xpay(exec, x, T{0.5}, y.view());
    EXPECT_TRUE(same_bits(numbers<T>(y), {T{7.0}, T{14.0}, T{9.0}}));
    blas::waxpby(exec, T{2.0}, x, T{-1.0}, y, w.view());
    EXPECT_TRUE(same_bits(numbers<T>(w), {T{-5.0}, T{-10.0}, T{-15.0}}));
    blas::scal(exec, T{4.0}, w.view());
    EXPECT_TRUE(same_bits(numbers<T>(w), {T{-20.0}, T{-40.0}, T{-60.0}}));
    blas::copy(exec, w, y.view());
    EXPECT_TRUE(same_bits(numbers<T>(y), {T{-20.0}, T{-40.0}, T{-60.0}}));
    blas::fill(exec, T{7.0}, y.view());
    EXPECT_TRUE(same_bits(numbers<T>(y), {T{7.0}, T{7.0}, T{7.0}}));
}

// Elements of longer formats lie in planes, so that no reference leads to one.
TEST(elementwise_binary64_test, the_scalar_may_be_an_element_of_the_output)
{
    double y[2] = {3.0, 5.0};

    blas::scal(exec, y[0], vector_view<host_executor, double>{{y, 2}, 2});

    EXPECT_EQ(y[0], 9.0);
    EXPECT_EQ(y[1], 15.0);
}

TYPED_TEST(elementwise_test, vectors_of_different_size_are_refused)
{
    using T = TypeParam;
    residua::vector<host_executor, T> x(3);
    residua::vector<host_executor, T> y(4);

    EXPECT_THROW(blas::axpy(exec, T{1.0}, x, y.view()), dimension_error);
    EXPECT_THROW(blas::xpay(exec, x, T{1.0}, y.view()), dimension_error);
    EXPECT_THROW(blas::copy(exec, x, y.view()), dimension_error);
    EXPECT_THROW(blas::waxpby(exec, T{1.0}, x, T{1.0}, y, y.view()), dimension_error);
    EXPECT_THROW(blas::waxpby(exec, T{1.0}, y, T{1.0}, x, y.view()), dimension_error);
    try {
        blas::axpy(exec, T{1.0}, x, y.view());
    } catch (const dimension_error& e) {
        EXPECT_STREQ(e.what(), "axpy: sizes of x and y differ: 3 and 4");
    }
}

// Against the oracle.

TYPED_TEST(elementwise_test, axpy_and_xpay_keep_their_bound_and_write_nothing_else)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : sizes) {
        const auto x = random_numbers<T>(this->random, n, -40, 40);
        auto y = random_numbers<T>(this->random, n, -40, 40);
        const T a = this->random.template number<T>(-10, 10);
        for (std::size_t i = 0; i < y.size(); i += 3) {
            y[i] = -(a * x[i]);  // cancels
        }
        guarded<T> from(x);
        guarded<T> to(y);
        guarded<T> other(x);
        guarded<T> more(y);

        blas::axpy(exec, a, from.view(), to.view());
        blas::xpay(exec, more.view(), a, other.view());

        const auto result = to.values();
        for (std::size_t i = 0; i < result.size(); ++i) {
            expect_axpy(a, x[i], y[i], result[i], static_cast<index_t>(i));
        }
        EXPECT_TRUE(same_bits(other.values(), result)) << "xpay, n = " << n;
        EXPECT_TRUE(to.margins_intact() && other.margins_intact()) << "n = " << n;
        EXPECT_TRUE(same_bits(from.values(), x));
    }
}

TYPED_TEST(elementwise_test, waxpby_and_scal_keep_their_bounds)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    constexpr long p = number_traits<T>::precision_bits;
    constexpr double product = terms_of<T> == 1 ? 1.0 : product_error_bound<std::max(2, terms_of<T>)>();
    for (const index_t n : sizes) {
        const auto x = random_numbers<T>(this->random, n, -40, 40);
        const auto y = random_numbers<T>(this->random, n, -40, 40);
        const T a = this->random.template number<T>(-10, 10);
        const T b = this->random.template number<T>(-10, 10);
        guarded<T> from(x);
        guarded<T> more(y);
        guarded<T> to(y);
        guarded<T> scaled(x);

        blas::waxpby(exec, a, from.view(), b, more.view(), to.view());
        blas::scal(exec, a, scaled.view());

        for (index_t i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            exact_products exact;
            exact.add(wide(a) * wide(x[at]));
            EXPECT_LE(error_units(wide(scaled.values()[at]), exact.value, p), product);
            exact.add(wide(b) * wide(y[at]));
            EXPECT_LE(error_units(wide(to.values()[at]), exact.value, exact.magnitude, p),
                      product + axpy_bound<T>() + 1.0);
        }
        EXPECT_TRUE(to.margins_intact() && scaled.margins_intact()) << "n = " << n;
    }
}

TYPED_TEST(elementwise_test, scaling_by_a_power_of_two_is_exact)
{
    using T = TypeParam;
    const auto x = random_numbers<T>(this->random, 1000, -40, 40);
    auto y = make_vector<T>(x);

    blas::scal(exec, T{0x1p17}, y.view());

    for (index_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(to_real(y.get(i)), ldexp(to_real(x[static_cast<std::size_t>(i)]), 17));
    }
}

TYPED_TEST(elementwise_test, copy_and_fill_write_exactly_their_elements)
{
    using T = TypeParam;
    for (const index_t n : sizes) {
        const auto x = random_numbers<T>(this->random, n, -900, 900);
        guarded<T> from(x);
        guarded<T> to(std::vector<T>(x.size(), T{1.0}));
        guarded<T> filled(x);
        const T a = this->random.template number<T>(-10, 10);

        blas::copy(exec, from.view(), to.view());
        blas::fill(exec, a, filled.view());

        EXPECT_TRUE(same_bits(to.values(), x)) << "n = " << n;
        EXPECT_TRUE(same_bits(filled.values(), std::vector<T>(x.size(), a))) << "n = " << n;
        EXPECT_TRUE(to.margins_intact() && filled.margins_intact()) << "n = " << n;
    }
}

TYPED_TEST(elementwise_test, inputs_may_be_the_output)
{
    using T = TypeParam;
    const T a = this->random.template number<T>(-2, 2);
    const T b = this->random.template number<T>(-2, 2);
    for (const index_t n : {index_t{17}, index_t{100}}) {
        const auto x = make_vector<T>(random_numbers<T>(this->random, n, -40, 40));
        auto apart = x;
        auto within = x;

        blas::axpy(exec, a, x, apart.view());
        blas::axpy(exec, a, within, within.view());
        EXPECT_TRUE(same_bits(numbers<T>(within), numbers<T>(apart)));

        apart = x;
        within = x;
        blas::waxpby(exec, a, x, b, x, apart.view());
        blas::waxpby(exec, a, within, b, within, within.view());
        EXPECT_TRUE(same_bits(numbers<T>(within), numbers<T>(apart)));

        within = x;
        blas::copy(exec, within, within.view());
        EXPECT_TRUE(same_bits(numbers<T>(within), numbers<T>(x)));
    }
}

TYPED_TEST(elementwise_test, what_is_not_finite_stays_so_and_stays_where_it_is)
{
    using T = TypeParam;
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<T> y(40, T{1.0});
    y[3] = T{inf};
    y[20] = T{std::nan("")};
    auto to = make_vector<T>(y);
    const auto x = make_vector<T>(std::vector<T>(40, T{1.0}));

    blas::axpy(exec, T{2.0}, x, to.view());

    for (index_t i = 0; i < 40; ++i) {
        EXPECT_EQ(is_finite(to.get(i)), i != 3 && i != 20) << i;
    }
}

}  // namespace
}  // namespace residua
