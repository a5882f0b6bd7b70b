// Krylov methods on operators of the caller's, in the loop of corrections.
#include <residua/solvers/solve_operator.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <residua/arith/multidigit/number.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/assess/operator_facts.hpp>
#include <residua/solvers/build/method_runner.hpp>
#include <residua/solvers/methods/corrections.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/session/request.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>

namespace residua {
namespace {

using space = multidigit_space<host_executor>;

constexpr long least_bits = multidigit_least_bits, usual_bits = 106;
/// What GMRES may reduce a residual to at once, where M is rounded to binary64: x is M times a sum in the end.
constexpr double least_target_of_rough = 0x1p-40;

/// The residual b - A x, and how far it can be trusted.
struct evaluation {
    std::vector<real> r;
    real norm2;
    real error;                  ///< the error of norm2, from the noise of the products
    std::optional<real> normal;  ///< for least squares: ||A'r|| / (||A|| ||r||)
};

std::vector<real> minus(const std::vector<real>& b, const std::vector<real>& c)
{
    std::vector<real> r;
    for (std::size_t i = 0; i < b.size(); ++i) {
        r.push_back(b[i] - c[i]);
    }
    return r;
}

class operator_solve {
public:
    /// of, b, options, all of which are complete and outlive the object
    operator_solve(const given_operator& of, const std::vector<real>& b, const solve_options& options, long x_bits,
                   operator_facts facts)
        : of_(of),
          b_(b),
          options_(options),
          bits_(std::max(options.precision_bits, least_bits)),
          x_bits_(x_bits),
          facts_(std::move(facts)),
          on_{{}, multidigit_format(bits_)},
          clock_(options)
    {
        problem_.rows = of.rows;
        problem_.cols = of.cols;
        problem_.restart = options.restart;
        problem_.a.function = by(of.a);
        problem_.a_t.function = by(of.a_t);
        problem_.m.function = by(of.m);
        problem_.m_t.function = by(of.m_t);
        problem_.complex_linear_m = of.complex;
        run_ = of.complex && traits_of(options.method).complex_scalars
                   ? make_complex_runner(options.method, on_, problem_)
                   : make_runner(options.method, on_, problem_);
    }

    solve_result solve(std::vector<real> guess)
    {
        x_ = std::move(guess);
        report_.matvecs = products_of_a_look;
        report_.rhs_norm = norm2(b_);
        report_.rtol = *options_.rtol;
        report_.atol = options_.atol.value_or(real(0.0));
        tolerance_ = max(report_.rtol * report_.rhs_norm, report_.atol);
        at_ = evaluate(x_);
        record(0, at_.norm2 / scale(), bound(at_));
        run_corrections({.status = report_.status,
                         .passes = [this] { return passes(at_); },
                         .may_iterate = [this] { return report_.iterations < options_.max_iterations; },
                         .stop_requested = [this] { return clock_.stop_requested(); },
                         .merit = [this] { return merit(at_); },
                         .evaluate_sum = [this] { return evaluate_sum(); },
                         .accept =
                             [this] {
                                 x_ = std::move(next_);
                                 at_ = std::move(at_next_);
                             },
                         .tell =
                             [this](const correction_step& step) {
                                 if (step.finite) {
                                     record(report_.iterations, report_.recursive_residual, bound(at_));
                                 }
                             },
                         .judge =
                             [](const correction_step& step) {
                                 return step.finite ? step.end : std::optional(solve_status::breakdown);
                             }},
                        [this] { correct(); });
        complete_report();
        return {std::move(report_), std::move(x_)};
    }

private:
    static std::function<void(const space&, const space::vector&, space::vector&)> by(const product_function& product)
    {
        if (!product) {
            return {};
        }
        return [&product](const space& on, const space::vector& x, space::vector& y) {
            std::vector<real> from;
            for (index_t i = 0; i < x.size(); ++i) {
                from.push_back(to_real(x.get(i)));
            }
            const std::vector<real> to = product(std::move(from));
            for (index_t i = 0; i < y.size(); ++i) {
                y.set(i, on.make_scalar(to[static_cast<std::size_t>(i)]));
            }
        };
    }

