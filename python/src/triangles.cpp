#include "triangles.hpp"

#include <numeric>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua::python {
namespace {

using space = multidigit_space<host_executor>;

void require_room(index_t n, long bits)
{
    constexpr double copies = 4.0;  // the factors, one before Cholesky, the two triangles that are returned
    constexpr double bytes_beside_bits = 32.0;
    const double numbers = static_cast<double>(n) * static_cast<double>(n);
    require_memory("the triangles", copies * numbers * (static_cast<double>(bits) / 8.0 + bytes_beside_bits));
}

space::matrix dense(const space& on, const linear_system& a, long bits)
{
    space::matrix full = on.make_matrix(a.rows, a.cols);
    for (index_t j = 0; j < a.cols; ++j) {
        for (index_t i = 0; i < a.rows; ++i) {
            full.set(i, j, on.make_scalar(0.0));
        }
    }
    for (index_t i = 0; i < a.rows; ++i) {
        const auto row = static_cast<std::size_t>(i);
        for (index_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
            full.set(i, a.column[static_cast<std::size_t>(k)], on.make_scalar(entry(a, k, bits)));
        }
    }
    return full;
}

std::vector<std::int64_t> order_of(const std::vector<index_t>& swaps, index_t n)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), 0);
    for (std::size_t k = 0; k < swaps.size(); ++k) {
        std::swap(rows[k], rows[static_cast<std::size_t>(swaps[k])]);
    }
    return rows;
}

}  // namespace

triangles triangles_of(const linear_system& a, bool is_symmetric, long bits)
{
    require_equal(is_symmetric ? "cholesky" : "lu", "rows and columns of A", a.rows, a.cols);
    const index_t n = a.rows;
    require_room(n, bits);
    const space on{{}, multidigit_format(bits)};
    const dense_factors<space> made(on, dense(on, a, bits), is_symmetric);
    const std::string in_bits = " in " + std::to_string(bits) + " bits";
    if (is_symmetric && !made.is_cholesky()) {
        throw unsupported_error("cholesky: A is not positive definite" + in_bits);
    }
    if (!made.failure().empty()) {
        throw unsupported_error("lu" + in_bits + ": " + made.failure());
    }
    triangles found;
    const real zero(0.0, bits);
    const real one(1.0, bits);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            const bool is_below = is_symmetric ? j <= i : j < i;
            const real number = j <= i || !is_symmetric ? to_real(made.factors().get(i, j)) : zero;
            found.lower.push_back(is_below ? number : i == j ? one : zero);
            if (!is_symmetric) {
                found.upper.push_back(is_below ? zero : number);
            }
        }
    }
    if (!is_symmetric) {
        found.rows = order_of(made.pivots(), n);
    }
    return found;
}

nb::tuple tuple_of(triangles found)
{
    const std::size_t n = found.rows.size();
    return nb::make_tuple(shared(std::move(found.lower)), shared(std::move(found.upper)),
                          array_of(std::move(found.rows), {n}));
}

}  // namespace residua::python
