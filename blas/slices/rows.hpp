#pragma once

#include <residua/arith/base/eft.hpp>
#include <residua/blas/slices/elements.hpp>
#include <residua/blas/sparse/stored_rows.hpp>

/// The steps of a sparse product by slices for one row, or for one element of the product, on host and device. Function
/// objects have work_before(k), the work of their first k calls, so that threads of the host share it evenly.
namespace residua::blas::detail {

/// A sparse matrix of binary64, or a slice of it, which has the pattern of the matrix. Rows is rows_in_storage of its storage.
template <class Rows>
struct sparse_rows {
    Rows rows;
    index_t count = 0;  ///< number of rows
    const double* value = nullptr;

    /// The work before call k, which computes element i + j * count or row k.
    index_t work_before(index_t k) const { return k / count * rows.before(count) + rows.before(k % count); }

    /// Calls f(p, j) for all entries of row i, at place p in column j.
    template <class F>
    RESIDUA_HD void walk(index_t i, const F& f) const
    {
        rows.walk_part(i, 0, rows.count(i), f);
    }
};

/// Exponents and lengths of the rows, in the memory of an executor.
struct row_exponents {
    slice_exponents of;
    int* width = nullptr;   ///< the bits of each row from its exponent down to the last bit of any number
    int* length = nullptr;  ///< the length of each row
};

template <class Rows>
struct look_at_row {
    sparse_rows<Rows> a;
    row_exponents to;

    RESIDUA_HD void operator()(index_t i) const
    {
        seen_numbers seen;
        a.walk(i, [&](index_t p, index_t, index_t) { seen.look(a.value[p]); });
        to.of.exponent[i] = seen.any() ? seen.exponent : 0;
        to.of.special[i] = seen.special ? 1 : 0;
        to.width[i] = seen.any() ? seen.exponent - seen.last : 0;
        to.length[i] = static_cast<int>(a.rows.count(i));
    }

    index_t work_before(index_t k) const { return a.work_before(k); }
};

/// Writes part(x, e) for each entry x of a row with exponent e to the entry's place in `to`.
template <class Rows, class Part>
struct split_row {
    sparse_rows<Rows> a;
    const int* exponent = nullptr;
    double* to = nullptr;
    int* found = nullptr;  ///< becomes 1 if something is not zero
    Part part;

    RESIDUA_HD void operator()(index_t i) const
    {
        const int e = exponent[i];
        bool any = false;
        a.walk(i, [&](index_t p, index_t, index_t) {
            const double x = a.value[p];
            const double y = x - x == 0.0 ? part(x, e) : 0.0;
            to[p] = y;
            any |= y != 0.0;
        });
        if (any) {
            set_flag(found);
        }
    }

    index_t work_before(index_t k) const { return a.work_before(k); }
};

/// The most slices of X that one pass over a slice of A multiplies. 53 bits need no more than three.
inline constexpr int slices_of_pass = 4;

/// Adds products to integers whose words lie `stride` apart; the product with slice g is shifted by shift[g].
struct integer_sums {
    std::uint64_t* words = nullptr;
    index_t stride = 0;
    int count = 0;
    int shift[slices_of_pass] = {};

    RESIDUA_HD void add(index_t k, int g, double product) const
    {
        if (product != 0.0) {
            long_integer{words + k, stride, count}.add(static_cast<std::int64_t>(product), shift[g]);
        }
    }
};

/// Adds products to sums in binary64.
struct binary64_sums {
    double* sum = nullptr;

    RESIDUA_HD void add(index_t k, int, double product) const { sum[k] += product; }
};

/// Adds the products of a slice of A and some slices of X to element i + j * a.count. Sums of `length` terms are exact.
template <class Rows, class Sums>
struct add_row_products {
    sparse_rows<Rows> a;
    const double* x[slices_of_pass] = {};
    int slices = 0;
    index_t ldx = 0;
    index_t length = 0;
    Sums sums;

