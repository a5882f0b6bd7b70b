#include <residua/solvers/planning/ladder.hpp>

#include <algorithm>
#include <cstdio>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/planning/rates.hpp>

namespace residua {
namespace {

constexpr double bytes_of_dense_entry = 72.0;  // as triangles, by blocks in the engine, and both transposed

/// The need of the factors of lowest precision with at least `bits` bits; null: not predicted.
const factor_need* need_of(const std::vector<factor_need>& needs, long bits)
{
    const auto at = std::lower_bound(needs.begin(), needs.end(), bits,
                                     [](const factor_need& each, long least) { return each.bits < least; });
    return at == needs.end() ? nullptr : &*at;
}

}  // namespace

factor_need need_of_factors(const factor_work& work, long bits)
{
    const auto n = static_cast<double>(work.unknowns);
    const bool in_binary64 = bits <= binary64_bits;
    const double bytes = work.dense && in_binary64 ? bytes_of_dense_entry * n * n
                         : bits <= binary32_bits   ? work.front_bytes + work.front_numbers * sizeof(float)
                                                   : work.bytes(factors_in(std::max(bits, binary64_bits)));
    arithmetic_seconds seconds;
    work.add_to(seconds, bits);
    return {.bits = bits, .bytes = bytes, .seconds = machine_rates{}.total(seconds)};
}

double most_multiply_adds_in_reach()
{
    const auto within = [](double seconds, long bits) {
        return 1e9 * seconds / rates_of(static_cast<double>(bits)).multiply_add;
    };
    return std::max(within(automatic_seconds, binary64_bits), within(resort_seconds, factor_ladder.front()));
}

std::vector<long> factor_steps_up_to(long most)
{
    std::vector<long> steps(factor_ladder.begin(), std::upper_bound(factor_ladder.begin(), factor_ladder.end(), most));
    if (most > most_inverse_bits && steps.back() != most) {
        steps.push_back(most);
    }
    return steps;
}

std::optional<pivot_count> count_pivots(const factorization& factors)
{
    std::vector<real> sizes = factors.pivot_numbers();
    if (sizes.empty()) {
        return std::nullopt;
    }
    std::transform(sizes.begin(), sizes.end(), sizes.begin(), [](const real& each) { return abs(each); });
    const real largest = *std::max_element(sizes.begin(), sizes.end());
    const real errors = ldexp(real(4.0) * real(static_cast<double>(factors.size())) * largest, -factors.bits());
    const auto above = std::count_if(sizes.begin(), sizes.end(), [&](const real& each) { return errors < each; });
    return pivot_count{.unknowns = factors.size(), .bits = factors.bits(), .above = static_cast<index_t>(above)};
}

long guess_factor_bits(const pivot_count& shorter, const pivot_count& longer)
{
    if (longer.above <= shorter.above) {
        return 0;
    }
    const auto pivots_of_a_bit = [](index_t pivots, long bits) {
        return static_cast<double>(pivots + 1) / static_cast<double>(bits);
    };
    const double most = std::max(pivots_of_a_bit(shorter.above, shorter.bits),
                                 pivots_of_a_bit(longer.above - shorter.above, longer.bits - shorter.bits));
    const auto left = static_cast<double>(std::max<index_t>(0, longer.unknowns - longer.above - 1));
    return std::min(4 * longer.bits, longer.bits + static_cast<long>(left / most) + bits_beyond_condition);
}

long factor_reach::longest_tried() const
{
    long longest = 0;
    for (const long bits : factor_ladder) {
        const factor_need* const need = need_of(needs, bits);
        const bool is_cheap = need != nullptr && need->seconds <= search_seconds;
        longest = bits <= automatic && (bits <= most_inverse_bits || is_cheap) ? bits : longest;
    }
    return longest;
}

long factor_reach::first_untried() const
{
    const auto next = std::upper_bound(factor_ladder.begin(), factor_ladder.end(), longest_tried());
    return automatic < binary64_bits ? binary64_bits : next == factor_ladder.end() ? 0 : *next;
}

bool factor_reach::lacks_memory(long bits) const
{
    if (refused_bits != 0 && refused_bits <= bits) {
        return true;
    }
    const factor_need* const need = need_of(needs, bits);
    return postponed_because.empty() && need != nullptr && need->bytes > memory;
}

std::string factor_reach::why_not(long bits) const
{
    if (refused_bits != 0 && refused_bits <= bits) {
        return "factors in " + std::to_string(refused_bits) + " bits do not fit: " + refused_because;
    }
    const factor_need* const need = need_of(needs, bits);
    const std::string what = "factors in " + std::to_string(bits) + " bits ";
    if (!postponed_because.empty()) {
        return postponed_because;
    }
    if (need != nullptr && need->bytes > memory) {
        return what + "need " + bytes_in_words(need->bytes) + ", half of the memory that is free is " +
               bytes_in_words(memory);
    }
    const double seconds = need != nullptr ? need->seconds : least_seconds;
    if (seconds > automatic_seconds) {
        char text[80];
        std::snprintf(text, sizeof text, "would take %s%.0f s, more than %.0f s", need != nullptr ? "" : "at least ",
                      seconds, automatic_seconds);
        return what + text;
    }
    return std::to_string(unknowns) + " unknowns are too many for " + what + "by default";
}

factor_reach find_reach(const system_facts& facts, const machine& on, double taken_bytes)
{
    const factor_work& work = facts.factors;
    factor_reach reach{.unknowns = work.unknowns, .kind = work.kind};
    reach.refused_bits = facts.refused_bits;
    reach.refused_because = facts.refused_because;
    reach.least_seconds = 1e-9 * work.least_multiply_adds * rates_of(binary64_bits).multiply_add;
    if (work.known && (work.dense || facts.sizes.entries() <= most_automatic_entries)) {
        reach.memory = automatic_share * std::max(on.memory - taken_bytes, 0.0);
        for (const long bits : available_precisions(number_format::automatic)) {
            const factor_need& each = reach.needs.emplace_back(need_of_factors(work, bits));
            const auto reaches = [&](index_t most_unknowns, double most_seconds) {
                return each.bytes <= reach.memory && (facts.refused_bits == 0 || bits < facts.refused_bits) &&
                       (each.seconds <= most_seconds || (work.dense && work.unknowns <= most_unknowns));
            };
            const index_t most = bits > binary64_bits ? largest_automatic_dense : largest_automatic_lu;
            reach.automatic = reaches(most, automatic_seconds) ? bits : reach.automatic;
            reach.resort = reaches(largest_dense_resort, resort_seconds) ? bits : reach.resort;
        }
    }
    if (facts.cg) {  // nothing is within reach until a method without factors has failed
        reach.automatic = reach.resort = 0;
        reach.postponed_because = facts.cg->reason;
    }
    return reach;
}

std::string advice_on_memory(const system_facts& facts, const machine& on, long bits, bool by_factors)
{
    std::vector<long> all = available_precisions(number_format::automatic);
    if (by_factors) {
        all.insert(all.begin(), binary32_bits);
    }
    const long shorter =
        precision_below(all, bits, [&](long each) { return need_of_factors(facts.factors, each).bytes <= on.memory; });
    if (shorter > 0 && facts.factors.known) {
        return "factors in " + std::to_string(shorter) + " bits would fit";
    }
    if (facts.sizes.take_dense_factors()) {
        return "use a method without factors, as gmres";
    }
    return facts.structure.symmetric && facts.structure.positive_diagonal
               ? "use a method without complete factors, as cg with the preconditioner ic0"
               : "use a method without complete factors, as gmres with the preconditioner ilut";
}

}  // namespace residua
