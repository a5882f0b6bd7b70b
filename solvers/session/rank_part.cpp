#include <residua/solvers/session/rank_part.hpp>

#include <algorithm>
#include <cmath>

#include <residua/arith/base/random.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

std::vector<std::int32_t> all_but(index_t n, const std::vector<std::int32_t>& some)
{
    std::vector<std::int32_t> others;
    auto next = some.begin();
    for (std::int32_t i = 0; i < n; ++i) {
        if (next != some.end() && *next == i) {
            ++next;
        } else {
            others.push_back(i);
        }
    }
    return others;
}

/// The first unknown of each set that A takes to zero.
std::vector<std::int32_t> firsts_of(const known_rank& known)
{
    std::vector<std::int32_t> firsts;
    for (const std::int32_t c : known.floating) {
        firsts.push_back(known.components.first[static_cast<std::size_t>(c)]);
    }
    return firsts;
}

/// Makes the part consist of all rows and columns but these, which are ascending.
void leave_out(known_rank& known, index_t n, const std::vector<std::int32_t>& lines)
{
    known.part.rows = known.part.columns = all_but(n, lines);
    known.part.rank = static_cast<index_t>(known.part.rows.size());
}

/// The place of each number of `some` among them; -1 for the others.
std::vector<std::int32_t> places_of(index_t n, const std::vector<std::int32_t>& some)
{
    std::vector<std::int32_t> place(static_cast<std::size_t>(n), -1);
    for (std::size_t k = 0; k < some.size(); ++k) {
        place[static_cast<std::size_t>(some[k])] = static_cast<std::int32_t>(k);
    }
    return place;
}

/// Columns of A in some rows, or rows of A in some columns.
///
/// which   the columns or rows; place  of each row or column in the part, -1 outside
std::vector<std::vector<real>> lines_of(const linear_system& a, const std::vector<std::int32_t>& which,
                                        const std::vector<std::int32_t>& place, index_t size, bool by_rows)
{
    std::vector<std::vector<real>> lines(which.size(), std::vector<real>(static_cast<std::size_t>(size), real(0.0)));
    const std::vector<std::int32_t> line = places_of(by_rows ? a.rows : a.cols, which);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            const index_t j = a.column[k];
            const std::int32_t of = line[static_cast<std::size_t>(by_rows ? i : j)];
            const std::int32_t at = place[static_cast<std::size_t>(by_rows ? j : i)];
            if (of >= 0 && at >= 0) {
                lines[static_cast<std::size_t>(of)][static_cast<std::size_t>(at)] = entry(a, k, decimal_bits());
            }
        }
    }
    return lines;
}

/// Tests whether A is not singular in the part: a system with a random b has to be solved.
bool is_shown(known_rank& known, const linear_system& a, const solve_options& options)
{
    constexpr double most_cases = 1e-12;
    if (known.rank() == 0) {
        return true;
    }
    auto by = std::make_shared<solver>(part_of(a, known.part), options);
    splitmix64 random{static_cast<std::uint64_t>(known.rank())};
    std::vector<real> b(static_cast<std::size_t>(known.rank()));
    std::generate(b.begin(), b.end(), [&] { return real(uniform(random)); });
    const solve_report report = by->solve(b).report;
    io::ask_for_stop();
    const bool is_solved = report.status == solve_status::converged && !report.rank && !report.least_squares &&
                           report.relative_residual * real(static_cast<double>(known.rank())) <= real(most_cases);
    known.lacked_memory = report.verdict.lacked_memory;
    known.shown_by = std::move(by);
    return is_solved;
}

/// Has a 1 for each unknown whose diagonal entry is zero; of two that share a row, for the first alone.
std::vector<char> constraints_of(const sparse_matrix& a)
{
    std::vector<char> are(static_cast<std::size_t>(a.rows), 1);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (a.column[k] == i && !is_zero_entry(a, k)) {
                are[static_cast<std::size_t>(i)] = 0;
            }
        }
    }
    for (index_t i = 0; i < a.rows; ++i) {  // of two in one row, the first stays
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1] && are[static_cast<std::size_t>(i)] != 0; ++k) {
            if (a.column[k] != i && !is_zero_entry(a, k)) {
                are[static_cast<std::size_t>(a.column[k])] = 0;
            }
        }
    }
    return are;
}

