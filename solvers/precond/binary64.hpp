#pragma once

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/blas/base/matrix.hpp>
#include <residua/solvers/precond/factorization.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/convert.hpp>
#include <residua/solvers/space/vector_space.hpp>
#include <residua/solvers/sparse_direct/device_fronts.hpp>

namespace residua {

/// y = M x by way of binary64, for vectors of any space: x is rounded to binary64, factors apply M, and y is exactly the
/// result. Refinement needs no more of M. For vectors of a device sparse factors are copied there. Where they have no room,
/// and on request, the host solves, and vectors of binary64 go there and back.
///
/// cost   the entries of L and U in binary64, 2 conversions; not safe for concurrent calls (workspace)
/// order  as multifrontal for sparse factors, wherever they solve, as triangular_preconditioner for others; a vector
///        gets the same bits alone and together with others
template <array_space S>
class binary64_preconditioner {
public:
    using vector = typename S::vector;

    /// The factors must outlive the object.
    ///
    /// room           bytes of the device's memory that sparse factors may take
    /// solve_on_host  for vectors of a device the host solves with triangles, unless the device takes them by blocks
    binary64_preconditioner(const S& space, const factorization& factors,
                            [[maybe_unused]] double room = std::numeric_limits<double>::infinity(),
                            [[maybe_unused]] bool solve_on_host = false)
        : there_{space.exec},
          factors_(factors),
          x_(there_.make_vector(factors.size())),
          y_(there_.make_vector(factors.size()))
    {
        if (!factors.are_fronts()) {
            triangles_.emplace(there_, factors.triangles(), solve_on_host);
        } else if constexpr (!S::on_host) {
            on_device_ = factors.on_device(there_.exec, room);
        }
    }

    void apply(const S& space, const vector& x, vector& y) const
    {
        convert(space, x, there_, x_);
        if (triangles_) {
            triangles_->apply(there_, x_, y_);
            convert(there_, y_, space, y);
        } else if constexpr (S::on_host) {
            factors_.solve(x_);
            convert(there_, x_, space, y);
        } else if (on_device_) {
            on_device_->solve(x_, factors_.is_transposed());
            convert(there_, x_, space, y);
        } else {
            auto here = there_.fetched(x_);
            factors_.solve(here);
            x_ = there_.placed(std::move(here));
            convert(there_, x_, space, y);
        }
    }

    /// Y = M X for several vectors. The factors are read once for all of them, fronts once for 16.
    void apply_together(const S& space, const const_columns<S>& x, const columns<S>& y) const
        requires S::on_host
    {
        if (x.empty()) {
            return;
        }
        if (!triangles_) {
            std::vector<typename binary64::vector> v;
            columns<binary64> all;
            for (const vector* each : x) {
                v.push_back(there_.make_vector(factors_.size()));
                convert(space, *each, there_, v.back());
            }
            std::transform(v.begin(), v.end(), std::back_inserter(all), [](auto& each) { return &each; });
            factors_.solve(all);
            for (std::size_t j = 0; j < y.size(); ++j) {
                convert(there_, v[j], space, *y[j]);
            }
            return;
        }
        const index_t n = x_.size();
        const auto count = static_cast<index_t>(x.size());
        matrix<host_executor, double> all(count, n), work(count, n);
        for (index_t j = 0; j < count; ++j) {
            convert(space, *x[j], there_, x_);
            for (index_t i = 0; i < n; ++i) {
                all.set(j, i, x_.get(i));
            }
        }
        triangles_->apply_to_rows(all.view(), work.view());
        for (index_t j = 0; j < count; ++j) {
            for (index_t i = 0; i < n; ++i) {
                y_.set(i, all.get(j, i));
            }
            convert(there_, y_, space, *y[j]);
        }
    }

private:
    using binary64 = blas_space<std::remove_const_t<decltype(S::exec)>, double>;

    binary64 there_;
    const factorization& factors_;
    std::optional<triangular_preconditioner<binary64>> triangles_;  ///< empty: the fronts solve
    std::shared_ptr<const device_fronts> on_device_;                ///< null: the host solves
    mutable typename binary64::vector x_, y_;
};

}  // namespace residua
