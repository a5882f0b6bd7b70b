#include <algorithm>
#include <limits>
#include <utility>

#include <residua/arith/expansion/lanes/error_bounds.hpp>
#include <residua/arith/expansion/lanes/product.hpp>
#include <residua/arith/expansion/lanes/sum.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

template <class Terms>
struct expansion_lanes_test : ::testing::Test {};
using lane_terms =
    ::testing::Types<terms<2>, terms<3>, terms<4>, terms<5>, terms<8>, terms<12>, terms<16>, terms<24>, terms<32>>;
TYPED_TEST_SUITE(expansion_lanes_test, lane_terms);

/// Tiles of 8 lanes or more, where products of a quarter of the terms fit.
template <class Terms>
struct expansion_short_product_test : ::testing::Test {};
using terms_of_wide_tiles = ::testing::Types<terms<5>, terms<8>, terms<12>, terms<16>, terms<24>, terms<32>>;
TYPED_TEST_SUITE(expansion_short_product_test, terms_of_wide_tiles);

std::int64_t lane_cases() { return support::scaled(20'000); }

/// Largest exponents of summands and factors; they leave room for the terms of sums and products.
template <int N>
inline constexpr int top_summand = N > 16 ? 1000 : 40;
template <int N>
inline constexpr int top_factor = N > 8 ? 480 : 40;

template <int N>
using tile_of = lanes::host_tile<lanes::tile_width(N)>;

template <int N>
using value_of = typename tile_of<N>::value;

template <int N>
value_of<N> lanes_of(const expansion<double, N>& x)
{
    return lanes::load(tile_of<N>{}, x.t, N);
}

template <int W>
void add_terms(exact_sum_of& sum, const lanes::host_value<W>& x, double sign = 1.0)
{
    for (double t : x.lane) {
        sum.add(sign * t);
    }
}

template <int W>
std::string show_lanes(const lanes::host_value<W>& x)
{
    expansion<double, W> all;
    std::copy_n(x.lane, W, all.t);
    return show(all);
}

template <int W>
bool is_ulp_nonoverlapping(const lanes::host_value<W>& x)
{
    for (int i = 0; i + 1 < W; ++i) {
        if (!(std::fabs(x.lane[i + 1]) <= (x.lane[i] == 0.0 ? 0.0 : ulp(x.lane[i])))) {
            return false;
        }
    }
    return std::isfinite(x.lane[0]);
}

template <int W>
bool is_nearest(const lanes::host_value<W>& x)
{
    for (int i = 0; i + 1 < W; ++i) {
        if (x.lane[i] + x.lane[i + 1] != x.lane[i]) {
            return false;
        }
    }
    return is_ulp_nonoverlapping(x);
}

template <int W>
bool only_zeros_from(const lanes::host_value<W>& x, int n)
{
    return std::all_of(x.lane + n, x.lane + W, [](double t) { return t == 0.0; });
}

/// |x + y - r| in units of u^n |x + y|.
template <int W>
double sum_error(const lanes::host_value<W>& x, const lanes::host_value<W>& y, const lanes::host_value<W>& r, int n)
{
    exact_sum_of exact;
    add_terms(exact, x);
    add_terms(exact, y);
    exact_sum_of error = exact;
    add_terms(error, r, -1.0);
    return units(error, exact, n);
}

/// |x y - r| in units of u^n |x_0 y_0|.
template <int W>
double product_error(const lanes::host_value<W>& x, const lanes::host_value<W>& y, const lanes::host_value<W>& r, int n)
{
    exact_sum_of error;
    for (double a : x.lane) {
        for (double b : y.lane) {
            if (a != 0.0 && b != 0.0) {
                error.add_product(a, b);
            }
        }
    }
    add_terms(error, r, -1.0);
    exact_sum_of leading;
    leading.add_product(x.lane[0], y.lane[0]);
    return units(error, leading, n);
}

/// Keeps the worst ratio of an error to its bound.
class ratio_watch {
public:
    explicit ratio_watch(const char* what) : what_(what) {}

    ~ratio_watch()
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", worst_);
        ::testing::Test::RecordProperty(std::string(what_) + "_worst", text);
        std::printf("    %s: worst %s of the bound\n", what_, text);
    }

    bool accepts(double error, double bound)
    {
        worst_ = std::fmax(worst_, error / bound);
        return error <= bound;
    }

private:
    const char* what_;
    double worst_ = 0.0;
};

/// Factors of the kinds of operand_source.
template <int N>
std::pair<value_of<N>, value_of<N>> factors(operand_source<N>& source)
{
    const auto [x, y] = source.pair(top_factor<N> - 40, top_factor<N>);
    return {lanes_of(x), lanes_of(y)};
}

/// Summands of the same kinds, and ones whose exponents are far apart.
template <int N>
std::pair<value_of<N>, value_of<N>> summands(operand_source<N>& source)
{
    constexpr int top = top_summand<N>;
    if (source.random().one_in(6)) {
        const auto x = source.number(top - 20, top);
        const auto y = source.number(top - 60 * N, top);
        return {lanes_of(x), lanes_of(y)};
    }
    const auto [x, y] = source.pair(top - 40, top);
    return {lanes_of(x), lanes_of(y)};
}

/// Words that overlap in every way; some zero, some cancelling.
template <int W>
lanes::host_value<W> any_words(support::biased_random& random, int spread)
{
    lanes::host_value<W> x;
    for (int i = 0; i < W; ++i) {
        switch (random.integer(0, 5)) {
            case 0:
                break;
            case 1:
                x.lane[i] = random.partner(x.lane[random.integer(0, i)]);
                break;
            default:
                x.lane[i] = random.value(-spread, spread);
        }
    }
    return x;
}

TYPED_TEST(expansion_lanes_test, safe_sum_is_within_its_bound_under_any_cancellation)
{
    constexpr int n = TypeParam::value;
    const tile_of<n> tile;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    ratio_watch proved("proved");
    ratio_watch published("published");
    for (std::int64_t i = 0; i < lane_cases(); ++i) {
        const auto [x, y] = summands<n>(source);
        const auto r = lanes::safe_sum(tile, x, y, n);
        const double error = sum_error(x, y, r, n);
        const bool good = proved.accepts(error, lanes::safe_sum_error_bound());
        const bool better = published.accepts(error, lanes::published_sum_error_bound(n));
        ASSERT_TRUE(good && better && is_nearest(r) && only_zeros_from(r, n))
            << error << "\nx " << show_lanes(x) << "\ny " << show_lanes(y) << "\nr " << show_lanes(r);
    }
}

TYPED_TEST(expansion_lanes_test, safe_sum_takes_operands_that_overlap)
{
    constexpr int n = TypeParam::value;
    const tile_of<n> tile;
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    ratio_watch proved("overlapping");
    for (std::int64_t i = 0; i < lane_cases(); ++i) {
        const int spread = random.one_in(2) ? 60 : 400;
        const auto x = lanes::first_terms(tile, any_words<tile.width>(random, spread), n);
        const auto y = lanes::first_terms(tile, any_words<tile.width>(random, spread), n);
        const auto r = lanes::safe_sum(tile, x, y, n);
        ASSERT_TRUE(proved.accepts(sum_error(x, y, r, n), lanes::safe_sum_error_bound()) && is_nearest(r))
            << "x " << show_lanes(x) << "\ny " << show_lanes(y) << "\nr " << show_lanes(r);
    }
}

TYPED_TEST(expansion_lanes_test, a_valid_fast_sum_is_within_its_bound)
{
    constexpr int n = TypeParam::value;
    const tile_of<n> tile;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    ratio_watch proved("fast");
    std::int64_t close = 0;
    std::int64_t valid = 0;
    for (std::int64_t i = 0; i < lane_cases(); ++i) {
        auto [x, y] = summands<n>(source);
        const bool same = source.random().one_in(2);
        if (same) {
            const auto like = [&source](value_of<n>& v) {
                expansion<double, n> t;
                source.random().fill_expansion(t.t, top_summand<n>, top_summand<n>, support::nonoverlap::nearest);
                v = lanes_of(t.t[0] < 0.0 ? -t : t);
            };
            like(x);
            like(y);
        }
        const auto r = lanes::fast_sum(tile, x, y, n);
        const bool accepted = lanes::is_valid_sum(tile, r, x, y);
        close += same;
        valid += same && accepted;
        if (accepted) {
            ASSERT_TRUE(proved.accepts(sum_error(x, y, r, n), lanes::fast_sum_error_bound(n)) &&
                        is_ulp_nonoverlapping(r))
                << "x " << show_lanes(x) << "\ny " << show_lanes(y) << "\nr " << show_lanes(r);
        }
        const auto s = lanes::sum(tile, x, y, n);
        ASSERT_TRUE(sum_error(x, y, s, n) <= lanes::sum_error_bound(n) && is_ulp_nonoverlapping(s));
    }
    std::printf("    fast sums of close operands that are valid: %.4f\n",
                static_cast<double>(valid) / static_cast<double>(close));
    EXPECT_GT(4 * valid, close);
}

TYPED_TEST(expansion_lanes_test, product_is_within_its_bound)
{
    constexpr int n = TypeParam::value;
    constexpr int width = tile_of<n>::width;
    const tile_of<n> tile;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    ratio_watch proved("proved");
    ratio_watch raw_proved("raw");
    ratio_watch published("published");
    for (std::int64_t i = 0; i < lane_cases(); ++i) {
        const auto [x, y] = factors<n>(source);
        const auto raw = lanes::raw_product(tile, x, y);
        const auto r = lanes::product(tile, x, y, n);
        const double error = product_error(x, y, r, n);
        const bool good = proved.accepts(error, lanes::product_error_bound(width, n)) &&
                          raw_proved.accepts(product_error(x, y, raw, width), lanes::raw_product_error_bound(width));
        const bool better = published.accepts(error, lanes::published_product_error_bound(n));
        ASSERT_TRUE(good && better && is_nearest(r) && only_zeros_from(r, n))
            << error << "\nx " << show_lanes(x) << "\ny " << show_lanes(y) << "\nr " << show_lanes(r);
    }
}

TYPED_TEST(expansion_lanes_test, operands_and_result_have_any_number_of_terms)
{
    constexpr int width = tile_of<TypeParam::value>::width;
    const tile_of<width> tile;
    operand_source<width> source;
    SCOPED_TRACE(source.trace());
    ratio_watch sum("sum");
    ratio_watch product("product");
    for (std::int64_t i = 0; i < lane_cases(); ++i) {
        auto [x, y] = summands<width>(source);
        auto [a, b] = factors<width>(source);
        const int nx = source.random().integer(1, width);
        const int ny = source.random().integer(1, width);
        const int n = source.random().integer(1, width);
        x = lanes::first_terms(tile, x, nx);
        y = lanes::first_terms(tile, y, ny);
        a = lanes::first_terms(tile, a, nx);
        b = lanes::first_terms(tile, b, ny);
        const auto s = lanes::safe_sum(tile, x, y, n);
        const auto p = lanes::product(tile, a, b, n);
        ASSERT_TRUE(sum.accepts(sum_error(x, y, s, n), lanes::safe_sum_error_bound()) && is_nearest(s) &&
                    only_zeros_from(s, n));
        ASSERT_TRUE(product.accepts(product_error(a, b, p, n), lanes::product_error_bound(width, n)) && is_nearest(p) &&
                    only_zeros_from(p, n));
    }
}

/// The bound leaves room for mistakes in the last lanes; a product whose digits all fit leaves none.
TYPED_TEST(expansion_short_product_test, short_products_are_exact)
{
    constexpr int width = tile_of<TypeParam::value>::width;
    static_assert(width >= 8);
    const tile_of<width> tile;
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    const auto number = [&random] {
        value_of<width> x;
        for (int i = 0; i < width / 4; ++i) {
            x.lane[i] = i == 0 ? random.value(100, 140) : 0.25 * ulp(x.lane[i - 1]) * random.value(0, 0);
        }
        return x;
    };
    for (std::int64_t i = 0; i < lane_cases(); ++i) {
        const auto x = number();
        const auto y = number();
        const auto r = lanes::raw_product(tile, x, y);
        ASSERT_EQ(product_error(x, y, r, width), 0.0) << "x " << show_lanes(x) << "\ny " << show_lanes(y);
    }
}

TYPED_TEST(expansion_lanes_test, sums_and_products_commute)
{
    constexpr int n = TypeParam::value;
    const tile_of<n> tile;
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    const auto differ = [&tile](const value_of<n>& a, const value_of<n>& b) {
        return tile.any([](int, double p, double q) { return p != q; }, a, b);
    };
    for (std::int64_t i = 0; i < lane_cases(); ++i) {
        const auto [x, y] = factors<n>(source);
        ASSERT_FALSE(differ(lanes::safe_sum(tile, x, y, n), lanes::safe_sum(tile, y, x, n)));
        ASSERT_FALSE(differ(lanes::fast_sum(tile, x, y, n), lanes::fast_sum(tile, y, x, n)));
        ASSERT_FALSE(differ(lanes::product(tile, x, y, n), lanes::product(tile, y, x, n)));
    }
}

TYPED_TEST(expansion_lanes_test, renormalize_is_exact)
{
    const tile_of<TypeParam::value> tile;
    support::biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t i = 0; i < lane_cases(); ++i) {
        const auto x = any_words<tile.width>(random, random.one_in(2) ? 60 : 900);
        auto r = x;
        lanes::renormalize(tile, r);
        exact_sum_of difference;
        add_terms(difference, x);
        add_terms(difference, r, -1.0);
        ASSERT_TRUE(difference.value().first == 0.0 && is_nearest(r) && lanes::is_nonoverlapping(tile, r))
            << "x " << show_lanes(x) << "\nr " << show_lanes(r);
        ASSERT_EQ(lanes::is_nonoverlapping(tile, x), is_ulp_nonoverlapping(x));
    }
}