constexpr double most_steps = 1e9;  // of eliminations

}  // namespace

solve_options options_of_part(const solve_options& options, const solve_clock& clock, int digits)
{
    solve_options part;
    part.method = options.method;
    part.preconditioner = options.preconditioner;
    part.petsc_options = options.petsc_options;
    part.format = options.format;
    part.executor = options.executor;
    part.device = options.device;
    part.threads = options.threads;
    part.max_iterations = options.max_iterations;
    part.restart = options.restart;
    part.digits = digits;
    part.interrupted = clock.interruption();
    return part;
}

std::optional<known_rank> show_rank_by_sums(const linear_system& a, const matrix_structure& structure,
                                            const solve_options& options, const solve_clock& clock, int digits)
{
    if (!structure.square || !structure.symmetric) {
        return std::nullopt;
    }
    zero_sums sums = find_zero_sums(a);
    if (sums.vanishes.empty()) {
        return std::nullopt;
    }
    known_rank known{.part = {}, .components = std::move(sums.sets), .floating = std::move(sums.vanishes)};
    leave_out(known, a.rows, firsts_of(known));
    return is_shown(known, a, options_of_part(options, clock, digits)) ? std::optional(std::move(known)) : std::nullopt;
}

std::optional<known_rank> show_rank_by_constraints(const linear_system& a, const matrix_structure& structure,
                                                   const solve_options& options, const solve_clock& clock, int digits)
{
    if (!structure.square || !structure.symmetric) {
        return std::nullopt;
    }
    const std::vector<char> are = constraints_of(a);
    std::vector<std::int32_t> constraints;
    for (std::int32_t i = 0; i < a.rows; ++i) {
        if (are[static_cast<std::size_t>(i)] != 0) {
            constraints.push_back(i);
        }
    }
    if (constraints.empty()) {
        return std::nullopt;
    }
    const std::optional<matrix_rank> found =
        find_rank(part_of(a, {.rows = constraints, .columns = all_but(a.cols, {})}), most_steps);
    if (!found || found->rank == static_cast<index_t>(constraints.size())) {
        return std::nullopt;
    }
    std::vector<std::int32_t> dependent = all_but(static_cast<index_t>(constraints.size()), found->rows);
    for (std::int32_t& i : dependent) {
        i = constraints[static_cast<std::size_t>(i)];
    }
    known_rank known;
    leave_out(known, a.rows, dependent);
    return is_shown(known, a, options_of_part(options, clock, digits)) ? std::optional(std::move(known)) : std::nullopt;
}

std::optional<known_rank> rank_of_laplacian(const sparse_matrix& a, const matrix_structure& structure)
{
    if (!structure.square || !structure.symmetric || !structure.diagonally_dominant) {
        return std::nullopt;
    }
    known_rank known{.part = {}, .components = find_components(a)};
    known.floating = floating_components(a, known.components);
    if (known.floating.empty()) {
        return std::nullopt;
    }
    leave_out(known, a.rows, firsts_of(known));
    return known;
}

std::string words_about(const known_rank& rank)
{
    const auto c = static_cast<std::size_t>(rank.floating.front());
    const std::int32_t first = rank.components.first[c];
    const std::string others =
        rank.floating.size() > 1 ? ", the first of " + std::to_string(rank.floating.size()) + " such parts" : "";
    return "the " + std::to_string(rank.components.size[c]) + " rows that are connected with row " +
           std::to_string(first + 1) + " sum to zero" + others;
}

