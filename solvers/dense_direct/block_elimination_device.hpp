#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include <residua/blas/level1/elementwise.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/dense_direct/block_elimination_search.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>

/// The steps of block_elimination that a device has kernels for. Included where it is instantiated.
namespace residua {

template <array_space S>
bool block_elimination<S>::cholesky_columns(view a, index_t begin, index_t end)
    requires(!S::on_host)
{
    io::ask_for_stop();
    detail::eliminate_definite_columns(space_.exec, a, begin, end, panel_memory_);
    return !detail::definite_columns_failed();  // as far as the device has come: nobody waits
}

template <array_space S>
index_t block_elimination<S>::lu_columns(view a, index_t begin, index_t end)
    requires(!S::on_host)
{
    index_t k = begin;
    for (index_t last = end; k < last;) {
        io::ask_for_stop();
        const std::vector<index_t> found =
            detail::eliminate_columns(space_.exec, a, candidates_, begin, k, last, end, panel_memory_);
        std::copy(found.begin(), found.end(), pivots_.row_swap.begin() + k);
        k += static_cast<index_t>(found.size());
        if (k < last) {
            move_behind(a, k, 1, last);
            --last;
        }
    }
    return k - begin;
}

template <array_space S>
void block_elimination<S>::swap_rows(view x, const std::vector<index_t>& row_swap, index_t begin, index_t end)
    requires(!S::on_host)
{
    detail::swap_rows(space_.exec, x, row_swap, begin, end);
}

template <array_space S>
detail::pivot_place block_elimination<S>::find_pivot(view a, index_t begin, index_t end)
    requires(!S::on_host)
{
    const auto candidates = detail::candidates_of(space_.exec, a, begin, end, symmetric_memory_);
    const auto found = detail::find_pivot(space_.host_counterpart(), threshold_, candidates, 0, candidates.cols);
    return {found.size, begin + found.first, begin + found.second};
}

template <array_space S>
void block_elimination<S>::eliminate(view a, index_t k, index_t size, index_t end)
    requires(!S::on_host)
{
    detail::eliminate_symmetric(space_.exec, a, k, size, end, symmetric_memory_);
}

template <array_space S>
void block_elimination<S>::swap_symmetric(view a, index_t begin, index_t p, index_t q)
    requires(!S::on_host)
{
    detail::swap_symmetric(space_.exec, a, begin, p, q);
}

template <array_space S>
void block_elimination<S>::move_symmetric(view a, const std::vector<index_t>& from)
    requires(!S::on_host)
{
    detail::move_symmetric(space_.exec, a, from);
}

template <array_space S>
auto block_elimination<S>::sizes_of_columns(view a, index_t begin, index_t end)
    requires(!S::on_host)
{
    const index_t n = end - begin;
    return [begin, found = detail::find_sizes_beside(space_.exec, a.block(begin, begin, n, n))](index_t j) {
        const index_t row = found.row[static_cast<std::size_t>(j - begin)];
        return column_sizes{{abs(found.size.get(j - begin, 0)), row < 0 ? row : begin + row},
                            abs(found.size.get(j - begin, 1))};
    };
}

template <array_space S>
void block_elimination<S>::times_pivots(view a, index_t begin, view l, view v)
    requires(!S::on_host)
{
    detail::times_pivots(space_.exec, a.block(begin, begin, l.cols, l.cols), symmetric_memory_.is_pair.data() + begin,
                         l, v);
}

template <array_space S>
index_t block_elimination<S>::ldl_on_host(view a, index_t begin)
    requires(!S::on_host)
{
    const auto on_host = space_.host_counterpart();
    const index_t m = a.rows - begin, n = a.cols - begin;
    const auto copy = [&](view from, view to) {
        for (index_t j = 0; j < n; ++j) {
            blas::copy(space_.exec, from.column(j), to.column(j));
        }
    };
    const view rest = a.block(begin, begin, m, n);
    auto there = space_.make_matrix(m, n);
    copy(rest, there.view());
    auto here = to_host(space_.exec, there);
    block_elimination<std::remove_const_t<decltype(on_host)>> elimination(on_host);
    elimination.threshold_ = threshold_;
    elimination.ldl_ = {0, std::vector<index_t>(ldl_.column.begin() + begin, ldl_.column.end()),
                        std::vector<char>(static_cast<std::size_t>(n), 0)};
    const index_t found = elimination.ldl_columns(here.view(), 0, n);
    if (found == 0) {
        return 0;
    }
    std::copy(elimination.ldl_.column.begin(), elimination.ldl_.column.end(), ldl_.column.begin() + begin);
    std::copy(elimination.ldl_.is_pair.begin(), elimination.ldl_.is_pair.end(), ldl_.is_pair.begin() + begin);
    there = to_device(space_.exec, here);
    copy(there.view(), rest);
    buffer<host_executor, char> is_pair(a.cols);
    std::copy(ldl_.is_pair.begin(), ldl_.is_pair.end(), is_pair.data());
    symmetric_memory_.is_pair = to_device(space_.exec, is_pair);
    return found;
}

}  // namespace residua
