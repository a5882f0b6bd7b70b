#include "operator_products.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <residua/arith/multidigit/number.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/build/method_runner.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/space/format_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>

/// Krylov methods on operators of the caller's. As in solve(), corrections d with A d = r are computed by a method in
/// multi-digit floats. Unlike there, the residual is as good as the caller's products, and no better.
namespace residua::python {
namespace {

using space = multidigit_space<host_executor>;

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

/// The request for a solve.
struct operator_request {
    operator_product a, a_t, m, m_t;
    index_t rows, cols;
    residua::method method;
    long bits;    ///< the precision of the method
    long x_bits;  ///< the precision of the x that A gets
    double least_target;
    index_t restart;
    solve_options options;
    std::string caveat;
};

class operator_solve {
public:
    operator_solve(operator_request request, const nb::object& callback)
        : request_(std::move(request)),
          callback_(callback.is_none() ? nullptr : callback.ptr()),
          on_{{}, multidigit_format(request_.bits)},
          clock_(request_.options)
    {
        request_.options.interrupted = [this] { return stopped_; };
        problem_.rows = request_.rows;
        problem_.cols = request_.cols;
        problem_.restart = request_.restart;
        problem_.a.function = by(request_.a);
        problem_.a_t.function = by(request_.a_t);
        problem_.m.function = by(request_.m);
        problem_.m_t.function = by(request_.m_t);
        run_ = make_runner(request_.method, on_, problem_);
    }

    operator_solve(const operator_solve&) = delete;  // run_ refers to it
    operator_solve& operator=(const operator_solve&) = delete;

    outcome solve(const std::vector<real>& b, std::vector<real> x, operator_facts facts)
    {
        clock_.restart();
        facts_ = std::move(facts);
        b_ = &b;
        report_ = {};
        report_.matvecs = products_of_a_look;
        report_.rhs_norm = norm2(b);
        report_.rtol = request_.options.rtol.value_or(real(0.0));
        report_.atol = request_.options.atol.value_or(real(0.0));
        tolerance_ = max(report_.rtol * report_.rhs_norm, report_.atol);
        evaluation at = evaluate(x);
        record(0, at.norm2 / scale(), bound(at));
        while (wants_correction(at) && correct(x, at)) {
        }
        return told(std::move(x), at);
    }

private:
    std::function<void(const space&, const space::vector&, space::vector&)> by(const operator_product& product) const
    {
        if (!product) {
            return {};
        }
        return [product](const space& on, const space::vector& x, space::vector& y) {
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
            at.r = *b_;
            at.error = real(0.0);
        } else {
            const std::vector<real> ax = request_.a(x);
            ++report_.matvecs;
            at.r = minus(*b_, ax);
            facts_.norm = max(facts_.norm, norm2(ax) / size);
            at.error = facts_.noise * facts_.norm * size;
        }
        at.norm2 = norm2(at.r);
        if (request_.method == method::lsqr && !is_zero(at.norm2)) {
            const real normal = norm2(request_.a_t(at.r));
            facts_.norm = max(facts_.norm, normal / at.norm2);
            at.normal = is_zero(facts_.norm) ? real(0.0) : normal / (facts_.norm * at.norm2);
        }
        return at;
    }

    bool passes(const evaluation& at) const
    {
        const bool resolved = at.error <= ldexp(at.norm2, -4);
        const bool least = at.normal && resolved && *at.normal + facts_.noise <= report_.rtol;
        return at.norm2 + at.error <= tolerance_ || least;
    }

    bool wants_correction(const evaluation& at)
    {
        if (passes(at)) {
            report_.status = solve_status::converged;
            return false;
        }
        if (const auto stop = clock_.stop_requested()) {
            report_.status = *stop;
            return false;
        }
        report_.status = solve_status::not_converged;
        return report_.iterations < request_.options.max_iterations;
    }

