#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/coo.hpp>

#include "bench.hpp"

namespace residua {

/// The operands that an operation may have.
enum class operand : std::uint64_t { alpha, beta, x, y, a, b };

/// The numbers that operands are filled with: 4096 random ones with every bit in use, of both signs, from
/// 2^-4 to 2^4 in size, none zero. A place of an operand holds one of them, picked at random, so numbers repeat.
///
/// The same seed gives the same operands on every machine.
class operand_pool {
public:
    operand_pool(long bits, std::uint64_t seed);

    const std::vector<real>& numbers() const { return numbers_; }
    long bits() const { return bits_; }
    std::uint64_t seed() const { return seed_; }

    /// The index of the number that element i of an operand is. Elements of matrices are counted by columns.
    std::size_t place(operand of, index_t i) const;
    const real& at(operand of, index_t i) const { return numbers_[place(of, i)]; }

private:
    std::vector<real> numbers_;
    long bits_;
    std::uint64_t seed_;
};

/// Poisson's matrix with five points on a grid of side x side.
io::coo<double> poisson_matrix(index_t side);
double poisson_entries(index_t side);

/// A result in more than twice the bits, and the sum of the magnitudes of its terms.
struct exact_result {
    real value;
    real magnitude;
};

/// How many numbers the result of an operation of size n has.
index_t result_count(operation op, index_t n);

/// Number i of the result, by MPFR. The matrix of gemv_binary64 is that of gemv, rounded.
exact_result exact(operation op, index_t n, const operand_pool& pool, index_t i);

/// The largest error of a sample of results get(i), relative to exact_result::magnitude. The sample is up to 64 evenly
/// spread results, for which MPFR forms at most 20000 products, or one result.
real largest_error(operation op, index_t n, const operand_pool& pool, const std::function<real(index_t)>& get);

/// The hash FNV-1a of 64 bits, by Fowler, Noll and Vo, over words from the lowest byte to the highest.
class word_hash {
public:
    template <class Word>
    void add(Word word)
    {
        for (std::size_t byte = 0; byte < sizeof(Word); ++byte) {
            value_ = (value_ ^ (static_cast<std::uint64_t>(word) >> (8 * byte) & 0xff)) * 0x100000001b3;
        }
    }

    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace residua
