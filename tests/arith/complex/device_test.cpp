#include <cstring>
#include <vector>

#include "tests/arith/complex/complex_oracle.hpp"
#include "tests/arith/complex/every_operation.hpp"

namespace residua::testing {
namespace {

template <class T>
class complex_on_device : public ::testing::Test {};
using formats = ::testing::Types<double, expansion<double, 2>, expansion<double, 4>>;
TYPED_TEST_SUITE(complex_on_device, formats);

TYPED_TEST(complex_on_device, gives_the_same_bits_as_the_host)
{
    using number = complex_number<TypeParam>;
    const int count = static_cast<int>(support::scaled(10'003));
    complex_source<TypeParam> source;
    SCOPED_TRACE(source.trace());
    const auto size = static_cast<std::size_t>(count);
    std::vector<number> z(size), w(size), device(size * operations), host(operations);
    for (std::size_t i = 0; i < size; ++i) {
        const bool wide = source.random().one_in(4);
        z[i] = source.number(wide ? -1000 : -40, wide ? 1000 : 40);
        w[i] = source.random().one_in(3) ? source.partner(z[i], -40, 40)
                                         : source.number(wide ? -1000 : -40, wide ? 1000 : 40);
    }

    if (!every_operation_on_device(z.data(), w.data(), device.data(), count)) {
        GTEST_SKIP() << "no CUDA device";
    }

    for (std::size_t i = 0; i < size; ++i) {
        every_operation(z[i], w[i], host.data());
        for (std::size_t k = 0; k < operations; ++k) {
            const number& a = host[k];
            const number& b = device[i * operations + k];
            // The bits of a NaN are not defined; the terms behind one are not specified.
            const bool same = is_finite(a) ? std::memcmp(&a, &b, sizeof a) == 0 : !is_finite(b);
            ASSERT_TRUE(same) << "operation " << k << " of " << z[i] << " and " << w[i] << "\nhost   " << a
                              << "\ndevice " << b;
        }
    }
}

}  // namespace
}  // namespace residua::testing