    /// Computes one correction; returns whether another one may help.
    bool correct(std::vector<real>& x, evaluation& at)
    {
        space::vector r = on_.make_vector(request_.rows);
        space::vector d = on_.make_vector(request_.cols);
        const long top = store(on_, at.r, r);
        const stop_rule rule = inner_rule(at);
        const iteration_report inner = run_({{r, d, rule}}).front();
        report_.iterations += inner.iterations;
        report_.matvecs += inner.matvecs;
        report_.restarts += inner.restarts;
        ++report_.corrections;
        report_.recursive_residual = at.norm2 / scale() * real(inner.recursive_residual);
        report_.verdict.detail = inner.message;

        std::vector<real> next;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const real step = ldexp(to_real(d.get(static_cast<index_t>(i))), top);
            const long bits = std::max({x[i].precision(), step.precision(), request_.x_bits});
            next.push_back((x[i].with_precision(bits) + step).with_precision(request_.x_bits));
        }
        if (!is_finite(norm2(next))) {
            report_.status = solve_status::breakdown;
            return false;
        }
        evaluation at_next = evaluate(next);
        const bool better = merit(at_next) < merit(at);
        const bool halved = better && merit(at_next) * real(2.0) <= merit(at);
        if (better) {
            x = std::move(next);
            at = std::move(at_next);
        }
        record(report_.iterations, report_.recursive_residual, bound(at));
        if (passes(at)) {
            report_.status = solve_status::converged;
            return false;
        }
        const bool ended = inner.status == solve_status::interrupted || inner.status == solve_status::time_limit ||
                           inner.status == solve_status::not_converged;
        if (ended) {
            report_.status = inner.status;
        } else if (!halved) {
            report_.status =
                inner.status == solve_status::breakdown ? solve_status::breakdown : solve_status::stagnated;
        }
        return !ended && halved;
    }

    real merit(const evaluation& at) const
    {
        return at.normal && !is_zero(report_.rtol) ? min(at.norm2, *at.normal / report_.rtol * tolerance_) : at.norm2;
    }

    stop_rule inner_rule(const evaluation& at)
    {
        const auto ratio = [](const real& p, const real& q) { return std::clamp(to_double(p / q), 1e-280, 1e280); };
        stop_rule rule;
        rule.relative_residual = std::max(0.9 * ratio(tolerance_, at.norm2), request_.least_target);
        if (at.normal && !is_zero(*at.normal)) {
            rule.normal_reduction = 0.9 * ratio(report_.rtol, *at.normal);
        }
        rule.max_iterations = request_.options.max_iterations - report_.iterations;
        rule.on_iteration = [this, first = report_.iterations, start = at.norm2 / scale()](index_t k, double relative) {
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
                                   .precision_bits = request_.bits});
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        if (callback_ == nullptr || stopped_) {
            return;
        }
        try {
            nb::borrow(callback_)(tuple_of(report_.history.back()));
        } catch (nb::python_error& e) {
            if (!e.matches(PyExc_StopIteration)) {
                throw;
            }
            stopped_ = true;
        }
    }

    outcome told(std::vector<real> x, const evaluation& at)
    {
        const real unknown = real(0.0) / real(0.0);
        report_.method = request_.method;
        report_.preconditioner = preconditioner::none;
        report_.format = number_format::multidigit;
        report_.precision_bits = request_.bits;
        report_.solution_bits = request_.x_bits;
        report_.relative_residual = bound(at);
        if (report_.corrections == 0) {
            report_.recursive_residual = report_.relative_residual;
        }
        report_.normal_residual = at.normal;
        report_.least_squares = report_.status == solve_status::converged && tolerance_ < at.norm2 + at.error;
        report_.backward_error = report_.componentwise_backward_error = unknown;
        report_.solve_seconds = clock_.seconds();
        find_verdict(at);
        report_.message = explain(report_);
        const bool open = report_.status == solve_status::converged && !is_zero(report_.rhs_norm);
        return {shared(std::move(x)), std::move(report_), open ? request_.caveat : "", static_cast<bool>(request_.m)};
    }

    void find_verdict(const evaluation& at)
    {
        verdict& v = report_.verdict;
        switch (report_.status) {
            case solve_status::converged:
                v.detail.clear();
                break;
            case solve_status::not_converged:
                v.limit = limit::iterations;
                v.iterations = request_.options.max_iterations;
                break;
            case solve_status::stagnated:
                v.limit = at.norm2 <= at.error * real(16.0) ? limit::rounding : limit::preconditioner;
                v.loses_bits = true;
                break;
            case solve_status::breakdown:
                v.limit = limit::breakdown;
                break;
            case solve_status::interrupted:
                v.limit = limit::interruption;
                break;
            case solve_status::time_limit:
                v.limit = limit::time;
                break;
        }
    }

