#include <residua/solvers/session/find_null_space.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/real_bytes.hpp>
#include <residua/solvers/matrix/matching.hpp>
#include <residua/solvers/session/null_space.hpp>
#include <residua/solvers/solver.hpp>

namespace residua {
namespace {

constexpr int digits_unasked = 16;

real rounding_of(long bits) { return ldexp(real(1.0), spare::bits / 2 - bits); }

/// Options for the part of any matrix, whatever method is asked for A.
solve_options options_of_vectors(const solve_options& options, const solve_clock& clock, int digits)
{
    solve_options part;
    part.executor = options.executor;
    part.device = options.device;
    part.threads = options.threads;
    part.digits = digits;
    part.interrupted = clock.interruption();
    return part;
}

}  // namespace

std::optional<shown_rank> show_rank(const linear_system& a, const matrix_structure& structure)
{
    if (a.rows == 0 || a.cols == 0) {
        return shown_rank{.known = {}, .source = rank_source::structure};
    }
    if (std::optional<known_rank> laplacian = rank_of_laplacian(a, structure)) {
        return shown_rank{.known = *std::move(laplacian), .source = rank_source::structure};
    }
    std::optional<matrix_rank> found = find_rank_in_time(a, structure);
    if (!found) {
        return std::nullopt;
    }
    const bool is_full = found->rank == std::min(a.rows, a.cols);
    const bool is_certain = is_full || (structure.square && found->rank == structural_rank(a));
    return shown_rank{.known = {.part = *std::move(found)},
                      .source = is_certain ? rank_source::one_prime : rank_source::two_primes};
}

null_space_basis find_null_space(const linear_system& a, const shown_rank& shown, const solve_options& options,
                                 const solve_clock& clock)
{
    const known_rank& known = shown.known;
    const index_t nullity = a.cols - known.rank();
    null_space_basis found{
        .rank = {.rank = known.rank(), .nullity = nullity, .source = shown.source}, .vectors = {}, .error = {}};
    const int wanted = options.digits > 0 ? options.digits : digits_unasked;
    found.digits = wanted;
    if (nullity == 0) {
        return found;
    }
    require_memory("the basis of the null space",
                   2.0 * real_bytes(static_cast<double>(a.cols) * static_cast<double>(nullity),
                                    bits_of_digits(wanted + spare::digits)));
    if (!known.floating.empty()) {
        const long bits = bits_of_digits(wanted);
        found.vectors = clock.interruptible([&] { return null_space(known.components, known.floating).vectors(bits); });
        found.error = rounding_of(bits);
        return found;
    }
    int digits = attainable(wanted + spare::digits);
    for (int raises = 0;; ++raises) {
        const long bits = bits_of_digits(digits);
        std::unique_ptr<solver> part;
        if (known.rank() > 0) {
            part = std::make_unique<solver>(part_of(a, known.part), options_of_vectors(options, clock, digits));
        }
        spanning_vectors spanning = find_spanning_vectors(a, known.part, part.get(), false);
        clock.interruptible([&] {
            const null_space space(std::move(spanning.vectors), spanning.error, bits);
            found.vectors = space.vectors(bits);
            found.error = space.error() + rounding_of(bits);
        });
        found.digits = std::max(decimals_below(found.error), 0);
        if (found.digits >= wanted || raises == spare::raises) {
            return found;
        }
        digits = raised_digits(digits + wanted - std::min(decimals_below(found.error), wanted - 1) + spare::digits);
    }
}

}  // namespace residua
