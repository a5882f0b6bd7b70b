#pragma once

#include <cstddef>

#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <residua/solvers/base/host_space.hpp>
#include <residua/solvers/base/make_csr.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

/// y = M x with M = C Q inverse(U) inverse(L) P R: triangular factors in binary64 applied to
/// vectors of T, so M is one linear operator to the precision of T, as Krylov methods need it.
///
/// cost   the entries of L and U, T times binary64; not safe for concurrent calls (workspace)
template <number T>
class triangular_preconditioner {
public:
    using vector = residua::vector<host_executor, T>;

    explicit triangular_preconditioner(const triangular_factors& factors)
        : factors_(&factors), lower_(make_csr(factors.lower, factors.lower.value)),
          upper_(make_csr(factors.upper, factors.upper.value)),
          work_(factors.lower.n)
    {}

    void apply(const host_space<T>& space, const vector& x, vector& y) const
    {
        gather(x, work_);
        blas::trsv(space.exec, blas::uplo::lower, blas::diag::non_unit, lower_, work_.view(), y.view());
        blas::trsv(space.exec, blas::uplo::upper, blas::diag::non_unit, upper_, y.view(), work_.view());
        scatter(work_, y);
    }

private:
    static double power(const std::vector<int>& exponent, std::size_t i)
    {
        return exponent.empty() ? 1.0 : std::ldexp(1.0, exponent[i]);
    }

    /// y = P R x, exactly: the factors are powers of two
    void gather(const vector& x, vector& y) const
    {
        const auto from = x.view();
        const auto to = y.view();
        for (int k = 0; k < from.terms; ++k) {
            for (index_t i = 0; i < from.size; ++i) {
                const index_t source = factors_->row_order.empty() ? i : factors_->row_order[i];
                to.data[k * to.plane_stride + i] = from.data[k * from.plane_stride + source] *
                                                   power(factors_->row_exponent, source);
            }
        }
    }

    /// y = C Q x, exactly
    void scatter(const vector& x, vector& y) const
    {
        const auto from = x.view();
        const auto to = y.view();
        for (int k = 0; k < from.terms; ++k) {
            for (index_t i = 0; i < from.size; ++i) {
                const index_t target =
                    factors_->column_order.empty() ? i : factors_->column_order[i];
                to.data[k * to.plane_stride + target] = from.data[k * from.plane_stride + i] *
                                                        power(factors_->column_exponent, target);
            }
        }
    }

    const triangular_factors* factors_;
    csr<host_executor, double> lower_, upper_;
    mutable vector work_;
};

}  // namespace residua