    RESIDUA_HD void operator()(index_t k) const
    {
        switch (slices) {
            case 1:
                return add<1>(k);
            case 2:
                return add<2>(k);
            case 3:
                return add<3>(k);
            default:
                return add<slices_of_pass>(k);
        }
    }

    index_t work_before(index_t k) const { return a.work_before(k); }

private:
    template <int Slices>
    RESIDUA_HD void add(index_t k) const
    {
        const split_index at(k, a.count);
        const index_t entries = a.rows.count(at.rest);
        const index_t column = at.quotient * ldx;
        for (index_t first = 0; first < entries; first += length) {
            const index_t end = entries - first < length ? entries : first + length;
            double product[Slices] = {};
            a.rows.walk_part(at.rest, first, end, [&](index_t p, index_t j, index_t) {
                const double y = a.value[p];
                const index_t from = column + j;
                for (int g = 0; g < Slices; ++g) {
                    product[g] += mul_rn(y, x[g][from]);
                }
            });
            for (int g = 0; g < Slices; ++g) {
                sums.add(k, g, product[g]);
            }
        }
    }
};

/// rest_k <- rest_k + the products of row i of A and column j of X, one after the other, k = i + j * a.count.
template <class Rows>
struct add_row_rests {
    sparse_rows<Rows> a;
    const double* x = nullptr;
    index_t ldx = 0;
    double* rest = nullptr;

    RESIDUA_HD void operator()(index_t k) const
    {
        const split_index at(k, a.count);
        const double* const column = x + at.quotient * ldx;
        double sum = rest[k];
        a.walk(at.rest, [&](index_t p, index_t j, index_t) { sum += mul_rn(a.value[p], column[j]); });
        rest[k] = sum;
    }

    index_t work_before(index_t k) const { return a.work_before(k); }
};

/// y_ij <- sum_k 2^(the exponents of row i and column j + scale), k = i + j * a.count. If products of the row have
/// factors that are not finite, y_ij is the sum of these products.
template <class Rows, class Sum>
struct store_row {
    sparse_rows<Rows> a;
    sliced_vectors x;
    slice_exponents of_a;
    slice_exponents of_x;
    Sum sum;
    int scale = 0;
    double* y = nullptr;
    index_t ldy = 0;

    RESIDUA_HD void operator()(index_t k) const
    {
        const split_index at(k, a.count);
        const index_t i = at.rest;
        const index_t j = at.quotient;
        double value = sum.get(k, of_a.exponent[i] + of_x.exponent[j] + scale);
        if (of_a.special[i] != 0 || of_x.special[j] != 0) {
            double special = 0.0;
            bool any = false;
            a.walk(i, [&](index_t p, index_t l, index_t) {
                const double b = a.value[p];
                const double c = x.get(l, j);
                if (!(b - b == 0.0) || !(c - c == 0.0)) {
                    special += b * c;
                    any = true;
                }
            });
            value = any ? special : value;
        }
        y[i + j * ldy] = value;
    }

    index_t work_before(index_t k) const { return a.work_before(k); }
};

}  // namespace residua::blas::detail

/// Calls INSTANTIATE(F) for the function objects of a product of a sparse matrix with rows of Rows.
#define RESIDUA_FOR_EACH_ROW_FUNCTION(INSTANTIATE, Rows) \
    INSTANTIATE(look_at_row<Rows>)                       \
    INSTANTIATE(split_row<Rows, digit_part>)             \
    INSTANTIATE(split_row<Rows, rest_part>)              \
    INSTANTIATE(add_row_products<Rows, integer_sums>)    \
    INSTANTIATE(add_row_products<Rows, binary64_sums>)   \
    INSTANTIATE(add_row_rests<Rows>)                     \
    INSTANTIATE(store_row<Rows, integer_sum>)            \
    INSTANTIATE(store_row<Rows, rounded_slices<double>>)
