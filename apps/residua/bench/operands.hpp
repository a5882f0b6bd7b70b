#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/coo.hpp>

#include "bench.hpp"

namespace residua {

/// The operands that an operation may have.
enum class operand : std::uint64_t { alpha, beta, x, y, a, b };

/// The numbers that operands are filled with.
///
/// Random ones are 4096 with every bit in use, of both signs, from 2^-4 to 2^4 in size, none zero. A place of an operand holds
/// one of them, picked at random, so numbers repeat. The same seed gives the same operands on every machine.
class operand_pool {
public:
    operand_pool(long bits, std::uint64_t seed);

    /// Binary64 numbers in the order of an operand's elements; an operand that is not there is filled with ones.
    ///
    /// sum_bits  in which the sum of an operation's products is exact
    operand_pool(const std::map<operand, std::vector<double>>& given, long sum_bits);

    const std::vector<real>& numbers() const { return numbers_; }
    long bits() const { return bits_; }
    long sum_bits() const { return sum_bits_; }
    std::uint64_t seed() const { return seed_; }

    /// Whether the numbers are given, so that sparse matrices are too.
    bool is_given() const { return is_given_; }

    /// The index of the number that element i of an operand is. Elements of matrices are counted by columns.
    std::size_t place(operand of, index_t i) const;
    const real& at(operand of, index_t i) const { return numbers_[place(of, i)]; }

private:
    struct range {
        std::size_t begin = 0;
        std::size_t count = 1;
    };

    std::vector<real> numbers_;
    std::array<range, 6> ranges_{};
    long bits_;
    long sum_bits_;
    std::uint64_t seed_ = 0;
    bool is_given_ = false;
};

/// Calls f(k, j) for the entries of row i of a matrix with the pattern of five points on a grid of side x side, by ascending
/// columns j. k is 0 for the point below, 1 and 3 for those at the left and right, 2 for the point itself, 4 for that above.
template <class F>
void each_neighbour(index_t side, index_t i, const F& f)
{
    const auto if_inside = [&](bool inside, index_t k, index_t j) {
        if (inside) {
            f(k, j);
        }
    };
    if_inside(i >= side, 0, i - side);
    if_inside(i % side != 0, 1, i - 1);
    f(index_t{2}, i);
    if_inside(i % side != side - 1, 3, i + 1);
    if_inside(i + side < side * side, 4, i + side);
}

/// Poisson's matrix with five points on a grid of side x side.
io::coo<double> poisson_matrix(index_t side);
double poisson_entries(index_t side);

/// The matrix of spmv: Poisson's, or that of the given numbers, of which entry k of row i is number 5 i + k of operand a.
io::coo<double> spmv_matrix(index_t side, const operand_pool& pool);

/// The diagonal of the triangle of trsm, more than the sum of any row: so substitution does not make errors grow.
inline double dominant_diagonal(index_t n) { return 32.0 * static_cast<double>(n); }

/// How many columns the factor of spmm has.
inline constexpr index_t spmm_columns = 4;

/// A result in enough bits, and the sum of the magnitudes of its terms. Of trsm that is what a residual of
/// |b| + |T| |x| changes x by at most.
struct exact_result {
    real value;
    real magnitude;
};

/// How many numbers the result of an operation of size n has.
index_t result_count(operation op, index_t n);

/// Number i of the result, by MPFR. The matrix of gemv_binary64 is that of gemv, rounded.
exact_result exact(operation op, index_t n, const operand_pool& pool, index_t i);

/// Calls f(i) for a sample of results: up to 64 evenly spread ones, for which MPFR forms at most 20000 products, or one result.
void each_sample(operation op, index_t n, const std::function<void(index_t)>& f);

/// The largest error of a sample of results get(i), relative to exact_result::magnitude.
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
