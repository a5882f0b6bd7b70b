#include "sparse_problems.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <utility>

#include <metis.h>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/structure.hpp>

namespace residua::bench {
namespace {

void require_short_indices(double n, double entries)
{
    if (std::max(n, entries) > std::numeric_limits<int>::max()) {
        throw unsupported_error("the peers have indices of 32 bits");
    }
}

/// Fills in the columns and b.
void complete(sparse_problem& p)
{
    const sparse_matrix& a = p.rows;
    p.n = static_cast<int>(a.rows);
    p.column_begin.assign(static_cast<std::size_t>(a.rows) + 1, 0);
    for (const int j : a.column) {
        ++p.column_begin[j + 1];
    }
    for (int j = 0; j < p.n; ++j) {
        p.column_begin[j + 1] += p.column_begin[j];
    }
    p.row.resize(a.column.size());
    p.value.resize(a.column.size());
    splitmix64 random{1};
    std::vector<double> x(p.n);
    std::generate(x.begin(), x.end(), [&] { return uniform(random); });
    p.b.assign(p.n, 0.0);
    std::vector<int> next(p.column_begin.begin(), p.column_begin.end() - 1);
    for (int i = 0; i < p.n; ++i) {
        for (index_t e = a.row_begin[i]; e < a.row_begin[i + 1]; ++e) {
            const int j = a.column[e];
            p.row[next[j]] = i;
            p.value[next[j]] = a.values[e];
            ++next[j];
            p.b[i] += a.values[e] * x[j];
        }
    }
}

}  // namespace

sparse_problem make_grid(int dimensions, int side)
{
    if (side < 1) {
        throw unsupported_error("a grid has a point at least");
    }
    std::vector<index_t> strides{1};  // from a point to the next along each axis
    for (int axis = 0; axis < dimensions; ++axis) {
        strides.push_back(strides.back() * side);
        require_short_indices(static_cast<double>(strides.back()) * (2 * dimensions + 1), 0.0);
    }
    sparse_problem p;
    p.name = "poisson " + std::to_string(side) + "^" + std::to_string(dimensions);
    p.symmetric = p.definite = true;
    sparse_matrix& a = p.rows;
    a.rows = a.cols = strides.back();
    const auto push = [&](index_t j, double value) {
        a.column.push_back(static_cast<std::int32_t>(j));
        a.values.push_back(value);
    };
    a.row_begin.push_back(0);
    for (index_t i = 0; i < a.rows; ++i) {
        for (int axis = dimensions; axis-- > 0;) {
            if (i / strides[axis] % side > 0) {
                push(i - strides[axis], -1.0);
            }
        }
        push(i, 2.0 * dimensions);
        for (int axis = 0; axis < dimensions; ++axis) {
            if (i / strides[axis] % side < side - 1) {
                push(i + strides[axis], -1.0);
            }
        }
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }
    complete(p);
    return p;
}

sparse_problem load_problem(const std::string& file)
{
    linear_system system = load_matrix(io::load(file), entry_reading::binary64).system;
    const matrix_structure structure = inspect(system);
    if (!structure.square) {
        throw unsupported_error(file + ": the matrix is not square");
    }
    require_short_indices(static_cast<double>(system.rows), static_cast<double>(system.nonzeros()));
    sparse_problem p;
    p.name = std::filesystem::path(file).stem().string();
    p.symmetric = structure.symmetric;
    p.definite = structure.symmetric && structure.positive_diagonal;
    p.rows = static_cast<const sparse_matrix&>(system);
    complete(p);
    return p;
}

lower_triangle lower_triangle_of(const sparse_problem& problem)
{
    lower_triangle l;
    l.column_begin.push_back(0);
    for (int j = 0; j < problem.n; ++j) {
        for (int e = problem.column_begin[j]; e < problem.column_begin[j + 1]; ++e) {
            if (problem.row[e] >= j) {
                l.row.push_back(problem.row[e]);
                l.value.push_back(problem.value[e]);
            }
        }
        l.column_begin.push_back(static_cast<int>(l.row.size()));
    }
    return l;
}

std::vector<int> nested_dissection(const sparse_problem& problem)
{
    std::vector<idx_t> begin{0}, neighbour, seen(problem.n, -1);
    for (int i = 0; i < problem.n; ++i) {
        seen[i] = i;  // no vertex is its own neighbour
        const auto add = [&](int j) {
            if (seen[j] != i) {
                seen[j] = i;
                neighbour.push_back(j);
            }
        };
        for (index_t e = problem.rows.row_begin[i]; e < problem.rows.row_begin[i + 1]; ++e) {
            add(problem.rows.column[e]);
        }
        for (int e = problem.column_begin[i]; e < problem.column_begin[i + 1]; ++e) {
            add(problem.row[e]);
        }
        begin.push_back(static_cast<idx_t>(neighbour.size()));
    }
    idx_t n = problem.n;
    std::vector<idx_t> order(problem.n), place(problem.n);
    if (METIS_NodeND(&n, begin.data(), neighbour.data(), nullptr, nullptr, order.data(), place.data()) != METIS_OK) {
        throw error("METIS finds no order");
    }
    return {place.begin(), place.end()};
}

}  // namespace residua::bench
