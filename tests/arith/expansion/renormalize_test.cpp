#include <residua/arith/expansion/renormalize.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

/// Lengths, small ones as straight-line code, large ones as loops.
template <class Length>
struct expansion_renormalize_test : ::testing::Test {};
using lengths =
    ::testing::Types<terms<2>, terms<3>, terms<4>, terms<6>, terms<8>, terms<9>, terms<16>, terms<17>, terms<24>>;
TYPED_TEST_SUITE(expansion_renormalize_test, lengths);

/// Lengths that can be squeezed to fewer terms than they have, and to more than one.
template <class Length>
struct expansion_squeeze_test : ::testing::Test {};
using lengths_to_squeeze =
    ::testing::Types<terms<3>, terms<4>, terms<6>, terms<8>, terms<9>, terms<16>, terms<17>, terms<24>>;
TYPED_TEST_SUITE(expansion_squeeze_test, lengths_to_squeeze);

/// The largest power of two that divides x.
double lowest_bit(double x)
{
    const int e = floor_log2(x);
    double d = scale_pow2(1.0, e < min_exponent ? min_ulp_exponent : e - fraction_bits);
    while (std::fmod(x, 2.0 * d) == 0.0) {
        d *= 2.0;
    }
    return d;
}

template <int M>
bool is_nonadjacent(const double (&h)[M])
{
    for (int i = 0; i < M; ++i) {
        for (int j = i + 1; j < M; ++j) {
            if (h[i] != 0.0 && !(2.0 * std::fabs(h[j]) < lowest_bit(h[i]))) {
                return false;
            }
        }
    }
    return true;
}

template <int M>
void random_words(support::biased_random& random, double (&h)[M])
{
    for (int i = 0; i < M; ++i) {
        const int earlier = i == 0 ? 0 : random.integer(0, i - 1);
        switch (random.integer(0, 4)) {
            case 0:
                h[i] = 0.0;
                break;
            case 1:
                h[i] = i == 0 ? 1.0 : random.partner(h[earlier]);
                break;
            case 2:
                h[i] = i == 0 ? 1.0 : -h[earlier];
                break;
            case 3:
                h[i] = random.value(-300, 300);
                break;
            default:
                h[i] = random.value(-60, 0);
                break;
        }
    }
}

template <int M>
exact_sum_of sum_of(const double (&h)[M], double sign = 1.0)
{
    exact_sum_of s;
    for (double x : h) {
        s.add(sign * x);
    }
    return s;
}

template <int M>
bool same_sum(const double (&a)[M], const double (&b)[M])
{
    exact_sum_of difference;
    for (int i = 0; i < M; ++i) {
        difference.add(a[i]).add(-b[i]);
    }
    return difference.value().first == 0.0;
}

TYPED_TEST(expansion_renormalize_test, distill_makes_any_words_nonadjacent_and_keeps_their_sum)
{
    constexpr int m = TypeParam::value;
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (std::int64_t i = 0; i < support::scaled(m <= 4 ? 200'000 : 20'000); ++i) {
        double words[m];
        random_words(random, words);
        double h[m];
        detail::copy_terms(words, h);

        detail::distill(h);

        ASSERT_TRUE(same_sum(words, h)) << "case " << i;
        ASSERT_TRUE(is_nonadjacent(h)) << "case " << i;
    }
}

TYPED_TEST(expansion_renormalize_test, squeeze_leaves_no_zero_between_terms_and_is_exact)
{
    constexpr int m = TypeParam::value;
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (std::int64_t i = 0; i < support::scaled(m <= 4 ? 200'000 : 20'000); ++i) {
        double words[m];
        random_words(random, words);
        double h[m];
        detail::copy_terms(words, h);

        expansion<double, m> r;
        detail::distill(h);
        detail::squeeze(h, r.t);

        ASSERT_TRUE(same_sum(words, r.t)) << "case " << i;
        ASSERT_TRUE(is_nonoverlapping(r)) << show(r);
    }
}

TYPED_TEST(expansion_squeeze_test, squeeze_to_fewer_terms_misses_less_than_three_quarters_of_an_ulp)
{
    constexpr int m = TypeParam::value;
    constexpr int n = m / 2 + 1;
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (std::int64_t i = 0; i < support::scaled(m <= 4 ? 200'000 : 20'000); ++i) {
        double words[m];
        random_words(random, words);
        double h[m];
        detail::copy_terms(words, h);

        double r[n];
        detail::distill(h);
        detail::squeeze(h, r);

        exact_sum_of missing = sum_of(words);
        exact_sum_of limit;
        for (double t : r) {
            missing.add(-t);
        }
        limit.add(r[n - 1] == 0.0 ? 0.0 : 0.75 * ulp(r[n - 1]));
        ASSERT_LT(units(missing, limit, 0), 1.0) << "case " << i;
    }
}

TYPED_TEST(expansion_renormalize_test, collect_makes_an_ulp_nonoverlapping_expansion_nonadjacent)
{
    constexpr int m = TypeParam::value;
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (std::int64_t i = 0; i < support::scaled(m <= 4 ? 200'000 : 20'000); ++i) {
        double x[m];
        random.fill_expansion(x, -20, 20, support::nonoverlap::ulp);
        double h[m];
        detail::copy_terms(x, h);

        detail::collect<0>(h);

        ASSERT_TRUE(same_sum(x, h)) << "case " << i;
        ASSERT_TRUE(is_nonadjacent(h)) << "case " << i;
    }
}

TYPED_TEST(expansion_renormalize_test, vec_sum_keeps_the_sum_and_bounds_the_errors)
{
    constexpr int m = TypeParam::value;
    support::biased_random random;
    SCOPED_TRACE(random.trace());

    for (std::int64_t i = 0; i < support::scaled(10'000); ++i) {
        double x[m];
        random_words(random, x);
        double h[m];
        detail::copy_terms(x, h);

        detail::vec_sum(h);

        ASSERT_TRUE(same_sum(x, h)) << "case " << i;
        ASSERT_LE(std::fabs(h[1]), 0.5 * ulp(h[0])) << "case " << i;
    }
}

}  // namespace
}  // namespace residua::testing
