#pragma once

#include <memory>
#include <optional>
#include <string>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/sparse_direct/device_fronts.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {

using binary64_fronts = multifrontal<host_space<double>>;

/// The factors of A by fronts.
///
/// symmetric   L L' and not L U; A is symmetric
/// throws      resource_error if they are predicted not to fit in memory
binary64_fronts binary64_fronts_of(const sparse_rows& a, bool symmetric);

/// The same factors as triangles, for products with vectors of any format: the pivots are numbered front by front.
///
/// cost   16 bytes for each entry of L and U that is not a zero of the fronts
triangular_factors triangles_of(const binary64_fronts& fronts);

/// Factors by fronts, or their transpose, in the memory of a device.
struct device_factors {
    std::shared_ptr<const device_fronts> fronts;
    bool transposed;

    /// x <- inverse(A) x, as device_fronts has it
    void solve(vector<cuda_executor, double>& x) const { fronts->solve(x, transposed); }
};

/// LU or Cholesky factors of the whole matrix: dense ones are triangles, sparse ones fronts.
class complete_factors {
public:
    complete_factors() = default;
    explicit complete_factors(triangular_factors dense)
        : failure_(dense.failure), triangles_(std::make_shared<const triangular_factors>(std::move(dense)))
    {}
    explicit complete_factors(std::shared_ptr<const binary64_fronts> sparse)
        : failure_(sparse->failure()), fronts_(std::move(sparse))
    {}
    /// None, for a reason.
    explicit complete_factors(std::string failure) : failure_(std::move(failure)) {}

    const std::string& failure() const { return failure_; }  ///< why there are no factors; empty if there are
    index_t size() const { return fronts_ ? fronts_->size() : triangles_ ? triangles_->lower.n : 0; }
    double entries() const;        ///< that solves read
    double lower_entries() const;  ///< of L alone

    /// v <- inverse(A) v, or inverse(A') v, in binary64, for several vectors together. Each gets the bits that it gets alone.
    /// Safe for concurrent calls by fronts; not by triangles (workspace).
    ///
    /// cost   the entries for each vector; fronts are read once for 16 of them
    void solve(const columns<host_space<double>>& v, bool transposed = false) const;
    void solve(vector<host_executor, double>& v, bool transposed = false) const
    {
        solve(columns<host_space<double>>{&v}, transposed);
    }

    /// Sparse factors in a device's memory, of which these factors and their copies and transposes have one while somebody
    /// uses it. Calls at the same time are not safe.
    ///
    /// room     bytes that a new copy may take there
    /// reports  nothing for dense factors, and where there is too little room
    /// throws   resource_error if they do not fit all the same, cuda_error if the device fails
    std::optional<device_factors> on_device(const cuda_executor& exec, double room) const;

    /// Whether sparse factors solve sooner there, if they have room, than on the host (device_fronts::are_faster).
    bool are_faster_on_device() const;

    /// Of A; empty if there are no factors.
    ///
    /// errors  that of the factors, and 3 n roundings
    /// cost    n
    std::optional<real> find_determinant() const;

    /// The factors as triangles. The first call makes those of sparse factors, and is not safe beside other calls.
    ///
    /// throws  resource_error if they do not fit in memory
    const triangular_factors& triangles() const;
    bool are_fronts() const { return fronts_ != nullptr; }

    /// Of A'; sparse factors are shared.
    complete_factors transposed() const;

private:
    struct solver;

    std::string failure_;
    std::shared_ptr<const binary64_fronts> fronts_;
    bool fronts_are_transposed_ = false;
    std::shared_ptr<std::weak_ptr<const device_fronts>> copy_ = std::make_shared<std::weak_ptr<const device_fronts>>();
    mutable std::shared_ptr<const triangular_factors> triangles_;
    mutable std::shared_ptr<solver> solver_, transposed_solver_;  ///< by triangles
};

}  // namespace residua
