#include <residua/arith/expansion/accumulator.hpp>
#include <residua/arith/expansion/error_bounds.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_accumulator_test : ::testing::Test {};
TYPED_TEST_SUITE(expansion_accumulator_test, all_terms);

/// An accumulator beside the exact sum and the sum of absolute values.
template <int N>
struct checked_sum {
    accumulator<N> sum;
    exact_sum_of exact;
    exact_sum_of magnitude;

    void add_product(const expansion<double, N>& x, const expansion<double, N>& y)
    {
        sum.add_product(x, y);
        exact.add_product(x, y);
        magnitude.add_product(abs(x), abs(y));
    }

    void add_product(const expansion<double, N>& x, double y)
    {
        sum.add_product(x, y);
        exact.add_product(x, y);
        magnitude.add_product(abs(x), std::fabs(y));
    }

    void add(const expansion<double, N>& x)
    {
        sum.add(x);
        exact.add(x);
        magnitude.add(abs(x));
    }

    double error_of(const expansion<double, N>& r) { return units(exact_sum_of(exact).add(r, -1.0), magnitude, N); }
};

TEST(expansion_accumulator_test, of_one_term_rounds_every_product_and_sum)
{
    accumulator<1> sum;

    sum.add_product(1.0 + 0x1p-30, 1.0 + 0x1p-30);  // 1 + 2^-29 + 2^-60
    sum.add(-1.0);
    accumulator<1> other{0x1p-29};
    sum.merge(other);

    EXPECT_EQ(sum.result(), 0x1p-28);
}

TYPED_TEST(expansion_accumulator_test, finds_the_last_bit_of_a_cancelling_sum)
{
    using number = expansion<double, TypeParam::value>;
    const number x = number{1.0} + 0x1p-50;
    accumulator<TypeParam::value> sum;

    sum.add_product(x, x);  // 1 + 2^-49 + 2^-100
    sum.add(number{-1.0});
    sum.add_product(number{0x1p-49}, -1.0);

    EXPECT_EQ(show(sum.result()), show(number{0x1p-100}));
}

TYPED_TEST(expansion_accumulator_test, is_empty_when_all_its_words_are_zero)
{
    constexpr int n = TypeParam::value;
    const accumulator<n> empty;

    EXPECT_EQ(show(empty.result()), show(expansion<double, n>{}));
    for (double w : empty.w) {
        EXPECT_EQ(w, 0.0);
    }
}

TYPED_TEST(expansion_accumulator_test, keeps_its_words_across_store_and_load)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    accumulator<n> one;
    accumulator<n> other;

    for (int i = 0; i < 10; ++i) {
        const auto [x, y] = source.pair(low_factor<n>, high_factor<n>);
        one.add_product(x, y);
        accumulator<n> loaded;
        for (int k = 0; k < accumulator<n>::words; ++k) {
            loaded.w[k] = other.w[k];
        }
        loaded.add_product(x, y);
        other = loaded;
    }

    EXPECT_EQ(show(one.result()), show(other.result()));
}

TYPED_TEST(expansion_accumulator_test, bounds_its_words_after_every_addition)
{
    // Without this the errors at level k would grow with the power k of the length of the sum.
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    accumulator<n> sum;

    for (int i = 0; i < 3000; ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const expansion<double, n> y = source.number(low_factor<n>, high_factor<n>);
        accumulator<n> other{x};
        switch (i % 4) {
            case 0:
                sum.add_product(x, y);
                break;
            case 1:
                sum.add_product(x, y.t[0]);
                break;
            case 2:
                sum.add(-x);
                break;
            default:
                sum.merge(other);
                break;
        }

        ASSERT_LE(std::fabs(sum.w[1]), (one_term_a_lane<n> ? 1.0 : 0.5) * ulp(sum.w[0])) << "addition " << i;
    }
}

