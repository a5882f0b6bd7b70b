// The decisions of a prepared system, and what it is predicted to take.
#include <residua/solvers/session/prepared.hpp>

namespace residua {

void prepared_system::make_postponed_factors()
{
    if (facts_.cg) {
        facts_.cg.reset();
        find_reach();
        make_factors();
        decide();
    }
}

void prepared_system::decide()
{
    note_factors();
    decisions_ = residua::plan(facts_, options_, machine_);
}

void prepared_system::note_factors()
{
    const complete_factors& made = factors_.factors;
    facts_.binary64 = {.kind = factors_.kind, .available = factors_.available, .trusted = factors_.trusted()};
    facts_.made.clear();
    if (factors_.available) {
        facts_.binary64.entries = factors_.kind == preconditioner::lu ? made.entries() : made.lower_entries();
        facts_.made.push_back(binary64_bits);
    } else {
        facts_.binary64.failure = made.failure();
    }
    for (const auto& [bits, level] : levels_) {
        facts_.made.push_back(bits);
    }
    const condition_estimate* const known = condition();
    facts_.condition = known != nullptr ? std::optional(*known) : std::nullopt;
    facts_.trusted_bits = trusted_bits();
}

system_facts prepared_system::facts_for_costs() const
{
    system_facts known = facts_;
    known.made.clear();
    known.condition = condition() != nullptr ? std::optional(*condition()) : std::nullopt;
    return known;
}

std::vector<predicted_cost> prepared_system::costs() const
{
    return is_singular() ? std::vector<predicted_cost>()
                         : predict_all(facts_for_costs(), options_, plan(), first_bits());
}

std::optional<double> prepared_system::predicted_seconds(bool kept) const
{
    if (is_singular()) {
        return std::nullopt;
    }
    predicted_cost first = predict(facts_for_costs(), options_, plan().candidates.front(), first_bits());
    if (kept) {
        first.setup = first.factors = {};
    }
    return first.known == foresight::about ? first.seconds() : std::nullopt;
}

double prepared_system::predicted_factor_bytes() const
{
    if (!structure().square || is_least_squares()) {
        return 0.0;
    }
    const long unasked = options_.factor_bits == 0 ? plan().candidates.front().factor_bits : 0;
    return factor_bytes(facts_, options_, reach()) +
           (unasked > binary64_bits ? need_of_factors(facts_.factors, unasked).bytes : 0.0);
}

}  // namespace residua