    real scale() const { return is_zero(report_.rhs_norm) ? real(1.0) : report_.rhs_norm; }

    /// A bound of ||b - A x|| / ||b||, which includes the noise of the products.
    real bound(const evaluation& at) const { return (at.norm2 + at.error) / scale(); }

    evaluation evaluate(const std::vector<real>& x)
    {
        evaluation at;
        const real size = norm2(x);
        if (is_zero(size)) {
            at.r = b_;
            at.error = real(0.0);
        } else {
            const std::vector<real> ax = of_.a(x);
            ++report_.matvecs;
            at.r = minus(b_, ax);
            facts_.norm = max(facts_.norm, norm2(ax) / size);
            at.error = facts_.noise * facts_.norm * size;
        }
        at.norm2 = norm2(at.r);
        if (options_.method == method::lsqr && !is_zero(at.norm2)) {
            const real normal = norm2(of_.a_t(at.r));
            facts_.norm = max(facts_.norm, normal / at.norm2);
            at.normal = is_zero(facts_.norm) ? real(0.0) : normal / (facts_.norm * at.norm2);
        }
        return at;
    }

    bool passes(const evaluation& at) const
    {
        const bool resolved = at.error <= ldexp(at.norm2, -4);
        const bool least = at.normal && resolved && may_be_least(at.norm2, at.error, report_.rhs_norm) &&
                           *at.normal + facts_.noise <= report_.rtol;
        return at.norm2 + at.error <= tolerance_ || least;
    }

    /// next_ = x + d, with d by the method.
    void correct()
    {
        space::vector r = on_.make_vector(of_.rows);
        space::vector d = on_.make_vector(of_.cols);
        const long top = store(on_, at_.r, r);
        const stop_rule rule = inner_rule();
        const iteration_report inner = run_->solve({{r, d, rule}}).front();
        report_.status = inner.status;
        report_.iterations += inner.iterations;
        report_.matvecs += inner.matvecs;
        report_.restarts += inner.restarts;
        ++report_.corrections;
        report_.recursive_residual = at_.norm2 / scale() * real(inner.recursive_residual);
        note_ = inner.message;
        next_.clear();
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const real step = ldexp(to_real(d.get(static_cast<index_t>(i))), top);
            const long bits = std::max({x_[i].precision(), step.precision(), x_bits_});
            next_.push_back((x_[i].with_precision(bits) + step).with_precision(x_bits_));
        }
    }

    std::optional<real> evaluate_sum()
    {
        if (!is_finite(norm2(next_))) {
            return std::nullopt;
        }
        at_next_ = evaluate(next_);
        return merit(at_next_);
    }

    real merit(const evaluation& at) const
    {
        return at.normal && !is_zero(report_.rtol) ? min(at.norm2, *at.normal / report_.rtol * tolerance_) : at.norm2;
    }

    stop_rule inner_rule()
    {
        const auto ratio = [](const real& p, const real& q) { return std::clamp(to_double(p / q), 1e-280, 1e280); };
        const bool rough = options_.method == method::gmres && of_.m && of_.m_in_binary64 && !of_.in_binary64;
        stop_rule rule;
        rule.relative_residual = std::max(0.9 * ratio(tolerance_, at_.norm2), rough ? least_target_of_rough : 0.0);
        if (at_.normal && !is_zero(*at_.normal)) {
            rule.normal_reduction = 0.9 * ratio(report_.rtol, *at_.normal);
        }
        rule.max_iterations = options_.max_iterations - report_.iterations;
        rule.on_iteration = [this, first = report_.iterations, start = at_.norm2 / scale()](index_t k,
                                                                                            double relative) {
            if (k > 0) {
                record(first + k, start * real(relative), std::nullopt);
            }
        };
        rule.poll = [this] { return clock_.stop_requested(); };
        return rule;
    }

