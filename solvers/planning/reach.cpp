#include <residua/solvers/planning/reach.hpp>

#include <algorithm>
#include <cstdio>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/planning/costs.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/precond/factorize.hpp>

namespace residua {
namespace {

constexpr double bytes_of_dense_entry = 48.0;  // as made, as triangles, these in the engine, and transposed

/// The need of the factors of lowest precision with at least `bits` bits; null: not predicted.
const factor_need* need_of(const std::vector<factor_need>& needs, long bits)
{
    const auto at = std::lower_bound(needs.begin(), needs.end(), bits,
                                     [](const factor_need& each, long least) { return each.bits < least; });
    return at == needs.end() ? nullptr : &*at;
}

}  // namespace

factor_need need_of_factors(const scaled_matrix& matrix, sparse_analyses& analyses, long bits, preconditioner kind)
{
    const auto n = static_cast<double>(matrix.rows);
    const bool in_binary64 = bits <= binary64_bits;
    const double seconds = seconds_to_factorise(work_of_factors(matrix, analyses, kind), bits);
    const factor_kind first = kinds_of_factors(matrix, kind).front();
    if (!are_made_by_fronts(matrix, first)) {
        return {.bits = bits,
                .bytes = in_binary64 ? bytes_of_dense_entry * n * n
                                     : long_factors_bytes(factors_in(bits), matrix, analyses, kind),
                .seconds = seconds};
    }
    const std::shared_ptr<const sparse_analysis> analysis = analyses.of(matrix, first);
    const double of_number =
        bits <= binary32_bits ? sizeof(float) : number_bytes(factors_in(std::max(bits, binary64_bits)));
    return {.bits = bits, .bytes = bytes_of_fronts(*analysis, of_number), .seconds = seconds};
}

void factor_reach::refuse(long bits, const std::string& because)
{
    if (refused_bits != 0 && refused_bits <= bits) {
        return;
    }
    const std::vector<long>& all = available_precisions(number_format::automatic);
    const auto first = std::lower_bound(all.begin(), all.end(), bits);
    const long shorter = first == all.begin() ? 0 : *(first - 1);
    automatic = std::min(automatic, shorter);
    resort = std::min(resort, shorter);
    refused_bits = bits;
    refused_because = because;
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

void factor_reach::postpone(const std::string& because)
{
    automatic = resort = 0;
    postponed_because = because;
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
    if (need != nullptr && need->seconds > automatic_seconds) {
        char text[80];
        std::snprintf(text, sizeof text, "would take %.0f s, more than %.0f s", need->seconds, automatic_seconds);
        return what + text;
    }
    return std::to_string(unknowns) + " unknowns are too many for " + what + "by default";
}

factor_reach find_reach(const scaled_matrix& matrix, sparse_analyses& analyses, double taken_bytes, preconditioner kind)
{
    const index_t n = matrix.rows;
    const factor_kind first = kinds_of_factors(matrix, kind).front();
    const bool dense = !are_made_by_fronts(matrix, first);
    factor_reach reach;
    reach.unknowns = n;
    reach.kind = preconditioner_of(first);
    if (!dense && static_cast<double>(matrix.column.size()) > most_automatic_entries) {
        return reach;
    }
    reach.memory = automatic_share * std::max(available_memory_bytes() - taken_bytes, 0.0);
    for (const long bits : available_precisions(number_format::automatic)) {
        const factor_need& each = reach.needs.emplace_back(need_of_factors(matrix, analyses, bits, reach.kind));
        const bool is_long = bits > binary64_bits;
        const bool small = !dense || n <= (is_long ? largest_automatic_dense : largest_automatic_lu);
        const bool small_for_resort = !dense || n <= largest_dense_resort;
        const bool fits = each.bytes <= reach.memory;
        reach.automatic = fits && small && (dense || each.seconds <= automatic_seconds) ? bits : reach.automatic;
        reach.resort = fits && small_for_resort && (dense || each.seconds <= resort_seconds) ? bits : reach.resort;
    }
    return reach;
}

std::string advice_on_memory(const scaled_matrix& matrix, sparse_analyses& analyses, long bits, preconditioner kind,
                             bool by_factors)
{
    std::vector<long> all = available_precisions(number_format::automatic);
    if (by_factors) {
        all.insert(all.begin(), binary32_bits);
    }
    const double available = available_memory_bytes();
    for (auto shorter = std::lower_bound(all.begin(), all.end(), bits); shorter != all.begin();) {
        if (need_of_factors(matrix, analyses, *--shorter, kind).bytes <= available) {
            return "factors in " + std::to_string(*shorter) + " bits would fit";
        }
    }
    if (takes_dense_factors(matrix.rows, matrix.column.size())) {
        return "use a method without factors, as gmres";
    }
    return kinds_of_factors(matrix).front() == factor_kind::cholesky
               ? "use a method without complete factors, as cg with the preconditioner ic0"
               : "use a method without complete factors, as gmres with the preconditioner ilut";
}

}  // namespace residua
