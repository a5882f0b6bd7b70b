#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/precond/dense_triangle.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/shortened.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Both triangles in the memory of the host, for vectors of a device.
template <vector_space S>
class triangles_of_host {
public:
    triangles_of_host(const S& space, const triangular_factors& f)
        : lower_(made(space, blas::uplo::lower, f.lower)), upper_(made(space, blas::uplo::upper, f.upper))
    {}

    /// v <- inverse(U) inverse(L) v, which goes to the host and back
    ///
    /// order  as trsv: the same bits as on the device
    void solve(const S& space, typename S::vector& v) const
    {
        const home host = space.host_counterpart();
        typename home::vector b = space.fetched(v);
        typename home::vector x = host.make_vector(b.size());
        host.trsv(lower_, b, x);
        host.trsv(upper_, x, b);
        v = space.placed(std::move(b));
    }

private:
    using home = decltype(std::declval<const S&>().host_counterpart());

    static typename home::triangle made(const S& space, blas::uplo which, const sparse_matrix& entries)
    {
        return space.host_counterpart().make_triangle(which, make_csr(entries));
    }

    typename home::triangle lower_, upper_;
};

/// y = M x with M = C Q inverse(U) inverse(L) P R: triangular factors in binary64 applied to vectors of a space, so M
/// is one linear operator to the space's precision, as Krylov methods need it. Large dense factors are applied by
/// blocks, as dense_triangle does, all others by trsv: where the vectors are or, on request, on the host.
///
/// cost   the entries of L and U, each a number times binary64; not safe for concurrent calls (workspace)
/// order  as dense_triangle for large dense factors, else as trsv: the same bits on every executor
template <vector_space S>
class triangular_preconditioner {
public:
    using vector = typename S::vector;

    /// solve_on_host  for vectors of a device the host solves with the triangles, unless a device takes them by blocks
    triangular_preconditioner(const S& space, const triangular_factors& f, [[maybe_unused]] bool solve_on_host = false)
        : before_(space.make_permutation(sources(f), exponents_before(f))),
          after_(space.make_permutation(inverse(f), exponents_after(f))),
          work_(space.make_vector(f.lower.rows))
    {
        const bool dense = are_blocks(f);
        if constexpr (!S::on_host) {
            if (solve_on_host && !dense) {
                on_host_.emplace(space, f);
                return;
            }
        }
        lower_.emplace(make_side(space, blas::uplo::lower, f.lower, dense));
        upper_.emplace(make_side(space, blas::uplo::upper, f.upper, dense));
    }

    void apply(const S& space, const vector& x, vector& y) const
    {
        fit(space, work_);
        space.permute(before_, x, work_);
        if (lower_) {
            solve(space, *lower_, work_, y);
            solve(space, *upper_, y, work_);
        } else if constexpr (!S::on_host) {
            on_host_->solve(space, work_);
        }
        space.permute(after_, work_, y);
    }

    /// X <- M X for several vectors of binary64 numbers at once. Each gets the bits that it gets alone. Column i of x_t
    /// has element i of every vector.
    ///
    /// shapes   x_t and work (k x n)
    void apply_to_rows(matrix_view<host_executor, double> x_t, matrix_view<host_executor, double> work) const
        requires std::same_as<S, host_space<double>>
    {
        permute_columns(before_, x_t, work);
        for (const auto* each : {&lower_, &upper_}) {
            if (const auto* const dense = std::get_if<blocks>(&**each)) {
                dense->solve_rows(work);
            } else {
                const triangle& t = std::get<triangle>(**each);
                blas::trsm_t({}, t.levels.triangle, blas::diag::non_unit, t.entries, work);
            }
        }
        permute_columns(after_, work, x_t);
    }

private:
    using triangle = typename S::triangle;
    using blocks = dense_triangle<S>;
    using side = std::variant<triangle, blocks>;

    static side make_side(const S& space, blas::uplo which, const sparse_matrix& entries, bool dense)
    {
        if (dense) {
            return side(std::in_place_type<blocks>, space, which, entries);
        }
        return side(std::in_place_type<triangle>, space.make_triangle(which, make_csr(entries)));
    }

    /// x <- T^-1 b; b may be overwritten
    static void solve(const S& space, const side& t, vector& b, vector& x)
    {
        if (const auto* const dense = std::get_if<blocks>(&t)) {
            return dense->solve(space, b, x);
        }
        space.trsv(std::get<triangle>(t), b, x);
    }

    static std::size_t size(const triangular_factors& f) { return static_cast<std::size_t>(f.lower.rows); }

    /// (P R x)_i = 2^row_exponent[s] x_s, s = row_order[i]
    static std::vector<index_t> sources(const triangular_factors& f)
    {
        std::vector<index_t> source(size(f));
        for (std::size_t i = 0; i < source.size(); ++i) {
            source[i] = f.row_order.empty() ? static_cast<index_t>(i) : f.row_order[i];
        }
        return source;
    }
    static std::vector<int> exponents_before(const triangular_factors& f)
    {
        std::vector<int> exponent(size(f), 0);
        const std::vector<index_t> source = sources(f);
        for (std::size_t i = 0; i < exponent.size() && !f.row_exponent.empty(); ++i) {
            exponent[i] = f.row_exponent[source[i]];
        }
        return exponent;
    }

    /// (C Q x)_t = 2^column_exponent[t] x_i, t = column_order[i]
    static std::vector<index_t> inverse(const triangular_factors& f)
    {
        std::vector<index_t> source(size(f));
        for (std::size_t i = 0; i < source.size(); ++i) {
            source[f.column_order.empty() ? i : static_cast<std::size_t>(f.column_order[i])] = static_cast<index_t>(i);
        }
        return source;
    }
    static std::vector<int> exponents_after(const triangular_factors& f)
    {
        return f.column_exponent.empty() ? std::vector<int>(size(f), 0) : f.column_exponent;
    }

    static void permute_columns(const blas::scaled_permutation<host_executor>& p, matrix_view<host_executor, double> x,
                                matrix_view<host_executor, double> y)
    {
        for (index_t i = 0; i < y.cols; ++i) {
            const double* const from = x.data() + p.source.data()[i] * x.ld;
            double* const to = y.data() + i * y.ld;
            for (index_t c = 0; c < y.rows; ++c) {
                to[c] = from[c] * p.factor.data()[i];
            }
        }
    }

    using host_triangles = std::conditional_t<S::on_host, std::monostate, triangles_of_host<S>>;

    typename S::permutation before_, after_;
    std::optional<side> lower_, upper_;  ///< empty: the host has both
    std::optional<host_triangles> on_host_;
    mutable vector work_;
};

}  // namespace residua
