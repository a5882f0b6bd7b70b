#include <residua/solvers/options/methods.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <residua/solvers/methods/list.hpp>

namespace residua {
namespace {

constexpr method_traits automatic{
    .method = method::automatic,
    .name = "auto",
    .systems = "",
    .step_cost = "",
    .rectangular = true,
    .restarts = true,
};

template <class... M>
constexpr std::array<method_traits, 1 + sizeof...(M)> rows_of(method_list<M...>)
{
    return {automatic, M::traits...};
}

constexpr auto rows = rows_of(solve_methods{});

constexpr bool in_order()
{
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k].method != static_cast<method>(k)) {
            return false;
        }
    }
    return true;
}
static_assert(in_order(), "solve_methods has the order of the enumeration");

}  // namespace

const method_traits& traits_of(method m) noexcept { return rows[static_cast<std::size_t>(m)]; }

std::span<const method_traits> all_methods() noexcept { return std::span(rows).subspan(1); }

std::optional<method> method_named(std::string_view name) noexcept
{
    const auto row = std::ranges::find(rows, name, &method_traits::name);
    return row == rows.end() ? std::nullopt : std::optional(row->method);
}

std::string_view to_string(method m) noexcept { return traits_of(m).name; }

bool fits(method m, preconditioner p) noexcept
{
    const method_traits& traits = traits_of(m);
    const preconditioner_traits& with = traits_of(p);
    if (p == preconditioner::automatic) {
        return true;
    }
    if (m == method::automatic) {
        return with.by_function;
    }
    if (traits.by_factors) {
        return with.factors;
    }
    if (!traits.preconditioned) {
        return p == preconditioner::none;
    }
    if (traits.transpose && is_by_petsc(p)) {
        return false;
    }
    if (traits.complex_symmetric) {
        return with.general && !with.loses_symmetry;
    }
    return traits.symmetric ? with.definite : with.general;
}

std::vector<preconditioner> fitting_preconditioners(method m)
{
    std::vector<preconditioner> fitting;
    for (const preconditioner_traits& each : all_preconditioners()) {
        if (fits(m, each.preconditioner)) {
            fitting.push_back(each.preconditioner);
        }
    }
    std::stable_partition(fitting.begin(), fitting.end(),
                          [&](preconditioner p) { return p == traits_of(m).preferred; });
    return fitting;
}

preconditioner default_preconditioner(method m, bool nonzero_diagonal, preconditioner factors) noexcept
{
    const method_traits& traits = traits_of(m);
    if (traits.by_factors) {
        return factors;
    }
    return nonzero_diagonal || !traits_of(traits.preferred).needs_diagonal ? traits.preferred : preconditioner::none;
}

void require_fitting(method m, preconditioner p)
{
    if (fits(m, p)) {
        return;
    }
    std::vector<std::string_view> names;
    for (const preconditioner each : fitting_preconditioners(m)) {
        names.push_back(to_string(each));
    }
    const std::string taken = listed(names) + (m == method::automatic ? ": choose the method too" : "");
    throw unsupported_error("the preconditioner " + std::string(to_string(p)) + " does not fit the method " +
                            std::string(to_string(m)) + ", which takes " + taken);
}

bool runs_in_rns_on_gpu(method m, preconditioner p) noexcept
{
    const method_traits& traits = traits_of(m);
    return traits.in_rns_on_gpu && (traits.by_factors || p == preconditioner::automatic || applied_by_products(p));
}

std::vector<std::string_view> names_with(bool method_traits::*trait)
{
    std::vector<std::string_view> names;
    for (const method_traits& each : all_methods()) {
        if (each.*trait) {
            names.push_back(each.name);
        }
    }
    return names;
}

std::vector<std::string_view> names_with(bool preconditioner_traits::*trait)
{
    std::vector<std::string_view> names;
    for (const preconditioner_traits& each : all_preconditioners()) {
        if (each.*trait) {
            names.push_back(each.name);
        }
    }
    return names;
}

std::string listed(const std::vector<std::string_view>& names, std::string_view last_word)
{
    std::string text;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (k > 0 && k + 1 < names.size()) {
            text += ", ";
        } else if (k > 0) {
            text.append(" ").append(last_word).append(" ");
        }
        text += names[k];
    }
    return text;
}

}  // namespace residua
