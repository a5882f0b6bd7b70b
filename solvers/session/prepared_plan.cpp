// The plan of a prepared system, and what it is predicted to take.
#include <residua/solvers/session/prepared.hpp>

#include <optional>
#include <utility>
#include <vector>

#include <residua/solvers/planning/cg_first.hpp>
#include <residua/solvers/planning/costs.hpp>

namespace residua {

void prepared_system::make_postponed_factors()
{
    if (cg_first_) {
        reach_ = std::move(postponed_reach_);
        cg_first_.reset();
        make_factors();
        make_the_plan();
    }
}

void prepared_system::make_the_plan()
{
    note_condition();
    planned_trusted_bits_ = trusted_bits();
    plan_ = make_plan(*system_, structure_, options_, factors_, reach_, condition(), planned_trusted_bits_);
    first_bits_ = choose_precision(options_, loss());
    if (cg_first_) {
        plan_.candidates.insert(plan_.candidates.begin(), cg_first_->choice);
    }
    if (planned_trusted_bits_ == 0) {
        return;  // the condition is not known
    }
    std::vector<long> made;
    if (factors_.available) {
        made.push_back(binary64_bits);
    }
    for (const auto& [bits, level] : levels_) {
        made.push_back(bits);
    }
    prefer_longer_factors(plan_, cost_question_with(std::move(made)), reach_, first_bits_);
}

void prepared_system::note_condition()
{
    planned_condition_.reset();
    if (const condition_estimate* const known = condition()) {
        planned_condition_ = *known;
    }
}

cost_question prepared_system::cost_question_with(std::vector<long> made)
{
    return {.system = *system_,
            .options = options_,
            .matrix = matrix_,
            .analyses = analyses_,
            .condition = condition(),
            .made = std::move(made),
            .bits_of_cg = cg_first_ ? cg_first_->bits : 0.0};
}

std::vector<predicted_cost> prepared_system::costs()
{
    if (is_singular()) {
        return {};
    }
    return predict_all(cost_question_with({}), structure_, plan_, first_bits_);
}

std::optional<double> prepared_system::predicted_seconds(bool kept)
{
    if (is_singular()) {
        return std::nullopt;
    }
    predicted_cost first = predict(cost_question_with({}), plan_.candidates.front(), first_bits_);
    if (kept) {
        first.setup = first.factors = {};
    }
    return first.known == foresight::about ? first.seconds() : std::nullopt;
}

double prepared_system::predicted_factor_bytes()
{
    if (!structure_.square || is_least_squares()) {
        return 0.0;
    }
    const long unasked = options_.factor_bits == 0 ? plan_.candidates.front().factor_bits : 0;
    return factor_bytes(*system_, options_, matrix_, reach_, analyses_) +
           (unasked > binary64_bits ? need_of_factors(matrix_, analyses_, unasked, kind_of_long_factors(options_)).bytes
                                    : 0.0);
}

}  // namespace residua
