#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/norm.hpp>
#include <tests/blas/formats.hpp>
#include <tests/support/scale.hpp>

namespace residua {
namespace {

using namespace support;

const host_executor exec;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
struct reductions_test : testing::Test {
    static constexpr long p = number_traits<T>::precision_bits;
    biased_random random;

    void expect_dot(const std::vector<T>& x, const std::vector<T>& y)
    {
        const index_t n = static_cast<index_t>(x.size());
        const auto exact = exact_dot(x, y, x.size());

        const T result = blas::dot<T>(exec, guarded<T>(x).view(), guarded<T>(y).view());

        EXPECT_LE(error_units(wide(result), exact.value, exact.magnitude, p),
                  blas::long_sum_error_bound<terms_of<T>>(n))
            << "n = " << n;
    }
};
TYPED_TEST_SUITE(reductions_test, formats, format_name);

template <class T>
struct expansion_reductions_test : testing::Test {};
TYPED_TEST_SUITE(expansion_reductions_test, expansion_formats, format_name);

// By hand.

TYPED_TEST(reductions_test, small_sums_are_right)
{
    using T = TypeParam;
    const auto x = make_vector<T>({T{1.0}, T{-2.0}, T{3.0}});
    const auto y = make_vector<T>({T{4.0}, T{5.0}, T{6.0}});

    EXPECT_TRUE(same_bits(blas::dot<T>(exec, x, y), T{12.0}));
    EXPECT_TRUE(same_bits(blas::asum<T>(exec, x), T{6.0}));
    EXPECT_TRUE(same_bits(blas::norm_inf<T>(exec, x), T{3.0}));
    EXPECT_TRUE(same_bits(blas::norm2<T>(exec, make_vector<T>({T{3.0}, T{-4.0}})), T{5.0}));
}

TYPED_TEST(reductions_test, nothing_sums_to_zero)
{
    using T = TypeParam;
    const residua::vector<host_executor, T> x(0);

    EXPECT_TRUE(same_bits(blas::dot<T>(exec, x, x), T{0.0}));
    EXPECT_TRUE(same_bits(blas::asum<T>(exec, x), T{0.0}));
    EXPECT_TRUE(same_bits(blas::norm2<T>(exec, x), T{0.0}));
    EXPECT_TRUE(same_bits(blas::norm_inf<T>(exec, x), T{0.0}));
}

TYPED_TEST(reductions_test, vectors_of_different_size_are_refused)
{
    using T = TypeParam;
    const residua::vector<host_executor, T> x(3);
    const residua::vector<host_executor, T> y(4);

    EXPECT_THROW(blas::dot<T>(exec, x, y), dimension_error);
}

// Against the oracle.

TYPED_TEST(reductions_test, dot_keeps_its_bound)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : sizes) {
        this->expect_dot(random_numbers<T>(this->random, n, -30, 30), random_numbers<T>(this->random, n, -30, 30));
    }
}

TYPED_TEST(reductions_test, dot_keeps_its_bound_under_cancellation)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (int repeat = 0; repeat < scaled(3); ++repeat) {
        for (const index_t n : {2, 32, 64, 100, 1000, 1024}) {
            auto x = random_numbers<T>(this->random, n, -30, 30);
            auto y = random_numbers<T>(this->random, n, -30, 30);
            make_cancelling(this->random, x, y);
            this->expect_dot(x, y);
        }
    }
}

TYPED_TEST(reductions_test, dot_keeps_its_bound_on_long_vectors)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const index_t n = terms_of<T> <= 2 ? 100003 : 8193 + 511;
    auto x = random_numbers<T>(this->random, n, -30, 30);
    auto y = random_numbers<T>(this->random, n, -30, 30);
    make_cancelling(this->random, x, y);
    this->expect_dot(x, y);
}

TYPED_TEST(reductions_test, asum_keeps_its_bound)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : sizes) {
        const auto x = random_numbers<T>(this->random, n, -300, 300);
        exact_products exact;
        for (const T& xi : x) {
            exact.add(abs(wide(xi)));
        }

        const T result = blas::asum<T>(exec, guarded<T>(x).view());

        EXPECT_LE(error_units(wide(result), exact.value, this->p), blas::long_sum_error_bound<terms_of<T>>(n))
            << "n = " << n;
    }
}

