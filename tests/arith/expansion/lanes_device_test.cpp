#include <tuple>
#include <vector>

#include "tests/arith/expansion/every_lanes_operation.hpp"
#include "tests/arith/expansion/lanes_operands.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_lanes_device_test : ::testing::Test {};
using lane_terms =
    ::testing::Types<terms<2>, terms<3>, terms<4>, terms<5>, terms<8>, terms<12>, terms<16>, terms<24>, terms<32>>;
TYPED_TEST_SUITE(expansion_lanes_device_test, lane_terms);

/// The device code is compiled with --fmad=true: an operation that the compiler may fuse would differ here. On the host
/// a tile is alone, in a warp it goes in step with neighbours that have other operands.
TYPED_TEST(expansion_lanes_device_test, gives_the_same_bits_as_the_host)
{
    constexpr int n = TypeParam::value;
    constexpr int width = lanes::tile_width(n);
    using number = expansion<double, n>;
    const int count = static_cast<int>(support::scaled(20'003)) | 1;  // does not fill the last warp
    uneven_operands<n> source;
    SCOPED_TRACE(source.trace());
    std::vector<number> x(count), y(count);
    for (int i = 0; i < count; ++i) {
        std::tie(x[i], y[i]) = source.next();
    }
    constexpr int results = lanes_operations * width;
    std::vector<double> device(static_cast<std::size_t>(count) * results), host(results);

    static_assert(sizeof(number) == n * sizeof(double));
    if (!every_lanes_operation_on_device(x[0].t, y[0].t, n, device.data(), count)) {
        GTEST_SKIP() << "no CUDA device";
    }

    for (int i = 0; i < count; ++i) {
        every_lanes_operation(lanes::host_tile<width>{}, x[i].t, y[i].t, n, host.data());
        const double* const other = device.data() + static_cast<std::size_t>(i) * results;
        for (int k = 0; k < results; ++k) {
            ASSERT_TRUE(same_bits(host[k], other[k]))
                << "pair " << i << ", operation " << k / width << ", lane " << (k & (width - 1)) << "\nx      "
                << show(x[i]) << "\ny      " << show(y[i]) << "\nhost   " << host[k] << "\ndevice " << other[k];
        }
    }
}

}  // namespace
}  // namespace residua::testing
