#include <algorithm>
#include <cmath>

#include "tests/arith/expansion/every_lanes_operation.hpp"
#include "tests/arith/expansion/lanes_operands.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_lanes_in_step_test : ::testing::Test {};
using lane_terms =
    ::testing::Types<terms<2>, terms<3>, terms<4>, terms<5>, terms<8>, terms<12>, terms<16>, terms<24>, terms<32>>;
TYPED_TEST_SUITE(expansion_lanes_in_step_test, lane_terms);

/// A tile beside others that have more to do: only every so many votes do they not.
template <int W>
class accompanied_tile : public lanes::host_tile<W> {
    using base = lanes::host_tile<W>;

public:
    explicit accompanied_tile(int period) : period_(period) {}

    template <class F, class... V>
    bool any_in_step(F f, const V&... v) const
    {
        const bool others = ++votes_ % period_ != 0;
        return base::any(f, v...) || others;
    }

private:
    int period_;
    mutable int votes_ = 0;
};

template <int W>
struct results {
    double lane[lanes_operations * W];

    const double* of(int operation) const { return lane + operation * W; }
};

template <int N, class Tile>
results<Tile::width> every_result(const Tile& tile, const expansion<double, N>& x, const expansion<double, N>& y)
{
    results<Tile::width> r;
    every_lanes_operation(tile, x.t, y.t, N, r.lane);
    return r;
}

/// Nothing but +0 where it is zero, and n NaN where it is not finite.
bool is_canonical(const double* x, int n)
{
    const bool is_finite = std::all_of(x, x + n, [](double t) { return std::isfinite(t); });
    return std::all_of(x, x + n,
                       [is_finite](double t) { return is_finite ? t != 0.0 || !std::signbit(t) : std::isnan(t); });
}

TYPED_TEST(expansion_lanes_in_step_test, rounds_for_other_tiles_change_no_bit)
{
    constexpr int n = TypeParam::value;
    constexpr int width = lanes::tile_width(n);
    uneven_operands<n> source;
    support::biased_random random;
    SCOPED_TRACE(source.trace());
    const std::int64_t count = support::scaled(20'000);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto [x, y] = source.next();
        const auto alone = every_result(lanes::host_tile<width>{}, x, y);
        const int period = random.integer(2, 3 * width);
        const auto beside = every_result(accompanied_tile<width>{period}, x, y);
        ASSERT_TRUE(std::equal(alone.lane, alone.lane + lanes_operations * width, beside.lane, same_bits))
            << "period " << period << "\nx " << show(x) << "\ny " << show(y);
    }
}

TYPED_TEST(expansion_lanes_in_step_test, zeros_have_no_sign_and_nothing_is_half_finite)
{
    constexpr int n = TypeParam::value;
    constexpr int width = lanes::tile_width(n);
    uneven_operands<n> source;
    SCOPED_TRACE(source.trace());
    const std::int64_t count = support::scaled(20'000);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto [x, y] = source.next();
        const auto r = every_result(lanes::host_tile<width>{}, x, y);
        ASSERT_TRUE(is_canonical(r.of(0), n) && is_canonical(r.of(4), n) && is_canonical(r.of(5), width))
            << "x " << show(x) << "\ny " << show(y);
        ASSERT_TRUE(std::none_of(r.of(1), r.of(3), [](double t) { return t == 0.0 && std::signbit(t); }))
            << "x " << show(x) << "\ny " << show(y);
    }
}

}  // namespace
}  // namespace residua::testing
