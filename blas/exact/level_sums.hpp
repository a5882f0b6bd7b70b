#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/blas/base/unroll.hpp>
#include <residua/blas/sparse/slice_pieces.hpp>

/// Exact sums of products in words of binary64, for SIMD over the rows of a slice.
namespace residua::blas::detail {

/// Whether level_sums are straight-line code of some thousand operations at most.
template <class T, class V>
constexpr bool has_level_sums()
{
    if constexpr (run_time_format<T>) {
        return false;
    } else {
        return number_traits<T>::terms * number_traits<V>::terms <= 16;
    }
}

/// Sums of products of the entries of a slice, of type V, with a vector of T. The sum of a row is kept as one word for
/// each level: the product of term s of one number and term t of the other is added at level s + t, its error at the
/// next one. Errors of additions are added at the next level, too. A row is lost if an error at the last level is not
/// zero, or if a product is more than two words: then the words are not its sum.
///
/// from  [ORO05, Alg. 5.10], with a test as in [Ziv91] in place of a bound; docs/error_bounds.md, theorem 24
template <class T, class V>
class level_sums {
public:
    static constexpr int terms = number_traits<T>::terms;
    static constexpr int levels = terms + number_traits<V>::terms + 3;  // three more than a product has

    /// Sums <- 0
    void clear()
    {
        for (auto& level : word_) {
            std::fill_n(level, slice_rows, 0.0);
        }
        std::fill_n(lost_, slice_rows, std::uint64_t{0});
    }

    /// Sums <- b, as many elements as it has
    void begin(vector_view<host_executor, const T> b)
    {
        clear();
        for (int t = 0; t < terms; ++t) {
            std::copy_n(b.plane(t), b.size, word_[t]);
        }
    }

    /// Sums <- sums + sign A x, of the entries of a piece. Padding counts as zeros.
    void add(const slice_piece<V>& a, vector_view<host_executor, const T> x, double sign)
    {
        run_simd([&]() __attribute__((always_inline)) {
            alignas(64) double length[slice_rows];
            alignas(64) double factors[number_traits<V>::terms][slice_rows];
            alignas(64) double gathered[terms * slice_rows];
            const vector_view<host_executor, T> copies{{gathered, slice_rows}, slice_rows};
            std::copy_n(a.length, slice_rows, length);
            for (index_t k = a.first; k < a.last; ++k) {
                const index_t p = (k - a.first) * slice_rows;
                const auto place = static_cast<double>(k);
                for (int s = 0; s < number_traits<V>::terms; ++s) {
                    const double* const value = a.value.plane(s) + p;
                    for_lanes(
                        slice_rows, [&](index_t l) __attribute__((always_inline)) {
                            factors[s][l] = place < length[l] ? sign * value[l] : 0.0;
                        });
                }
                const column_t* const col = a.col + p;
                vector_view<host_executor, const T> xs = x.part(col[0], col[0] + slice_rows);
                if (a.is_run == nullptr || a.is_run[k - a.first] == 0) {
                    for_lanes(
                        slice_rows, [&](index_t l) __attribute__((always_inline)) { copies.store(l, x.load(col[l])); });
                    xs = copies;
                }
                add_products(factors, xs);
            }
        });
    }

    /// Makes the first words of each sum the sum rounded to the format. A row is lost if that is not certain.
    void round()
    {
        run_simd([&]() __attribute__((always_inline)) {
            bool done = false;
            for (int pass = 0; pass < levels && !done; ++pass) {
                for_lanes(
                    slice_rows, [&](index_t l) __attribute__((always_inline)) { sweep(l); });
                std::uint64_t left = 0;
                for (index_t l = 0; l < slice_rows; ++l) {
                    left |= lost_[l] == 0 ? wrong_[l] : 0;
                }
                done = left == 0;
            }
        });
        for (index_t l = 0; l < slice_rows; ++l) {
            lost_[l] |= wrong_[l];
        }
    }

    void lose(index_t l) { lost_[l] = 1; }
    bool is_lost(index_t l) const { return lost_[l] != 0; }