    void record(index_t iteration, const real& recursive, const std::optional<real>& exact)
    {
        report_.history.push_back({.iteration = iteration,
                                   .recursive = recursive,
                                   .exact = exact,
                                   .seconds = clock_.seconds(),
                                   .precision_bits = bits_});
        if (options_.on_history) {
            options_.on_history(report_.history.back());
        }
    }

    void complete_report()
    {
        const real unknown = real(0.0) / real(0.0);
        report_.method = options_.method;
        report_.preconditioner = preconditioner::none;
        report_.format = number_format::multidigit;
        report_.precision_bits = bits_;
        report_.solution_bits = x_bits_;
        report_.relative_residual = bound(at_);
        if (report_.corrections == 0) {
            report_.recursive_residual = report_.relative_residual;
        }
        report_.normal_residual = at_.normal;
        report_.least_squares = report_.status == solve_status::converged && tolerance_ < at_.norm2 + at_.error;
        report_.backward_error = report_.componentwise_backward_error = unknown;
        report_.solve_seconds = clock_.seconds();
        report_.verdict = find_verdict(note_);
        report_.message = explain(report_);
    }

    verdict find_verdict(const std::string& detail) const
    {
        switch (report_.status) {
            case solve_status::converged:
                break;
            case solve_status::not_converged:
                return {.limit = limit::iterations, .iterations = options_.max_iterations, .detail = detail};
            case solve_status::stagnated:
                return {.limit = at_.norm2 <= at_.error * real(16.0) ? limit::rounding : limit::preconditioner,
                        .loses_bits = true,
                        .detail = detail};
            case solve_status::breakdown:
                return {.limit = limit::breakdown, .detail = detail};
            case solve_status::interrupted:
                return {.limit = limit::interruption, .detail = detail};
            case solve_status::time_limit:
                return {.limit = limit::time, .detail = detail};
        }
        return {};
    }

