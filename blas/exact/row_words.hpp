#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/exact/exact_window.hpp>
#include <residua/blas/exact/row_sum.hpp>

/// Exact sums of binary64 numbers times multi-digit floats on a host. The cost of a row depends on the bits that its
/// factors have: words of zeros beyond them are skipped.
namespace residua::blas::detail {

/// Multi-digit floats as integers, whose words lie side by side, in units of 2^(64 k) with a k for each number. The
/// words of zeros at the ends of a number are left out.
class numbers_in_words {
public:
    struct number {
        const std::uint64_t* word = nullptr;  ///< the least first
        std::int32_t words = 0;               ///< 0 for zero
        std::int32_t place = 0;               ///< k
        bool negative = false;
        bool is_finite = true;
    };

    /// The first n numbers of x, in memory of about the size of x.
    ///
    /// throws  resource_error if that memory is not there
    numbers_in_words(const exact_digits& x, index_t n);

    const number& operator[](index_t j) const { return numbers_[static_cast<std::size_t>(j)]; }

    /// The most words that a number of `digits` 32-bit digits takes.
    static int words_for(int digits) { return digits / 2 + 2; }

    /// The number as words in `memory`, which has room for words_for(x.digits).
    static number read(const exact_digits::number& x, std::uint64_t* memory);

private:
    buffer<host_executor, std::uint64_t> words_;
    std::vector<number> numbers_;
};

/// The exact sum of a row of A x or b - A x, row after row in the same memory.
class row_in_words {
public:
    using product = sparse_exact_product<exact_terms<1>, exact_digits>;

    /// x has the numbers of of.x, and lives as long as the sum.
    row_in_words(const product& of, const numbers_in_words& x);

    /// Number k of a result <- the sum of row i, rounded once. It stores nothing and returns false if a number is not
    /// finite, or if the highest bit of the terms lies 1800 bits and four times the precision above the last, or more.
    ///
    /// cost  for each entry one or two passes over the words of x_j
    bool store(index_t i, const exact_digits_result& to, index_t k);

private:
    /// +- odd 2^last x
    struct term {
        std::uint64_t odd;
        const numbers_in_words::number* x;
        std::int32_t last;
        std::int64_t place;
        bool negative;
    };

    bool find_terms(index_t i);
    bool find_room();
    void add(const term& t);

    product of_;
    const numbers_in_words& x_;
    std::vector<std::uint64_t> of_b_;
    std::array<std::vector<std::uint64_t>, 2>
        sums_;  ///< the sums of the terms above zero and of those below, both without a sign
    numbers_in_words::number b_;
    std::vector<term> terms_;
    std::size_t count_ = 0;   ///< the number of terms
    std::int32_t unit_ = 0;   ///< the least `last` of the terms
    std::int64_t place_ = 0;  ///< word 0 of the sum counts 2^(unit_ + 64 place_)
    int words_ = 0;           ///< the number of words of the sum
};

}  // namespace residua::blas::detail
