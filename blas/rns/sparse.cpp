#include <residua/blas/rns/sparse.hpp>

#include <concepts>
#include <optional>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/rns/level2.hpp>
#include <residua/blas/rns/operands.hpp>
#include <residua/blas/sparse/row_entries.hpp>

namespace residua::blas {

using namespace detail;

namespace {

template <class A, class Exec>
void multiply(const Exec& exec, const rns_number& alpha, const A& a, const vector_view<Exec, const rns>& x,
              const rns_number& beta, const vector_view<Exec, rns>& y)
{
    require_equal("spmv", "rows of A and size of y", a.rows(), y.size);
    require_equal("spmv", "columns of A and size of x", a.cols(), x.size);
    require_formats("spmv", y, alpha, x, beta);
    constexpr bool binary64 = std::same_as<typename A::value_type, double>;
    // the sums go to y directly if nothing follows
    const rns_number one(y.format, 1.0);
    const bool direct = alpha == one && is_zero(beta.value()) && y.stride == 1;
    std::optional<vector<Exec, rns>> work;
    if (!direct) {
        work.emplace(y.format, y.size, exec);
    }
    spmv_element<binary64> f;
    f.rows = stored_rows_of(a);
    f.x = x.start;
    f.x_stride = x.stride;
    f.to = direct ? y.start : work->view().start;
    if constexpr (binary64) {
        f.binary64 = a.value().data();
    } else {
        require_formats("spmv", y, a.value());
        f.value = a.value().start;
    }
    const double each = a.rows() > 0 ? static_cast<double>(a.entries()) / static_cast<double>(a.rows()) : 0.0;
    for_indices(exec, y.format, y.size, f, each);
    if (direct) {
        return;
    }
    const rns_term product = scaled(alpha, by_row<Exec>(work->view()));
    if (is_zero(beta.value())) {
        combine(exec, y, product);
    } else {
        combine(exec, y, scaled(beta, by_row<Exec>(y)), &product);
    }
}

}  // namespace

template <class Exec, class V>
void spmv(const Exec& exec, const rns_number& alpha, const csr<Exec, V>& a, in_vector<Exec, rns> x,
          const rns_number& beta, vector_view<Exec, rns> y)
{
    multiply<csr<Exec, V>, Exec>(exec, alpha, a, x, beta, y);
}

template <class Exec, class V>
void spmv(const Exec& exec, const rns_number& alpha, const sliced_ell<Exec, V>& a, in_vector<Exec, rns> x,
          const rns_number& beta, vector_view<Exec, rns> y)
{
    multiply<sliced_ell<Exec, V>, Exec>(exec, alpha, a, x, beta, y);
}

namespace {

void require_trsv(const csr<host_executor, double>& a, const vector_view<host_executor, const rns>& b,
                  const vector_view<host_executor, rns>& x)
{
    require_equal("trsv", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsv", "rows of A and size of b", a.rows(), b.size);
    require_equal("trsv", "rows of A and size of x", a.rows(), x.size);
    require_formats("trsv", x, b);
}

void solve_row(uplo triangle, diag diagonal, const csr<host_executor, double>& a,
               const vector_view<host_executor, const rns>& b, const vector_view<host_executor, rns>& x, index_t i)
{
    const auto& set = x.format.set();
    auto rest = residua::detail::load(set, b.start, i * b.stride);
    double pivot = 0.0;
    for (index_t p = a.row_begin()[i]; p < a.row_begin()[i + 1]; ++p) {
        const index_t j = a.col()[p];
        const double entry = a.value().data()[p];
        if (j == i) {
            pivot = entry;
        } else if ((j < i) == (triangle == uplo::lower)) {
            rest = add(set, rest, mul(set, -entry, residua::detail::load(set, x.start, j * x.stride)));
        }
    }
    if (diagonal == diag::non_unit) {
        rest = div(set, rest, to_rns(set, pivot));
    }
    residua::detail::store(set, x.start, i * x.stride, rest);
}

}  // namespace

void trsv(const host_executor&, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, rns> b, vector_view<host_executor, rns> x)
{
    require_trsv(a, b, x);
    for (index_t step = 0; step < x.size; ++step) {
        solve_row(triangle, diagonal, a, b, x, triangle == uplo::lower ? step : x.size - 1 - step);
    }
}

void trsv(const host_executor&, const row_levels& levels, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, rns> b, vector_view<host_executor, rns> x)
{
    require_trsv(a, b, x);
    require_equal("trsv", "rows of A and of levels", a.rows(), static_cast<index_t>(levels.rows.size()));
    const double operations = static_cast<double>(a.entries()) * operations_of(x.format);
    solve_by_levels(levels, operations, [&](index_t first, index_t last, const auto& row_at) {
        for (index_t k = first; k < last; ++k) {
            solve_row(levels.triangle, diagonal, a, b, x, row_at(k));
        }
    });
}

namespace {

/// x <- inverse(T) b; the entry of T in row i and column k is t(set, i, 0, k).
void substitute(uplo triangle, diag diagonal, const rns_operand& t, const vector_view<host_executor, const rns>& b,
                const vector_view<host_executor, rns>& x)
{
    const auto& set = x.format.set();
    const index_t n = x.size;
    for (index_t step = 0; step < n; ++step) {
        const index_t i = triangle == uplo::lower ? step : n - 1 - step;
        auto rest = residua::detail::load(set, b.start, i * b.stride);
        const index_t first = triangle == uplo::lower ? 0 : i + 1;
        const index_t last = triangle == uplo::lower ? i : n;
        for (index_t k = first; k < last; ++k) {
            rest = sub(set, rest, mul(set, t(set, i, 0, k), residua::detail::load(set, x.start, k * x.stride)));
        }
        if (diagonal == diag::non_unit) {
            rest = div(set, rest, t(set, i, 0, i));
        }
        residua::detail::store(set, x.start, i * x.stride, rest);
    }
}

void require_trsv(const matrix_view<host_executor, const rns>& a, const vector_view<host_executor, const rns>& b,
                  const vector_view<host_executor, rns>& x)
{
    require_equal("trsv", "rows and columns of A", a.rows, a.cols);
    require_equal("trsv", "rows of A and size of b", a.rows, b.size);
    require_equal("trsv", "rows of A and size of x", a.rows, x.size);
    require_formats("trsv", x, a);
    require_formats("trsv", x, b);
}

}  // namespace

void trsv(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, rns> a,
          in_vector<host_executor, rns> b, vector_view<host_executor, rns> x)
{
    require_trsv(a, b, x);
    substitute(triangle, diagonal, {.start = a.start, .row = 1, .step = a.ld}, b, x);
}

void trsv_t(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, rns> a,
            in_vector<host_executor, rns> b, vector_view<host_executor, rns> x)
{
    require_trsv(a, b, x);
    substitute(triangle == uplo::lower ? uplo::upper : uplo::lower, diagonal,
               {.start = a.start, .row = a.ld, .step = 1}, b, x);
}

#define RESIDUA_INSTANTIATE(Exec)                                                                                      \
    template void spmv(const Exec&, const rns_number&, const csr<Exec, double>&, in_vector<Exec, rns>,                 \
                       const rns_number&, vector_view<Exec, rns>);                                                     \
    template void spmv(const Exec&, const rns_number&, const csr<Exec, rns>&, in_vector<Exec, rns>, const rns_number&, \
                       vector_view<Exec, rns>);                                                                        \
    template void spmv(const Exec&, const rns_number&, const sliced_ell<Exec, double>&, in_vector<Exec, rns>,          \
                       const rns_number&, vector_view<Exec, rns>);                                                     \
    template void spmv(const Exec&, const rns_number&, const sliced_ell<Exec, rns>&, in_vector<Exec, rns>,             \
                       const rns_number&, vector_view<Exec, rns>);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
