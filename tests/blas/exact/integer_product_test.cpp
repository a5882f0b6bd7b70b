#include <atomic>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/exact/integer_product.hpp>
#include <residua/io/team.hpp>

#include "tests/blas/exact/integer.hpp"
#include "tests/support/biased_random.hpp"

namespace residua {
namespace {

using namespace support;
using namespace blas::detail;

std::vector<integer> values(integer_matrix& x)
{
    std::vector<integer> v;
    for (index_t k = 0; k < x.size(); ++k) {
        v.emplace_back(x.at(k));
    }
    return v;
}

/// Numbers below 2^bits, some small, some all ones.
integer_matrix random_integers(biased_random& random, index_t m, index_t n, int bits)
{
    integer_matrix x(m, n, bits / 64 + 1);
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

// The longest takes several panels of columns and many blocks of elements.
TEST(integer_product_test, products_are_exact)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    struct shape {
        index_t m, k, n;
        int bits;
    };
    for (const auto& [m, k, n, bits] : {shape{1, 1, 1, 60}, shape{7, 5, 3, 30}, shape{9, 40, 11, 300},
                                        shape{3, 2100, 2, 212}, shape{20, 9, 30, 1700}, shape{100, 3, 200, 5000}}) {
        integer_matrix a = random_integers(random, m, k, bits);
        integer_matrix b = random_integers(random, k, n, bits);
        int of_terms = 0;
        while ((index_t{1} << of_terms) < k) {
            ++of_terms;
        }
        const moduli_set moduli(residue_bits, 2L * bits + of_terms + 3);
        const std::vector<integer> of_a = values(a);
        const std::vector<integer> of_b = values(b);
        for (const int threads : {1, 2, 7}) {
            const io::thread_limit limit(threads);
            std::atomic<index_t> seen{0};
            multiply_integers({}, residue_matrix({}, a, 0, k, moduli), b, moduli, [&](const integer_elements& part) {
                for (index_t e = 0; e < part.count; ++e, ++seen) {
                    const index_t i = part.row_of(e), j = part.column_of(e);
                    integer sum;
                    for (index_t l = 0; l < k; ++l) {
                        sum.add_product(of_a[static_cast<std::size_t>(i + l * m)],
                                        of_b[static_cast<std::size_t>(l + j * k)]);
                    }
                    ASSERT_TRUE(integer(part.at(e)) == sum) << bits << " bits, " << i << ' ' << j;
                }
            });
            EXPECT_EQ(seen, m * n) << threads << " threads";
        }
    }
}

}  // namespace
}  // namespace residua
