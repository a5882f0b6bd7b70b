#include <residua/solvers/session/prepared.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include <residua/solvers/system/make_csr.hpp>
#include <residua/solvers/system/transpose.hpp>
#include <residua/solvers/system/true_residual.hpp>

namespace residua {
namespace {

/// In which factors are sought whose precision nobody asked for.
constexpr std::array<long, 4> level_bits{106, 212, 424, most_inverse_bits};

std::function<csr<host_executor, double>()> rows_of(const scaled_matrix& m)
{
    return [&m] { return make_csr(m.a, m.cols(), m.a.value); };
}

std::function<csr<host_executor, double>()> rows_of(const linear_system& a)
{
    return [&a] {
        csr<host_executor, double> matrix(a.rows, a.cols, a.nonzeros());
        std::copy(a.row_begin.begin(), a.row_begin.end(), matrix.row_begin().begin());
        std::copy(a.column.begin(), a.column.end(), matrix.col().begin());
        std::copy(a.values.begin(), a.values.end(), matrix.value().data);
        return matrix;
    };
}

}  // namespace

prepared_system::prepared_system(std::shared_ptr<const linear_system> system, const solve_options& options,
                                 const solve_clock& clock, sparse_analyses earlier)
    : system_(std::move(system)),
      options_(options),
      clock_(clock),
      structure_(inspect(*system_)),
      norm_inf_(matrix_norm_inf(*system_)),
      storage_(rows_of(matrix_)),
      storage_of_a_(rows_of(*system_)),
      analyses_(std::move(earlier))
{
    require_symmetry(structure_, options_);
    if (options_.method == method::lsqr || !structure_.square) {
        matrix_ = scale_uniformly(*system_);
        transpose_ = transpose(*system_);
        norm_frobenius_ = matrix_norm_frobenius(*system_);
    } else {
        matrix_ = scale(*system_, structure_.symmetric);
    }
    if (may_need_factors(options_) && structure_.square && !is_least_squares()) {
        reach_ = find_reach(matrix_, analyses_);
    }
    if (wants_factors(*system_, options_, reach_) && structure_.zero_rows == 0 && structure_.zero_cols == 0) {
        const bool condition = options_.estimate_condition || options_.digits > 0 ||
                               options_.method == method::automatic || options_.precision_bits == 0;
        factors_ = factorize(*system_, matrix_, options_.preconditioner, condition, analyses_,
                             {.device = factor_device(), .stop = clock_.interruption()});
        // the precision and the plan follow from the condition, which binary64 factors do not see
        const bool follows = options_.method == method::automatic && condition && !factors_.trusted();
        if (follows && reach_.automatic > binary64_bits) {
            if (options_.precision_bits == 0) {
                seek_inverse(0);
            } else {
                seek_long_factors(choose_precision(options_, real(1.0)));
            }
        }
    }
    plan_ = make_plan(*system_, structure_, options_, factors_, reach_, condition(), trusted_bits());
    first_bits_ = choose_precision(options_, loss());
}

prepared_system::prepared_system(const prepared_system& of, std::shared_ptr<const linear_system> transposed,
                                 const solve_options& options, const solve_clock& clock)
    : system_(std::move(transposed)),
      options_(options),
      clock_(clock),
      structure_(inspect(*system_)),
      norm_inf_(matrix_norm_inf(*system_)),
      matrix_(transpose(of.matrix_)),
      storage_(rows_of(matrix_)),
      storage_of_a_(rows_of(*system_)),
      reach_(of.reach_),
      factors_(of.factors_),
      first_bits_(of.first_bits_)
{
    factors_.condition.reset();
    if (factors_.available) {
        factors_.factors = of.factors_.factors.transposed();
        if (of.factors_.condition) {
            factors_.condition = estimate_condition(*system_, matrix_, inverse_by_factors(matrix_, factors_.factors));
        }
    }
    plan_ = make_plan(*system_, structure_, options_, factors_, reach_, condition(), of.trusted_bits());
}

std::unique_ptr<prepared_system> prepared_system::transposed(std::shared_ptr<const linear_system> system,
                                                             const solve_options& options,
                                                             const solve_clock& clock) const
{
    return std::unique_ptr<prepared_system>(new prepared_system(*this, std::move(system), options, clock));
}

const scaled_matrix& prepared_system::unscaled()
{
    if (!unscaled_) {
        unscaled_ = residua::unscaled(*system_, structure_.symmetric);
    }
    return *unscaled_;
}

matrix_storage* prepared_system::storage_for_residuals()
{
    if (is_least_squares() || !has_exact_residuals(*system_)) {
        return nullptr;
    }
    return matrix_.is_scaled() ? &storage_of_a_ : &storage_;
}

std::optional<cuda_executor> prepared_system::factor_device() const
{
    return options_.executor == executor::cuda ? std::optional(make_cuda_executor(options_.device)) : std::nullopt;
}

double prepared_system::predicted_factor_bytes()
{
    return structure_.square && !is_least_squares() ? factor_bytes(*system_, options_, matrix_, reach_, analyses_)
                                                    : 0.0;
}

double prepared_system::direct_bytes(const arithmetic& in) { return long_factors_bytes(in, matrix_, analyses_); }

long_level& prepared_system::long_factors_in(long bits)
{
    const arithmetic in = factors_in(bits);
    if (const auto known = levels_.find(in.bits); known != levels_.end()) {
        return known->second;
    }
    std::erase_if(levels_, [&](const auto& each) { return each.first < in.bits && !each.second.trusted(); });
    long_level level;
    level.factors = factorize_long(in, matrix_, {.interrupted = clock_.interruption(), .analyses = &analyses_});
    level.inverse = inverse_by_long_factors(*system_, matrix_, *level.factors, in.bits);
    return levels_.emplace(in.bits, std::move(level)).first->second;
}

long prepared_system::trusted_bits() const
{
    if (factors_.trusted()) {
        return binary64_bits;
    }
    const auto level = std::find_if(levels_.begin(), levels_.end(), [](const auto& l) { return l.second.trusted(); });
    return level == levels_.end() ? 0 : level->first;
}

long_level* prepared_system::seek_long_factors(long most_bits)
{
    std::vector<long> all(level_bits.begin(), level_bits.end());
    if (most_bits > all.back()) {
        all.push_back(most_bits);
    }
    for (const long bits : all) {
        if (bits > most_bits || bits > reach_.automatic) {
            break;
        }
        if (bits <= sought_bits_ && !levels_.contains(factors_in(bits).bits)) {
            continue;  // given up
        }
        long_level& level = long_factors_in(bits);
        if (clock_.stop_requested()) {
            inverse_found_ = inverse_state::interrupted;
            return nullptr;
        }
        sought_bits_ = std::max(sought_bits_, bits);
        if (level.trusted()) {
            return &level;
        }
    }
    return nullptr;
}

const inverse_operator* prepared_system::seek_inverse(long bits_at_work)
{
    if (factors_.trusted()) {
        if (!by_binary64_) {
            by_binary64_ = inverse_by_factors(matrix_, factors_.factors, factors_.condition);
        }
        inverse_found_ = inverse_state::found;
        return &*by_binary64_;
    }
    for (auto& [bits, level] : levels_) {
        if (level.trusted()) {
            inverse_found_ = inverse_state::found;
            return &*level.inverse;
        }
    }
    if (!structure_.square || reach_.automatic <= binary64_bits) {
        inverse_found_ = inverse_state::too_large;
        return nullptr;
    }
    const long most = std::max(bits_at_work, most_inverse_bits);
    if (inverse_found_ == inverse_state::looks_singular && sought_bits_ >= most) {
        return nullptr;
    }
    inverse_found_ = inverse_state::looks_singular;
    if (const long_level* level = seek_long_factors(most)) {
        inverse_found_ = inverse_state::found;
        return &*level->inverse;
    }
    return nullptr;
}

const condition_estimate* prepared_system::condition() const
{
    if (!factors_.trusted()) {
        for (const auto& [bits, level] : levels_) {
            if (level.trusted()) {
                return &*level.inverse->condition;
            }
        }
        if (condition_by_solves_) {
            return &*condition_by_solves_;
        }
    }
    return factors_.condition ? &*factors_.condition : nullptr;
}

real prepared_system::loss() const
{
    const condition_estimate* known = condition();
    return known != nullptr ? known->of_x : real(0.0);
}

}  // namespace residua
