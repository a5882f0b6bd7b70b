#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/slices/slices.hpp>
#include <residua/blas/exact/byte_product.hpp>

#include "tests/blas/exact/integer.hpp"
#include "tests/support/biased_random.hpp"
#include "tests/support/cuda_formats.hpp"

namespace residua {
namespace {

using namespace support;
using namespace blas::detail;

/// Vectors of whole numbers below 2^bits, some small, some all ones.
struct host_vectors {
    index_t count;
    index_t length;
    int words;
    std::vector<std::uint64_t> word;

    host_vectors(biased_random& random, index_t vectors, index_t elements, int bits)
        : count(padded_to_group(vectors)),
          length(padded_to_group(elements)),
          words(bits / 64 + 1),
          word(static_cast<std::size_t>(count * length * words))
    {
        for (index_t v = 0; v < vectors; ++v) {
            for (index_t l = 0; l < elements; ++l) {
                const int kind = random.integer(0, 4);
                for (int shift = 0; shift + 30 <= bits && kind > 0; shift += 30) {
                    const auto part =
                        kind == 1 ? (std::int64_t{1} << 30) - 1 : static_cast<std::int64_t>(random.bits() >> 34);
                    at(v, l).add(kind == 3 ? -part : part, shift);
                    if (kind == 4 && random.one_in(4)) {
                        break;
                    }
                }
            }
        }
    }

    long_integer at(index_t v, index_t l) { return {word.data() + v * length + l, count * length, words}; }
};

struct byte_product_cuda_test : on_cuda<double> {
    byte_planes planes(const host_vectors& x, const byte_moduli& moduli)
    {
        buffer<cuda_executor, std::uint64_t> words(static_cast<index_t>(x.word.size()), device);
        residua::detail::cuda_copy_in(device, words.data(), x.word.data(), x.word.size() * sizeof(std::uint64_t));
        return {device, {words.data(), x.count * x.length, x.words, x.count, x.length}, moduli};
    }
};

TEST_F(byte_product_cuda_test, products_are_exact)
{
    SCOPED_TRACE(random.trace());
    struct shape {
        index_t m, k, n;
        int bits;
    };
    for (const auto& [m, k, n, bits] :
         {shape{1, 1, 1, 30}, shape{17, 5, 3, 60}, shape{9, 40, 21, 160}, shape{40, 100, 33, 230},
          shape{3, 3000, 2, 212}, shape{20, 9, 30, 430}, shape{70, 33, 20, 870}, shape{5, 20, 7, 2060}}) {
        host_vectors a(random, m, k, bits);
        host_vectors b(random, n, k, bits);
        int of_terms = 0;
        while ((index_t{1} << of_terms) < k) {
            ++of_terms;
        }
        const byte_moduli moduli(device, 2L * bits + of_terms + 3);
        const index_t size = a.count * b.count;
        buffer<cuda_executor, std::uint64_t> c(size * moduli.words(), device, uninitialized{});
        multiply_bytes(device, planes(a, moduli), planes(b, moduli), moduli, c.data(), size);
        std::vector<std::uint64_t> found(static_cast<std::size_t>(c.size()));
        residua::detail::cuda_copy_out(device, found.data(), c.data(), found.size() * sizeof(std::uint64_t));
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < n; ++j) {
                integer sum;
                for (index_t l = 0; l < k; ++l) {
                    sum.add_product(integer(a.at(i, l)), integer(b.at(j, l)));
                }
                ASSERT_TRUE(integer(long_integer{found.data() + i + j * a.count, size, moduli.words()}) == sum)
                    << bits << " bits, " << i << ' ' << j << ", " << moduli.set().size() << " moduli";
            }
        }
    }
}

}  // namespace
}  // namespace residua
