#pragma once

#include <limits>

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/slices/slices.hpp>
#include <residua/io/error.hpp>

/// The steps of a product by slices for one element, or for a few that lie together, on host and device.
namespace residua::blas::detail {

/// Vectors of binary64: the rows of A or the columns of B in a product A B. Element l of vector i is
/// data[l * along + i * across].
struct sliced_vectors {
    const double* data = nullptr;
    index_t along = 1;
    index_t across = 0;
    index_t count = 0;  ///< number of vectors

    RESIDUA_HD double get(index_t l, index_t i) const { return data[l * along + i * across]; }
};

/// The exponents of vectors, and which have special elements, in the memory of an executor.
struct slice_exponents {
    int* exponent = nullptr;  ///< the exponent of each vector: |x| <= 2^exponent for all of its finite elements
    int* special = nullptr;   ///< for each vector, 1 if not all of its elements are finite, otherwise 0
};

/// The exponents that some numbers have in common; look() takes one number after the other.
struct seen_numbers {
    int exponent = exponent_of_zero;             ///< |x| < 2^exponent for all finite numbers
    int last = std::numeric_limits<int>::max();  ///< the exponent of their lowest bit
    bool special = false;                        ///< whether not all numbers are finite

    RESIDUA_HD void look(double x)
    {
        if (!(x - x == 0.0)) {
            special = true;
        } else if (x != 0.0) {
            const int e = floor_log2(x) + 1;
            const int low = last_bit_exponent(x);
            exponent = e > exponent ? e : exponent;
            last = low < last ? low : last;
        }
    }

    /// Whether a number was finite and not zero.
    RESIDUA_HD bool any() const { return exponent != exponent_of_zero; }
};

/// flag <- 1; several threads may do so at the same time.
RESIDUA_HD void set_flag(int* flag)  // NOLINT(readability-non-const-parameter): it is stored to
{
#if defined(__CUDA_ARCH__)
    *flag = 1;
#else
    __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
#endif
}

/// The number of elements that one call makes, which lie side by side in the slice.
inline constexpr index_t slice_group = 16;

/// The number of elements, or of vectors, of a slice with its padding: n rounded up to whole groups.
RESIDUA_HD constexpr index_t padded_slice(index_t n) { return (n + slice_group - 1) / slice_group * slice_group; }

/// k = quotient * d + rest. Where 32 bits suffice they are used, which is four times as fast on a device.
struct split_index {
    index_t quotient;
    index_t rest;

    RESIDUA_HD split_index(index_t k, index_t d)
    {
        if (((k | d) >> 32) == 0) {
            quotient = static_cast<std::uint32_t>(k) / static_cast<std::uint32_t>(d);
        } else {
            quotient = k / d;
        }
        rest = k - quotient * d;
    }
};

/// Writes a slice of vectors. to[i * ld + l] is part(x, e) for element x = first + l, l < length, of vector i, which
/// has exponent e. Zeros follow up to ld, and up to a whole group of vectors if pads_vectors.
template <class T, class Part>
struct make_slice {
    sliced_vectors from;
    slice_exponents known;
    index_t first = 0;
    index_t length = 0;
    index_t ld = 0;
    bool pads_vectors = true;
    T* to = nullptr;
    int* found = nullptr;  ///< may be null; becomes 1 if something is not zero
    Part part;

    /// Writes group k. Neighbouring calls read and write neighbouring memory, as far as both are possible.
    RESIDUA_HD void operator()(index_t k) const
    {
        const index_t groups = ld / slice_group;
        const bool along = from.along == 1;
        const split_index at(k, along ? groups : padded());
        const index_t i = along ? at.quotient : at.rest;
        const index_t begin = (along ? at.rest : at.quotient) * slice_group;
        const index_t there = i < from.count ? length : 0;
        const int e = there > 0 ? known.exponent[i] : 0;
        bool any = false;
        constexpr int pack_size = 16 / static_cast<int>(sizeof(T));
        struct alignas(16) pack {
            T value[pack_size];
        };
        auto* const packs = reinterpret_cast<pack*>(to + i * ld + begin);
        for (int g = 0; g < slice_group / pack_size; ++g) {
            pack written;
            for (int lane = 0; lane < pack_size; ++lane) {
                const index_t l = begin + g * pack_size + lane;
                const double x = l < there ? from.get(first + l, i) : 0.0;
                const double y = x - x == 0.0 ? part(x, e) : 0.0;
                written.value[lane] = static_cast<T>(y);
                any |= y != 0.0;
            }
            packs[g] = written;
        }
        if (any && found != nullptr) {
            set_flag(found);
        }
    }

