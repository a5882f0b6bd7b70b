#include <cstring>
#include <vector>

#include "tests/arith/expansion/every_elementary.hpp"
#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct elementary_device_test : ::testing::Test {};
using elementary_terms = ::testing::Types<terms<2>, terms<3>, terms<4>>;
TYPED_TEST_SUITE(elementary_device_test, elementary_terms);

TYPED_TEST(elementary_device_test, gives_the_same_bits_as_the_host)
{
    constexpr int n = TypeParam::value;
    using number = expansion<double, n>;
    constexpr double inf = std::numeric_limits<double>::infinity();
    const int count = static_cast<int>(support::scaled(100'003));
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    std::vector<number> x(count), device(count * elementary_functions), host(elementary_functions);
    for (int i = 0; i < count; ++i) {
        const bool any = source.random().one_in(4);
        x[i] = source.number(any ? -1070 : -20, any ? 1023 : 9);
        if (source.random().one_in(8)) {  // next to a multiple of pi/2
            x[i] = detail::half_pi<n>() * source.random().integer(-1000, 1000);
        }
    }
    const double special[] = {0.0, -0.0, inf, -inf, std::nan(""), 0x1p52, 1.0, -1.0, 709.5, -745.0};
    std::copy_n(special, std::min<std::ptrdiff_t>(std::ssize(special), count), x.begin());

    if (!every_elementary_on_device(x.data(), device.data(), count)) {
        GTEST_SKIP() << "no CUDA device";
    }

    for (int i = 0; i < count; ++i) {
        every_elementary(x[i], host.data());
        for (int k = 0; k < elementary_functions; ++k) {
            const number& a = host[k];
            const number& b = device[i * elementary_functions + k];
            // The bits of a NaN are not defined; the terms behind one are not specified.
            const bool same = is_finite(a)         ? std::memcmp(&a, &b, sizeof a) == 0
                              : std::isnan(a.t[0]) ? std::isnan(b.t[0])
                                                   : a.t[0] == b.t[0];
            ASSERT_TRUE(same) << "function " << k << "\nx      " << show(x[i]) << "\nhost   " << show(a) << "\ndevice "
                              << show(b);
        }
    }
}

}  // namespace
}  // namespace residua::testing
