#include <residua/solvers/solver.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/session/call.hpp>
#include <residua/solvers/session/determinant.hpp>
#include <residua/solvers/session/null_space.hpp>

namespace residua {
namespace {

/// By how much the resident memory has risen since `before`; empty: not measured, or below an older peak.
std::optional<double> rise_of_memory(const std::optional<resident_memory>& before)
{
    if (!before) {
        return std::nullopt;
    }
    const std::optional<resident_memory> now = resident_memory_bytes();
    return now && now->peak > before->peak ? std::optional(now->peak - before->now) : std::nullopt;
}

/// One call of a solver, with the threads that its options ask for, and a clock that begins now.
class solver_call {
public:
    explicit solver_call(solver_parts& parts) : threads_(parts.options.threads), parts_(parts)
    {
        parts.clock.restart();
    }
    solver_call(const solver_call&) = delete;
    ~solver_call() { parts_.settle(); }

private:
    io::thread_limit threads_;
    solver_parts& parts_;
};

/// Counts the rows of the complex matrix, of which the real form has two each.
void count_complex(rank_estimate& rank)
{
    rank.rank /= 2;
    rank.nullity /= 2;
}

void take_as_complex(solve_report& report)
{
    report.complex = true;
    if (report.rank) {
        *report.rank /= 2;
        report.nullity /= 2;
        report.message = explain(report);
    }
}

void take_as_complex(null_space_basis& found, const solve_clock& clock)
{
    if (!found.vectors.empty()) {
        const long bits = found.vectors.front().front().precision() + 64;
        complex_vectors half = clock.interruptible([&] { return complex_basis(found.vectors, bits); });
        found.vectors = std::move(half.vectors);
        found.error = found.error + half.distance;
        found.digits = std::min(found.digits, std::max(decimals_below(found.error), 0));
    }
}

/// The vectors and i times each: what the real form takes to zero with them.
std::vector<std::vector<real>> with_images(std::vector<std::vector<real>> vectors)
{
    const std::size_t given = vectors.size();
    for (std::size_t k = 0; k < given; ++k) {
        vectors.push_back(times_i(vectors[k]));
    }
    return vectors;
}

}  // namespace

solver::solver(linear_system matrix, solve_options options)
    : solver(std::make_shared<const linear_system>(std::move(matrix)), std::move(options))
{}

solver::solver(std::shared_ptr<const linear_system> matrix, solve_options options)
    : parts_(std::make_unique<solver_parts>(std::move(matrix), std::move(options)))
{
    if (parts_->system->elsewhere == nullptr) {
        require_valid(*parts_->system);
    }
    if (parts_->system->complex) {
        if (system().rows % 2 != 0 || system().cols % 2 != 0) {
            throw dimension_error("the real form of a complex system has even sizes, and this one is " +
                                  std::to_string(system().rows) + " x " + std::to_string(system().cols));
        }
        parts_->options.null_space = with_images(std::move(parts_->options.null_space));
    }
}

solver::solver(solver&&) noexcept = default;
solver& solver::operator=(solver&&) noexcept = default;
solver::~solver() = default;

const linear_system& solver::system() const { return *parts_->system; }
const solve_options& solver::options() const { return parts_->options; }

/// Returns f(prepared system), which the clock may end.
///
/// throws  io::stopped_error if it does
template <class F>
auto solver::ask(const F& f)
{
    const solver_call now(*parts_);
    return parts_->clock.interruptible([&] {
        parts_->require_entries();
        parts_->prepare();
        return f(*parts_->prepared);
    });
}

/// ask(f) for an f that returns an optional: it is empty if the clock ends it.
template <class F>
auto solver::find(const F& f)
{
    std::invoke_result_t<F, prepared_system&> known;
    try {
        known = ask(f);
    } catch (const io::stopped_error&) {
        known.reset();
    }
    return known;
}

/// Returns f(rank) in an optional, which is empty if the rank is not known, or if the clock ends it.
template <class F>
auto solver::find_by_rank(const F& f)
{
    const solver_call now(*parts_);
    std::optional<std::invoke_result_t<F, const shown_rank&>> found;
    try {
        if (const shown_rank* const known = parts_->clock.interruptible([&] { return parts_->find_rank(); })) {
            found = f(*known);
        }
    } catch (const io::stopped_error&) {
        found.reset();
    }
    return found;
}

void solver::require_square(const char* what) const
{
    require_equal(what, "rows and columns of A", equations(system()), unknowns(system()));
}

solve_result solver::solve(const std::vector<real>& b) { return std::move(solve_columns({given_rhs(b)}).front()); }

std::vector<solve_result> solver::solve(const std::vector<std::vector<real>>& right_hand_sides)
{
    return solve_columns({right_hand_sides.begin(), right_hand_sides.end()});
}

std::vector<solve_result> solver::solve_in_pieces(
    const std::vector<std::shared_ptr<const long_vector>>& right_hand_sides)
{
    for (std::size_t k = 0; k < right_hand_sides.size(); ++k) {
        if (right_hand_sides[k] == nullptr) {
            throw dimension_error("right-hand side " + std::to_string(k + 1) +
                                  " in pieces is null, as share_numbers() gives numbers that multi-digit floats do not "
                                  "hold: give all as numbers");
        }
    }
    return solve_columns({right_hand_sides.begin(), right_hand_sides.end()});
}

solver& solver::transposed()
{
    if (transposed_ == nullptr) {
        require_square("solve_transposed");
        parts_->require_entries();
        auto made = std::make_unique<solver>(transpose(system()), parts_->options);
        made->parts_ = std::make_unique<solver_parts>(made->parts_->system, parts_->options, parts_.get());
        transposed_ = std::move(made);
    }
    return *transposed_;
}

solve_result solver::solve_transposed(const std::vector<real>& b) { return transposed().solve(b); }

std::vector<solve_result> solver::solve_transposed(const std::vector<std::vector<real>>& right_hand_sides)
{
    return transposed().solve(right_hand_sides);
}

void solver::change(linear_system to)
{
    if (!parts_->options.checkpoint.empty()) {
        throw unsupported_error("update_values: a checkpoint is of one matrix, and this solver has one");
    }
    const linear_system& from = system();
    const bool same_places =
        std::equal(to.row_begin.begin(), to.row_begin.end(), from.row_begin.begin(), from.row_begin.end()) &&
        std::equal(to.column.begin(), to.column.end(), from.column.begin(), from.column.end());
    sparse_analyses analyses = !same_places       ? sparse_analyses()
                               : parts_->prepared ? parts_->prepared->analyses().for_same_pattern()
                                                  : std::move(parts_->earlier);
    solve_options options = parts_->options;
    if (from.complex) {
        options.null_space.resize(options.null_space.size() / 2);  // without the images, which the constructor adds
    }
    *this = solver(std::move(to), std::move(options));
    parts_->earlier = std::move(analyses);
}

void solver::update_values(std::span<const double> values)
{
    parts_->require_entries();
    if (system().complex) {
        change(changed_entries(system(), values));
        return;
    }
    require_equal("update_values", "values and entries", static_cast<index_t>(values.size()), system().nonzeros());
    linear_system changed = system();
    changed.values = std::vector<double>(values.begin(), values.end());
    changed.exact = {};
    changed.reading_error = real(0.0);
    changed.rhs_reading_errors.clear();
    changed.other_reading = 0.0;
    change(std::move(changed));
}

void solver::update_values(std::vector<real> values)
{
    parts_->require_entries();
    if (system().complex) {
        change(changed_entries(system(), std::span<const real>(values)));
        return;
    }
    require_equal("update_values", "values and entries", static_cast<index_t>(values.size()), system().nonzeros());
    linear_system changed = system();
    changed.values = rounded_to<double>(values);
    changed.exact = exact_entries(std::move(values));
    changed.reading_error = real(0.0);
    changed.rhs_reading_errors.clear();
    changed.other_reading = 0.0;
    change(std::move(changed));
}

std::optional<condition_estimate> solver::condition()
{
    return find([](prepared_system& prepared) -> std::optional<condition_estimate> {
        if (prepared.is_least_squares()) {
            return std::nullopt;
        }
        prepared.make_inverse(0);
        const condition_estimate* known = prepared.made().condition();
        const bool singular = prepared.inverse_found() == inverse_state::looks_singular;
        return known == nullptr || singular ? std::nullopt : std::optional(*known);
    });
}

std::optional<determinant_estimate> solver::determinant()
{
    require_square("determinant");
    return find([&](prepared_system& prepared) { return find_determinant(prepared, parts_->options.digits); });
}

std::optional<inertia> solver::inertia()
{
    require_square("inertia");
    return find([&](prepared_system& prepared) {
        const bool complex = system().complex;
        if (!prepared.structure().symmetric) {
            throw unsupported_error(std::string("inertia needs a ") + (complex ? "hermitian" : "symmetric") +
                                    " matrix, and this one is not");
        }
        std::optional<residua::inertia> found = find_inertia(prepared);
        if (found && complex) {
            *found = {found->positive / 2, found->negative / 2, found->zero / 2};
        }
        return found;
    });
}

std::optional<rank_estimate> solver::rank()
{
    return find_by_rank([&](const shown_rank& shown) {
        const index_t rank = shown.known.rank();
        rank_estimate found{.rank = rank, .nullity = system().cols - rank, .source = shown.source};
        if (system().complex) {
            count_complex(found);
        }
        return found;
    });
}

std::optional<null_space_basis> solver::null_space()
{
    return find_by_rank([&](const shown_rank& shown) {
        null_space_basis found = find_null_space(system(), shown, parts_->options, parts_->clock);
        if (system().complex) {
            count_complex(found.rank);
            take_as_complex(found, parts_->clock);
        }
        return found;
    });
}

std::vector<inverse_entry> solver::inverse_entries(const std::vector<std::pair<index_t, index_t>>& places)
{
    constexpr std::size_t columns_together = 64;
    const index_t parts = system().complex ? 2 : 1;
    const index_t n = system().rows / parts;
    require_equal("inverse_entries", "rows and columns of A", n, system().cols / parts);
    std::map<index_t, std::vector<std::size_t>> of_column;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto [i, j] = places[k];
        if (std::min(i, j) < 0 || std::max(i, j) >= n) {
            throw dimension_error("inverse_entries: there is no place (" + std::to_string(i) + ", " +
                                  std::to_string(j) + ") in a matrix with " + std::to_string(n) + " rows and columns");
        }
        of_column[j].push_back(k);
    }
    std::vector<inverse_entry> entries(places.size());
    for (auto first = of_column.begin(); first != of_column.end();) {
        std::vector<std::vector<real>> units;
        auto last = first;
        for (; last != of_column.end() && units.size() < columns_together; ++last) {
            units.emplace_back(static_cast<std::size_t>(parts * n),
                               real(0.0))[static_cast<std::size_t>(parts * last->first)] = real(1.0);
        }
        for (const solve_result& column : solve(units)) {
            std::optional<real> error = column.report.forward_error;
            if (error) {
                error = *error * norm_inf(column.x);
            }
            for (const std::size_t k : (first++)->second) {
                const auto i = static_cast<std::size_t>(parts * places[k].first);
                entries[k] = {column.x[i], parts == 2 ? column.x[i + 1] : real(0.0), error, column.report.status};
            }
        }
    }
    return entries;
}