TYPED_TEST(expansion_lanes_test, what_is_not_finite_leads_and_ends)
{
    const tile_of<TypeParam::value> tile;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (double special : {infinite, -infinite, nan}) {
        value_of<TypeParam::value> x, y;
        x.lane[0] = special;
        y.lane[0] = 1.0;
        y.lane[1] = 0x1p-60;
        EXPECT_FALSE(std::isfinite(lanes::safe_sum(tile, x, y).lane[0]));
        EXPECT_FALSE(std::isfinite(lanes::sum(tile, y, x).lane[0]));
        EXPECT_FALSE(std::isfinite(lanes::product(tile, x, y).lane[0]));
        EXPECT_FALSE(lanes::is_nonoverlapping(tile, x));
    }
    value_of<TypeParam::value> zero, large;
    large.lane[0] = 0x1.8p1023;
    EXPECT_FALSE(std::isfinite(lanes::safe_sum(tile, large, large).lane[0]));
    EXPECT_FALSE(std::isfinite(lanes::product(tile, large, large).lane[0]));
    EXPECT_EQ(lanes::product(tile, zero, zero).lane[0], 0.0);
    EXPECT_EQ(lanes::safe_sum(tile, zero, zero).lane[0], 0.0);
}

}  // namespace
}  // namespace residua::testing
