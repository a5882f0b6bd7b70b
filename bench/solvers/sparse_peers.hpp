#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <residua/io/error.hpp>

#include "sparse_problems.hpp"

namespace residua::bench {

/// The order of the unknowns: METIS's nested dissection, minimum degree, or what the solver takes if it is not told.
enum class sparse_ordering { metis, amd, automatic };

/// What a solver tells about the factors that it has; 0 where it does not say.
struct factor_facts {
    std::string ordering;  ///< the one that was taken
    double entries = 0.0;  ///< of L for a symmetric factorisation, else of L and U
    double flops = 0.0;    ///< of the factorisation, a multiplication and an addition being two
    double bytes = 0.0;    ///< that hold the factors, numbers and indices
};

/// A matrix turned out not to be positive definite.
class not_definite : public error {
public:
    using error::error;
};

/// A direct solver of systems in binary64 that has been given a problem, which outlives it. Its functions are called in this
/// order, solve() as often as there are right-hand sides.
///
/// throws  not_definite, or another error, if there are no factors
class sparse_peer {
public:
    sparse_peer() = default;
    sparse_peer(const sparse_peer&) = delete;
    virtual ~sparse_peer() = default;

    /// All that depends on the pattern alone.
    virtual void analyse() = 0;

    /// The factors.
    virtual void factorise() = 0;

    /// x = A^-1 b by the factors, without refinement. x has n entries already and is not b.
    virtual void solve(const std::vector<double>& b, std::vector<double>& x) = 0;

    /// The same for several right-hand sides, one behind the other in b and x: one after the other, unless the solver
    /// is known to take them together.
    virtual void solve_together(int n, const std::vector<double>& b, std::vector<double>& x)
    {
        for (auto begin = b.begin(); begin != b.end(); begin += n) {
            std::vector<double> x_k(static_cast<std::size_t>(n));
            solve({begin, begin + n}, x_k);
            std::copy(x_k.begin(), x_k.end(), x.begin() + (begin - b.begin()));
        }
    }

    /// Asked for after all times are taken.
    virtual factor_facts facts() const = 0;
};

/// A solver of the list in sparse_bench.cpp. What make() does is not timed: it brings the entries of the problem into
/// the form that the solver wants.
struct sparse_peer_kind {
    std::string_view name;
    bool (*takes)(const sparse_problem& problem);
    std::unique_ptr<sparse_peer> (*make)(const sparse_problem& problem, sparse_ordering ordering);
    double largest_residual = 1e-10;  ///< of a solve with its factors; what is above is a wrong answer
};

/// In residua's own choice of an order.
std::unique_ptr<sparse_peer> make_residua_llt(const sparse_problem& problem, sparse_ordering ordering);
std::unique_ptr<sparse_peer> make_residua_lu(const sparse_problem& problem, sparse_ordering ordering);
std::unique_ptr<sparse_peer> make_residua_llt_binary32(const sparse_problem& problem, sparse_ordering ordering);
std::unique_ptr<sparse_peer> make_residua_lu_binary32(const sparse_problem& problem, sparse_ordering ordering);
std::unique_ptr<sparse_peer> make_cholmod(const sparse_problem& problem, sparse_ordering ordering);
std::unique_ptr<sparse_peer> make_mumps(const sparse_problem& problem, sparse_ordering ordering);
std::unique_ptr<sparse_peer> make_superlu(const sparse_problem& problem, sparse_ordering ordering);
std::unique_ptr<sparse_peer> make_eigen_llt(const sparse_problem& problem, sparse_ordering ordering);
std::unique_ptr<sparse_peer> make_eigen_lu(const sparse_problem& problem, sparse_ordering ordering);

}  // namespace residua::bench