TYPED_TEST(expansion_accumulator_test, meets_the_bound_for_long_sums_with_cancellation)
{
    constexpr int n = TypeParam::value;
    constexpr int length = 24;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("sum x_i y_i", n, accumulation_error_bound<n>(length));

    for (std::int64_t i = 0; i < cases<n>() / length; ++i) {
        checked_sum<n> s;
        for (int k = 0; k < length / 2; ++k) {
            const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
            const expansion<double, n> y = source.number(low_factor<n>, high_factor<n>);
            switch (source.random().integer(0, 5)) {
                case 0:
                    s.add(x);
                    break;
                case 1:
                    s.add_product(x, y.t[0]);
                    break;
                case 2:  // takes back what is there, up to the last places
                    s.add(-s.sum.result());
                    break;
                default:
                    s.add_product(x, y);
                    s.add_product(-x, source.random().one_in(2) ? y : expansion<double, n>{y.t[0]});
            }
        }

        const expansion<double, n> r = s.sum.result();

        ASSERT_TRUE(watch.accepts(s.error_of(r), r));
    }
}

TYPED_TEST(expansion_accumulator_test, meets_the_bound_when_partial_sums_are_merged)
{
    constexpr int n = TypeParam::value;
    constexpr int lanes = 8;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("merged sums", n, accumulation_error_bound<n>(4 + 3));

    for (std::int64_t i = 0; i < cases<n>() / 100; ++i) {
        checked_sum<n> whole;
        accumulator<n> lane[lanes];
        for (int k = 0; k < 4 * lanes; ++k) {
            const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
            const expansion<double, n> y = source.number(low_factor<n>, high_factor<n>);
            whole.add_product(x, y);
            lane[k % lanes].add_product(x, y);
        }
        for (int half = lanes / 2; half > 0; half /= 2) {
            for (int k = 0; k < half; ++k) {
                lane[k].merge(lane[k + half]);
            }
        }

        const expansion<double, n> r = lane[0].result();

        ASSERT_TRUE(watch.accepts(whole.error_of(r), r));
    }
}

TYPED_TEST(expansion_accumulator_test, does_not_lose_digits_over_thousands_of_additions)
{
    constexpr int n = TypeParam::value;
    constexpr int length = 4096;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("4096 products", n, accumulation_error_bound<n>(length));

    for (int i = 0; i < (n <= 8 ? 5 : 1); ++i) {
        checked_sum<n> s;
        for (int k = 0; k < length / (n <= 8 ? 1 : 16); ++k) {
            s.add_product(abs(source.nonzero(low_exponent<n>, low_exponent<n> + 1)), abs(source.nonzero(0, 0)));
        }

        const expansion<double, n> r = s.sum.result();

        ASSERT_TRUE(watch.accepts(s.error_of(r), r));
    }
}

TYPED_TEST(expansion_accumulator_test, multiply_add_meets_the_bound)
{
    constexpr int n = TypeParam::value;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    error_watch watch("x y + z", n, accumulation_error_bound<n>(1));

    for (std::int64_t i = 0; i < cases<n>(); ++i) {
        const expansion<double, n> x = source.number(low_exponent<n>, high_exponent<n>);
        const expansion<double, n> y = source.random().one_in(4)
                                           ? expansion<double, n>{source.random().value(low_factor<n>, high_factor<n>)}
                                           : source.number(low_factor<n>, high_factor<n>);
        expansion<double, n> z =
            source.random().one_in(2) ? -(x * y) : source.number(low_exponent<n>, high_exponent<n>);
        if (source.random().one_in(4)) {  // the product again, but for the leading terms
            for (int k = source.random().integer(1, n - 1); k < n; ++k) {
                z.t[k] = 0.0;
            }
        }

        const bool short_factor = y.t[1] == 0.0 && source.random().one_in(2);
        const expansion<double, n> r = short_factor ? multiply_add(y.t[0], x, z) : multiply_add(x, y, z);

        const double error = units(exact_sum_of{}.add_product(x, y).add(z).add(r, -1.0),
                                   exact_sum_of{}.add_product(abs(x), abs(y)).add(abs(z)), n);
        ASSERT_TRUE(watch.accepts(error, r, x, y, z));
    }
}

TYPED_TEST(expansion_accumulator_test, says_by_the_leading_term_that_a_sum_is_not_finite)
{
    using number = expansion<double, TypeParam::value>;
    accumulator<TypeParam::value> sum;

    sum.add_product(number{0x1p1000}, number{0x1p1000});
    sum.add(number{1.0});

    EXPECT_FALSE(is_finite(sum.result()));
}

}  // namespace
}  // namespace residua::testing
