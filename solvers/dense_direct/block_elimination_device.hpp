#pragma once

#include <algorithm>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
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
void block_elimination<S>::swap_rows(view x, index_t begin, index_t end)
    requires(!S::on_host)
{
    detail::swap_rows(space_.exec, x, pivots_.row_swap, begin, end);
}

}  // namespace residua
