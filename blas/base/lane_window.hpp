#pragma once

#include <algorithm>
#include <type_traits>

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas::detail {

/// Elements i, ..., i + Lanes - 1 of a vector for a SIMD loop of constant length. If fewer are
/// left, the window is a copy of them, filled up with zeros.
template <class T, index_t Lanes>
class lane_window {
public:
    using view_type = vector_view<host_executor, T>;

    lane_window(const view_type& x, index_t i, index_t count)
    {
        if (count == Lanes) {
            window_ = x.part(i, i + Lanes);
        } else {
            copy_in(x, i, count);
        }
    }

    lane_window(const lane_window&) = delete;
    lane_window& operator=(const lane_window&) = delete;

    view_type view() const { return window_; }

    /// Brings the elements back to where they came from, if they were copied.
    void write_back(const view_type& x, index_t i, index_t count) const
        requires(!std::is_const_v<T>)
    {
        if (count != Lanes) {
            copy_out(x, i, count);
        }
    }

private:
    // Once per vector at most: kept out of the loops.
    __attribute__((noinline)) void copy_out(const view_type& x, index_t i, index_t count) const
    {
        for (int k = 0; k < view_type::terms; ++k) {
            std::copy_n(copy_ + k * Lanes, count, x.plane(k) + i);
        }
    }

    __attribute__((noinline)) void copy_in(const view_type& x, index_t i, index_t count)
    {
        for (int k = 0; k < view_type::terms; ++k) {
            std::fill_n(copy_ + k * Lanes, Lanes, 0.0);
            std::copy_n(x.plane(k) + i, count, copy_ + k * Lanes);
        }
        window_ = {{copy_, Lanes}, Lanes};
    }

    view_type window_;
    alignas(64) double copy_[view_type::terms * Lanes];
};

}  // namespace residua::blas::detail
