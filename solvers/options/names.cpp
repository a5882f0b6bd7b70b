#include <residua/solvers/options/names.hpp>

#include <array>
#include <string>

#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/options/solve_report.hpp>

namespace residua {
namespace {

constexpr std::array<named_value<number_format>, 5> format_names{{{"auto", number_format::automatic},
                                                                  {"native", number_format::native},
                                                                  {"expansion", number_format::expansion},
                                                                  {"multidigit", number_format::multidigit},
                                                                  {"rns", number_format::rns}}};

constexpr std::array<named_value<executor>, 3> executor_names{
    {{"auto", executor::automatic}, {"host", executor::host}, {"cuda", executor::cuda}}};

constexpr std::array<named_value<profiling>, 3> profiling_names{
    {{"none", profiling::none}, {"host", profiling::host}, {"everywhere", profiling::everywhere}}};

constexpr std::array<named_value<entry_reading>, 3> reading_names{
    {{"auto", entry_reading::automatic}, {"binary64", entry_reading::binary64}, {"decimal", entry_reading::decimal}}};

/// A remedy in the words of each vocabulary, in their order; # stands for the bits.
struct remedy_words {
    remedy what;
    std::array<std::string_view, 4> words;
};

constexpr std::array<remedy_words, 7> remedy_names{{
    {remedy::precision, {"precision_bits = #", "--precision #", "precision #", "precision=#"}},
    {remedy::factors, {"factor_bits = #", "--factors #", "factors #", "factors=#"}},
    {remedy::restart, {"a longer restart", "a longer --restart", "a longer restart", "a longer restart"}},
    {remedy::preconditioner,
     {"another preconditioner", "another preconditioner", "another precond", "another preconditioner M, or M=None"}},
    {remedy::refine, {"method::refine", "--method refine", "method refine", "method='refine'"}},
    {remedy::direct, {"method::direct", "--method direct", "method direct", "method='direct'"}},
    {remedy::reading_bits,
     {"to read them with more bits", "--entries binary64", "to give the numbers with more bits",
      "to give the numbers with more bits"}},
}};

/// The words for remedy::precision where any higher one will do.
constexpr std::array<std::string_view, 4> higher_precision{"a higher precision_bits", "a higher --precision",
                                                           "a higher precision", "a higher precision"};

constexpr bool remedies_in_order()
{
    for (std::size_t k = 0; k < remedy_names.size(); ++k) {
        if (remedy_names[k].what != static_cast<remedy>(k)) {
            return false;
        }
    }
    return true;
}
static_assert(remedies_in_order(), "the remedies stand in the order of the enumeration");

template <class E>
std::string_view name_of(E value) noexcept
{
    for (const named_value<E>& each : named_values<E>()) {
        if (each.value == value) {
            return each.name;
        }
    }
    return "";
}

}  // namespace

template <>
std::span<const named_value<number_format>> named_values<number_format>() noexcept
{
    return format_names;
}

template <>
std::span<const named_value<executor>> named_values<executor>() noexcept
{
    return executor_names;
}

template <>
std::span<const named_value<profiling>> named_values<profiling>() noexcept
{
    return profiling_names;
}

template <>
std::span<const named_value<entry_reading>> named_values<entry_reading>() noexcept
{
    return reading_names;
}

std::string_view to_string(number_format value) noexcept { return name_of(value); }
std::string_view to_string(executor value) noexcept { return name_of(value); }
std::string_view to_string(profiling value) noexcept { return name_of(value); }
std::string_view to_string(entry_reading value) noexcept { return name_of(value); }

std::string_view to_string(error_kind value) noexcept
{
    switch (value) {
        case error_kind::estimated:
            return "estimated";
        case error_kind::compared:
            return "compared";
        case error_kind::unknown:
            return "unknown";
    }
    return "";
}

std::string_view to_string(condition_source value) noexcept
{
    switch (value) {
        case condition_source::unknown:
            return "unknown";
        case condition_source::factors:
            return "factors";
        case condition_source::solves:
            return "solves";
        case condition_source::lower_bound:
            return "lower-bound";
        case condition_source::method:
            return "method";
    }
    return "";
}

std::string_view to_string(rank_source value) noexcept
{
    switch (value) {
        case rank_source::structure:
            return "structure";
        case rank_source::one_prime:
            return "one-prime";
        case rank_source::two_primes:
            return "two-primes";
        case rank_source::part:
            return "part";
        case rank_source::condition:
            return "condition";
    }
    return "";
}

std::string_view in_words(rank_source value) noexcept
{
    switch (value) {
        case rank_source::structure:
            return "by structure: certain";
        case rank_source::one_prime:
            return "by exact elimination modulo a prime: certain";
        case rank_source::two_primes:
            return "by exact elimination modulo two primes: certain but for one case in 10^13";
        case rank_source::part:
            return "by vectors that the matrix takes to zero, and a random right-hand side with the rest: certain but "
                   "for one case in 10^12";
        case rank_source::condition:
            return "since factors suffice for the estimated condition";
    }
    return "";
}

std::string in_words(const suggestion& what, vocabulary words)
{
    const bool any_higher = what.what == remedy::precision && what.bits == 0;
    const auto& all = any_higher ? higher_precision : remedy_names[static_cast<std::size_t>(what.what)].words;
    std::string text(all[static_cast<std::size_t>(words)]);
    if (const std::size_t at = text.find('#'); at != std::string::npos) {
        text.replace(at, 1, std::to_string(what.bits));
    }
    return text;
}

bool built_with_cuda() noexcept
{
#if defined(RESIDUA_CUDA)
    return true;
#else
    return false;
#endif
}

}  // namespace residua
