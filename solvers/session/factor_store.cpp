#include <residua/solvers/session/factor_store.hpp>

#include <algorithm>

#include <residua/solvers/precond/factor_kinds.hpp>

namespace residua {
namespace {

/// From this 1-norm condition estimate on, times the weight of growth, factors in binary64 are not trusted to judge
/// themselves.
constexpr double largest_binary64_condition = 1e13;

/// Judges binary64 factors by their condition, which is empty where it was not estimated.
void judge(factor_level& level, const scaled_matrix& matrix)
{
    if (level.condition) {
        level.weight = weight_of_growth(level.factors.growth(matrix));
    }
    level.suffice = level.condition && level.weight * level.condition->scaled < largest_binary64_condition;
}

}  // namespace

factor_level make_binary64_level(const linear_system& system, const scaled_matrix& matrix, preconditioner kind,
                                 bool estimate_condition, sparse_analyses& analyses, const factor_options& options)
{
    factor_level level{.factors = made_in_turn(kinds_of_factors(matrix, kind), [&](factor_kind next) {
                           return factorize_native(matrix, next, analyses, options);
                       })};
    if (level.factors.exist() && estimate_condition) {
        level.condition = residua::estimate_condition(system, matrix, inverse_by_factors(matrix, level.factors));
    }
    judge(level, matrix);
    return level;
}

factor_level make_long_level(const linear_system& system, const scaled_matrix& matrix, const arithmetic& in,
                             const long_factor_options& options)
{
    factor_level level{.factors = factorize_long(in, matrix, options)};
    level.inverse = inverse_by_long_factors(system, matrix, level.factors, in.bits);
    if (level.inverse) {
        level.condition = level.inverse->condition;
        level.weight = weight_of_growth(level.factors.growth(matrix));
        level.suffice = level.inverse->suffices;
    }
    return level;
}

factor_level* factor_store::find(long bits)
{
    const auto known = long_.find(bits);
    return known == long_.end() ? nullptr : &known->second;
}

factor_level& factor_store::keep(long bits, factor_level level)
{
    return long_.insert_or_assign(bits, std::move(level)).first->second;
}

void factor_store::give_up_below(long bits)
{
    std::erase_if(long_, [&](const auto& each) { return each.first < bits && !each.second.trusted(); });
}

bool factor_store::release(const std::string& why)
{
    if (!binary64_.factors.exist() && long_.empty()) {
        return false;
    }
    binary64_.factors = factorization(why, binary64_.factors.kind());
    binary64_.inverse.reset();
    long_.clear();
    return true;
}

std::vector<long> factor_store::bits() const
{
    std::vector<long> all;
    if (binary64_.factors.exist()) {
        all.push_back(binary64_bits);
    }
    for (const auto& [bits, level] : long_) {
        all.push_back(bits);
    }
    return all;
}

const factor_level* factor_store::trusted() const
{
    if (binary64_.trusted()) {
        return &binary64_;
    }
    const auto level = std::find_if(long_.begin(), long_.end(), [](const auto& each) { return each.second.trusted(); });
    return level == long_.end() ? nullptr : &level->second;
}

long factor_store::trusted_bits() const
{
    if (binary64_.trusted()) {
        return binary64_bits;
    }
    const auto level = std::find_if(long_.begin(), long_.end(), [](const auto& each) { return each.second.trusted(); });
    return level == long_.end() ? 0 : level->first;
}

const inverse_operator* factor_store::trusted_inverse(const scaled_matrix& matrix)
{
    if (binary64_.trusted() && !binary64_.inverse) {
        binary64_.inverse = inverse_by_factors(matrix, binary64_.factors, binary64_.condition);
    }
    const factor_level* const level = trusted();
    return level == nullptr ? nullptr : &*level->inverse;
}

const condition_estimate* factor_store::condition() const
{
    if (const factor_level* const level = trusted()) {
        return &*level->condition;
    }
    const auto& known = condition_by_solves_ ? condition_by_solves_ : binary64_.condition;
    return known ? &*known : nullptr;
}

std::optional<known_condition> factor_store::condition_for_report(const linear_system& system,
                                                                  const scaled_matrix& matrix) const
{
    const condition_estimate* const best = condition();
    if (best == nullptr) {
        return std::nullopt;
    }
    if (binary64_.suffice || trusted() != nullptr) {
        return known_condition{best->condition, condition_source::factors};
    }
    if (condition_by_solves_) {
        return known_condition{best->condition, condition_source::solves};
    }
    real bound(1.0);
    const auto raise_by = [&](const factor_level& level, long bits) {
        if (level.condition) {
            bound = max(bound, condition_lower_bound(system, matrix, *level.condition, bits, level.weight));
        }
    };
    raise_by(binary64_, binary64_bits);
    for (const auto& [bits, level] : long_) {
        raise_by(level, bits);
    }
    return known_condition{bound, condition_source::lower_bound};
}

binary64_facts factor_store::facts() const
{
    const factorization& made = binary64_.factors;
    binary64_facts facts{.kind = preconditioner_of(made.kind()),
                         .available = binary64_.factors.exist(),
                         .trusted = binary64_.trusted(),
                         .failure = made.failure()};
    if (facts.available) {
        facts.entries = made.kind() == factor_kind::lu ? made.entries() : made.lower_entries();
    }
    return facts;
}

factor_store factor_store::transposed(const linear_system& system, const scaled_matrix& matrix) const
{
    factor_store result;
    factor_level& level = result.binary64_;
    level.factors = binary64_.factors;
    if (binary64_.factors.exist()) {
        level.factors = binary64_.factors.transposed();
        if (binary64_.condition) {
            level.condition = estimate_condition(system, matrix, inverse_by_factors(matrix, level.factors));
        }
        judge(level, matrix);
    }
    return result;
}

}  // namespace residua
