#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/exact/integer_product.hpp>
#include <residua/blas/exact/operands.hpp>
#include <residua/io/interruption.hpp>

/// Factors of exact products as integers, on the host.
namespace residua::blas::detail {

/// Vectors of numbers, and the powers of two that make them integers: element l of vector i is 2^unit(i) times an
/// integer below 2^bits() in size.
template <class Operand>
class integer_factor {
public:
    /// bits  how many are kept of each number, from the largest number of its vector down; 0: all
    integer_factor(const Operand& from, index_t length, index_t count, long bits)
        : from_(from), length_(length), count_(count), extent_(static_cast<std::size_t>(count))
    {
        parallel_ranges(count, 8, look_operations * numbers(), [&](index_t begin, index_t end) {
            for_each(begin, end, [&](index_t l, index_t i) { from_.look(l, i, extent_[static_cast<std::size_t>(i)]); });
        });
        for (const vector_extent& e : extent_) {
            width_ = e.counts() ? std::max(width_, e.top - e.last) : width_;
        }
        width_ = bits > 0 ? std::min<std::int64_t>(width_, bits) : width_;
    }

    index_t length() const { return length_; }
    index_t count() const { return count_; }
    const Operand& from() const { return from_; }
    const vector_extent& extent(index_t i) const { return extent_[static_cast<std::size_t>(i)]; }

    /// The bits from the top of a vector's largest number down to its unit.
    std::int64_t width() const { return width_; }

    /// The bits of the integers, each of which is the sum of the terms of a number.
    std::int64_t bits() const { return width_ + bits_of_terms(Operand::terms); }

    /// The 64-bit words of an integer with its sign.
    int words() const { return static_cast<int>(bits() / 64) + 1; }

    std::int64_t unit(index_t i) const { return extent(i).counts() ? extent(i).top - width_ : 0; }

    /// to <- the integer of element l of vector i, zero if the vector does not count. `to` is zero before.
    void make_integers(index_t l, index_t i, const long_integer& to) const
    {
        if (extent(i).counts()) {
            from_.add(l, i, -unit(i), to);
        }
    }

    /// The vectors as rows or columns of a matrix.
    integer_matrix integers(bool as_rows) const
    {
        integer_matrix x(as_rows ? count_ : length_, as_rows ? length_ : count_, words());
        parallel_ranges(count_, 8, (look_operations + 4.0 * words()) * numbers(), [&](index_t begin, index_t end) {
            for_each(begin, end, [&](index_t l, index_t i) {
                const long_integer to = x.at(as_rows ? i + l * count_ : l + i * length_);
                // memory that is read before it is written is mapped twice, for which threads wait
                for (int k = 0; k < to.words; ++k) {
                    to.word[k * to.stride] = 0;
                }
                make_integers(l, i, to);
            });
        });
        return x;
    }

private:
    static constexpr double look_operations = 4.0 * Operand::terms;  // operations on binary64 words, for a number

    double numbers() const { return static_cast<double>(length_) * static_cast<double>(count_); }

    /// Calls f(l, i) for all elements, in the order of the memory.
    template <class F>
    void for_each(index_t begin, index_t end, const F& f) const
    {
        if (from_.along == 1) {
            for_each_pair(begin, end, 0, length_, [&](index_t i, index_t l) { f(l, i); });
        } else {
            for_each_pair(0, length_, begin, end, f);
        }
    }

    /// Calls f(outer, inner) for all pairs, and asks now and then whether to stop.
    template <class F>
    static void for_each_pair(index_t begin, index_t end, index_t inner_begin, index_t inner_end, const F& f)
    {
        constexpr index_t numbers_unasked = 1 << 12;
        const index_t unasked = std::max<index_t>(1, numbers_unasked / std::max<index_t>(1, inner_end - inner_begin));
        for (index_t outer = begin; outer < end; ++outer) {
            if (outer % unasked == 0) {
                io::ask_for_stop();
            }
            for (index_t inner = inner_begin; inner < inner_end; ++inner) {
                f(outer, inner);
            }
        }
    }

    Operand from_;
    index_t length_;
    index_t count_;
    std::vector<vector_extent> extent_;
    std::int64_t width_ = 1;
};

}  // namespace residua::blas::detail
