#include <residua/solvers/session/prepared.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/build/shared_engine.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/session/deflated.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

/// Address space that a solve gets for each byte predicted without factors: malloc's arenas map more than they use.
constexpr double share_of_address_space = 2.0;

/// Whether the solver may answer by the rank of A: the caller has named no method that works without factors.
bool is_rank_sought(const solve_options& options)
{
    const method_traits& traits = traits_of(options.method);
    return options.preconditioner != preconditioner::given &&
           (options.method == method::automatic || traits.dense || traits.by_factors);
}

matrix_structure structure_of(const linear_system& a)
{
    return a.elsewhere != nullptr ? a.elsewhere->outline().structure : inspect(a);
}

scaled_double norm_of(const linear_system& a)
{
    return a.elsewhere != nullptr ? a.elsewhere->outline().norm_inf : matrix_norm_inf(a);
}

}  // namespace

bool may_stay_elsewhere(const linear_system& system, const solve_options& options)
{
    const matrix_outline& known = system.elsewhere->outline();
    const double n = static_cast<double>(system.rows);
    const bool is_dense = static_cast<double>(known.nonzeros) >= 0.25 * n * n;
    const bool are_several = options.processes != nullptr && options.processes->count() > 1;
    return are_several && shares(options.method) && options.format != number_format::rns && !is_dense &&
           !may_need_factors(options) && options.null_space.empty() && !options.has_weights_or_damp() &&
           options.checkpoint.empty() && is_zero(system.reading_error) && known.needs_no_scaling &&
           !(known.floats && may_be_deflated(options));
}

std::shared_ptr<const linear_system> with_entries_here(const linear_system& system)
{
    auto whole = std::make_shared<linear_system>(system);
    static_cast<sparse_matrix&>(*whole) = system.elsewhere->whole();
    whole->complex = system.complex;
    whole->elsewhere.reset();
    if (system.b_in_pieces != nullptr) {
        whole->b = system.b_in_pieces->numbers();
        whole->b_in_pieces.reset();
    }
    return whole;
}

prepared_system::prepared_system(std::shared_ptr<const linear_system> system, const solve_options& options,
                                 const solve_clock& clock, sparse_analyses earlier, bool alone, checkpoint* states,
                                 bool is_deflated)
    : system_(std::move(system)),
      options_(options),
      clock_(clock),
      states_(states),
      facts_{.sizes = sizes_of(*system_),
             .structure = timed(&seconds_.analysis, [&] { return structure_of(*system_); })},
      norm_inf_(timed(&seconds_.analysis, [&] { return norm_of(*system_); })),
      storage_of_a_(*system_),
      analyses_(std::move(earlier)),
      is_deflated_(is_deflated)
{
    require_symmetry(facts_, options_);
    const bool is_here = system_->elsewhere == nullptr;
    if (is_here && !is_deflated && (is_rank_sought(options_) || may_be_deflated(options_))) {
        timed(&seconds_.analysis, [&] { rank_ = rank_of_laplacian(*system_, structure()); });
    }
    if (is_here && !is_deflated && !rank_ && is_rank_sought(options_)) {
        timed(&seconds_.factors, [&] { show_rank_by_part(show_rank_by_sums, true); });
    }
    timed(&seconds_.scaling, [&] {
        if (options_.method == method::lsqr || !structure().square) {
            matrix_ = scale_uniformly(*system_);
            transpose_ = transpose(*system_);
            norm_frobenius_ = matrix_norm_frobenius(*system_);
        } else {
            matrix_ = is_here ? scale(*system_, structure().symmetric, structure().complex_symmetric) : unscaled();
        }
        storage_ = matrix_storage(matrix_);
    });
    timed(&seconds_.analysis, [&] {
        machine_ = this_machine();
        if (may_need_factors(options_) && structure().square && !is_singular() && !is_least_squares()) {
            analyse_for_factors();
        } else if (!structure().square && (facts_.sizes.take_dense_qr() || options_.method == method::direct)) {
            facts_.factors = work_of_qr(facts_.sizes);
        }
        find_reach();
        if (alone && !is_singular() && !is_least_squares()) {
            facts_.cg = find_cg_first(facts_, options_, reach(), matrix_);
            find_reach();  // with factors postponed there is none
        }
    });
    if (is_singular()) {
        timed(&seconds_.factors, [&] { seek_rank(); });
    } else if (wants_factors(facts_, options_, reach())) {
        timed(&seconds_.factors, [&] { make_factors(); });
    }
    timed(&seconds_.analysis, [&] { decide(); });
}

void prepared_system::analyse_for_factors()
{
    try {
        facts_.factors = with_memory_for("the analysis of the matrix",
                                         [&] { return work_of_factors(matrix_, analyses_, options_); });
    } catch (const resource_error& lack) {
        refuse_factors(binary64_bits, lack.what());
        is_incomplete_ = true;
    }
}

