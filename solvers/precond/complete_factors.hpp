#pragma once

#include <memory>
#include <optional>
#include <string>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {

using binary64_fronts = multifrontal<host_space<double>>;

/// The factors of A by fronts.
///
/// shapes   A (n x n), for L L' and L D L' symmetric
/// throws   resource_error if they are predicted not to fit in memory
binary64_fronts binary64_fronts_of(const sparse_rows& a, factor_kind kind);

/// The same factors as two triangles, for products with vectors of any format: the pivots are numbered front by front. D of
/// L D L' becomes a part of both: a pivot of two columns is factorised to L U itself, with its rows exchanged if the
/// first is the smaller one.
///
/// errors  none for L L' and L U; of L D L' each product l d l' has 3 roundings more, with the largest number of its pivot
///         for d
/// cost    16 bytes for each entry of L and U that is not a zero of the fronts
triangular_factors triangles_of(const binary64_fronts& fronts);

/// Factors of the whole matrix: dense ones, L L' or L U, are triangles, sparse ones, L D L' too, fronts.
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
    bool interrupted() const { return fronts_ && fronts_->interrupted(); }
    index_t size() const { return fronts_ ? fronts_->size() : triangles_ ? triangles_->lower.n : 0; }
    double entries() const;        ///< that solves read
    double lower_entries() const;  ///< of L alone, or of L and D

    /// v <- inverse(A) v, or inverse(A') v, in binary64, for several vectors together. Each gets the bits that it gets alone.
    /// Safe for concurrent calls by fronts; not by triangles (workspace).
    ///
    /// cost   the entries for each vector; fronts are read once for 16 of them
    void solve(const columns<host_space<double>>& v, bool transposed = false) const;
    void solve(vector<host_executor, double>& v, bool transposed = false) const
    {
        solve(columns<host_space<double>>{&v}, transposed);
    }

    /// Of A; empty if there are no factors.
    ///
    /// errors  that of the factors, and 3 n roundings
    /// cost    n
    std::optional<real> find_determinant() const;

    /// Of A, by fronts; empty for triangles, and where they have none.
    std::optional<inertia> find_inertia() const { return fronts_ ? fronts_->find_inertia() : std::optional<inertia>(); }

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
    mutable std::shared_ptr<const triangular_factors> triangles_;
    mutable std::shared_ptr<solver> solver_, transposed_solver_;  ///< by triangles
};

}  // namespace residua
