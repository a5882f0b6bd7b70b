#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/format_engine.hpp>
#include <residua/solvers/build/method_runner.hpp>
#include <residua/solvers/build/shared_engine.hpp>
#include <residua/solvers/build/shared_matrix.hpp>
#include <residua/solvers/build/shared_numbers.hpp>
#include <residua/solvers/processes/agreed_rule.hpp>
#include <residua/solvers/processes/distributed_rows.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/processes/shared_archive.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>

namespace residua {

/// Calls f with the space of the expansions that have this many bits, or of binary64.
///
/// throws  unsupported_error if there is none
template <class Exec, class F>
void with_expansions(const Exec& exec, long bits, const F& f)
{
    if (!blas::with_compiled_terms(bits, [&]<int Terms>() {
            f(blas_space<Exec, blas::format_of_terms<Terms>>{exec, {}});
        })) {
        throw unsupported_error("no expansion of " + std::to_string(bits) + " bits");
    }
}

/// A method on the own rows of a process.
template <array_space S>
class shared_part final : public engine_part {
public:
    using space_type = distributed_space<S>;
    using vector = typename S::vector;
    using host_vector = typename space_type::host_vector;

    /// seconds   adds up the seconds of products and of the preconditioner; null: not measured
    /// together
    shared_part(const S& local, const engine_order& order, const engine_rows& rows, processes& all,
                method_seconds* seconds = nullptr)
        : space_(local, rows.matrix.rows(), all),
          rhs_(space_.make_vector(rows.matrix.rows().n())),
          solution_(space_.make_vector(rows.matrix.rows().n())),
          transfers_(seconds != nullptr ? &seconds->transfers : nullptr)
    {
        problem_.rows = problem_.cols = rows.matrix.rows().n();
        problem_.restart = order.restart;
        problem_.matrix_norm = order.needs_norm ? maximum(all, largest_row_sum(rows.matrix.own())) : 0.0;
        problem_.a = operator_of(rows.matrix);
        if (rows.inverse != nullptr) {
            problem_.m = operator_of(*rows.inverse);
            problem_.complex_linear_m = rows.inverse->own().complex;
        }
        if (order.has_polynomial) {
            using polynomial = chebyshev_preconditioner<space_type, any_operator<space_type>, any_operator<space_type>>;
            const auto p = std::make_shared<const polynomial>(space_, problem_.rows, problem_.a, std::move(problem_.m),
                                                              chebyshev_interval{order.lower, order.upper, {}});
            problem_.m = {};
            problem_.m.function = [p](const space_type& on, const vector& x, vector& y) { p->apply(on, x, y); };
        }
        if (seconds != nullptr) {
            problem_.a.seconds = &seconds->products;
            problem_.m.seconds = &seconds->preconditioner;
        }
        run_ = order.complex_scalars ? make_complex_runner(order.method, space_, problem_, shared_method_list{})
                                     : make_runner(order.method, space_, problem_, shared_method_list{});
    }

    void correct(const stop_rule& rule, bool has_keeper) override
    {
        try {
            (void)solve(space_.make_host_vector(0), rule, has_keeper);
        } catch (const refused_state&) {  // NOLINT(bugprone-empty-catch): process 0 says why
        }
    }

    std::optional<number_part> correct(const number_part& residual, const stop_rule& rule, bool has_keeper) override
    {
        try {
            return solve(residual, rule, has_keeper).first;
        } catch (const refused_state&) {
            return std::nullopt;
        }
    }

    /// The correction on process 0 for the residual that it has; without rows on the others.
    ///
    /// needs     given.poll
    /// together
    std::pair<host_vector, iteration_report> solve(const host_vector& residual, const stop_rule& given, bool has_keeper)
    {
        space_.scatter(residual, rhs_);
        iteration_report report = run(given, has_keeper);
        return {space_.gathered(solution_), std::move(report)};
    }

    /// The same for a residual in pieces, which is scaled as scaled_vectors::store() scales the whole one; the correction is
    /// what scaled_vectors::fetch() gives.
    std::pair<number_part, iteration_report> solve(const number_part& residual, const stop_rule& given, bool has_keeper)
    {
        const host_executor here;
        const long top = exponent_to_store(residual.norm_inf());
        timed(transfers_, [&] {
            host_vector scaled = space_.make_host_vector(residual.own().size());
            blas::convert(here, residual.own().view(), scaled.view(), {nullptr, -top});
            rhs_ = space_.placed(std::move(scaled));
        });
        iteration_report report = run(given, has_keeper);
        return timed(transfers_, [&] {
            const multidigit_format format(std::max<long>(precision_of(space_.local()), multidigit_least_bits));
            number_part::numbers d(format, residual.own().size());
            const host_vector& solution = space_.local().fetched(solution_);
            blas::convert(here, solution.view(), d.view(), {nullptr, top});
            return std::pair(number_part(space_.all(), space_.rows(), std::move(d)), std::move(report));
        });
    }

private:
    /// solution_ for rhs_
    iteration_report run(const stop_rule& given, bool has_keeper)
    {
        processes& all = space_.all();
        agree(all, status_word::go_on);  // what ended an earlier correction is over
        space_.fill(space_.make_scalar(0.0), solution_);
        shared_keeper keeper(all, given.keeper);
        stop_rule mine = given;
        mine.keeper = has_keeper ? &keeper : nullptr;
        const agreed_rule agreed(all, mine);
        const stop_rule& rule = agreed.rule();
        std::vector<iteration_report> reports = run_->solve({{rhs_, solution_, rule, true}});
        for (const status_word word :
             {status_word::checkpoint_due, status_word::time_limit, status_word::interrupted}) {
            all.take_back(word);
        }
        return std::move(reports.front());
    }

