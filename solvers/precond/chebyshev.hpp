#pragma once

#include <string>
#include <utility>

#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Where a Chebyshev polynomial is small.
struct chebyshev_interval {
    double lower = 0.0, upper = 0.0;
    std::string failure;  ///< why there is none; empty if there is
};

/// Its upper end over its lower one: of 10, 30, 100 and 300 the one that is never far from the fewest products with A in
/// all, at most 1.4 times as many, with degrees 8 and 16, for CG on Poisson's equation in the plane and six matrices of
/// structures and networks.
inline constexpr double chebyshev_ratio = 30.0;

/// Degree of the polynomial: products with A each time it is applied. There, 4 took a tenth or so fewer of them in all and
/// half as many iterations again, 16 a quarter more in two thirds of the iterations.
inline constexpr int chebyshev_degree = 8;

/// An interval for inverse(D) A, A symmetric, D its diagonal: `upper` is a bound of its eigenvalues, the largest row sum of
/// |d_ii|^-1/2 |a_ij| |d_jj|^-1/2, and `lower` is upper / chebyshev_ratio. So nothing needs to be known of the smallest
/// eigenvalues, which are left to the method: the polynomial brings those above `lower` together, as in a smoother of
/// multigrid.
///
/// errors   upper is rounded upwards, for every symmetric A' whose entries round to those of A too
/// cost     the entries of A
/// reports  failure if a diagonal entry is not positive: A is not positive definite
/// from     bound [Saad03, Thm 4.6]; interval [ABHT03]
chebyshev_interval find_chebyshev_interval(const sparse_rows& a);

/// y = s(M A) M x, s the polynomial of the given degree with 1 - t s(t) = T((c - t) / h) / T(c / h), where T is the
/// Chebyshev polynomial of degree + 1, and c and h the middle and half the length of the interval: what degree + 1 steps
/// of the Chebyshev iteration make of a zero guess for A y = x.
///
/// s(t) > 0 for every t <= interval.upper, also below zero. So with M = inverse(D), D the positive diagonal of a symmetric
/// A, and an interval from find_chebyshev_interval, it is symmetric positive definite, whatever A is, and one linear
/// operator to the precision of the space: its coefficients are the same binary64 numbers for every x.
///
/// cost   degree times A, degree + 1 times M, 3 axpy-like each; no inner products, so that a device is never waited for;
///        3 vectors; not safe for concurrent calls (workspace)
/// from   [Saad03, Alg. 12.1]
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
class chebyshev_preconditioner {
public:
    using vector = typename S::vector;

    /// n   size of A, which is copied, as M is
    chebyshev_preconditioner(const S& space, index_t n, A a, M m, const chebyshev_interval& interval,
                             int degree = chebyshev_degree)
        : a_(std::move(a)),
          m_(std::move(m)),
          middle_((interval.upper + interval.lower) / 2.0),
          half_((interval.upper - interval.lower) / 2.0),
          degree_(degree),
          r_(space.make_vector(n)),
          step_(space.make_vector(n)),
          work_(space.make_vector(n))
    {}

    void apply(const S& space, const vector& x, vector& y) const
    {
        const auto scalar = [&](double d) { return space.make_scalar(d); };
        double rho = half_ / middle_;
        m_.apply(space, x, step_);
        space.scal(scalar(1.0 / middle_), step_);
        space.copy(x, r_);
        space.copy(step_, y);
        for (int k = 0; k < degree_; ++k) {
            a_.apply(space, step_, work_);  // r = x - A y
            space.axpy(scalar(-1.0), work_, r_);
            m_.apply(space, r_, work_);
            const double next = 1.0 / (2.0 * middle_ / half_ - rho);
            space.waxpby(scalar(next * rho), step_, scalar(2.0 * next / half_), work_, step_);
            space.axpy(scalar(1.0), step_, y);
            rho = next;
        }
    }

private:
    A a_;
    M m_;
    double middle_, half_;
    int degree_;
    mutable vector r_, step_, work_;
};

}  // namespace residua