void prepared_system::find_reach()
{
    decisions_.reach = residua::find_reach(facts_, machine_, bytes_without_factors(facts_.sizes, options_, 1));
}

void prepared_system::refuse_factors(long bits, const std::string& because)
{
    facts_.refuse(bits, because);
    find_reach();
}

template <class Show>
void prepared_system::show_rank_by_part(const Show& show, bool has_sets)
{
    constexpr int least_digits = 20;  // with which a residual of 10^-12 / n is reached
    rank_ =
        show(*system_, structure(), options_, clock_, std::max(first_digits_of_part(options_, has_sets), least_digits));
    is_incomplete_ = is_incomplete_ || (rank_ && rank_->lacked_memory);
}

bool prepared_system::seek_rank()
{
    if (!is_rank_sought(options_) || !structure().square || rank_ || has_sought_rank_) {
        return rank_.has_value();
    }
    if (std::optional<matrix_rank> found = find_rank_in_time(*system_, structure())) {
        is_nonsingular_ = found->rank == system_->rows;
        if (!is_nonsingular_ && outlasts_reading(*system_, *found, options_, clock_)) {
            rank_ = known_rank{.part = *std::move(found)};
        }
    } else {
        show_rank_by_part(show_rank_by_constraints, false);
    }
    has_sought_rank_ = true;
    return rank_.has_value();
}

void prepared_system::make_factors()
{
    const bool automatic = options_.method == method::automatic && options_.preconditioner == preconditioner::automatic;
    const bool condition =
        options_.estimate_condition || options_.digits > 0 || automatic || options_.precision_bits == 0;
    try {
        std::optional<held_address_space> of_the_solve;  // held for a solve that can go on without factors
        if (!needs_factors(options_)) {
            of_the_solve.emplace(share_of_address_space * bytes_without_factors(facts_.sizes, options_, 1));
        }
        made_.keep_binary64(with_memory_for("the factorisation", [&] {
            return make_binary64_level(*system_, matrix_, options_.preconditioner, condition, analyses_,
                                       {.device = factor_device(), .keeper = states_});
        }));
        // the precision and the plan follow from the condition, which binary64 factors cannot estimate here
        if (condition && !made_.binary64().trusted() && reach().automatic > binary64_bits) {
            if (seek_rank() || !automatic) {
                return;
            }
            if (options_.precision_bits == 0) {
                make_inverse(0);
            } else {
                make_factors_up_to(choose_precision(options_, real(1.0)));
            }
        }
    } catch (const cuda_error&) {
        throw;
    } catch (const resource_error& lack) {
        if (needs_factors(options_)) {
            throw resource_error(std::string(lack.what()) + ": " + advice(binary64_bits));
        }
        made_.keep_binary64({.factors = factorization(lack.what())});
        refuse_factors(binary64_bits, lack.what());
        is_incomplete_ = true;
        return_free_memory();
    }
}

prepared_system::prepared_system(const prepared_system& of, std::shared_ptr<const linear_system> transposed,
                                 const solve_options& options, const solve_clock& clock)
    : system_(std::move(transposed)),
      options_(options),
      clock_(clock),
      states_(of.states_),
      machine_(of.machine_),
      facts_(of.facts_),
      norm_inf_(matrix_norm_inf(*system_)),
      matrix_(scale_transposed(*system_, of.matrix_)),
      storage_(matrix_),
      storage_of_a_(*system_),
      made_(of.made_.transposed(*system_, matrix_)),
      is_incomplete_(of.is_incomplete_),
      is_transposed_(!of.is_transposed_),
      is_deflated_(of.is_deflated_),
      decisions_(of.decisions_)
{
    facts_.sizes = sizes_of(*system_);
    facts_.structure = inspect(*system_);
    facts_.cg.reset();
    facts_ = known_facts();
    facts_.trusted_bits = of.facts_.trusted_bits;
    decisions_.plan = make_plan(facts_, options_, reach());
}

const linear_system& prepared_system::whole()
{
    if (system_->elsewhere == nullptr) {
        return *system_;
    }
    if (whole_ == nullptr) {
        whole_ = with_entries_here(*system_);
    }
    return *whole_;
}

const shared_matrix& prepared_system::shared()
{
    if (const auto* const known = dynamic_cast<const shared_matrix*>(system_->elsewhere.get())) {
        return *known;
    }
    if (handed_out_ == nullptr) {
        handed_out_ = shared_matrix::hand_out(*options_.processes, matrix_);
    }
    return *handed_out_;
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
        unscaled_ = residua::unscaled(*system_, structure().symmetric, structure().complex_symmetric);
    }
    return *unscaled_;
}

