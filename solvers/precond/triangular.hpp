#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <residua/solvers/base/host_space.hpp>
#include <residua/solvers/base/make_csr.hpp>
#include <residua/solvers/base/rns_space.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

namespace detail {

/// y_j = 2^e x_i, exactly
template <number T>
void move_scaled(vector_view<host_executor, const T> x, index_t i, int e,
                 vector_view<host_executor, T> y, index_t j)
{
    const double power = std::ldexp(1.0, e);
    for (int k = 0; k < x.terms; ++k) {
        y.data[k * y.plane_stride + j] = x.data[k * x.plane_stride + i] * power;
    }
}
inline void move_scaled(vector_view<host_executor, const rns> x, index_t i, int e,
                        vector_view<host_executor, rns> y, index_t j)
{
    y.store(j, ldexp(x.load(i), e));
}

}  // namespace detail

/// y = M x with M = C Q inverse(U) inverse(L) P R: triangular factors in binary64 applied to
/// vectors of a space on the host, so M is one linear operator to the space's precision, as Krylov
/// methods need it.
///
/// cost   the entries of L and U, each a number times binary64; not safe for concurrent calls (workspace)
template <vector_space S>
class triangular_preconditioner {
public:
    using vector = typename S::vector;

    triangular_preconditioner(const S& space, const triangular_factors& factors)
        : factors_(&factors), lower_(make_csr(factors.lower, factors.lower.value)),
          upper_(make_csr(factors.upper, factors.upper.value)),
          work_(space.make_vector(factors.lower.n))
    {}

    void apply(const S& space, const vector& x, vector& y) const
    {
        gather(x, work_);
        blas::trsv(space.exec, blas::uplo::lower, blas::diag::non_unit, lower_, work_.view(), y.view());
        blas::trsv(space.exec, blas::uplo::upper, blas::diag::non_unit, upper_, y.view(), work_.view());
        scatter(work_, y);
    }

private:
    static index_t place(const std::vector<std::int32_t>& order, index_t i)
    {
        return order.empty() ? i : order[i];
    }
    static int power(const std::vector<int>& exponent, index_t i)
    {
        return exponent.empty() ? 0 : exponent[i];
    }

    /// y = P R x, exactly: the factors are powers of two
    void gather(const vector& x, vector& y) const
    {
        for (index_t i = 0; i < x.size(); ++i) {
            const index_t source = place(factors_->row_order, i);
            detail::move_scaled(x.view(), source, power(factors_->row_exponent, source), y.view(), i);
        }
    }

    /// y = C Q x, exactly
    void scatter(const vector& x, vector& y) const
    {
        for (index_t i = 0; i < x.size(); ++i) {
            const index_t target = place(factors_->column_order, i);
            detail::move_scaled(x.view(), i, power(factors_->column_exponent, target), y.view(), target);
        }
    }

    const triangular_factors* factors_;
    csr<host_executor, double> lower_, upper_;
    mutable vector work_;
};

}  // namespace residua
