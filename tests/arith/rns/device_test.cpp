#include <cstring>
#include <vector>

#include "tests/arith/rns/every_operation.hpp"
#include "tests/arith/rns/rns_oracle.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <int L>
bool same(const rns_float<L>& a, const rns_float<L>& b)
{
    if (!is_finite(a) || is_zero(a)) {
        return is_finite(a) == is_finite(b) && is_zero(a) == is_zero(b);
    }
    return std::memcmp(a.digit, b.digit, sizeof a.digit) == 0 && a.exponent == b.exponent && a.negative == b.negative &&
           a.range.low == b.range.low && a.range.high == b.range.high && a.range.exponent == b.range.exponent;
}

}  // namespace

template <class Count>
struct rns_device_test : ::testing::Test {};
using device_counts = ::testing::Types<moduli<7>, moduli<11>, moduli<14>, moduli<21>, moduli<28>, moduli<42>,
                                       moduli<55>, moduli<83>, moduli<110>>;
TYPED_TEST_SUITE(rns_device_test, device_counts);

TYPED_TEST(rns_device_test, gives_the_same_bits_as_the_host)
{
    constexpr int L = TypeParam::count;
    const auto count = static_cast<int>(scaled(28000 / L / L * 7 + 1003));
    rns_source<L> source;
    SCOPED_TRACE(source.trace());
    std::vector<rns_float<L>> x, y;
    for (int i = 0; i < count; ++i) {
        x.push_back(i % 100 == 99 ? rns_zero<L>() : source.number(-60, 60));
        y.push_back(i % 100 == 49 ? rns_zero<L>() : source.partner(x.back(), -60, 60));
    }
    std::vector<rns_results<L>> device(x.size());

    if (!every_operation_on_device(x.data(), y.data(), device.data(), count)) {
        GTEST_SKIP() << "no CUDA device";
    }

    for (std::size_t i = 0; i < x.size(); ++i) {
        const rns_results<L> host = every_operation(rns_set<L>::host(), x[i], y[i]);
        for (int k = 0; k < rns_results<L>::numbers; ++k) {
            ASSERT_TRUE(same(host.number[k], device[i].number[k]))
                << "operation " << k << ": " << source.value(x[i]) << " " << source.value(y[i]);
        }
        ASSERT_EQ(to_bits(host.nearest), to_bits(device[i].nearest));
        ASSERT_EQ(host.order, device[i].order);
    }
}
