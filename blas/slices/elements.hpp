#pragma once

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/slices/slices.hpp>
#include <residua/io/error.hpp>

/// What a product of slices does to one element, or to a few that lie together, on host and device.
namespace residua::blas::detail {

/// Vectors of binary64: the rows of A or the columns of B in a product A B. Element l of vector i is
/// data[l * along + i * across].
struct sliced_vectors {
    const double* data = nullptr;
    index_t along = 1;
    index_t across = 0;
    index_t count = 0;  ///< of vectors

    RESIDUA_HD double get(index_t l, index_t i) const { return data[l * along + i * across]; }
};

/// What is known of such vectors, in the memory of an executor.
struct slice_exponents {
    int* exponent = nullptr;  ///< of each vector: |x| <= 2^exponent for all of its finite elements
    int* special = nullptr;   ///< of each vector: 1 if not all elements are finite, else 0
};

/// Elements that one call makes, side by side in the slice.
inline constexpr index_t slice_group = 16;

/// Elements and vectors of a slice, which is padded with zeros.
constexpr index_t padded_slice(index_t n) { return (n + slice_group - 1) / slice_group * slice_group; }

/// Writes part of a slice of the vectors: element l of vector i at to[i * ld + l], 0 <= l < ld, of all that lie in the
/// window first, ..., first + length - 1.
template <class T, class Part>
struct make_slice {
    sliced_vectors from;
    slice_exponents known;
    index_t first = 0;
    index_t length = 0;
    index_t ld = 0;
    T* to = nullptr;
    int* found = nullptr;  ///< becomes 1 if something is not zero; not wanted if null
    Part part;

    /// Group k: of vector k % count, so that threads side by side read rows of a column-major matrix side by side.
    RESIDUA_HD void operator()(index_t k) const
    {
        const index_t i = k % from.count;
        const index_t group = k / from.count * slice_group;
        const int e = known.exponent[i];
        bool any = false;
        for (index_t g = 0; g < slice_group; ++g) {
            const index_t l = group + g;
            const double x = l < length ? from.get(first + l, i) : 0.0;
            const double y = x - x == 0.0 ? part(x, e) : 0.0;
            to[i * ld + l] = static_cast<T>(y);
            any |= y != 0.0;
        }
        if (any && found != nullptr) {
#if defined(__CUDA_ARCH__)
            *found = 1;
#else
            __atomic_store_n(found, 1, __ATOMIC_RELAXED);
#endif
        }
    }

    index_t calls() const { return from.count * (ld / slice_group); }
};

/// Digit s as a whole number, or where it stands in the number, over 2^(exponent + 1 - bits).
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

/// What the digits before s leave.
struct rest_part {
    int bits = 0;
    int s = 0;

    RESIDUA_HD double operator()(double x, int e) const { return slice_rest(x, e, bits, s); }
};

/// C, padded, of so many rows: element (i, j) at i + j * ld.
struct sliced_product {
    index_t rows = 0;
    index_t cols = 0;
    index_t ld = 0;

    RESIDUA_HD index_t row(index_t k) const { return k % rows; }
    RESIDUA_HD index_t col(index_t k) const { return k / rows; }
    RESIDUA_HD index_t place(index_t k) const { return row(k) + col(k) * ld; }
    index_t calls() const { return rows * cols; }
};

/// sum_ij <- sum_ij + product_ij 2^shift, of whole numbers.
template <class T>
struct add_whole {
    sliced_product shape;
    const T* product = nullptr;
    std::uint64_t* sum = nullptr;
    int words = 0;
    int shift = 0;

    RESIDUA_HD void operator()(index_t k) const
    {
        const index_t at = shape.place(k);
        long_integer{sum + at, shape.ld * shape.cols, words}.add(static_cast<std::int64_t>(product[at]), shift);
    }
};

/// sum_ij <- sum_ij + product_ij
template <class T>
struct add_rounded {
    sliced_product shape;
    const T* product = nullptr;
    double* sum = nullptr;

    RESIDUA_HD void operator()(index_t k) const
    {
        const index_t at = shape.place(k);
        sum[at] += static_cast<double>(product[at]);
    }
};

/// What c_ij is where row i of A or column j of B has something that is not finite: the sum of the products that have.
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

/// c_ij <- sum_ij 2^(the exponents of row i and column j + scale), from whole numbers or binary64.
template <bool Whole>
struct store_product {
    sliced_product shape;
    std::uint64_t* whole = nullptr;  ///< only read
    const double* rounded = nullptr;
    int words = 0;
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
        const index_t i = shape.row(k);
        const index_t j = shape.col(k);
        const index_t at = shape.place(k);
        const int exponent = of_a.exponent[i] + of_b.exponent[j] + scale;
        double r = 0.0;
        if (of_a.special[i] != 0 || of_b.special[j] != 0) {
            r = special_product(a, b, inner, i, j);
        } else if constexpr (Whole) {
            r = long_integer{whole + at, shape.ld * shape.cols, words}.rounded(exponent);
        } else {
            r = scale_pow2(rounded[at], exponent);
        }
        c[i + j * ldc] = r;
    }
};

}  // namespace residua::blas::detail

/// Calls INSTANTIATE(F) for the functions that make slices of T and add up their products.
#define RESIDUA_FOR_EACH_SLICE_FUNCTION(INSTANTIATE, T) \
    INSTANTIATE(make_slice<T, digit_part>)              \
    INSTANTIATE(make_slice<T, rest_part>)               \
    INSTANTIATE(add_whole<T>)                           \
    INSTANTIATE(add_rounded<T>)