    any_operator<space_type> operator_of(const matrix_part& part) const
    {
        std::shared_ptr<const distributed_rows<S>> rows;
        if constexpr (S::on_host) {
            if (const auto stored = part.stored()) {
                rows = std::make_shared<const distributed_rows<S>>(space_, stored);
            }
        }
        if (rows == nullptr) {
            rows = std::make_shared<const distributed_rows<S>>(space_, part.own());
        }
        any_operator<space_type> result;
        result.function = [rows](const space_type& on, const vector& x, vector& y) { rows->apply(on, x, y); };
        result.exact_residual = [rows](const space_type& on, const vector& x, const vector& b, vector& r) {
            rows->residual(on, x, b, r);
        };
        return result;
    }

    space_type space_;
    method_problem<space_type> problem_;
    vector rhs_, solution_;
    double* transfers_;  ///< seconds; null: not measured
    std::unique_ptr<method_runner<vector>> run_;
};

/// The engine of process 0: residuals come into the format of a space, and corrections leave it, on the host, whole or in
/// pieces as residuals are. Where the space is on a device, each process has its own rows on its own device.
///
/// An exception of a function of the caller ends the correction on all processes, and is thrown then. Another one, from
/// which the others could not be told to turn back, ends all processes.
template <array_space S>
class shared_format_engine final : public correction_engine {
public:
    shared_format_engine(const S& space, const arithmetic& in, const engine_request& request)
        : request_(request), all_(*request.all), host_(space.host_counterpart()), transfers_(host_, request.matrix)
    {
        engine_order order = order_of(in, request);
        if constexpr (shortenable_space<S>) {
            order.needs_norm = request.matrix.exact.empty();  // otherwise A has the space's precision
        }
        const shared_matrix& a = *request.shared;
        const shared_matrix* const m = request.shared_inverse;
        order.matrix = a.number();
        order.inverse = m != nullptr ? m->number() : 0;
        or_end_all(all_, [&] {
            service_order make{.what = service_call::make, .number = number_, .make = order};
            broadcast(all_, make);
            const engine_rows rows{a.part(), m != nullptr ? &m->part() : nullptr};
            part_ = std::make_unique<shared_part<S>>(space, order, rows, all_, request.seconds);
        });
    }
    shared_format_engine(const shared_format_engine&) = delete;
    shared_format_engine& operator=(const shared_format_engine&) = delete;

    ~shared_format_engine() override
    {
        try {
            service_order forget{.what = service_call::forget, .number = number_};
            broadcast(all_, forget);
        } catch (const error&) {  // NOLINT(bugprone-empty-catch): the others are gone
        }
    }

    void correct(std::vector<correction>& columns) override
    {
        for (correction& each : columns) {
            correct(each);
        }
    }

    bool together() const override { return false; }
    bool on_device() const override { return !S::on_host; }
    index_t shared_by() const override { return all_.count(); }

private:
    using host_space_type = decltype(std::declval<const S&>().host_counterpart());

    void correct(correction& of)
    {
        std::exception_ptr thrown;  // by a function of the caller, for which the correction ends
        const stop_rule guarded = guarded_rule(of.rule, thrown);
        service_order now{
            .what = service_call::correct, .number = number_, .rule = guarded, .has_keeper = guarded.keeper != nullptr};
        try {
            if (const auto* const residual = dynamic_cast<const shared_numbers*>(of.r.elsewhere())) {
                correct_pieces(of, *residual, now);
            } else {
                correct_whole(of, now);
            }
        } catch (const refused_state& refused) {
            std::rethrow_exception(refused.why());
        }
        if (thrown) {
            std::rethrow_exception(thrown);
        }
    }

    void correct_pieces(correction& of, const shared_numbers& residual, service_order& now)
    {
        now.made = all_.next_number();
        now.operands = {residual.number()};
        auto made = ask(all_, now, [&] { return part_->solve(residual.part(), now.rule, now.has_keeper); });
        of.report = std::move(made.second);
        of.d = long_vector(std::make_shared<const shared_numbers>(all_, now.made, std::move(made.first)),
                           precision_of(host_));
    }

    void correct_whole(correction& of, service_order& now)
    {
        double* const transfers = request_.seconds != nullptr ? &request_.seconds->transfers : nullptr;
        auto residual = host_.make_vector(request_.matrix.rows);
        auto d = host_.make_vector(0);
        long top = 0;
        timed(transfers, [&] { top = transfers_.store(host_, of.r, residual); });
        std::tie(d, of.report) = ask(all_, now, [&] { return part_->solve(residual, now.rule, now.has_keeper); });
        timed(transfers, [&] { of.d = transfers_.fetch(host_, d, top); });
    }

    /// The rule with functions that do not throw, but ask for the end.
    static stop_rule guarded_rule(const stop_rule& of, std::exception_ptr& thrown)
    {
        const auto guarded = [&thrown](const auto& f) {
            try {
                if (!thrown) {
                    f();
                }
            } catch (...) {
                thrown = std::current_exception();
            }
        };
        stop_rule rule = of;
        rule.on_iteration = [&of, guarded](index_t k, double relative) {
            guarded([&] {
                if (of.on_iteration) {
                    of.on_iteration(k, relative);
                }
            });
        };
        rule.poll = [&of, &thrown, guarded] {
            std::optional<solve_status> status;
            guarded([&] { status = of.poll ? of.poll() : std::nullopt; });
            return thrown ? solve_status::interrupted : status;
        };
        return rule;
    }

    engine_request request_;
    processes& all_;
    index_t number_ = all_.next_number();
    host_space_type host_;
    scaled_vectors<host_space_type> transfers_;
    std::unique_ptr<shared_part<S>> part_;
};

}  // namespace residua
