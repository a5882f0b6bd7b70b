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
    facts_ = known_facts();
    if (structure().square && !is_singular()) {
        facts_.multigrid = find_multigrid(facts_, options_, reach(), matrix_, machine_);
    }
    decisions_ = residua::plan(facts_, options_, machine_);
}

system_facts prepared_system::known_facts() const
{
    system_facts known = facts_;
    known.binary64 = made_.facts();
    known.made = made_.bits();
    const condition_estimate* const condition = made_.condition();
    known.condition = condition != nullptr ? std::optional(*condition) : std::nullopt;
    known.trusted_bits = made_.trusted_bits();
    return known;
}

std::vector<predicted_cost> prepared_system::costs() const
{
    return is_singular() ? std::vector<predicted_cost>() : predict_all(known_facts(), options_, plan(), first_bits());
}

std::optional<double> prepared_system::predicted_seconds(bool kept) const
{
    if (is_singular()) {
        return std::nullopt;
    }
    predicted_cost first = predict(known_facts(), options_, plan().candidates.front(), first_bits());
    if (kept) {
        first.setup = first.factors = {};
    }
    return first.known == foresight::about ? first.seconds() : std::nullopt;
}

std::vector<double> prepared_system::predicted_bytes_unasked(const std::vector<long>& precisions) const
{
    const system_facts facts{.sizes = facts_.sizes, .structure = facts_.structure, .factors = facts_.factors};
    return predicted_bytes(facts, {}, precisions, 1);
}

double prepared_system::predicted_factor_bytes() const
{
    if (is_least_squares()) {
        const bool by_qr = plan().candidates.front().method == method::direct;
        return by_qr ? direct_bytes(decisions_.first.in) : 0.0;
    }
    const long unasked = options_.factor_bits == 0 ? plan().candidates.front().factor_bits : 0;
    return factor_bytes(facts_, options_, reach()) +
           (unasked > binary64_bits ? need_of_factors(facts_.factors, unasked).bytes : 0.0);
}

}  // namespace residua
