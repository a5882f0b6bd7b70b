#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/base/scaled_matrix.hpp>
#include <residua/solvers/base/space.hpp>
#include <residua/solvers/true_residual.hpp>

/// Residuals of A x = b and corrections of x as vectors of a space, which has R A C.
namespace residua {

/// x = 2^-e v, rounded, with its largest element in [1/2, 1); returns e.
template <vector_space S>
long store(const S& space, const std::vector<real>& v, typename S::vector& x)
{
    const long top = largest_exponent(v);
    auto rounded = space.make_host_vector(static_cast<index_t>(v.size()));
    for (std::size_t i = 0; i < v.size(); ++i) {
        rounded.view().store(static_cast<index_t>(i), space.make_scalar(ldexp(v[i], -top)));
    }
    x = space.placed(std::move(rounded));
    return top;
}

/// x = 2^-e R r; returns e.
template <vector_space S>
long store_scaled(const S& space, const scaled_matrix& m, const std::vector<real>& r, typename S::vector& x)
{
    std::vector<real> scaled(r.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
        scaled[i] = ldexp(r[i], m.row_exponent[i]);
    }
    return store(space, scaled, x);
}

/// d = 2^e C x
template <vector_space S>
void fetch_scaled(const S& space, const scaled_matrix& m, const typename S::vector& x, long e, std::vector<real>& d)
{
    d.resize(static_cast<std::size_t>(space.size(x)));
    const auto& solution = space.fetched(x);
    for (std::size_t j = 0; j < d.size(); ++j) {
        d[j] = ldexp(to_real(solution.view().load(static_cast<index_t>(j))), m.column_exponent[j] + e);
    }
}

}  // namespace residua
