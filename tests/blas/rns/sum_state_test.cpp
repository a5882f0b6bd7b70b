#include <gtest/gtest.h>

#include <residua/blas/level1/dot.hpp>
#include <residua/blas/rns/sum_state.hpp>
#include <tests/blas/sum_parts.hpp>

#include "tests/blas/rns/bounds.hpp"
#include "tests/blas/rns/hostile.hpp"

namespace residua::support {
namespace {

const host_executor exec;

class rns_sum_state_test : public testing::TestWithParam<long> {};
INSTANTIATE_TEST_SUITE_P(bits, rns_sum_state_test, testing::Values(106, 159, 424));

TEST_P(rns_sum_state_test, any_parts_merged_in_any_order_give_the_bits_of_dot)
{
    const rns_format format(GetParam());
    biased_random random;
    SCOPED_TRACE(random.trace());
    const rns_number third = rns_number(format, 1.0) / rns_number(format, 3.0);
    for (const index_t n : {0, 1, 20, 511, 512, 513, 1030, 5000, 100001}) {
        if (n > 10000 && GetParam() > 106) {
            continue;
        }
        vector<host_executor, rns> x(format, n), y(format, n);
        real exact(0.0, 4 * GetParam()), magnitude(0.0, 4 * GetParam());
        for (index_t i = 0; i < n; ++i) {
            x.set(i, rns_number(format, random.one_in(20) ? 0.0 : random.value(-30, 30)) * third);
            y.set(i, i % 3 == 2 ? -y.get(i - 1) : rns_number(format, random.value(-30, 30)) * third);
            const real product = to_real(x.get(i)).with_precision(4 * GetParam()) * to_real(y.get(i));
            exact += product;
            magnitude += abs(product);
        }
        const rns_number whole = blas::dot<rns>(exec, x, y);
        for (int repeat = 0; repeat < (n > 10000 ? 3 : 10); ++repeat) {
            const auto sum = sum_of_parts<rns>(random, n, [&](index_t first, index_t last) {
                return blas::dot_state<host_executor>(exec, x.view().part(first, last), y.view().part(first, last),
                                                      {first, n});
            });
            EXPECT_TRUE(same_words(blas::rounded(sum), whole)) << n;
        }
        EXPECT_LE(abs(to_real(whole) - exact), gamma(roundings_of_sum(n), format) * magnitude) << n;
    }
}

TEST(rns_sum_state_errors_test, refuses_parts_and_bytes_that_do_not_fit)
{
    const rns_format format(106);
    const vector<host_executor, rns> x(format, 5002), z(rns_format(212), 5002);
    expect_refusals<rns>([&](index_t n, index_t first, index_t last) {
        const vector_view<host_executor, const rns> of_part = x.view().part(0, last - first);
        return blas::dot_state<host_executor>(exec, of_part, of_part, {first, n});
    });
    EXPECT_THROW(blas::dot_state<host_executor>(exec, x, z, {0, 5002}), error);
    const auto sum = blas::dot_state<host_executor>(exec, x, x, {0, 5002});
    EXPECT_THROW(blas::sum_from_bytes<rns>(rns_format(212), blas::to_bytes(sum)), error);
    EXPECT_THROW(blas::merge(blas::sum_state<rns>("test", rns_format(212), {0, 5002}, 0), sum), error);
}

TEST(rns_sum_state_errors_test, a_number_that_is_not_finite_stays_in_its_part)
{
    const rns_format format(106);
    vector<host_executor, rns> x(format, 2000);
    x.set(700, rns_number(format, 1.0) / rns_number(format));
    const auto state = [&](index_t first, index_t last) {
        return blas::dot_state<host_executor>(exec, x.view().part(first, last), x.view().part(first, last),
                                              {first, 2000});
    };
    EXPECT_TRUE(is_finite(blas::rounded(state(0, 512))));
    EXPECT_FALSE(is_finite(blas::rounded(blas::merge(state(0, 512), state(512, 2000)))));
}

}  // namespace
}  // namespace residua::support
