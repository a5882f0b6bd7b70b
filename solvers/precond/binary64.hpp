#pragma once

#include <type_traits>

#include <residua/blas/base/matrix.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/convert.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// y = M x by way of binary64, for vectors of any space: x is rounded to binary64, triangular factors apply M, and y is
/// exactly the result. Refinement needs no more of M.
///
/// cost   the entries of L and U in binary64, 2 conversions; not safe for concurrent calls (workspace)
/// order  that of triangular_preconditioner; a vector gets the same bits alone and together with others
template <array_space S>
class binary64_preconditioner {
public:
    using vector = typename S::vector;

    binary64_preconditioner(const S& space, const triangular_factors& factors)
        : there_{space.exec},
          m_(there_, factors),
          x_(there_.make_vector(size(factors))),
          y_(there_.make_vector(size(factors)))
    {}

    void apply(const S& space, const vector& x, vector& y) const
    {
        convert(space, x, there_, x_);
        m_.apply(there_, x_, y_);
        convert(there_, y_, space, y);
    }

    /// Y = M X for several vectors. The factors are read once for all of them.
    void apply_together(const S& space, const const_columns<S>& x, const columns<S>& y) const
        requires S::on_host
    {
        if (x.empty()) {
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
        m_.apply_to_rows(all.view(), work.view());
        for (index_t j = 0; j < count; ++j) {
            for (index_t i = 0; i < n; ++i) {
                y_.set(i, all.get(j, i));
            }
            convert(there_, y_, space, *y[j]);
        }
    }

private:
    using binary64 = expansion_space<std::remove_const_t<decltype(S::exec)>, double>;

    static index_t size(const triangular_factors& factors) { return factors.lower.n; }

    binary64 there_;
    triangular_preconditioner<binary64> m_;
    mutable typename binary64::vector x_, y_;
};

}  // namespace residua
