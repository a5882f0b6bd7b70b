#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>
#include <tests/support/biased_random.hpp>
#include <tests/support/oracle.hpp>

namespace residua::support {

/// The formats of blas whose precision is a type.
using formats = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                               expansion<double, 6>, expansion<double, 8>>;
using expansion_formats = testing::Types<expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                                         expansion<double, 6>, expansion<double, 8>>;

struct format_name {
    template <class T>
    static std::string GetName(int)
    {
        return std::string(number_traits<T>::name);
    }
};

template <class T>
inline constexpr int terms_of = number_traits<T>::terms;

/// Sizes around lanes, windows and blocks.
inline const std::vector<index_t> sizes{0,  1,   2,   15,  16,  17,  31,  32,  33,  63,  64,
                                        65, 127, 128, 129, 255, 257, 511, 512, 513, 1000};

template <class T>
residua::vector<host_executor, T> make_vector(const std::vector<T>& from)
{
    residua::vector<host_executor, T> x(static_cast<index_t>(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) {
        x.set(static_cast<index_t>(i), from[i]);
    }
    return x;
}

template <class T>
std::vector<T> numbers(vector_view<host_executor, const T> x)
{
    std::vector<T> to;
    for (index_t i = 0; i < x.size; ++i) {
        to.push_back(x.load(i));
    }
    return to;
}

/// n numbers, exponents in lo..hi, some of them zero.
template <class T>
std::vector<T> random_numbers(biased_random& random, index_t n, int lo, int hi)
{
    std::vector<T> x;
    for (index_t i = 0; i < n; ++i) {
        x.push_back(random.one_in(20) ? T{0.0} : random.number<T>(lo, hi));
    }
    return x;
}

/// y such that sum x_i y_i cancels: the second half undoes the first, but for the last few bits.
template <class T>
void make_cancelling(biased_random& random, std::vector<T>& x, std::vector<T>& y)
{
    const std::size_t half = x.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
        x[i + half] = x[i];
        y[i + half] = random.one_in(3) ? T{-y[i] * (1.0 + 0x1p-50)} : T{-y[i]};
    }
}

template <class T>
residua::matrix<host_executor, T> random_matrix(biased_random& random, index_t rows, index_t cols, int lo, int hi)
{
    residua::matrix<host_executor, T> a(rows, cols);
    for (index_t j = 0; j < cols; ++j) {
        for (index_t i = 0; i < rows; ++i) {
            a.set(i, j, random.one_in(20) ? T{0.0} : random.number<T>(lo, hi));
        }
    }
    return a;
}

/// Whether two numbers are the same word for word; 0 and -0 differ, NaN equals itself.
template <class T>
bool same_bits(const T& x, const T& y)
{
    for (int k = 0; k < terms_of<T>; ++k) {
        if (to_bits(term(x, k)) != to_bits(term(y, k))) {
            return false;
        }
    }
    return true;
}

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y)
{
    bool same = x.size() == y.size();
    for (std::size_t i = 0; same && i < x.size(); ++i) {
        same = same_bits(x[i], y[i]);
    }
    return same;
}

/// A view that fills its vector with a marker around the elements, to see what an operation writes.
template <class T>
class guarded {
public:
    explicit guarded(const std::vector<T>& from, double marker = 0x1.badp+99)
        : marker_(marker),
          size_(static_cast<index_t>(from.size())),
          stride_(size_ + 3 + margin),
          words_(static_cast<std::size_t>(stride_ * terms_of<T> + margin), marker)
    {
        for (index_t i = 0; i < size_; ++i) {
            view().store(i, from[static_cast<std::size_t>(i)]);
        }
    }

    vector_view<host_executor, T> view() { return {{words_.data() + margin, stride_}, size_}; }

    std::vector<T> values() { return numbers<T>(view()); }

    bool margins_intact() const
    {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            const index_t at = static_cast<index_t>(w) - margin;
            const bool inside = at >= 0 && at % stride_ < size_;
            if (!inside && words_[w] != marker_) {
                return false;
            }
        }
        return true;
    }

private:
    static constexpr index_t margin = 5;  // odd: elements are not aligned to anything
    double marker_;
    index_t size_;
    index_t stride_;
    std::vector<double> words_;
};

}  // namespace residua::support