solve_plan solver::plan()
{
    return ask([](prepared_system& prepared) { return prepared.plan(); });
}

std::vector<predicted_cost> solver::costs()
{
    return ask([](prepared_system& prepared) { return prepared.costs(); });
}

std::vector<solve_result> solver::solve_columns(const std::vector<given_rhs>& right_hand_sides)
{
    const bool profiles = parts_->options.profile != profiling::none;
    const std::optional<resident_memory> before = profiles ? resident_memory_bytes() : std::nullopt;
    part_watch watch(profiles);
    std::vector<solve_result> results;
    double setup_seconds = 0.0;
    double solve_seconds = 0.0;
    bool knows_parts = profiles;
    {
        const solver_call now(*parts_);
        {
            const auto timing = watch.during(&part_seconds::rest);
            results = solve_columns_of(*parts_, right_hand_sides, watch, setup_seconds);
        }
        solve_seconds = parts_->clock.seconds() - setup_seconds;
        knows_parts = profiles && (parts_->correctors == nullptr || parts_->correctors->seconds_are_known());
    }
    const std::optional<double> used = profiles ? rise_of_memory(before) : std::nullopt;
    for (solve_result& result : results) {
        result.report.setup_seconds = setup_seconds;
        result.report.solve_seconds = solve_seconds;
        result.report.parts = knows_parts ? std::optional(watch.seconds()) : std::nullopt;
        result.report.used_bytes = used;
        if (system().complex) {
            take_as_complex(result.report);
        }
    }
    return results;
}

}  // namespace residua
