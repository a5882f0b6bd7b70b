#include <cstring>
#include <tuple>
#include <vector>

#include "tests/arith/expansion/every_operation.hpp"
#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_device_test : ::testing::Test {};
using device_terms = ::testing::Types<terms<2>, terms<3>, terms<4>, terms<6>, terms<8>, terms<12>, terms<16>>;
TYPED_TEST_SUITE(expansion_device_test, device_terms);

TYPED_TEST(expansion_device_test, gives_the_same_bits_as_the_host)
{
    constexpr int n = TypeParam::value;
    using number = expansion<double, n>;
    const int count = static_cast<int>(support::scaled(n <= 4 ? 100'003 : n <= 8 ? 20'003 : 4'003));
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    std::vector<number> x(count), y(count), device(count * operations), host(operations);
    for (int i = 0; i < count; ++i) {
        std::tie(x[i], y[i]) = source.pair(-40, 40);
    }

    if (!every_operation_on_device(x.data(), y.data(), device.data(), count)) {
        GTEST_SKIP() << "no CUDA device";
    }

    for (int i = 0; i < count; ++i) {
        every_operation(x[i], y[i], host.data());
        for (int k = 0; k < operations; ++k) {
            const number& a = host[k];
            const number& b = device[i * operations + k];
            // The bits of a NaN are not defined; the terms behind one are not specified.
            const bool same = is_finite(a) ? std::memcmp(&a, &b, sizeof a) == 0 : !is_finite(b);
            ASSERT_TRUE(same) << "operation " << k << "\nx      " << show(x[i]) << "\ny      " << show(y[i])
                              << "\nhost   " << show(a) << "\ndevice " << show(b);
        }
    }
}

TYPED_TEST(expansion_device_test, divides_and_compares_alike_at_the_ends_of_the_range)
{
    constexpr int n = TypeParam::value;
    using number = expansion<double, n>;
    const int count = static_cast<int>(support::scaled(n <= 8 ? 10'007 : 2'003));
    operand_source<n> source;
    SCOPED_TRACE(source.trace());
    std::vector<number> x(count), y(count), device(count * operations), host(operations);
    const auto at_an_end = [&] {
        const int e = source.random().integer(0, 60);
        return ldexp(source.nonzero(0, 0), source.random().one_in(2) ? 1022 - e : -1074 + e);
    };
    for (int i = 0; i < count; ++i) {
        x[i] = at_an_end();
        y[i] = source.random().one_in(4) ? x[i] : source.random().one_in(4) ? -x[i] : at_an_end();
    }

    if (!every_operation_on_device(x.data(), y.data(), device.data(), count)) {
        GTEST_SKIP() << "no CUDA device";
    }

    for (int i = 0; i < count; ++i) {
        every_operation(x[i], y[i], host.data());
        for (const int k : {n == 2 ? 5 : 15, 14, 15}) {  // x / y of two terms, to_double, comparisons
            const number& a = host[k];
            const number& b = device[i * operations + k];
            const bool same = is_finite(a) ? std::memcmp(&a, &b, sizeof a) == 0 : !is_finite(b);
            ASSERT_TRUE(same) << "operation " << k << "\nx      " << show(x[i]) << "\ny      " << show(y[i])
                              << "\nhost   " << show(a) << "\ndevice " << show(b);
        }
    }
}

}  // namespace
}  // namespace residua::testing