std::optional<matrix_rank> find_rank_in_time(const sparse_matrix& a, const matrix_structure& structure)
{
    std::optional<matrix_rank> found = find_rank(a, most_steps);
    if (found && structure.symmetric) {
        found->rows = found->columns;  // a symmetric matrix is not singular in these, too
    }
    return found;
}

bool outlasts_reading(const linear_system& a, const matrix_rank& part, const solve_options& options,
                      const solve_clock& clock)
{
    if (is_zero(a.reading_error) || part.rank == 0) {
        return true;
    }
    constexpr int digits = 16;
    solve_options plain = options_of_part(options, clock, digits);
    plain.method = method::automatic;
    plain.preconditioner = preconditioner::automatic;
    plain.format = number_format::automatic;
    const std::optional<condition_estimate> known = solver(part_of(a, part), plain).condition();
    const real rounded = a.reading_error * real(static_cast<double>(part.rank));
    return known && std::isfinite(known->scaled) && ldexp(rounded * real(known->scaled), 20) < real(1.0);
}

linear_system part_of(const linear_system& a, const matrix_rank& of)
{
    const std::vector<std::int32_t> place = places_of(a.cols, of.columns);
    linear_system part;
    part.rows = static_cast<index_t>(of.rows.size());
    part.cols = static_cast<index_t>(of.columns.size());
    part.reading_error = a.reading_error;
    part.other_reading = a.other_reading;
    part.row_begin.push_back(0);
    std::vector<index_t> source;
    for (const std::int32_t i : of.rows) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (const std::int32_t j = place[static_cast<std::size_t>(a.column[k])]; j >= 0) {
                part.column.push_back(j);
                part.values.push_back(a.values[k]);
                source.push_back(k);
            }
        }
        part.row_begin.push_back(part.nonzeros());
    }
    if (!a.exact.empty()) {
        part.exact = a.exact.gathered(source);
    }
    return part;
}

spanning_vectors find_spanning_vectors(const linear_system& a, const matrix_rank& part, solver* of_part,
                                       bool of_transpose)
{
    const std::vector<std::int32_t>& inside = of_transpose ? part.rows : part.columns;
    const std::vector<std::int32_t>& across = of_transpose ? part.columns : part.rows;
    const index_t n = of_transpose ? a.rows : a.cols;
    const std::vector<std::int32_t> outside = all_but(n, inside);
    const std::vector<std::vector<real>> lines =
        lines_of(a, outside, places_of(of_transpose ? a.cols : a.rows, across), part.rank, of_transpose);
    std::vector<solve_result> solved(lines.size());
    if (of_part != nullptr) {
        solved = of_transpose ? of_part->solve_transposed(lines) : of_part->solve(lines);
    }
    spanning_vectors found;
    real square(0.0);
    for (std::size_t j = 0; j < solved.size(); ++j) {
        const solve_report& report = solved[j].report;
        if (report.status == solve_status::interrupted || report.status == solve_status::time_limit) {
            throw io::stopped_error("stopped while the null space was sought");
        }
        found.lacked_memory = found.lacked_memory || report.verdict.lacked_memory;
        if (!is_zero(report.rhs_norm)) {
            const real error = report.forward_error.value_or(real(1.0)) * norm2(solved[j].x);
            square = square + error * error * real(static_cast<double>(inside.size()));
        }
        std::vector<real>& v = found.vectors.emplace_back(static_cast<std::size_t>(n), real(0.0));
        for (std::size_t k = 0; k < inside.size(); ++k) {
            v[static_cast<std::size_t>(inside[k])] = -solved[j].x[k];
        }
        v[static_cast<std::size_t>(outside[j])] = real(1.0);
    }
    found.error = sqrt(square);
    return found;
}

int attainable(int digits) { return static_cast<int>(std::min<long>(digits, most_digits())); }

int raised_digits(int digits)
{
    constexpr int step = 16;
    return attainable((digits + step - 1) / step * step);
}

long bits_of_digits(int digits) { return static_cast<long>(digits * std::log2(10.0)) + spare::bits; }

}  // namespace residua