    operator_request request_;
    PyObject* callback_;
    space on_;
    solve_clock clock_;
    method_problem<space> problem_;
    method_runner<space> run_;
    operator_facts facts_;
    const std::vector<real>* b_ = nullptr;
    solve_report report_;
    real tolerance_;
    bool stopped_ = false;
};

/// What GMRES may reduce a residual to at once, where M is rounded to binary64: x is M times a sum in the end.
constexpr double rough_reduction = 0x1p-40;

/// throws  argument_error or unsupported_error if products do not suffice for the method and M, or it takes no M;
///         dimension_error if it needs a square A
void require_products(const solve_options& options, index_t rows, index_t cols, bool has_m)
{
    const method_traits& traits = traits_of(options.method);
    const std::string name(traits.name);
    if (options.method == method::automatic) {
        throw unsupported_error(
            "method: none can be chosen for an operator; name one: cg, gmres, minres, bicgstab, idr, lsqr");
    }
    if (traits.by_factors || traits.dense) {
        throw argument_error("method: '" + name + "' needs the entries of A");
    }
    if (!traits.rectangular && rows != cols) {
        throw dimension_error("A: " + name + " needs a square operator, and this one is " + std::to_string(rows) +
                              " x " + std::to_string(cols));
    }
    if (options.preconditioner != preconditioner::automatic && options.preconditioner != preconditioner::none) {
        throw unsupported_error("M: '" + std::string(to_string(options.preconditioner)) +
                                "' is made from the entries of A, and an operator has none; give an operator M");
    }
    if (has_m && !traits.preconditioned) {
        throw unsupported_error("M: " + name + " takes no preconditioner");
    }
}

outcome solve_operator(const nb::object& a, const nb::object& a_t, const nb::object& m, const nb::object& m_t,
                       index_t rows, index_t cols, const option_texts& texts, bool in_binary64, bool m_in_binary64,
                       const reals& b, const std::optional<reals>& x0, const std::string& caveat,
                       const nb::object& callback)
{
    solve_options options = options_of(texts);
    const method_traits& traits = traits_of(options.method);
    const std::string method_name(traits.name);
    require_products(options, rows, cols, !m.is_none());
    const long bits = options.precision_bits;
    const long x_bits = in_binary64 ? 53 : 2 * bits + 8;
    operator_request request{.a = operator_product(a.ptr()),
                             .a_t = operator_product(traits.transpose ? a_t.ptr() : nullptr),
                             .m = operator_product(m.ptr()),
                             .m_t = operator_product(traits.transpose ? m_t.ptr() : nullptr),
                             .rows = rows,
                             .cols = cols,
                             .method = traits.method,
                             .bits = std::max(bits, 64L),
                             .x_bits = x_bits,
                             .least_target = traits.restarts && m_in_binary64 && bits > 53 ? rough_reduction : 0.0,
                             .restart = options.restart,
                             .options = std::move(options),
                             .caveat = caveat};
    if (request.options.max_iterations == 0) {
        request.options.max_iterations = default_iterations(std::max(rows, cols));
    }
    const nb::gil_scoped_release release;
    const io::thread_limit at_most(request.options.threads);
    const operator_facts facts =
        look_at(request.a, request.a_t, rows, cols, x_bits, bits, traits.symmetric, method_name);
    std::vector<real> x(static_cast<std::size_t>(cols), real(0.0));
    if (x0) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = (**x0)[i].with_precision(x_bits);
        }
    }
    operator_solve solve(std::move(request), callback);
    return solve.solve(*b, std::move(x), facts);
}

}  // namespace

void bind_operators(nb::module_& m)
{
    m.def("solve_operator", solve_operator, nb::arg("a"), nb::arg("a_t").none(), nb::arg("m").none(),
          nb::arg("m_t").none(), nb::arg("rows"), nb::arg("cols"), nb::arg("options"), nb::arg("in_binary64"),
          nb::arg("m_in_binary64"), nb::arg("b"), nb::arg("x0").none(), nb::arg("caveat"), nb::arg("callback").none());
}

}  // namespace residua::python
