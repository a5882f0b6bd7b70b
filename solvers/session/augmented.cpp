#include <residua/solvers/session/augmented.hpp>

#include <algorithm>
#include <utility>

#include <mpfr.h>

#include <residua/solvers/files/load.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

/// Whether x was rounded to decimal_bits(): it has a bit among the last 64, but for one in 2^64.
bool is_cut_off(const real& x) { return mpfr_min_prec(x.mpfr()) > decimal_bits() - 64; }

bool is_binary64(const real& x) { return real(to_double(x)) == x; }

}  // namespace

linear_system augmented_system(const linear_system& a, const std::vector<std::int32_t>& rows, std::vector<real> d,
                               const real& t)
{
    const auto used = static_cast<index_t>(rows.size());
    const index_t entries = a.nonzeros();
    d.push_back(-t);  // behind the entries of A in `source`
    linear_system made;
    made.rows = made.cols = used + a.cols;
    made.row_begin.push_back(0);
    std::vector<index_t> source;
    const auto push = [&](index_t column, index_t from) {
        made.column.push_back(static_cast<std::int32_t>(column));
        made.values.push_back(from < entries ? a.values[from] : to_double(d[static_cast<std::size_t>(from - entries)]));
        source.push_back(from);
    };
    std::vector<std::vector<std::pair<index_t, index_t>>> column(static_cast<std::size_t>(a.cols));  // rows and entries
    for (index_t p = 0; p < used; ++p) {
        const index_t i = rows[static_cast<std::size_t>(p)];
        push(p, entries + p);
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            push(used + a.column[k], k);
            column[static_cast<std::size_t>(a.column[k])].emplace_back(p, k);
        }
        made.row_begin.push_back(made.nonzeros());
    }
    for (index_t j = 0; j < a.cols; ++j) {
        for (const auto& [p, k] : column[static_cast<std::size_t>(j)]) {
            push(p, k);
        }
        if (!is_zero(t)) {
            push(used + j, entries + used);
        }
        made.row_begin.push_back(made.nonzeros());
    }
    if (!a.exact.empty() || !std::all_of(d.begin(), d.end(), is_binary64)) {
        const exact_entries of_a =
            a.exact.empty() ? exact_entries(std::vector<real>(a.values.begin(), a.values.end())) : a.exact;
        made.exact = of_a.joined(d, decimal_bits()).gathered(source);
    }
    const bool is_rounded = std::any_of(d.begin(), d.end(), is_cut_off);
    made.reading_error = max(a.reading_error, is_rounded ? ldexp(real(1.0), 2 - decimal_bits()) : real(0.0));
    return made;
}

linear_system rows_with_damping(const linear_system& a, const std::vector<std::int32_t>& rows,
                                const std::vector<real>& s, const real& t)
{
    linear_system made;
    made.rows = static_cast<index_t>(rows.size()) + (is_zero(t) ? 0 : a.cols);
    made.cols = a.cols;
    made.reading_error = a.reading_error;
    made.row_begin.push_back(0);
    std::vector<real> exact;
    const auto push = [&](std::int32_t column, real x) {
        made.column.push_back(column);
        made.values.push_back(to_double(x));
        exact.push_back(std::move(x));
    };
    for (std::size_t p = 0; p < rows.size(); ++p) {
        for (index_t k = a.row_begin[rows[p]]; k < a.row_begin[rows[p] + 1]; ++k) {
            const real x = entry(a, k, decimal_bits());
            push(a.column[k], s[p].with_precision(x.precision() + s[p].precision()) * x);
        }
        made.row_begin.push_back(made.nonzeros());
    }
    for (std::int32_t j = 0; j < a.cols && !is_zero(t); ++j) {
        push(j, t);
        made.row_begin.push_back(made.nonzeros());
    }
    if (!std::all_of(exact.begin(), exact.end(), is_binary64)) {
        made.exact = exact_entries(std::move(exact));
    }
    return made;
}

bool is_normal_to_columns(const linear_system& transpose_of_a, const std::vector<real>& y)
{
    const std::vector<real> zeros(static_cast<std::size_t>(transpose_of_a.rows), real(0.0));
    return is_zero(evaluate_residual(transpose_of_a, zeros, y, ldexp(norm2(y), -4096)).norm2);
}

}  // namespace residua
