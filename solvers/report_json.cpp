#include <residua/solvers/report_json.hpp>

#include <utility>

#include <nlohmann/json.hpp>

namespace residua {
namespace {

using json = nlohmann::ordered_json;

json decimal_or_null(const real& x)
{
    constexpr int digits = 6;
    return is_nan(x) ? json(nullptr) : json(to_string(x, digits));
}

json number_or_null(const std::optional<real>& x) { return x ? decimal_or_null(*x) : json(nullptr); }

json spectrum_json(const solve_report& r)
{
    if (!r.spectrum) {
        return nullptr;
    }
    const real smallest(r.spectrum->smallest);
    const real largest(r.spectrum->largest);
    return {{"smallest", decimal_or_null(smallest)},
            {"largest", decimal_or_null(largest)},
            {"condition", decimal_or_null(largest / smallest)},
            {"of", r.spectrum_of_a ? "A" : "preconditioned A"}};
}

json parts_json(const std::optional<part_seconds>& parts)
{
    if (!parts) {
        return nullptr;
    }
    return {{"analysis", parts->analysis},   {"scaling", parts->scaling},
            {"factors", parts->factors},     {"methods", parts->methods},
            {"products", parts->products},   {"preconditioner", parts->preconditioner},
            {"vectors", parts->vectors},     {"transfers", parts->transfers},
            {"updates", parts->updates},     {"true_residuals", parts->true_residuals},
            {"estimates", parts->estimates}, {"rest", parts->rest}};
}

json memory_json(const solve_report& r)
{
    return {{"predicted_bytes", r.predicted_bytes}, {"used_bytes", r.used_bytes ? json(*r.used_bytes) : json(nullptr)}};
}

json bits_or_null(long bits) { return bits > 0 ? json(bits) : json(nullptr); }

json escalation_json(const escalation& step)
{
    return {{"precision_bits", step.precision_bits},
            {"method", to_string(step.method)},
            {"factor_bits", bits_or_null(step.factor_bits)},
            {"iterations", step.iterations},
            {"relative_residual", decimal_or_null(step.relative_residual)},
            {"reason", step.reason}};
}

json candidate_json(const candidate& c)
{
    return {{"method", to_string(c.method)},
            {"preconditioner", to_string(c.preconditioner)},
            {"factor_bits", bits_or_null(c.factor_bits)}};
}

json cost_json(const predicted_cost& cost, const machine_rates& rates)
{
    const std::optional<double> seconds = cost.seconds(rates);
    json fields = candidate_json(cost.choice);
    fields.update({{"precision_bits", cost.in.bits},
                   {"seconds", seconds ? json(*seconds) : json(nullptr)},
                   {"seconds_before", rates.total(cost.setup) + rates.total(cost.factors)},
                   {"seconds_each", rates.total(cost.each)},
                   {"iterations", seconds ? json(cost.iterations) : json(nullptr)},
                   {"are_bounds", cost.known == foresight::at_most},
                   {"bytes", cost.bytes}});
    return fields;
}

std::string text_of(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace); }

}  // namespace

std::string to_json(const solve_plan& plan, const std::vector<predicted_cost>& costs, const machine_rates& rates)
{
    json candidates = json::array();
    for (const candidate& each : plan.candidates) {
        candidates.push_back(candidate_json(each));
    }
    json predicted = json::array();
    for (const predicted_cost& each : costs) {
        predicted.push_back(cost_json(each, rates));
    }
    return text_of({{"reason", plan.reason}, {"candidates", std::move(candidates)}, {"costs", std::move(predicted)}});
}

std::string to_json(const solve_report& r)
{
    json escalations = json::array();
    for (const escalation& step : r.escalations) {
        escalations.push_back(escalation_json(step));
    }
    json changes = json::array();
    for (const precision_change& change : r.precision_changes) {
        changes.push_back({{"iteration", change.iteration}, {"precision_bits", change.precision_bits}});
    }
    const json object = {
        {"method", to_string(r.method)},
        {"preconditioner", to_string(r.preconditioner)},
        {"format", to_string(r.format)},
        {"precision_bits", r.precision_bits},
        {"precision_changes", std::move(changes)},
        {"factor_bits", bits_or_null(r.factor_bits)},
        {"solution_bits", r.solution_bits},
        {"executor", to_string(r.executor)},
        {"device", r.device},
        {"blas_advice", r.blas_advice.empty() ? json(nullptr) : json(r.blas_advice)},
        {"kept_on_host", r.kept_on_host.empty() ? json(nullptr) : json(r.kept_on_host)},
        {"status", to_string(r.status)},
        {"iterations", r.iterations},
        {"restarts", r.restarts},
        {"corrections", r.corrections},
        {"matvecs", r.matvecs},
        {"rtol", decimal_or_null(r.rtol)},
        {"atol", decimal_or_null(r.atol)},
        {"rhs_norm", decimal_or_null(r.rhs_norm)},
        {"recursive_residual", decimal_or_null(r.recursive_residual)},
        {"relative_residual", decimal_or_null(r.relative_residual)},
        {"normal_residual", number_or_null(r.normal_residual)},
        {"least_squares", r.least_squares},
        {"complex", r.complex},
        {"backward_error", decimal_or_null(r.backward_error)},
        {"componentwise_backward_error", decimal_or_null(r.componentwise_backward_error)},
        {"forward_error",
         {{"bound", number_or_null(r.forward_error)}, {"kind", to_string(r.forward_kind)}, {"digits", r.digits}}},
        {"reading_digits", r.reading_digits ? json(*r.reading_digits) : json(nullptr)},
        {"rank", r.rank ? json(*r.rank) : json(nullptr)},
        {"nullity", r.nullity},
        {"part_outside", number_or_null(r.part_outside)},
        {"condition_estimate", number_or_null(r.condition)},
        {"condition_source", to_string(r.condition_source)},
        {"spectrum", spectrum_json(r)},
        {"seconds",
         {{"setup", r.setup_seconds},
          {"solve", r.solve_seconds},
          {"predicted", r.predicted_seconds ? json(*r.predicted_seconds) : json(nullptr)},
          {"parts", parts_json(r.parts)}}},
        {"memory", memory_json(r)},
        {"escalations", std::move(escalations)},
        {"checkpoint_failure", r.checkpoint_failure.empty() ? json(nullptr) : json(r.checkpoint_failure)},
        {"message", r.message}};
    return text_of(object);
}

}  // namespace residua