/// Exponents whose squares overflow, underflow, or lose their last terms.
TYPED_TEST(reductions_test, norm2_holds_at_every_exponent)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const int least = -1021 + 53 * terms_of<T>;  // all terms normal
    constexpr double root = terms_of<T> == 1 ? 1.0 : root_error_bound<std::max(2, terms_of<T>)>();
    for (const int e : {0, 300, 499, 501, 600, 1015, -100, -300, least, least + 1}) {
        for (const index_t n : {1, 5, 32, 100, 513, 1000}) {
            auto x = random_numbers<T>(this->random, n, std::max(least, e - 20), std::max(least, e));
            x[0] = this->random.template number<T>(e, e);
            const real exact = sqrt(exact_dot(x, x, x.size()).value);

            const T result = blas::norm2<T>(exec, make_vector<T>(x));

            EXPECT_LE(error_units(wide(result), exact, this->p),
                      0.51 * blas::long_sum_error_bound<terms_of<T>>(n) + root + 1.0)
                << "n = " << n << ", e = " << e;
        }
    }
}

TYPED_TEST(reductions_test, norm2_of_the_smallest_and_the_largest_numbers)
{
    using T = TypeParam;
    const double tiny = 0x1p-1074;
    const double huge = 0x1p1023;

    EXPECT_TRUE(same_bits(blas::norm2<T>(exec, make_vector<T>({T{tiny}})), T{tiny}));
    EXPECT_TRUE(same_bits(blas::norm2<T>(exec, make_vector<T>({T{3 * tiny}, T{4 * tiny}})), T{5 * tiny}));
    EXPECT_TRUE(same_bits(blas::norm2<T>(exec, make_vector<T>({T{huge}, T{tiny}})), T{huge}));
    EXPECT_TRUE(same_bits(blas::norm2<T>(exec, make_vector<T>({T{0.0}, T{-0.0}})), T{0.0}));
}

TYPED_TEST(reductions_test, norm_inf_is_exact_wherever_the_largest_stands)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : sizes) {
        if (n == 0) {
            continue;
        }
        auto x = random_numbers<T>(this->random, n, -20, 20);
        const index_t at = this->random.integer(0, static_cast<int>(n) - 1);
        x[static_cast<std::size_t>(at)] = -x[0];
        real exact(0.0);
        for (const T& xi : x) {
            const real size = abs(to_real(xi));
            exact = exact < size ? size : exact;
        }

        EXPECT_EQ(to_real(blas::norm_inf<T>(exec, guarded<T>(x).view())), exact);
    }
}

/// 1 + u against 1 + 2u - u/2: the leading terms are ordered the other way round.
TYPED_TEST(expansion_reductions_test, norm_inf_looks_behind_the_leading_terms)
{
    using T = TypeParam;
    T x{1.0};
    T y{1.0 + 0x1p-52};
    term(x, 1) = 0x1p-52;
    term(y, 1) = -0x1p-54;

    EXPECT_TRUE(same_bits(blas::norm_inf<T>(exec, make_vector<T>({y, x, y})), x));
    EXPECT_TRUE(same_bits(blas::norm_inf<T>(exec, make_vector<T>({x, y})), x));
}

TYPED_TEST(reductions_test, what_is_not_finite_shows_in_every_reduction)
{
    using T = TypeParam;
    for (const double bad : {infinity, -infinity, std::nan("")}) {
        std::vector<T> x(700, T{1.0});
        x[650] = T{bad};
        const auto v = make_vector<T>(x);

        EXPECT_FALSE(is_finite(blas::dot<T>(exec, v, v)));
        EXPECT_FALSE(is_finite(blas::asum<T>(exec, v)));
        const double norm2 = to_double(blas::norm2<T>(exec, v));
        const double norm_inf = to_double(blas::norm_inf<T>(exec, v));
        EXPECT_EQ(std::isnan(norm2), std::isnan(bad));
        EXPECT_EQ(std::isnan(norm_inf), std::isnan(bad));
        EXPECT_EQ(std::isinf(norm2), std::isinf(bad));
        EXPECT_EQ(std::isinf(norm_inf), std::isinf(bad));
    }
    std::vector<T> both(700, T{1.0});
    both[2] = T{infinity};
    both[600] = T{std::nan("")};
    EXPECT_TRUE(std::isnan(to_double(blas::norm2<T>(exec, make_vector<T>(both)))));
    EXPECT_TRUE(std::isnan(to_double(blas::norm_inf<T>(exec, make_vector<T>(both)))));
}

}  // namespace
}  // namespace residua