    const given_operator& of_;
    const std::vector<real>& b_;
    const solve_options& options_;
    long bits_;    ///< the precision of the method
    long x_bits_;  ///< the precision of the x that A gets
    operator_facts facts_;
    space on_;
    solve_clock clock_;
    method_problem<space> problem_;
    std::unique_ptr<method_runner<space::vector>> run_;
    std::vector<real> x_, next_;
    evaluation at_, at_next_;
    solve_report report_;
    std::string note_;  ///< what the method says of its last correction
    real tolerance_;
};

/// throws  unsupported_error for an option that needs the entries of A, or that an operator in binary64 cannot serve
void require_operator_options(const given_operator& of, const solve_options& options)
{
    require_values(options);
    const method_traits& traits = traits_of(options.method);
    if (options.method == method::automatic) {
        throw unsupported_error(
            "method: none can be chosen for an operator; name one: cg, gmres, minres, bicgstab, idr, lsqr");
    }
    if (traits.by_factors || traits.dense) {
        throw unsupported_error("method: '" + std::string(traits.name) + "' needs the entries of A");
    }
    const bool usual_format = options.format == number_format::automatic || options.format == number_format::multidigit;
    if (options.preconditioner != preconditioner::automatic && options.preconditioner != preconditioner::none) {
        throw unsupported_error("M: '" + std::string(to_string(options.preconditioner)) +
                                "' is made from the entries of A, and an operator has none; give an operator M");
    }
    for (const auto& [name, asked] :
         {std::pair("digits", options.digits > 0), std::pair("factors", options.factor_bits > 0),
          std::pair("fill", options.fill.has_value()), std::pair("format", !usual_format),
          std::pair("executor", options.executor == executor::cuda),
          std::pair("checkpoint", !options.checkpoint.empty()),
          std::pair("an initial guess in pieces", !options.guess_in_pieces.empty()),
          std::pair("profile", options.profile != profiling::none)}) {
        if (asked) {
            throw unsupported_error(std::string(name) + ": this needs the entries of A, and an operator has none");
        }
    }
    if (of.in_binary64 && options.precision_bits != 0 && options.precision_bits != binary64_bits) {
        throw unsupported_error("precision: A computes in binary64, and not in " +
                                std::to_string(options.precision_bits) + " bits");
    }
    if (of.in_binary64 && options.rtol && *options.rtol < ldexp(real(1.0), -52)) {
        throw unsupported_error("rtol: " + to_string(*options.rtol, 3) +
                                " is below 2^-52, and products in binary64 cannot show that");
    }
}

/// throws  dimension_error for a shape that the method does not take; unsupported_error for products that are missing, or
///         an M that the method does not take
void require_products(const given_operator& of, const method_traits& traits)
{
    const std::string shape = std::to_string(of.rows) + " x " + std::to_string(of.cols);
    const std::string name(traits.name);
    if (std::min(of.rows, of.cols) < 1) {
        throw dimension_error("A: an operator of " + shape + " has nothing to solve");
    }
    if (of.complex && (of.rows % 2 != 0 || of.cols % 2 != 0)) {
        throw dimension_error("A: the numbers of a complex operator of " + shape + " are no pairs");
    }
    if (!traits.rectangular && of.rows != of.cols) {
        throw dimension_error("A: " + name + " needs a square operator, and this one is " + shape);
    }
    if (of.m && !traits.preconditioned) {
        throw unsupported_error(name + " takes no preconditioner");
    }
    if (!of.a || (traits.transpose && (!of.a_t || (of.m && !of.m_t)))) {
        throw unsupported_error(name + " needs products with " + (!of.a ? "A" : !of.a_t ? "A'" : "M'"));
    }
}

/// The product, whose size is looked at.
product_function checked(const product_function& f, const char* name, index_t size)
{
    if (!f) {
        return {};
    }
    return [&f, name, size](std::vector<real> v) {
        std::vector<real> y = f(std::move(v));
        if (static_cast<index_t>(y.size()) != size) {
            throw dimension_error(std::string("a product with ") + name + " has " + std::to_string(y.size()) +
                                  " numbers, and not " + std::to_string(size));
        }
        return y;
    };
}

}  // namespace

solve_result solve(const given_operator& of, const std::vector<real>& b, const solve_options& options)
{
    require_operator_options(of, options);
    const method_traits& traits = traits_of(options.method);
    require_products(of, traits);
    require_columns(of.rows, of.cols, {given_rhs(b)}, options);
    const io::thread_limit at_most(options.threads);
    given_operator a = of;
    a.a = checked(of.a, "A", of.rows);
    a.a_t = traits.transpose ? checked(of.a_t, "A'", of.cols) : product_function();
    a.m = checked(of.m, "M", of.cols);
    a.m_t = traits.transpose ? checked(of.m_t, "M'", of.cols) : product_function();
    solve_options with = options;
    const long asked = options.precision_bits == 0 ? usual_bits : std::max(options.precision_bits, least_bits);
    const long bits = of.in_binary64 ? binary64_bits : asked;
    with.precision_bits = bits;
    with.rtol = options.rtol.value_or(of.in_binary64 ? real(1e-10) : ldexp(real(1.0), -(9 * bits / 10)));
    with.max_iterations =
        options.max_iterations > 0 ? options.max_iterations : default_iterations(std::max(of.rows, of.cols));
    const long x_bits = of.in_binary64 ? binary64_bits : 2 * bits + 8;
    operator_facts facts = look_at(a, x_bits, bits, traits);
    std::vector<real> x(static_cast<std::size_t>(of.cols), real(0.0));
    for (std::size_t i = 0; i < options.initial_guess.size(); ++i) {
        x[i] = options.initial_guess[i].with_precision(x_bits);
    }
    return operator_solve(a, b, with, x_bits, std::move(facts)).solve(std::move(x));
}

}  // namespace residua
