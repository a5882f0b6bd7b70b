// Batches of small systems on a device: x and verdicts of the host, word for word.
#include "tests/solvers/batch/batch_systems.hpp"

#include <limits>

#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class Value>
struct solve_batch_cuda_test : on_cuda<Value> {};
using values = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>>;
TYPED_TEST_SUITE(solve_batch_cuda_test, values);

}  // namespace

TYPED_TEST(solve_batch_cuda_test, solutions_and_verdicts_are_those_of_the_host)
{
    using Value = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 2, 5, 8, 17, 33}) {
        const index_t count = n > 16 ? 40 : 300;
        auto systems = falling_systems<Value>(this->random, n, count, n == 1 ? 30 : 51 * number_traits<Value>::terms);
        systems.entry(3, n / 2, 0) = Value{std::numeric_limits<double>::quiet_NaN()};
        for (index_t j = 0; j < n; ++j) {
            systems.entry(4, 0, j) = Value{0.0};
        }
        for (const int digits : {0, 15, 30, 60}) {
            batch_options options;
            options.digits = digits;
            options.one_by_one = n <= 8;
            const batch_solution expected = solve_batch(systems.view(), options);
            options.executor = executor::cuda;
            const batch_solution found = solve_batch(systems.view(), options);
            EXPECT_EQ(found.executor, executor::cuda);
            EXPECT_FALSE(found.device.empty());
            EXPECT_EQ(found.one_by_one, expected.one_by_one);
            for (index_t s = 0; s < count && !testing::Test::HasFailure(); ++s) {
                expect_same(
                    found, s, expected, s,
                    "n " + std::to_string(n) + ", digits " + std::to_string(digits) + ", system " + std::to_string(s));
            }
        }
    }
}
