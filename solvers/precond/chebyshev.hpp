#pragma once

#include <string>
#include <utility>

#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/processes/partition.hpp>
#include <residua/solvers/processes/processes.hpp>
#include <residua/solvers/space/shortened.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The interval in which a Chebyshev polynomial is small.
struct chebyshev_interval {
    double lower = 0.0, upper = 0.0;
    std::string failure;  ///< why there is none; empty if there is
};

/// The upper end of the interval over the lower one. Of the ratios 10, 30, 100 and 300 this one never takes more than
/// 1.4 times the fewest products with A in all, with degrees 8 and 16, for CG on Poisson's equation in the plane and
/// six matrices of structures and networks.
inline constexpr double chebyshev_ratio = 30.0;

/// The degree of the polynomial, which takes as many products with A. On these systems degree 4 took a tenth or so
/// fewer products and half as many iterations again, 16 a quarter more products in two thirds of the iterations.
inline constexpr int chebyshev_degree = 8;

/// An interval for inverse(D) A, A symmetric, D its diagonal: `upper` bounds its eigenvalues by the largest row sum of
/// |d_ii|^-1/2 |a_ij| |d_jj|^-1/2, and `lower` is upper / chebyshev_ratio. Nothing needs to be known of the smallest
/// eigenvalues, which are left to the method: the polynomial clusters those above `lower`, as in multigrid's smoothers.
///
/// errors   upper is rounded upwards, for every symmetric A' whose entries round to those of A too
/// cost     the entries of A
/// reports  failure if a diagonal entry is not positive: A is not positive definite
/// from     bound [Saad03, Thm 4.6]; interval [ABHT03]
chebyshev_interval find_chebyshev_interval(const sparse_matrix& a);

/// The same interval, or failure, of a matrix of which each process has its own rows.
///
/// together
chebyshev_interval find_chebyshev_interval(processes& all, const partition& rows, const sparse_matrix& own);

/// y = s(M A) M x, s the polynomial of the given degree with 1 - t s(t) = T((c - t) / h) / T(c / h), where T is the
/// Chebyshev polynomial of degree + 1, and c and h are the middle and half the length of the interval. y is the result
/// of degree + 1 steps of the Chebyshev iteration for A y = x from a zero guess.
///
/// s(t) > 0 for every t <= interval.upper, also below zero. So the preconditioner is symmetric positive definite for
/// every symmetric A with a positive diagonal D, with M = inverse(D) and an interval from find_chebyshev_interval. It
/// is one linear operator to the precision of the space: its coefficients are the same binary64 numbers for every x.
///
/// cost   degree times A, degree + 1 times M, 3 axpy-like each; no inner products, so that a device is never waited
///        for; 3 vectors; not safe for concurrent calls (workspace)
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
        for (vector* const each : {&r_, &step_, &work_}) {
            fit(space, *each);
        }
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
