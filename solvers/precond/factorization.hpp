#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/sparse_direct/device_fronts.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {

using binary64_fronts = multifrontal<host_space<double>>;
using binary32_fronts = multifrontal<host_space<float>>;

/// Factors by fronts, or their transpose, in the memory of a device.
struct device_factors {
    std::shared_ptr<const device_fronts> fronts;
    bool transposed;

    /// x <- inverse(A) x, as device_fronts has it
    void solve(vector<cuda_executor, double>& x) const { fronts->solve(x, transposed); }
};

/// Complete factors. Dense L L' or L U are triangles; sparse factors and L D L' are fronts in binary64 or binary32.
class complete_factors {
public:
    complete_factors() = default;
    explicit complete_factors(triangular_factors dense)
        : failure_(dense.failure), triangles_(std::make_shared<const triangular_factors>(std::move(dense)))
    {}
    explicit complete_factors(std::shared_ptr<const binary64_fronts> sparse)
        : failure_(sparse->failure()), fronts_(std::move(sparse))
    {}
    explicit complete_factors(std::shared_ptr<const binary32_fronts> sparse)
        : failure_(sparse->failure()), fronts_(std::move(sparse))
    {}
    /// No factors, for a reason.
    explicit complete_factors(std::string failure) : failure_(std::move(failure)) {}

    const std::string& failure() const { return failure_; }  ///< why there are no factors; empty if there are
    index_t size() const;
    double entries() const;        ///< how many entries a solve reads
    double lower_entries() const;  ///< how many entries L has, or L and D

    /// v <- inverse(A) v, or inverse(A') v, in binary64, for several vectors together. Each gets the bits that it gets alone.
    /// Safe for concurrent calls by fronts; not by triangles (workspace).
    ///
    /// cost   the entries for each vector; fronts are read once for 16 of them
    void solve(const columns<host_space<double>>& v, bool transposed = false) const;
    void solve(vector<host_executor, double>& v, bool transposed = false) const
    {
        solve(columns<host_space<double>>{&v}, transposed);
    }

    /// Sparse factors in a device's memory. These factors, their copies and their transposes share one while somebody
    /// uses it. Not safe for concurrent calls.
    ///
    /// room     bytes that a new copy may take there
    /// reports  nothing for dense factors, for factors in binary32, and where there is too little room
    /// throws   resource_error if they do not fit all the same, cuda_error if the device fails
    std::optional<device_factors> on_device(const cuda_executor& exec, double room) const;

    /// Whether sparse factors, if they fit, solve sooner on a device than on the host (device_fronts::are_faster).
    bool are_faster_on_device() const;

    /// The determinant of A; empty if there are no factors.
    ///
    /// errors  the error of the factors, and 3 n roundings
    /// cost    n
    std::optional<real> find_determinant() const;

    /// The inertia of A, by fronts; empty for triangles, and where the fronts do not show it.
    std::optional<inertia> find_inertia() const;

    /// The factors as two triangles, for products with vectors of any format. The pivots of fronts are numbered front
    /// by front. D of L D L' becomes a part of both: a pivot of two columns is factorised to L U, its rows exchanged if
    /// the first is the smaller one. For fronts the first call makes the triangles, and is not safe beside others.
    ///
    /// errors  none for L L' and L U; of L D L' each product l d l' has 3 roundings of binary64 more, with the largest
    ///         number of its pivot for d
    /// cost    16 bytes for each entry of L and U that is not a zero of the fronts
    /// throws  resource_error if they do not fit in memory
    const triangular_factors& triangles() const;
    bool are_fronts() const
    {
        return std::visit([](const auto& fronts) { return fronts != nullptr; }, fronts_);
    }

    /// The factors of A'; fronts are shared.
    complete_factors transposed() const;

private:
    struct solver;

    /// The fronts in binary64; null: there are none.
    const binary64_fronts* in_binary64() const
    {
        const auto* const fronts = std::get_if<std::shared_ptr<const binary64_fronts>>(&fronts_);
        return fronts != nullptr ? fronts->get() : nullptr;
    }

    template <class F>
    auto with_fronts(const F& f) const
    {
        return std::visit([&](const auto& fronts) { return f(*fronts); }, fronts_);
    }

    std::string failure_;
    /// Null if the factors are triangles or there are none.
    std::variant<std::shared_ptr<const binary64_fronts>, std::shared_ptr<const binary32_fronts>> fronts_;
    bool fronts_are_transposed_ = false;
    std::shared_ptr<std::weak_ptr<const device_fronts>> copy_ = std::make_shared<std::weak_ptr<const device_fronts>>();
    mutable std::shared_ptr<const triangular_factors> triangles_;
    mutable std::shared_ptr<solver> solver_, transposed_solver_;  ///< by triangles
};

/// The factors of A: fronts in binary64, or in binary32 for fewer bits, if are_made_by_fronts() says so, otherwise by
/// factorize_lu() or factorize_cholesky().
///
/// shapes    A (n x n), for L L' and L D L' symmetric
/// analyses  of A
/// reports   failure()
/// throws    resource_error if they are predicted not to fit in memory; as factorize_lu() and factorize_cholesky()
complete_factors complete_factors_of(const sparse_matrix& a, factor_kind kind, sparse_analyses& analyses,
                                     const factor_options& options = {});

}  // namespace residua
