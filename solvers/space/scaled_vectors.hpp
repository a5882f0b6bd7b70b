#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/space/vector_space.hpp>
#include <residua/solvers/system/scaled_matrix.hpp>
#include <residua/solvers/system/true_residual.hpp>

/// Brings A x = b to a space, which solves with R A C: the matrix, residuals, and corrections of x.
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

/// R A C as a dense matrix of a space on the host. Entries that are too long for the format are rounded.
template <vector_space S>
typename S::matrix dense_matrix(const S& space, const scaled_matrix& m)
{
    auto dense = space.make_matrix(m.a.n, m.cols());
    for (index_t i = 0; i < m.a.n; ++i) {
        for (index_t k = m.a.row_begin[i]; k < m.a.row_begin[i + 1]; ++k) {
            const auto place = static_cast<std::size_t>(k);
            dense.set(i, m.a.column[place],
                      m.exact.empty() ? space.make_scalar(m.a.value[place]) : space.make_scalar(m.exact[place]));
        }
    }
    return dense;
}

}  // namespace residua
