#pragma once

#include <cstdint>

#include <residua/arith/base/host_device.hpp>
#include <residua/io/error.hpp>

/// The walker of sparse rows: what sums a row of A times x gives it one step, which adds the product of an entry.
namespace residua::blas::detail {

/// The entries of a matrix and their columns. Slices names the storage at compile time: 1 means slices, 0 compressed rows. With -1
/// the storage is found at run time.
template <int Slices>
struct rows_in_storage {
    static constexpr index_t slice_rows = 32;

    /// The column of an entry, and its number where that is binary64.
    struct entry {
        std::int32_t col;
        double binary64;
    };

    const index_t* begin = nullptr;        ///< of rows, or of slices
    const std::int32_t* length = nullptr;  ///< the lengths of rows if there are slices, otherwise null
    const std::int32_t* col = nullptr;

    RESIDUA_HD bool has_slices() const { return Slices < 0 ? length != nullptr : Slices == 1; }

    /// The entries of row i lie at first(i), first(i) + step(), ..., count(i) of them.
    RESIDUA_HD index_t first(index_t i) const
    {
        return has_slices() ? begin[i / slice_rows] * slice_rows + i % slice_rows : begin[i];
    }
    RESIDUA_HD index_t count(index_t i) const { return has_slices() ? length[i] : begin[i + 1] - begin[i]; }
    RESIDUA_HD index_t step() const { return has_slices() ? slice_rows : 1; }

    /// The number of places in rows, or in slices, that begin before row i, to divide work; i may be the number of rows.
    RESIDUA_HD index_t before(index_t i) const
    {
        return has_slices() ? begin[(i + slice_rows - 1) / slice_rows] * slice_rows : begin[i];
    }

    /// Calls f(p, j) for the entries of row i from left to right; p is the place of an entry and j its column.
    template <class F>
    RESIDUA_HD void walk(index_t i, const F& f) const
    {
        const index_t apart = step();
        index_t p = first(i);
        RESIDUA_KEEP_LOOP
        for (index_t left = count(i); left > 0; --left, p += apart) {
            f(p, index_t{col[p]});
        }
    }

    /// Calls f(p, j, k), as walk() does, for entries number k, ..., end - 1, in a loop that kernels may unroll, for steps of few
    /// instructions.
    template <class F>
    RESIDUA_HD void walk_part(index_t i, index_t k, index_t end, const F& f) const
    {
        const index_t apart = step();
        const index_t start = first(i);
        for (; k < end; ++k) {
            const index_t p = start + k * apart;
            f(p, index_t{col[p]}, k);
        }
    }

    /// What a triangle has of row i: f(p, j) is called for the entries beside the diagonal from left to right, and
    /// diagonal(p) for the one on it.
    template <class F, class Diagonal>
    RESIDUA_HD void walk_triangle(index_t i, bool lower, const F& f, const Diagonal& diagonal) const
    {
        walk_part(
            i, 0, count(i), [&](index_t p, index_t j, index_t) __attribute__((always_inline)) {
                if (j == i) {
                    diagonal(p);
                } else if ((j < i) == lower) {
                    f(p, j);
                }
            });
    }

    /// Calls f(p, e) for the entries of row i from left to right. The entry after e is read before f is called, by pointers
    /// of its own if ByPointers. Entries have their number in `binary64`, which is null if they are of another format.
    template <bool Binary64, bool ByPointers, class F>
    RESIDUA_HD void walk_ahead(index_t i, const double* binary64, const F& f) const
    {
        const auto read = [&](index_t p) { return entry{col[p], Binary64 ? binary64[p] : 0.0}; };
        const index_t apart = step();
        index_t p = first(i);
        entry next{};
        const auto entries = static_cast<std::int32_t>(count(i));
        if (entries > 0) {
            next = read(p);
        }
        const std::int32_t* next_col = col + p;
        const double* next_number = Binary64 ? binary64 + p : nullptr;
        RESIDUA_KEEP_LOOP
        for (std::int32_t left = entries; left > 0; --left, p += apart) {
            const entry now = next;
            if (left > 1) {
                if constexpr (ByPointers) {
                    next_col += apart;
                    next_number += Binary64 ? apart : 0;
                    next = {*next_col, Binary64 ? *next_number : 0.0};
                } else {
                    next = read(p + apart);
                }
            }
            f(p, now);
        }
    }
};

using stored_rows = rows_in_storage<-1>;
using compressed_rows = rows_in_storage<0>;
using sliced_rows = rows_in_storage<1>;

/// The rows of a csr or a sliced_ell.
template <int Slices = -1, class A>
rows_in_storage<Slices> rows_of(const A& a)
{
    if constexpr (requires { a.slice_begin(); }) {
        static_assert(A::slice_rows == stored_rows::slice_rows);
        return {a.slice_begin().data(), a.length().data(), a.col().data()};
    } else {
        return {a.row_begin().data(), nullptr, a.col().data()};
    }
}

}  // namespace residua::blas::detail
