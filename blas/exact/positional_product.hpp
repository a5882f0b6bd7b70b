#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/exact/integer_factor.hpp>
#include <residua/blas/exact/positional.hpp>
#include <residua/io/interruption.hpp>

/// Exact products by long multiplications, on the host.
namespace residua::blas::detail {

/// Element l of vector i of a factor, as an integer in `words`.
template <class Factor>
signed_words integer_words(const Factor& factor, index_t l, index_t i, std::uint64_t* words)
{
    const long_integer to{words, 1, factor.words()};
    std::fill(words, words + to.words, std::uint64_t{0});
    factor.make_integers(l, i, to);
    return to_signed_words(to);
}

/// Sums of products of a vector of one factor with a vector of the other.
template <class Factor>
class exact_sums {
public:
    /// throws  unsupported_error if sums are too long
    exact_sums(std::string_view op, const Factor& a, const Factor& b) : a_(a), b_(b)
    {
        const std::int64_t bits = a.bits() + b.bits() + bits_of_terms(a.length()) + 1;
        require_bits(op, a.width(), b.width(), bits, most_sum_bits);
        words_ = static_cast<int>(bits / 64) + 1;
    }

    double operations() const { return 20.0 + 2.0 * a_.words() * b_.words(); }

    /// zeros() makes the words of `sums` sums that are zero; at() is sum k in such words.
    std::vector<std::uint64_t> zeros(index_t sums) const
    {
        return std::vector<std::uint64_t>(static_cast<std::size_t>(2 * sums * words_));
    }
    two_sums at(std::vector<std::uint64_t>& words, index_t k) const
    {
        std::uint64_t* const positive = words.data() + 2 * k * words_;
        return {positive, positive + words_, words_};
    }

    /// Number k of a result <- the sum of the products of vector i of A and vector j of B.
    template <class Result>
    void store(const two_sums& sum, index_t i, index_t j, index_t k, const Result& to) const
    {
        if (a_.extent(i).special || b_.extent(j).special) {
            to.store_special(k, special_sum(a_.from(), b_.from(), a_.length(), i, j));
        } else {
            to.store(k, sum.difference(), a_.unit(i) + b_.unit(j));
        }
    }

private:
    const Factor& a_;
    const Factor& b_;
    int words_ = 0;
};

/// Number i * down + j * across of c <- the sum of the products of vectors i of A and j of B, for all i and j.
/// number(l, i, words) is element l of vector i of A; it may use `words` for the integer.
///
/// throws  unsupported_error if sums are too long
template <class Factor, class View, class Number>
void positional_product(std::string_view op, const Factor& a, const Factor& b, const View& c, index_t down,
                        index_t across, const Number& number)
{
    constexpr index_t rows_together = 16;  // these are read side by side
    const exact_sums<Factor> sums(op, a, b);
    const index_t inner = a.length();
    buffer<host_executor, std::uint64_t> words(inner * b.words());
    std::vector<signed_words> column(static_cast<std::size_t>(inner));
    const double operations = sums.operations() * static_cast<double>(a.count()) * static_cast<double>(inner);
    for (index_t j = 0; j < b.count(); ++j) {
        for (index_t l = 0; l < inner; ++l) {
            column[static_cast<std::size_t>(l)] = integer_words(b, l, j, words.data() + l * b.words());
        }
        const auto to = exact_result(host_executor{}, c);
        parallel_ranges(a.count(), rows_together, operations, [&](index_t begin, index_t end) {
            std::vector<std::uint64_t> words_of_a(static_cast<std::size_t>(a.words()));
            std::vector<std::uint64_t> memory = sums.zeros(rows_together);
            for (index_t first = begin; first < end; first += rows_together) {
                io::ask_for_stop();
                const index_t here = std::min(rows_together, end - first);
                std::fill(memory.begin(), memory.end(), std::uint64_t{0});
                for (index_t l = 0; l < inner; ++l) {
                    for (index_t i = 0; i < here; ++i) {
                        sums.at(memory, i).add_product(number(l, first + i, words_of_a.data()),
                                                       column[static_cast<std::size_t>(l)]);
                    }
                }
                for (index_t i = 0; i < here; ++i) {
                    sums.store(sums.at(memory, i), first + i, j, (first + i) * down + j * across, to);
                }
            }
        });
    }
}

/// positional_product() for an A whose numbers become integers when they are needed.
template <class Factor, class View>
void positional_product(std::string_view op, const Factor& a, const Factor& b, const View& c, index_t down,
                        index_t across)
{
    positional_product(op, a, b, c, down, across,
                       [&](index_t l, index_t i, std::uint64_t* words) { return integer_words(a, l, i, words); });
}

}  // namespace residua::blas::detail