    /// Number k of y <- the rounded sum of row l
    void store(index_t l, vector_view<host_executor, T> y, index_t k) const
    {
        for (int t = 0; t < terms; ++t) {
            y.plane(t)[k] = word_[t][l];
        }
    }

private:
    static constexpr double least_product = 0x1p-968;  // the error of a lesser one may lie below 2^-1074

    /// Sums <- sums + a x, row by row
    inline __attribute__((always_inline)) void add_products(const double (&a)[number_traits<V>::terms][slice_rows],
                                                            vector_view<host_executor, const T> x)
    {
        using residua::detail::unroll;
        for_lanes(
            slice_rows, [&](index_t l) __attribute__((always_inline)) {
                double w[levels];
                unroll<levels>([&](int k) __attribute__((always_inline)) { w[k] = word_[k][l]; });
                lost_[l] |= add_terms<0>(w, a, x, l);
                unroll<levels>([&](int k) __attribute__((always_inline)) { word_[k][l] = w[k]; });
            });
    }

    // The functions below have no branch, not even one that ends when lambdas are inlined: GCC 13 looks at all ways
    // through them, which takes minutes.

    /// Adds the products of row l from number K on. Returns a number other than zero if the row is lost.
    template <int K>
    static inline __attribute__((always_inline)) std::uint64_t add_terms(
        double (&w)[levels], const double (&a)[number_traits<V>::terms][slice_rows],
        vector_view<host_executor, const T> x, index_t l)
    {
        if constexpr (K == number_traits<V>::terms * terms) {
            return 0;
        } else {
            constexpr int s = K / terms, t = K % terms;
            const double one = a[s][l], other = x.plane(t)[l];
            const residua::rounded product = two_prod(one, other);
            const bool is_small = (std::fabs(product.value) < least_product) & (one != 0.0) & (other != 0.0);
            const std::uint64_t lost = static_cast<std::uint64_t>(is_small) | to_bits(carry<s + t>(w, product.value)) |
                                       to_bits(carry<s + t + 1>(w, product.error));
            return lost | add_terms<K + 1>(w, a, x, l);
        }
    }

    /// Adds x at a level and its errors at those after it. Returns the last error.
    template <int Level>
    static inline __attribute__((always_inline)) double carry(double (&w)[levels], double x)
    {
        if constexpr (Level == levels) {
            return x;
        } else {
            const residua::rounded sum = two_sum(w[Level], x);
            w[Level] = sum.value;
            return carry<Level + 1>(w, sum.error);
        }
    }

    /// Adds the words of row l in pairs, from the last and from the first on. They are right if none changes the one
    /// before it, and would not if it were larger either, unless it is the last one that is not zero.
    inline __attribute__((always_inline)) void sweep(index_t l)
    {
        using residua::detail::unroll;
        double w[levels + 1];  // the last one is 0
        unroll<levels>([&](int k) __attribute__((always_inline)) { w[k] = word_[k][l]; });
        w[levels] = 0.0;
        const auto add_pair = [&](int k) __attribute__((always_inline))
        {
            const residua::rounded sum = two_sum(w[k], w[k + 1]);
            w[k] = sum.value;
            w[k + 1] = sum.error;
        };
        unroll<levels - 1>([&](int k) __attribute__((always_inline)) { add_pair(levels - 2 - k); });
        unroll<levels - 1>([&](int k) __attribute__((always_inline)) { add_pair(k); });
        std::uint64_t wrong = 0;
        unroll<levels - 1>([&](int k) __attribute__((always_inline)) {
            const bool holds =
                (w[k] + w[k + 1] * (1.0 + 0x1p-52) == w[k]) | ((w[k + 2] == 0.0) & (w[k] + w[k + 1] == w[k]));
            wrong |= static_cast<std::uint64_t>(!holds);
        });
        unroll<levels>([&](int k) __attribute__((always_inline)) { word_[k][l] = w[k]; });
        wrong_[l] = wrong;
    }

    alignas(64) double word_[levels][slice_rows];
    alignas(64) std::uint64_t lost_[slice_rows];
    alignas(64) std::uint64_t wrong_[slice_rows];
};

}  // namespace residua::blas::detail
