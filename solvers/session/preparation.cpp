// The first part of a solve: what is asked for, and what all right-hand sides share.
#include <algorithm>
#include <cmath>
#include <utility>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/system/transpose.hpp>
#include <residua/solvers/session/driver.hpp>

namespace residua {
namespace {

void require_finite(const std::vector<real>& v, const std::string& what)
{
    if (!std::all_of(v.begin(), v.end(), [](const real& x) { return is_finite(x); })) {
        throw unsupported_error(what + " has an entry that is not a finite number");
    }
}

/// What the entries of a preconditioner take where it is applied; on a device large dense triangles are whole squares.
double preconditioner_bytes(const engine_request& request, bool on_device)
{
    constexpr double bytes_of_entry = sizeof(double) + sizeof(std::int32_t);
    std::size_t entries = request.inverse != nullptr ? request.inverse->column.size() : 0;
    if (request.factors != nullptr) {
        const bool squares = on_device && are_blocks(*request.factors);
        entries += (squares ? 2 : 1) * (request.factors->lower.column.size() + request.factors->upper.column.size());
    }
    return bytes_of_entry * static_cast<double>(entries);
}

}  // namespace

driver::driver(const linear_system& system, const std::vector<const std::vector<real>*>& right_hand_sides,
               const solve_options& options)
    : system_(system), options_(options)
{
    require_memory("the solve", static_cast<double>(right_hand_sides.size()) * bytes_of_column);
    columns_.reserve(right_hand_sides.size());
    for (const std::vector<real>* b : right_hand_sides) {
        columns_.push_back({.index = static_cast<index_t>(columns_.size()), .b = *b});
    }
}

void driver::validate()
{
    const std::string rows = std::to_string(system_.rows);
    const std::string cols = std::to_string(system_.cols);
    require_valid(system_);
    require_shape(system_, options_.method);
    const bool several = columns_.size() != 1;
    for (const solve_column& c : columns_) {
        if (static_cast<index_t>(c.b.size()) != system_.rows) {
            throw dimension_error((several ? "right-hand side " + std::to_string(c.index + 1) : "the right-hand side") +
                                  " has " + std::to_string(c.b.size()) + " entries, the matrix " + rows + " rows");
        }
    }
    const std::size_t guessed = options_.initial_guess.size();
    if (guessed != 0 && guessed != static_cast<std::size_t>(system_.cols) * columns_.size()) {
        throw dimension_error("the initial guess has " + std::to_string(guessed) + " entries, the matrix " + cols +
                              " columns" +
                              (several ? " for " + std::to_string(columns_.size()) + " columns of x" : ""));
    }
    const method m = options_.method;
    const bool may_restart = m == method::gmres || m == method::gmres_ir || m == method::automatic;
    if (may_restart && options_.restart < 1) {
        throw unsupported_error("the restart length of GMRES must be at least 1, not " +
                                std::to_string(options_.restart));
    }
    if (options_.fill && *options_.fill < 0) {
        throw unsupported_error("the fill of a preconditioner must be at least 0, not " +
                                std::to_string(*options_.fill));
    }
    const auto require_not_negative = [](double value, const std::string& what) {
        if (!(value >= 0.0)) {
            throw unsupported_error(what + " must be at least 0, not " + to_string(real(value), 6));
        }
    };
    require_not_negative(static_cast<double>(options_.max_iterations), "the number of iterations");
    require_not_negative(options_.time_limit_seconds, "the time limit");
    require_not_negative(options_.digits, "the number of digits");
    require_not_negative(options_.device, "the number of a device");
    for (const std::optional<real>* tolerance : {&options_.rtol, &options_.atol}) {
        if (*tolerance && !(**tolerance >= real(0.0) && is_finite(**tolerance))) {
            throw unsupported_error("a tolerance must be a finite number, zero or above, not " +
                                    to_string(**tolerance, 6));
        }
    }
    const bool finite =
        system_.exact.empty()
            ? std::all_of(system_.values.begin(), system_.values.end(), [](double a) { return std::isfinite(a); })
            : std::all_of(system_.exact.begin(), system_.exact.end(), [](const real& a) { return is_finite(a); });
    if (!finite) {
        throw unsupported_error("the matrix has an entry that is not a finite number");
    }
    for (const solve_column& c : columns_) {
        require_finite(c.b, several ? "right-hand side " + std::to_string(c.index + 1) : "the right-hand side");
    }
    require_finite(options_.initial_guess, "the initial guess");
    require_fitting(options_.method, options_.preconditioner);
    require_format(options_.method, options_.format);
    require_factors(options_);
    require_executor(options_);
    require_device(options_);
    predicted_bytes_ = predicted_bytes(system_, options_, static_cast<index_t>(columns_.size()));
    require_memory("the solve", predicted_bytes_);
    memory_before_ = profiles() ? resident_memory_bytes() : std::nullopt;
}

bool driver::solve_trivially(solve_column& c) const
{
    if (system_.rows + system_.cols > 0) {
        c.report.rhs_norm = norm2(c.b);
        if (!is_zero(c.report.rhs_norm)) {
            return false;
        }
        c.x.assign(static_cast<std::size_t>(system_.cols), real(0.0));
        c.report.method = options_.method;
        c.report.preconditioner = options_.preconditioner;
        c.report.format = options_.format;
        c.report.precision_bits = c.report.solution_bits = choose_precision(options_, real(1.0));
    }
    c.report.status = solve_status::converged;
    return true;
}

void driver::prepare()
{
    structure_ = inspect(system_);
    require_symmetry(structure_, options_);
    norm_ = matrix_norm_inf(system_);
    const bool least_squares = options_.method == method::lsqr || !structure_.square;
    matrix_ = least_squares ? scale_uniformly(system_) : scale(system_, structure_.symmetric);
    if (least_squares) {
        transposed_ = transpose(system_);
        norm_frobenius_ = matrix_norm_frobenius(system_);
    }
    if (wants_factors(system_, options_) && structure_.zero_rows == 0 && structure_.zero_cols == 0) {
        const bool condition = options_.estimate_condition || options_.digits > 0 ||
                               options_.method == method::automatic || options_.precision_bits == 0;
        factors_ = factorize(system_, matrix_, options_.preconditioner, condition, factor_device());
        if (options_.method == method::automatic && options_.precision_bits == 0 && condition) {
            inverse_[0] = see_condition(system_, matrix_, factors_, options_.format,
                                        [this] { return stop_requested().has_value(); });
        }
    }
    plan_ = make_plan(system_, structure_, options_, factors_);
    first_bits_ = choose_precision(options_, condition_of(factors_));
    max_iterations_ =
        options_.max_iterations > 0 ? options_.max_iterations : std::max<index_t>(10 * system_.cols, 1000);
    setup_seconds_ = seconds();
}

void driver::tell_engine(const column_list& columns) const
{
    for (solve_column* c : columns) {
        c->used = engine_choice_;
        c->report.precision_bits = engine_bits_;
        c->report.executor = place_.device ? executor::cuda : executor::host;
        c->report.device = place_.name;
        c->had_engine = engine_ != nullptr;
    }
}

std::optional<cuda_executor> driver::factor_device() const
{
    return options_.executor == executor::cuda ? std::optional(make_cuda_executor(options_.device)) : std::nullopt;
}

std::string driver::make_factors(const candidate& choice, engine_request& request)
{
    const long bits = choice.factor_bits;
    const arithmetic in = factors_in(bits);
    if (in.format != number_format::native) {
        if (long_factor_bits_ != bits) {
            long_factors_.reset();
            long_factor_bits_ = 0;
            long_factors_ = factorize_long(in, matrix_, [this] { return stop_requested().has_value(); });
            long_factor_bits_ = bits;
        }
        request.long_factors = long_factors_.get();
        return long_factors_->failure();
    }
    if (in.bits < 53) {
        const factor_options options{.bits = in.bits, .device = factor_device()};
        const bool cholesky = choice.preconditioner == preconditioner::cholesky;
        incomplete_ = cholesky ? factorize_cholesky(matrix_.a, options) : factorize_lu(matrix_.a, options);
    }
    const triangular_factors& factors = in.bits < 53 ? incomplete_ : factors_.factors;
    request.factors = &factors;
    return factors.failure;
}

std::string driver::make_preconditioner(const candidate& choice, engine_request& request)
{
    const sparse_rows& a = matrix_.a;
    const bool minres = choice.method == method::minres;
    const bool definite = minres || choice.method == method::cg;
    const auto by_factors = [&](triangular_factors made) {
        incomplete_ = std::move(made);
        request.factors = &incomplete_;
        return incomplete_.failure;
    };
    const auto by_product = [&](approximate_inverse made) {
        approximate_ = std::move(made);
        request.inverse = &approximate_.matrix;
        return approximate_.failure;
    };
    switch (choice.preconditioner) {
        case preconditioner::jacobi:
            return by_product(invert_diagonal(a, minres));
        case preconditioner::block_jacobi:
            return by_product(invert_blocks(a, definite));
        case preconditioner::ssor:
            return by_factors(factorize_ssor(a, definite));
        case preconditioner::ilu0:
            return by_factors(factorize_ilu0(a));
        case preconditioner::iluk:
            return by_factors(factorize_iluk(a, options_.fill.value_or(iluk_default_level)));
        case preconditioner::ilut:
            return by_factors(factorize_ilut(a, {.fill = options_.fill.value_or(ilut_options{}.fill)}));
        case preconditioner::ic0:
            return by_factors(factorize_ic0(a));
        case preconditioner::chebyshev:
            request.polynomial = find_chebyshev_interval(a);
            return request.polynomial->failure.empty() ? by_product(invert_diagonal(a, definite))
                                                       : request.polynomial->failure;
        case preconditioner::lu:
        case preconditioner::cholesky:
            return make_factors(choice, request);
        default:
            return {};
    }
}

void driver::make_engine_for(const candidate& choice, long bits, const column_list& columns)
{
    if (engine_ && engine_bits_ == bits && engine_choice_ == choice) {
        return tell_engine(columns);
    }
    inverse_[1].reset();  // by the engine
    if (inverse_[0] && !*inverse_[0] && bits > most_inverse_bits) {
        inverse_[0].reset();  // that of so many bits may be found
    }
    engine_.reset();
    const arithmetic in = arithmetic_of(options_.format, bits, choice.method);
    const index_t larger = std::max(system_.rows, system_.cols);
    const bool direct = choice.method == method::direct;
    const bool wide_range = in.format == number_format::multidigit || in.format == number_format::rns;
    const bool as_it_is = wide_range && direct && matrix_.out_of_range;
    if (as_it_is && !unscaled_) {
        unscaled_ = unscaled(system_, structure_.symmetric);
    }
    engine_request request{.matrix = as_it_is ? *unscaled_ : matrix_, .method = choice.method};
    const std::string failure = make_preconditioner(choice, request);

    const auto count = std::min(static_cast<index_t>(columns_.size()), most_corrections);
    double bytes = engine_bytes(in, choice.method, larger, system_.nonzeros(), system_.exact.empty(), options_.restart,
                                choice.method == method::refine ? count : 1) +
                   preconditioner_bytes(request, options_.executor == executor::cuda);
    if (request.long_factors != nullptr && choice.method == method::gmres_ir) {
        bytes += applied_factors_bytes(in, larger);
    }
    const double device_bytes = direct ? device_product_bytes(in, system_.rows) : bytes;
    const bool host_alone = without_gpu_ || request.long_factors != nullptr;
    const placement place = host_alone ? placement{} : find_place(options_, in, choice, larger, device_bytes);
    if (!place.device || direct) {
        require_memory("the method", bytes);
    }
    engine_choice_ = choice;
    engine_bits_ = bits;
    place_ = place;
    tell_engine(columns);
    if (!failure.empty()) {
        for (solve_column* c : columns) {
            c->engine_message = failure;
        }
        return;
    }
    request.device = place.device;
    request.symmetric = request.matrix.symmetric && structure_.positive_diagonal;
    request.restart = options_.restart;
    request.several = columns_.size() > 1;
    parts_known_ = parts_known_ && !(place.device && !direct && options_.profile != profiling::everywhere);
    request.seconds = profiles() && parts_known_ ? &method_seconds_ : nullptr;
    request.interrupted = [this] { return stop_requested().has_value(); };
    engine_ = make_engine(in, request);
    if (!engine_->on_device()) {
        place_ = {};
    }
    tell_engine(columns);
}

bool driver::leave_gpu()
{
    const bool leaves = !without_gpu_ && options_.executor == executor::automatic && place_.device;
    if (leaves) {
        without_gpu_ = true;
        inverse_[1].reset();
        engine_.reset();
    }
    return leaves;
}

}  // namespace residua
