#pragma once

#include <functional>
#include <string>
#include <vector>

#include <residua/solvers/base/space.hpp>

namespace residua {

/// Dense factors of A in the format of a space on the host: L L' or P A = L U.
template <vector_space S>
class dense_factors {
public:
    using matrix = typename S::matrix;
    using vector = typename S::vector;

    /// Factorises A, which becomes the factors. Cholesky is tried first if `symmetric`; it needs
    /// half the work, and its failure shows that A is not positive definite.
    ///
    /// shapes   A (n x n)
    /// errors   normwise backward stable: (A + E) x = b with ||E|| of the order of
    ///          n 2^-p rho ||A||, rho the growth of LU with partial pivoting [Higham02, Thm 9.5];
    ///          Cholesky without rho [Higham02, Thm 10.4]
    /// cost     n^3/3 multiply-adds, half of them for Cholesky; in place
    /// reports  failure() if a pivot vanishes or is not finite: A is singular to working precision;
    ///          interrupted() if `stop` became true
    /// order    elementwise updates in a fixed order: bitwise the same for any number of threads
    dense_factors(const S& space, matrix a, bool symmetric, const std::function<bool()>& stop);

    const std::string& failure() const { return failure_; }
    bool interrupted() const { return interrupted_; }
    bool is_cholesky() const { return cholesky_; }

    /// x <- inverse(A) x, or inverse(A') x
    void solve(vector& x, bool transposed = false) const;

private:
    bool factorize_cholesky(const std::function<bool()>& stop);
    void factorize_lu(const std::function<bool()>& stop);

    S space_;
    matrix a_;
    std::vector<index_t> pivot_;  // row that was swapped with row k at step k
    std::string failure_;
    bool cholesky_ = false;
    bool interrupted_ = false;
};

}  // namespace residua