    index_t calls() const { return padded() * (ld / slice_group); }

private:
    RESIDUA_HD index_t padded() const { return pads_vectors ? padded_slice(from.count) : from.count; }
};

/// Digit s as an integer or, if in_place, as its part of the number over 2^(exponent + 1 - bits).
struct digit_part {
    int bits = 0;
    int s = 0;
    bool in_place = false;

    RESIDUA_HD double operator()(double x, int e) const
    {
        const double digit = slice_digit(x, e, bits, s);
        return in_place ? scale_pow2(digit, -bits * s) : digit;
    }
};

/// The rest of a number without its digits before digit s.
struct rest_part {
    int bits = 0;
    int s = 0;

    RESIDUA_HD double operator()(double x, int e) const { return slice_rest(x, e, bits, s); }
};

/// The shape of a padded C: element (i, j) is at i + j * ld.
struct sliced_product {
    index_t rows = 0;
    index_t cols = 0;
    index_t ld = 0;

    index_t padded() const { return ld * cols; }
};

/// sum_k <- sum_k + product_k 2^shift, where the words of an integer sum lie `stride` apart.
template <class T>
struct add_integers {
    const T* product = nullptr;
    std::uint64_t* sum = nullptr;
    index_t stride = 0;
    int words = 0;
    int shift = 0;

    RESIDUA_HD void operator()(index_t k) const
    {
        long_integer{sum + k, stride, words}.add(static_cast<std::int64_t>(product[k]), shift);
    }
};

/// sum_k <- sum_k + product_k
template <class T>
struct add_rounded {
    const T* product = nullptr;
    double* sum = nullptr;

    RESIDUA_HD void operator()(index_t k) const { sum[k] += static_cast<double>(product[k]); }
};

/// c_ij for a row i of A or a column j of B that is not all finite: the sum of the products with such elements.
RESIDUA_HD double special_product(const sliced_vectors& a, const sliced_vectors& b, index_t n, index_t i, index_t j)
{
    double sum = 0.0;
    for (index_t l = 0; l < n; ++l) {
        const double x = a.get(l, i);
        const double y = b.get(l, j);
        if (!(x - x == 0.0) || !(y - y == 0.0)) {
            sum += x * y;
        }
    }
    return sum;
}

/// c_ij <- sum_ij 2^(the exponents of row i and column j + scale). sum.get() scales it, and rounds it once.
template <class Sum>
struct store_product {
    sliced_product shape;
    Sum sum;
    int scale = 0;
    sliced_vectors a;
    sliced_vectors b;
    slice_exponents of_a;
    slice_exponents of_b;
    index_t inner = 0;
    double* c = nullptr;
    index_t ldc = 0;

    RESIDUA_HD void operator()(index_t k) const
    {
        const split_index at(k, shape.ld);
        const index_t i = at.rest;
        const index_t j = at.quotient;
        if (i < shape.rows) {
            const bool special = of_a.special[i] != 0 || of_b.special[j] != 0;
            c[i + j * ldc] =
                special ? special_product(a, b, inner, i, j) : sum.get(k, of_a.exponent[i] + of_b.exponent[j] + scale);
        }
    }
};

/// Sums of products of slices as long integers.
struct integer_sum {
    std::uint64_t* words = nullptr;  ///< these are only read
    index_t stride = 0;
    int count = 0;

    RESIDUA_HD double get(index_t k, int scale) const { return long_integer{words + k, stride, count}.rounded(scale); }
};

/// A sum of products of slices in up to three parts: a sum in binary64, an exact product in T, and the rests in T.
template <class T>
struct rounded_slices {
    const double* before = nullptr;
    const T* product = nullptr;
    const T* rest = nullptr;

    RESIDUA_HD double get(index_t k, int scale) const
    {
        const double small = static_cast<double>(rest[k]) + (before == nullptr ? 0.0 : before[k]);
        return scale_pow2(small + (product == nullptr ? 0.0 : static_cast<double>(product[k])), scale);
    }
};

}  // namespace residua::blas::detail

/// Calls INSTANTIATE(F) for the functions that make slices of T and add up their products.
#define RESIDUA_FOR_EACH_SLICE_FUNCTION(INSTANTIATE, T) \
    INSTANTIATE(make_slice<T, digit_part>)              \
    INSTANTIATE(make_slice<T, rest_part>)               \
    INSTANTIATE(add_integers<T>)                        \
    INSTANTIATE(add_rounded<T>)                         \
    INSTANTIATE(store_product<rounded_slices<T>>)
