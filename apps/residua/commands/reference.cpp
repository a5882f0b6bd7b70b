#include "reference.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include <apps/residua/cli/yardsticks.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/numbers.hpp>

#include "eigen_reference.hpp"
#include "solution.hpp"

namespace residua {
namespace {

/// The number of bits in which x agrees with y, which has a higher precision; `most` at most.
long agreeing_bits(const std::vector<real>& x, const std::vector<real>& y, long most)
{
    const real difference = relative_error(x, y);
    return is_zero(difference) ? most : std::clamp(-exponent(difference), 0L, most);
}

}  // namespace

reference_solution::reference_solution(const asked_system& asked, const std::string& reference)
    : asked_(asked), by_eigen_(!is_reference_file(reference))
{
    const linear_system& system = asked.system;
    if (asked.is_solved_by_ones) {
        std::vector<real> all(static_cast<std::size_t>(unknowns(system)), real(1));
        x_ = system.complex ? with_zero_parts(std::move(all)) : std::move(all);
    }
    if (!by_eigen_) {
        if (!reference.empty()) {
            x_ = std::move(
                load_columns(load_text(reference), unknowns(system), 1, io::file_part::solution, system.complex)
                    .front());
        }
        return;
    }
    if (system.rows != system.cols) {
        throw unsupported_error(
            fmt::format("--reference eigen: {} is {} x {}, and an LU solves square systems; give x in a file",
                        asked.facts.file, equations(system), unknowns(system)));
    }
    if (system.cols > most_eigen_unknowns) {
        throw unsupported_error(
            fmt::format("--reference eigen: {} has {} unknowns, and an LU in MPFR takes too long beyond {}; "
                        "give x in a file",
                        asked.facts.file, unknowns(system), most_eigen_unknowns / (system.complex ? 2 : 1)));
    }
    compute(real::double_bits);  // reports a singular matrix before any solve begins
}

std::optional<real> reference_solution::error_of(const std::vector<real>& x)
{
    if (by_eigen_) {
        long bits = real::double_bits;
        for (const real& element : x) {
            bits = std::max(bits, element.precision());
        }
        compute(bits);
    }
    return x_ ? std::optional(relative_error(x, *x_)) : std::nullopt;
}

/// Doubles the precision until two solutions agree in `bits` bits and 16 more. That is tested with a random right-hand
/// side, too: b may have an x that a singular matrix gives in every precision, but a random one has none.
void reference_solution::compute(long bits)
{
    constexpr long longest_format = 4096;
    constexpr long more = 16;
    const long first = bits + 4 * more;
    while (right_bits_ < bits + more) {
        io::ask_for_stop();
        const long before = bits_;
        bits_ = std::max(2 * before, first);
        if (bits_ > std::max(longest_format, 4 * first)) {
            throw error(
                fmt::format("--reference eigen: {} looks singular, since solutions in {} bits and in half of them "
                            "differ; compare without a reference, or give x in a file",
                            asked_.facts.file, before));
        }
        std::array<std::vector<real>, 2> xs;
        if constexpr (has_yardsticks) {
            xs = eigen_solutions(asked_.system, bits_);
        }
        auto& [x, probe] = xs;
        if (before > 0) {
            right_bits_ = std::min(agreeing_bits(*x_, x, before), agreeing_bits(probe_, probe, before));
        }
        x_ = std::move(x);
        probe_ = std::move(probe);
    }
}

}  // namespace residua
