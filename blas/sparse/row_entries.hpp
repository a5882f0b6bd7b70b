#pragma once

#include <residua/arith/base/host_device.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/blas/sparse/stored_rows.hpp>

/// The places of the entries of a row in either storage.
namespace residua::blas::detail {

/// The entries of a row: there are `count`, from `first` on and `step` apart.
struct row_entries {
    index_t first, count, step;

    RESIDUA_HD index_t place(index_t k) const { return first + k * step; }
};

struct csr_rows {
    const index_t* begin;

    RESIDUA_HD row_entries operator()(index_t i) const { return {begin[i], begin[i + 1] - begin[i], 1}; }

    /// The number of places before row i, to divide work; i may be the number of rows.
    index_t before(index_t i) const { return begin[i]; }
};

struct sliced_rows {
    static constexpr index_t rows = sliced_ell<host_executor, double>::slice_rows;
    const index_t* begin;
    const std::int32_t* length;

    RESIDUA_HD row_entries operator()(index_t i) const { return {begin[i / rows] * rows + i % rows, length[i], rows}; }

    /// The number of places before the slice of row i.
    index_t before(index_t i) const { return begin[i / rows] * rows; }
};

template <class Exec, class V>
csr_rows rows_of(const csr<Exec, V>& a)
{
    return csr_rows{a.row_begin().data()};
}

template <class Exec, class V>
sliced_rows rows_of(const sliced_ell<Exec, V>& a)
{
    return sliced_rows{a.slice_begin().data(), a.length().data()};
}

template <class Exec, class V>
stored_rows stored_rows_of(const csr<Exec, V>& a)
{
    return {a.row_begin().data(), nullptr, a.col().data()};
}

template <class Exec, class V>
stored_rows stored_rows_of(const sliced_ell<Exec, V>& a)
{
    static_assert(sliced_ell<Exec, V>::slice_rows == stored_rows::slice_rows);
    return {a.slice_begin().data(), a.length().data(), a.col().data()};
}

}  // namespace residua::blas::detail
