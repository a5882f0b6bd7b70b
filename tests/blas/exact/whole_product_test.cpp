#include <gtest/gtest.h>

#include <residua/blas/exact/whole_product.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/oracle.hpp"

namespace residua {
namespace {

using namespace support;
using namespace blas::detail;

real value(const long_integer& n)
{
    real sum(n.word[(n.words - 1) * n.stride] >> 63 != 0 ? -1.0 : 0.0, 20000);
    for (int w = n.words - 1; w >= 0; --w) {
        const std::uint64_t word = n.word[w * n.stride];
        sum = ldexp(sum, 64) + ldexp(real(static_cast<double>(word >> 32), 20000), 32) +
              real(static_cast<double>(word & 0xffffffffu), 20000);
    }
    return sum;
}

/// Numbers below 2^bits, some small, some all ones.
whole_matrix random_whole(biased_random& random, index_t m, index_t n, int bits)
{
    whole_matrix x(m, n, bits / 64 + 1);
    for (index_t k = 0; k < x.size(); ++k) {
        const int kind = random.integer(0, 4);
        for (int shift = 0; shift + 30 <= bits && kind > 0; shift += 30) {
            const auto part = kind == 1 ? (std::int64_t{1} << 30) - 1 : static_cast<std::int64_t>(random.bits() >> 34);
            x.at(k).add(kind == 3 ? -part : part, shift);
            if (kind == 4 && random.one_in(4)) {
                break;
            }
        }
    }
    return x;
}

TEST(whole_product_test, products_are_exact)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    struct shape {
        index_t m, k, n;
        int bits;
    };
    for (const auto& [m, k, n, bits] : {shape{1, 1, 1, 60}, shape{7, 5, 3, 30}, shape{9, 40, 11, 300},
                                        shape{3, 2100, 2, 212}, shape{20, 9, 30, 1700}, shape{2, 3, 2, 5000}}) {
        whole_matrix a = random_whole(random, m, k, bits);
        whole_matrix b = random_whole(random, k, n, bits);
        int of_terms = 0;
        while ((index_t{1} << of_terms) < k) {
            ++of_terms;
        }
        const moduli_set moduli(residue_bits, 2L * bits + of_terms + 3);
        index_t seen = 0;
        multiply_whole({}, residue_matrix({}, a, 0, k, moduli), b, moduli, [&](const whole_elements& part) {
            ASSERT_EQ(part.first, seen);
            for (index_t e = 0; e < part.count; ++e, ++seen) {
                const index_t i = seen % m;
                const index_t j = seen / m;
                real sum(0.0, 20000);
                for (index_t l = 0; l < k; ++l) {
                    sum += value(a.at(i + l * m)) * value(b.at(l + j * k));
                }
                ASSERT_TRUE(value(part.at(e)) == sum) << bits << " bits, " << i << ' ' << j;
            }
        });
        EXPECT_EQ(seen, m * n);
    }
}

}  // namespace
}  // namespace residua
