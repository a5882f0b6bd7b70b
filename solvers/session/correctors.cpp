#include <residua/solvers/session/correctors.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/build/kept_corrections.hpp>
#include <residua/solvers/build/shared_engine.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/planning/costs.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
#include <residua/solvers/processes/processes.hpp>

namespace residua {
namespace {

/// Whether the factors are applied as triangles, which are made from them.
bool solves_by_triangles(const engine_request& request)
{
    const factorization* const factors = request.factors;
    return factors != nullptr && factors->failure().empty() && factors->bits() <= binary64_bits &&
           !(factors->are_fronts() && request.method == method::refine);
}

/// Bytes of a preconditioner where it is applied. A large dense triangle is stored as a full square.
/// Multifrontal factors solve on the host as they are, and on a device if the method leaves room for them.
double preconditioner_bytes(const engine_request& request)
{
    constexpr double bytes_of_entry = sizeof(double) + sizeof(std::int32_t);
    double entries = request.inverse != nullptr ? static_cast<double>(request.inverse->column.size()) : 0.0;
    if (request.shared_inverse != nullptr) {
        entries += static_cast<double>(request.shared_inverse->part().own().nonzeros());
    }
    if (request.triangles != nullptr) {
        entries += static_cast<double>(request.triangles->lower.column.size() + request.triangles->upper.column.size());
    }
    if (solves_by_triangles(request)) {
        const factorization& factors = *request.factors;
        const bool fronts =
            factors.are_fronts();  // they may hold L and D alone, but the triangles made from them are two
        const bool squares = !fronts && are_blocks(factors.triangles());
        entries += fronts ? 2.0 * factors.lower_entries() : (squares ? 2.0 : 1.0) * factors.entries();
    }
    return bytes_of_entry * entries;
}

/// The triangles that a method solves with; null: none.
const triangular_factors* triangles_of(const engine_request& request)
{
    return solves_by_triangles(request) ? &request.factors->triangles() : request.triangles;
}

/// The format in which a method solves with triangles.
arithmetic solves_in(const arithmetic& in, method m)
{
    return m == method::refine     ? arithmetic{number_format::native, binary64_bits}
           : m == method::gmres_ir ? products_of(in)
                                   : in;
}

/// z = inverse(C) M inverse(R) r for the exponents of R and C, which outlive it; M gets numbers of which the largest is about 1.
preconditioner_function for_scaled(preconditioner_function m, const std::vector<int>& rows,
                                   const std::vector<int>& columns)
{
    return [m = std::move(m), &rows, &columns](std::span<const double> r, std::span<double> z) {
        std::vector<double> of_a(r.begin(), r.end());
        int top = std::numeric_limits<int>::min();
        for (std::size_t i = 0; i < r.size(); ++i) {
            top = r[i] == 0.0 ? top : std::max(top, std::ilogb(r[i]) - rows[i]);
        }
        for (std::size_t i = 0; i < r.size(); ++i) {
            of_a[i] = r[i] == 0.0 ? 0.0 : std::ldexp(r[i], -rows[i] - top);
        }
        m(of_a, z);
        for (std::size_t j = 0; j < z.size(); ++j) {
            z[j] = std::ldexp(z[j], top - columns[j]);
        }
    };
}

/// The preconditioner of the caller's for the scaled matrix R A C: inverse(C) M inverse(R).
made_preconditioner of_given(const prepared_system& of)
{
    made_preconditioner made;
    const scaled_matrix& a = of.matrix();
    const given_preconditioner& given = of.options().given;
    const bool of_transpose = of.is_transposed() && !a.symmetric;
    made.function = of_transpose ? given.m_t : given.m;
    made.transposed = of_transpose ? given.m : given.m_t;
    if (!made.function) {
        made.failure = "the given preconditioner has no products with M'";
        return made;
    }
    if (a.is_scaled()) {
        made.function = for_scaled(std::move(made.function), a.row_exponent, a.column_exponent);
        if (made.transposed) {
            made.transposed = for_scaled(std::move(made.transposed), a.column_exponent, a.row_exponent);
        }
    }
    return made;
}

/// The same M, whose errors are NaN: where the plan has chosen M, the next candidate follows.
preconditioner_function without_errors(preconditioner_function m)
{
    return [m = std::move(m)](std::span<const double> r, std::span<double> z) {
        try {
            m(r, z);
        } catch (const error&) {
            std::fill(z.begin(), z.end(), std::numeric_limits<double>::quiet_NaN());
        }
    };
}

}  // namespace

void corrector::tell_place(solve_report& report) const
{
    report.executor = place.device ? executor::cuda : executor::host;
    report.device = place.name;
    report.kept_on_host = kept_on_host;
    report.processes = engine != nullptr ? engine->shared_by() : 1;
}

corrector& correctors::get(const candidate& choice, long bits, index_t columns)
{
    if (columns > several_) {
        made_.clear();
        several_ = columns;
    }
    const auto known = std::find_if(made_.begin(), made_.end(),
                                    [&](const auto& each) { return each->bits == bits && each->choice == choice; });
    if (known != made_.end()) {
        std::rotate(known, known + 1, made_.end());
        return *made_.back();
    }
    if (made_.size() >= kept) {
        made_.erase(made_.begin());
    }
    const auto make_one = [&] {
        made_.push_back(with_memory_for("the method", [&] { return make(choice, bits, columns); }));
    };
    try {
        make_one();
    } catch (const cuda_error&) {
        throw;
    } catch (const resource_error&) {
        if (made_.empty()) {
            throw;
        }
        made_.clear();  // it may fit alone
        make_one();
    }
    return *made_.back();
}

bool correctors::leave_gpu(const placement& failed)
{
    const bool leaves = !without_gpu_ && prepared_.options().executor == executor::automatic && failed.device;
    if (leaves) {
        without_gpu_ = true;
        made_.clear();
    }
    return leaves;
}

std::string correctors::make_factors(corrector& c, engine_request& request)
{
    const solve_options& options = prepared_.options();
    const arithmetic in = factors_in(c.choice.factor_bits);
    request.factors = &c.factors;
    if (in.format == number_format::native && in.bits == binary64_bits) {
        c.factors = prepared_.made().binary64().factors;
    } else if (in.format == number_format::native) {
        // only L U factors can have products of 11 bits
        const preconditioner asked = in.bits < binary32_bits ? preconditioner::lu : options.preconditioner;
        c.factors = made_in_turn(kinds_of_factors(prepared_.matrix(), asked), [&](factor_kind kind) {
            return factorize_native(
                prepared_.matrix(), kind, prepared_.analyses(),
                {.bits = in.bits, .device = prepared_.factor_device(), .keeper = prepared_.states()});
        });
        c.applied = preconditioner_of(c.factors.kind());
    } else {
        const factor_level& level = prepared_.make_factors_in(c.choice.factor_bits);
        c.factors = level.factors;
        c.applied = preconditioner_of(c.factors.kind());
        if (options.preconditioner == preconditioner::cholesky && c.applied != preconditioner::cholesky) {
            c.applied = preconditioner::cholesky;
            return "the matrix is not positive definite in " + std::to_string(in.bits) + " bits";
        }
        // factors whose precision the caller chose, and all factors for GMRES-IR, are used as they are; where refinement tries
        // one precision after the other, it takes the first factors that suffice
        const bool as_they_are = options.factor_bits > 0 || c.choice.method == method::gmres_ir;
        if (c.factors.failure().empty() && !level.trusted() && !as_they_are && prepared_.plan().seeks_factors) {
            return "factors in " + std::to_string(in.bits) + " bits do not suffice for the condition";
        }
    }
    return c.factors.failure();
}

std::string correctors::make_preconditioner(corrector& c, engine_request& request)
{
    if (are_factors(c.choice.preconditioner)) {
        return make_factors(c, request);
    }
    const method_traits& traits = traits_of(c.choice.method);
    if (c.choice.preconditioner == preconditioner::given) {
        c.made = of_given(prepared_);
        request.function = &c.made.function;
        request.transposed = c.made.transposed ? &c.made.transposed : nullptr;
        return c.made.failure;
    }
    const preconditioner_options with{.definite = traits.symmetric && !traits.complex_symmetric,
                                      .indefinite_matrix = traits.symmetric && !traits.definite,
                                      .fill = prepared_.options().fill,
                                      .petsc = prepared_.options().petsc_options,
                                      .nodes = &prepared_.options().nodes,
                                      .column_exponent = prepared_.matrix().is_scaled()
                                                             ? std::span(prepared_.matrix().column_exponent)
                                                             : std::span<const int>()};
    if (request.shared != nullptr && c.choice.preconditioner != preconditioner::none) {
        shared_preconditioner made = request.shared->make_preconditioner(c.choice.preconditioner, with);
        c.inverse = std::move(made.inverse);
        request.shared_inverse = c.inverse.get();
        request.polynomial = made.polynomial;
        return made.failure;
    }
    const bool asked = prepared_.options().preconditioner == c.choice.preconditioner;
    try {
        c.made = residua::make_preconditioner(c.choice.preconditioner, prepared_.matrix(), with);
    } catch (const option_error& without) {  // a PETSc without BoomerAMG
        if (asked) {
            throw;
        }
        c.made.failure = without.what();
    }
    if (!asked && c.made.function) {
        c.made.function = without_errors(std::move(c.made.function));
    }
    request.function = c.made.function ? &c.made.function : nullptr;
    request.triangles = c.made.factors ? &*c.made.factors : nullptr;
    request.inverse = c.made.inverse ? &*c.made.inverse : nullptr;
    request.polynomial = c.made.polynomial;
    return c.made.failure;
}

/// Moves from a GPU that the caller asked for to the host what the host does sooner.
void correctors::keep_on_host(corrector& c, engine_request& request, const arithmetic& in)
{
    const solve_options& options = prepared_.options();
    const triangular_factors* const triangles = triangles_of(request);
    const bool by_blocks = triangles != nullptr && are_blocks(*triangles);  // whose bits differ on a device
    const system_sizes& sizes = prepared_.sizes();
    iteration_work work{.in = in,
                        .unknowns = sizes.larger(),
                        .entries = sizes.entries(),
                        .vector_operations = sizes.vector_operations(request.method),
                        .solves = static_cast<double>(sizes.parts_of_scalars(request.method)),
                        .solves_in = solves_in(in, request.method),
                        .threads = prepared_.decisions().threads};
    if (triangles != nullptr && !by_blocks) {
        work.triangles = path_of(*triangles);
    }
    if (options.executor == executor::cuda && !traits_of(request.method).by_factors && !by_blocks &&
        in.format != number_format::rns) {
        // twice the number of iterations after which Krylov methods end in exact arithmetic
        index_t iterations = 2 * sizes.elements(request.method);
        for (const index_t most : {options.max_iterations, c.choice.most_iterations}) {
            iterations = most > 0 ? std::min(iterations, most) : iterations;
        }
        work.iterations = static_cast<double>(iterations);
    }
    const iteration_choice choice = place_iteration(work);
    request.triangles_on_host = choice.place == iteration_place::triangles_on_host;
    c.kept_on_host = choice.reason;
    if (choice.place == iteration_place::host) {
        c.place = {};
    }
}

std::unique_ptr<corrector> correctors::make(const candidate& choice, long bits, index_t columns)
{
    const solve_options& options = prepared_.options();
    auto result = std::make_unique<corrector>();
    corrector& c = *result;
    c.choice = choice;
    c.applied = choice.preconditioner;
    c.bits = bits;

    const arithmetic in = arithmetic_of(options.format, bits, choice.method);
    const index_t larger = prepared_.sizes().larger();
    const method_traits& traits = traits_of(choice.method);
    const bool direct = traits.dense;
    const bool wide_range = in.format == number_format::multidigit || in.format == number_format::rns;
    const bool dense = in.format == number_format::rns || prepared_.sizes().take_dense_factors();
    const bool by_qr = direct && prepared_.is_least_squares();
    c.is_unscaled = wide_range && direct && dense && !by_qr && prepared_.matrix().out_of_range;
    engine_request request{.matrix = c.is_unscaled ? prepared_.unscaled() : prepared_.matrix(),
                           .method = choice.method,
                           .storage = c.is_unscaled ? nullptr : prepared_.storage(),
                           .complex = prepared_.system().complex,
                           .all = options.processes};
    const bool is_shared = residua::is_shared(in, request, choice.preconditioner);
    request.shared = is_shared ? &prepared_.shared() : nullptr;
    c.failure = make_preconditioner(c, request);

    const index_t together = traits.together ? std::min(columns, most_corrections) : 1;
    double bytes = direct
                       ? prepared_.direct_bytes(in)
                       : engine_bytes(prepared_.sizes(), options, in, choice, together) + preconditioner_bytes(request);
    const bool copies_factors = choice.method == method::gmres_ir && request.factors != nullptr &&
                                request.factors->bits() > binary64_bits;  // on the host
    if (copies_factors) {
        bytes += prepared_.copied_factors_bytes(in);
    }
    const bool several = options.processes != nullptr && options.processes->count() > 1;
    // Each of several processes has its rows on its own device. None takes one unasked, since others may lack it.
    bytes /= is_shared ? static_cast<double>(options.processes->count()) : 1.0;
    const double device_bytes = direct ? prepared_.direct_device_bytes(in) : bytes;
    const bool host_alone = without_gpu_ || copies_factors || (several && options.executor != executor::cuda);
    c.place = find_place(host_alone ? gpu_use::none : gpu_for(options, in, choice, larger), options, device_bytes);
    if (c.place.device && !direct && c.failure.empty()) {
        keep_on_host(c, request, in);
    }
    if (!c.place.device || direct) {
        require_memory("the method", bytes);
    }
    if (!c.failure.empty()) {
        return result;
    }
    request.device = c.place.device;
    // the room that the method leaves; sparse factors that need more, or are slower on the device, stay on the host
    request.factor_room = c.place.device && request.factors != nullptr && request.factors->are_faster_on_device()
                              ? c.place.free_bytes - device_bytes
                              : 0.0;
    request.analyses = c.is_unscaled ? nullptr : &prepared_.analyses();
    request.restart = restart_of(choice, options);
    request.several = columns > 1;
    seconds_are_known_ = seconds_are_known_ && !(c.place.device && !direct && options.profile != profiling::everywhere);
    request.seconds = measures_ && seconds_are_known_ ? &seconds_ : nullptr;
    request.keeper = prepared_.states();
    try {
        c.engine = make_engine(in, request);
    } catch (const cuda_error&) {
        if (leave_gpu(c.place)) {
            return make(choice, bits, columns);
        }
        throw;
    }
    c.inverse.reset();  // the engine has its rows
    if (!c.engine->on_device()) {
        c.place = {};
    }
    if (prepared_.states() != nullptr) {
        const content_key key = content_hash("engine")
                                    .add(choice.method)
                                    .add(c.applied)
                                    .add(options.petsc_options)
                                    .add(choice.factor_bits)
                                    .add(choice.restart)
                                    .add(in.format)
                                    .add(in.bits)
                                    .add(key_of(request.matrix))
                                    .key();
        c.engine = kept_in(*prepared_.states(), key, std::move(c.engine));
    }
    return result;
}

}  // namespace residua
