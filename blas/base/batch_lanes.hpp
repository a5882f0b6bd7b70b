#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/batch.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/simd.hpp>

/// Batches on the host: eight systems side by side, number e of all of them in eight neighbouring words of each plane, so
/// that one instruction works on eight systems, however small they are.
namespace residua::blas::detail {

inline constexpr index_t batch_lanes = 8;

/// Numbers of eight systems. In the last group of a batch, lanes without a system of their own repeat the first.
template <class T>
class lane_numbers {
public:
    explicit lane_numbers(index_t numbers)
        : plane_(numbers * batch_lanes), words_(static_cast<std::size_t>(plane_ * number_traits<T>::terms))
    {}

    vector_view<host_executor, T> operator[](index_t e)
    {
        return {{words_.data() + e * batch_lanes, plane_}, batch_lanes};
    }

    /// Numbers e, e + 1, ... <- the vector f(s) of system s, for the systems first, ..., first + lanes - 1.
    template <class F>
    void read(index_t e, index_t first, index_t lanes, const F& f)
    {
        for (index_t l = 0; l < batch_lanes; ++l) {
            const auto from = f(first + (l < lanes ? l : 0));
            for (int k = 0; k < number_traits<T>::terms; ++k) {
                double* const to = words_.data() + k * plane_ + e * batch_lanes + l;
                for (index_t i = 0; i < from.size; ++i) {
                    to[i * batch_lanes] = from.plane(k)[i];
                }
            }
        }
    }

    /// The other way.
    template <class F>
    void write(index_t e, index_t first, index_t lanes, const F& f) const
    {
        for (index_t l = 0; l < lanes; ++l) {
            const auto to = f(first + l);
            for (int k = 0; k < number_traits<T>::terms; ++k) {
                const double* const from = words_.data() + k * plane_ + e * batch_lanes + l;
                for (index_t i = 0; i < to.size; ++i) {
                    to.plane(k)[i] = from[i * batch_lanes];
                }
            }
        }
    }

    /// Numbers p and q of one lane change places.
    void swap(index_t p, index_t q, index_t lane)
    {
        for (int k = 0; k < number_traits<T>::terms; ++k) {
            double* const w = words_.data() + k * plane_ + lane;
            std::swap(w[p * batch_lanes], w[q * batch_lanes]);
        }
    }

private:
    index_t plane_;
    std::vector<double> words_;
};

/// The words of an accumulator where a number's terms lie.
template <class T>
inline __attribute__((always_inline)) void store_words(vector_view<host_executor, T> sums, index_t l,
                                                       const accumulator_of<T>& sum)
{
    T words;
    residua::detail::unroll<number_traits<T>::terms>([&](int k)
                                                         __attribute__((always_inline)) { term(words, k) = sum.w[k]; });
    sums.store(l, words);
}

/// sums <- sums + a x in every lane, for the words of accumulators.
template <class T, bool Renormalizes>
inline __attribute__((always_inline)) void add_products(vector_view<host_executor, T> sums,
                                                        vector_view<host_executor, T> a,
                                                        vector_view<host_executor, T> x)
{
    for_lanes(
        batch_lanes, [&](index_t l) __attribute__((always_inline)) {
            accumulator_of<T> sum{sums.load(l)};
            add_product(sum, a.load(l), x.load(l));
            if constexpr (Renormalizes && number_traits<T>::terms > 1) {
                renormalize(sum);
            }
            store_words(sums, l, sum);
        });
}

/// The work of about n^degree / degree multiply-adds, in operations on binary64 words.
template <class T>
double operations_of_system(index_t n, double degree)
{
    return multiply_add_operations<T> * std::pow(static_cast<double>(n), degree) / degree;
}

/// Calls body(work, first, lanes) for each group of up to eight systems, by several threads. A system takes `operations`
/// operations. make() returns the workspace of one thread.
template <class Make, class Body>
void for_lane_groups(index_t count, double operations, const Make& make, const Body& body)
{
    parallel_ranges(count, batch_lanes, operations * static_cast<double>(count), [&](index_t begin, index_t end) {
        auto work = make();
        for (index_t first = begin; first < end; first += batch_lanes) {
            body(work, first, std::min(batch_lanes, end - first));
        }
    });
}

}  // namespace residua::blas::detail
