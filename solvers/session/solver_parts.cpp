// What a solver keeps between two calls.
#include <memory>
#include <utility>

#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/session/request.hpp>
#include <residua/solvers/session/run_checkpoint.hpp>
#include <residua/solvers/session/session.hpp>
#include <residua/solvers/solver.hpp>

namespace residua {
namespace {

/// The rank that was shown by a part; empty: none was.
std::optional<shown_rank> rank_by_part(const prepared_system& prepared)
{
    const std::optional<known_rank>& known = prepared.rank();
    return known && known->shown_by != nullptr ? std::optional(shown_rank{.known = *known, .source = rank_source::part})
                                               : std::nullopt;
}

}  // namespace

solver_parts::solver_parts(std::shared_ptr<const linear_system> matrix, solve_options with, solver_parts* a)
    : system(std::move(matrix)),
      options(std::move(with)),
      of_a(a),
      own_clock(options),
      clock(a != nullptr ? a->clock : own_clock)
{}

solver_parts::~solver_parts() = default;

void solver_parts::require_entries()
{
    if (system->elsewhere != nullptr) {
        prepared.reset();
        correctors.reset();
        system = with_entries_here(*system);
    }
    stays_elsewhere = false;
}

part_seconds solver_parts::prepare()
{
    part_seconds seconds;
    if (!stays_elsewhere) {
        require_entries();
    }
    if (prepared != nullptr) {
        return seconds;
    }
    require_request(*system, options);
    if (states == nullptr && of_a == nullptr) {
        states = open_checkpoint(*system, options);
    }
    std::unique_ptr<prepared_system> made;
    if (of_a != nullptr) {
        seconds = of_a->prepare();
        made = timed(&seconds.analysis, [&] { return of_a->prepared->transposed(system, options, clock); });
        if (options.given.m && !options.given.m_t && !made->matrix().symmetric) {
            throw unsupported_error("systems with A' need products with M': set solve_options::given.m_t");
        }
    } else {
        made = std::make_unique<prepared_system>(system, options, clock, std::move(earlier), alone, states.get(),
                                                 is_deflated);
        seconds = made->seconds();
    }
    correctors = std::make_unique<residua::correctors>(*made, options.profile != profiling::none);
    prepared = std::move(made);
    return seconds;
}

const shown_rank* solver_parts::find_rank()
{
    if (!rank) {
        require_entries();
        require_request(*system, options);
        const matrix_structure structure = inspect(*system);
        if (structure.square && structure.symmetric && !find_zero_sums(*system).vanishes.empty()) {
            prepare();
            rank = rank_by_part(*prepared);
        }
        rank = rank ? rank : show_rank(*system, structure);
        if (rank && !outlasts_reading(*system, rank->known.part, options, clock)) {
            rank.reset();
        }
    }
    if (!rank && system->rows == system->cols) {
        prepare();
        prepared->seek_rank();
        rank = rank_by_part(*prepared);
        if (!rank && !prepared->is_least_squares() && prepared->make_inverse(0) != nullptr) {
            rank = {.known = {.part = {.rank = system->rows, .rows = {}, .columns = {}}},
                    .source = rank_source::condition};
        }
    }
    return rank ? &*rank : nullptr;
}

std::pair<prepared_system*, correctors*> solver_parts::transposed_parts()
{
    if (transposed == nullptr) {
        auto made = prepared->transposed(std::make_shared<const linear_system>(transpose(*system)), options, clock);
        transposed_correctors = std::make_unique<residua::correctors>(*made, false);
        transposed = std::move(made);
    }
    return {transposed.get(), transposed_correctors.get()};
}

void solver_parts::settle() noexcept
{
    if (of_a != nullptr) {
        of_a->settle();
    }
    if (prepared == nullptr || prepared->is_incomplete() || (transposed != nullptr && transposed->is_incomplete())) {
        solves = {};
        singular.reset();
        transposed_correctors.reset();
        transposed.reset();
        correctors.reset();
        prepared.reset();
    }
    if (singular != nullptr && singular->is_incomplete()) {
        singular.reset();
    }
}

}  // namespace residua
