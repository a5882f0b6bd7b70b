#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/sum_state.hpp>
#include <tests/blas/formats.hpp>
#include <tests/blas/sum_parts.hpp>

namespace residua {
namespace {

using namespace support;

const host_executor exec;

template <class T>
struct sum_state_test : testing::Test {
    biased_random random;

    static vector_view<host_executor, const T> part(const residua::vector<host_executor, T>& x, index_t first,
                                                    index_t last)
    {
        return x.view().part(first, last);
    }
};
using state_formats =
    testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>, expansion<double, 8>>;
TYPED_TEST_SUITE(sum_state_test, state_formats, format_name);

// By hand.

TYPED_TEST(sum_state_test, parts_add_up)
{
    using T = TypeParam;
    residua::vector<host_executor, T> x(600);
    for (index_t i = 0; i < 600; ++i) {
        x.set(i, T{static_cast<double>(i)});
    }

    const auto begin = blas::dot_state<T>(exec, this->part(x, 0, 512), this->part(x, 0, 512), {0, 600});
    const auto end = blas::dot_state<T>(exec, this->part(x, 512, 600), this->part(x, 512, 600), {512, 600});

    EXPECT_TRUE(same_bits(blas::rounded(begin), T{511.0 * 512.0 * 1023.0 / 6.0}));
    EXPECT_TRUE(same_bits(blas::rounded(blas::merge(begin, end)), T{599.0 * 600.0 * 1199.0 / 6.0}));
    EXPECT_EQ(begin.nodes().count(), 1);
    EXPECT_EQ(blas::block_of_sum<T>(600), 512);
}

TYPED_TEST(sum_state_test, there_are_as_few_nodes_as_the_blocks_allow)
{
    using T = TypeParam;
    const residua::vector<host_executor, T> x(8 * 512 - 1);
    const auto state = [&](index_t first, index_t last) {
        return blas::dot_state<T>(exec, this->part(x, first, last), this->part(x, first, last), {first, x.size()});
    };

    EXPECT_EQ(state(0, x.size()).nodes().count(), 1);                                          // 8
    EXPECT_EQ(state(512, 7 * 512).nodes().count(), 4);                                         // 1 2 2 1
    EXPECT_EQ(blas::merge(state(0, 512), state(512, 7 * 512)).nodes().count(), 3);             // 4 2 1
    EXPECT_EQ(blas::merge(state(512, 7 * 512), state(7 * 512, x.size())).nodes().count(), 3);  // 1 2 4
    EXPECT_EQ(state(512, 512).nodes().count(), 0);
}

// Against the sum in one go, which holds its bound, and the oracle.

TYPED_TEST(sum_state_test, any_parts_merged_in_any_order_give_the_bits_of_dot)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {0, 1, 511, 512, 513, 1024, 5000, 12289, 100001}) {
        if (n * terms_of<T> * terms_of<T> > 1000000) {
            continue;
        }
        auto a = random_numbers<T>(this->random, n, -40, 40);
        auto b = random_numbers<T>(this->random, n, -40, 40);
        if (this->random.one_in(2)) {
            make_cancelling(this->random, a, b);
        }
        const auto x = make_vector<T>(a);
        const auto y = make_vector<T>(b);
        const T whole = blas::dot<T>(exec, x, y);
        for (int repeat = 0; repeat < (n > 10000 ? 3 : 12); ++repeat) {
            const auto sum = sum_of_parts<T>(this->random, n, [&](index_t first, index_t last) {
                return blas::dot_state<T>(exec, this->part(x, first, last), this->part(y, first, last), {first, n});
            });
            EXPECT_TRUE(same_bits(blas::rounded(sum), whole)) << n;
        }
        if (n <= 5000 && terms_of<T> <= 8) {  // terms of longer numbers of this size leave the range of binary64
            const auto exact = exact_dot(a, b, a.size());
            EXPECT_LE(error_units(wide(whole), exact.value, exact.magnitude, number_traits<T>::precision_bits),
                      blas::long_sum_error_bound<terms_of<T>>(n))
                << n;
        }
    }
}

TYPED_TEST(sum_state_test, refuses_parts_and_bytes_that_do_not_fit)
{
    using T = TypeParam;
    const residua::vector<host_executor, T> x(5002);
    expect_refusals<T>([&](index_t n, index_t first, index_t last) {
        const vector_view<host_executor, const T> of_part = x.view().part(0, last - first);
        return blas::dot_state<T>(exec, of_part, of_part, {first, n});
    });
    EXPECT_THROW(blas::dot_state<T>(exec, this->part(x, 0, 512), this->part(x, 0, 511), {0, 512}), dimension_error);
}

}  // namespace
}  // namespace residua