residual_matrix* prepared_system::matrix_for_residuals()
{
    if (!sought_for_residuals_ && !is_least_squares()) {
        for_residuals_ = residual_matrix::of(*system_, matrix_.is_scaled() ? storage_of_a_ : storage_);
    }
    sought_for_residuals_ = true;
    return for_residuals_ ? &*for_residuals_ : nullptr;
}

std::optional<cuda_executor> prepared_system::factor_device() const
{
    return options_.executor == executor::cuda ? std::optional(make_cuda_executor(options_.device)) : std::nullopt;
}

double prepared_system::direct_device_bytes(const arithmetic& in)
{
    return structure().square ? long_factors_device_bytes(in, matrix_, analyses_) : direct_bytes(in);
}

void prepared_system::require_room_for_direct()
{
    if (!traits_of(options_.method).dense || options_.precision_bits == 0) {
        return;
    }
    const double bytes = direct_bytes(arithmetic_of(options_.format, first_bits(), options_.method));
    if (bytes > this_machine().memory) {
        release_factors(plan().candidates.front());
    }
    try {
        require_memory("the factorisation", bytes);
    } catch (const resource_error& lack) {
        throw resource_error(std::string(lack.what()) + ": " + advice(first_bits()));
    }
}

const factor_level& prepared_system::make_factors_in(long bits)
{
    const arithmetic in = factors_in(bits);
    if (in.bits == binary64_bits) {
        return made_.binary64();
    }
    if (const factor_level* const known = made_.find(in.bits)) {
        return *known;
    }
    made_.give_up_below(in.bits);
    const long_factor_options how{
        .kind = kind_of_long_factors(options_), .device = factor_device(), .analyses = &analyses_, .keeper = states_};
    try {
        return made_.keep(
            in.bits, with_memory_for("the factorisation", [&] { return make_long_level(*system_, matrix_, in, how); }));
    } catch (const cuda_error&) {
        throw;
    } catch (const resource_error& lack) {
        refuse_factors(in.bits, lack.what());
        is_incomplete_ = true;
        return_free_memory();
        throw;
    }
}

bool prepared_system::release_factors(const candidate& choice)
{
    const std::string why = "the method takes their memory";
    if (are_factors(choice.preconditioner) || !made_.release(why)) {
        return false;
    }
    refuse_factors(binary64_bits, why);
    inverse_found_ = inverse_state::not_sought;
    return_free_memory();
    return true;
}

bool prepared_system::make_factors_up_to(long most_bits)
{
    std::vector<long> steps = factor_steps_up_to(most_bits);
    std::erase_if(steps, [&](long bits) { return bits > reach().automatic; });
    std::optional<pivot_count> shorter = count_pivots(made_.binary64().factors);
    long least_bits = 0;  // fewer are not expected to suffice
    bool has_skipped = false;
    for (const long bits : steps) {
        if (bits <= sought_bits() && made_.find(factors_in(bits).bits) == nullptr) {
            continue;  // given up
        }
        if (bits < least_bits && bits != steps.back()) {
            has_skipped = true;
            continue;
        }
        const factor_level* level = nullptr;
        try {
            level = &make_factors_in(bits);
        } catch (const cuda_error&) {
            throw;
        } catch (const resource_error&) {
            return has_skipped && make_factors_up_to(most_bits);  // reach() says why, and ends below these bits
        }
        if (bits > sought_bits()) {
            tried_bits_.push_back(bits);
        }
        if (level->trusted()) {
            return true;
        }
        const std::optional<pivot_count> longer = count_pivots(level->factors);
        least_bits = shorter && longer ? guess_factor_bits(*shorter, *longer) : 0;
        shorter = longer;
    }
    return false;
}

const inverse_operator* prepared_system::make_inverse(long bits_at_work)
{
    if (rank_) {
        inverse_found_ = inverse_state::looks_singular;
        return nullptr;
    }
    if (const inverse_operator* const known = made_.trusted_inverse(matrix_)) {
        inverse_found_ = inverse_state::found;
        return known;
    }
    if (!structure().square || reach().automatic <= binary64_bits) {
        inverse_found_ = inverse_state::too_large;
        return nullptr;
    }
    const long most = std::max({bits_at_work, most_inverse_bits, reach().longest_tried(),
                                is_nonsingular_ ? available_precisions(options_.format).back() : 0});
    if (inverse_found_ == inverse_state::looks_singular && sought_bits() >= most) {
        return nullptr;
    }
    inverse_found_ = make_factors_up_to(most)                ? inverse_state::found
                     : reach().automatic < most_inverse_bits ? inverse_state::too_large  // more bits may suffice
                                                             : inverse_state::looks_singular;
    return made_.trusted_inverse(matrix_);
}

}  // namespace residua
