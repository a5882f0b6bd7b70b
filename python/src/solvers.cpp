#include "bind.hpp"
#include "triangles.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>

#include <residua/io/interruption.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/report_json.hpp>
#include <residua/solvers/solver.hpp>

namespace residua::python {
namespace {

std::vector<real> entries_of(const linear_system& a)
{
    return a.exact.empty() ? residua::reals(std::span(a.values)) : a.exact.in_bits(decimal_bits());
}

/// The parts of the entries of the complex matrix of a real form, as solver::update_values() takes them.
std::vector<real> parts_in_turn(const linear_system& form)
{
    const auto [first, second] = parts_of(form);
    std::vector<real> re = entries_of(first), im = entries_of(second), all;
    for (std::size_t k = 0; k < re.size(); ++k) {
        all.push_back(std::move(re[k]));
        all.push_back(std::move(im[k]));
    }
    return all;
}

/// A solver of the library, for one caller at a time: others wait.
class kept_solver {
public:
    kept_solver(const system& a, solve_options options) : options_(std::move(options))
    {
        options_.on_history = [this](const history_entry& entry) { tell(entry); };
        options_.interrupted = [this] { return is_interrupted(); };
        const nb::gil_scoped_release release;
        solver_ = std::make_unique<solver>(a.matrix, options_);
    }

    std::vector<outcome> solve(const std::vector<reals>& columns, bool transposed, const nb::object& callback)
    {
        std::vector<std::vector<real>> right_hand_sides;
        for (const reals& each : columns) {
            right_hand_sides.push_back(*each);
        }
        return alone(callback, [&] {
            std::vector<solve_result> results =
                transposed ? solver_->solve_transposed(right_hand_sides) : solver_->solve(right_hand_sides);
            std::vector<outcome> all;
            for (solve_result& each : results) {
                std::string open = caveat(each.report, vocabulary::python);
                all.push_back({shared(std::move(each.x)), std::move(each.report), std::move(open)});
            }
            return all;
        });
    }

    void update(const system& values)
    {
        alone(nb::none(), [&] {
            const linear_system& from = *values.matrix;
            const bool was_rounded = from.exact.are_decimals() || !is_zero(from.reading_error);
            if (was_rounded && options_.checkpoint.empty()) {  // decimals stay decimals, and errors of reading known
                solver_ = std::make_unique<solver>(values.matrix, options_);
            } else if (from.complex) {
                solver_->update_values(parts_in_turn(from));
            } else if (from.exact.empty()) {
                solver_->update_values(from.values);
            } else {
                solver_->update_values(entries_of(from));
            }
            return 0;
        });
    }

    template <class F>
    auto ask(const F& question)
    {
        return alone(nb::none(), [&] { return question(*solver_); });
    }

    /// ask() for work of the module's own, which options_.interrupted may end.
    template <class F>
    auto ask_interruptibly(const F& question)
    {
        return ask([&](solver& each) {
            const io::thread_limit at_most(options_.threads);
            const io::interruption watched(options_.interrupted);
            return question(each);
        });
    }

private:
    /// Runs without the GIL, while no other thread uses this solver. The exception of a callback or a signal is thrown
    /// again at the end, whatever the work made of its interruption.
    template <class F>
    std::invoke_result_t<F> alone(const nb::object& callback, const F& work)
    {
        if (owner_.load() == std::this_thread::get_id()) {
            throw busy_error("this solver is at work: its callback cannot use it");
        }
        const nb::gil_scoped_release release;
        const std::unique_lock lock = wait();
        struct call {
            kept_solver& of;
            call(kept_solver& of_solver, PyObject* with) : of(of_solver)
            {
                of.owner_ = std::this_thread::get_id();
                of.callback_ = with;
                of.stopped_ = false;
                of.failure_ = nullptr;
            }
            ~call() { of.owner_ = std::thread::id(); }
            void check()
            {
                if (const std::exception_ptr failure = std::exchange(of.failure_, nullptr)) {
                    std::rethrow_exception(failure);
                }
            }
        } at_work(*this, callback.is_none() ? nullptr : callback.ptr());
        try {
            auto made = work();
            at_work.check();
            return made;
        } catch (...) {
            at_work.check();
            throw;
        }
    }

    /// The lock; Ctrl-C ends the waiting.
    std::unique_lock<std::timed_mutex> wait()
    {
        std::unique_lock lock(mutex_, std::defer_lock);
        while (!lock.try_lock_for(std::chrono::milliseconds(100))) {
            const nb::gil_scoped_acquire acquire;
            if (PyErr_CheckSignals() != 0) {
                throw nb::python_error();
            }
        }
        return lock;
    }

    void fail()
    {
        const std::scoped_lock lock(failing_);
        if (!failure_) {
            failure_ = std::current_exception();
        }
        stopped_ = true;
    }

    void tell(const history_entry& entry)
    {
        if (callback_ == nullptr || stopped_) {
            return;
        }
        const nb::gil_scoped_acquire acquire;
        try {
            nb::borrow(callback_)(tuple_of(entry));
        } catch (nb::python_error& e) {
            if (e.matches(PyExc_StopIteration)) {
                stopped_ = true;
            } else {
                fail();
            }
        }
    }

    bool is_interrupted()
    {
        using clock = std::chrono::steady_clock;
        constexpr auto pause = std::chrono::milliseconds(20);
        const auto now = clock::now().time_since_epoch().count();
        auto before = asked_.load();
        if (stopped_ || now - before < std::chrono::duration_cast<clock::duration>(pause).count() ||
            !asked_.compare_exchange_strong(before, now)) {
            return stopped_;
        }
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
            try {
                throw nb::python_error();
            } catch (const nb::python_error&) {
                fail();
            }
        }
        return stopped_;
    }

    solve_options options_;
    std::unique_ptr<solver> solver_;
    std::timed_mutex mutex_;
    std::atomic<std::thread::id> owner_{};
    PyObject* callback_ = nullptr;  ///< the callback of the call at work, which keeps it alive
    std::atomic<bool> stopped_ = false;
    std::atomic<std::chrono::steady_clock::rep> asked_ = 0;
    std::mutex failing_;
    std::exception_ptr failure_;
};

/// A preconditioner that Python computes; none for None. It takes the GIL, and throws what the function raises. Copies share
/// the function, as the solver makes them without the GIL.
preconditioner_function function_by(const nb::object& function)
{
    if (function.is_none()) {
        return {};
    }
    const std::shared_ptr<nb::object> shared(new nb::object(function), [](nb::object* f) {
        const nb::gil_scoped_acquire acquire;
        delete f;
    });
    return [shared](std::span<const double> r, std::span<double> z) {
        const nb::gil_scoped_acquire acquire;
        const nb::object made = (*shared)(array_of(std::vector<double>(r.begin(), r.end()), {r.size()}));
        const auto numbers = span_of(nb::cast<flat_array<double>>(made));
        std::copy_n(numbers.begin(), z.size(), z.begin());  // as many as there are: _preconditioner.py has looked
    };
}

std::unique_ptr<kept_solver> make_solver(const system& a, const option_texts& texts, bool estimate,
                                         const std::optional<reals>& x0, const std::vector<reals>& null_space,
                                         const std::vector<reals>& near_null_space,
                                         const std::vector<reals>& coordinates, const std::optional<reals>& weights,
                                         const nb::object& m, const nb::object& m_t)
{
    solve_options options = options_of(texts);
    options.given = {.m = function_by(m), .m_t = function_by(m_t)};
    if (options.given.m) {
        options.preconditioner = preconditioner::given;
    }
    options.estimate_condition = estimate;
    options.initial_guess = x0 ? **x0 : std::vector<real>();
    options.weights = weights ? **weights : std::vector<real>();
    for (const reals& vector : null_space) {
        options.null_space.push_back(*vector);
    }
    for (const reals& vector : near_null_space) {
        std::vector<double>& numbers = options.nodes.near_null_space.emplace_back();
        std::transform((*vector).begin(), (*vector).end(), std::back_inserter(numbers),
                       [](const real& x) { return to_double(x); });
    }
    for (std::size_t i = 0; !coordinates.empty() && i < (*coordinates.front()).size(); ++i) {
        for (const reals& direction : coordinates) {
            options.nodes.coordinates.push_back(to_double((*direction)[i]));
        }
    }
    return std::make_unique<kept_solver>(a, std::move(options));
}

/// As the command line writes it; a preconditioner of the caller's has no name there.
std::string report_of(const outcome& o)
{
    std::string text = to_json(o.report);
    const std::string none = "\"preconditioner\":\"none\"";
    if (const std::size_t at = text.find(none); o.has_given_preconditioner && at != std::string::npos) {
        text.replace(at, none.size(), "\"preconditioner\":\"given\"");
    }
    return text;
}

nb::typed<nb::list, nb::tuple> history_of(const outcome& o)
{
    nb::list rows;
    for (const history_entry& each : o.report.history) {
        rows.append(tuple_of(each));
    }
    return rows;
}

/// The numbers of the matrix with these columns, row by row.
reals by_rows(const std::vector<std::vector<real>>& columns)
{
    std::vector<real> numbers;
    for (std::size_t i = 0; !columns.empty() && i < columns.front().size(); ++i) {
        for (const std::vector<real>& column : columns) {
            numbers.push_back(column[i]);
        }
    }
    return shared(std::move(numbers));
}

/// A function of Python's that asks the solver, and reads the answer, if there is one.
template <class Question, class Read>
auto answer(Question question, Read read)
{
    return [question, read](kept_solver& s) {
        const auto found = s.ask([&](solver& each) { return (each.*question)(); });
        return found ? std::optional(read(*found)) : std::nullopt;
    };
}

nb::tuple plan_of(kept_solver& s)
{
    const solve_plan plan = s.ask([](solver& each) { return each.plan(); });
    nb::list candidates;
    for (const candidate& each : plan.candidates) {
        candidates.append(nb::make_tuple(std::string(to_string(each.method)),
                                         std::string(to_string(each.preconditioner)), each.factor_bits));
    }
    return nb::make_tuple(candidates, plan.reason);
}

}  // namespace

nb::tuple tuple_of(const history_entry& e)
{
    return nb::make_tuple(e.column, e.iteration, e.recursive, e.exact, e.seconds, e.precision_bits);
}

solve_options options_of(const option_texts& texts)
{
    solve_options options;
    for (const auto& [name, text] : texts) {
        set_option(options, name, text, vocabulary::python);
    }
    return options;
}

void bind_solvers(nb::module_& m)
{
    nb::class_<outcome>(m, "Outcome", "What a solve gave for one right-hand side.")
        .def_ro("x", &outcome::x)
        .def_prop_ro("report", report_of)
        .def_prop_ro("status", [](const outcome& o) { return std::string(to_string(o.report.status)); })
        .def_prop_ro("digits", [](const outcome& o) { return o.report.digits; })
        .def_prop_ro("words", [](const outcome& o) { return explain(o.report, vocabulary::python); })
        .def_prop_ro("checkpoint_failure", [](const outcome& o) { return o.report.checkpoint_failure; })
        .def_prop_ro("caveat", [](const outcome& o) { return o.caveat; })
        .def_prop_ro("history", history_of);

    nb::class_<kept_solver>(m, "Solver", "A solver for one matrix.")
        .def("solve", &kept_solver::solve, nb::arg("columns"), nb::arg("transposed"), nb::arg("callback").none())
        .def("update", &kept_solver::update, nb::arg("values"))
        .def("condition", answer(&solver::condition, [](const condition_estimate& found) { return found.condition; }))
        .def("determinant", answer(&solver::determinant,
                                   [](const determinant_estimate& found) {
                                       return std::tuple(found.value, found.relative_error, found.parts);
                                   }))
        .def(
            "triangles",
            [](kept_solver& s, bool is_symmetric, long bits) {
                return tuple_of(
                    s.ask_interruptibly([&](solver& each) { return triangles_of(each.system(), is_symmetric, bits); }));
            },
            nb::arg("is_symmetric"), nb::arg("bits"))
        .def("inertia",
             answer(&solver::inertia,
                    [](const inertia& found) { return std::tuple(found.positive, found.negative, found.zero); }))
        .def("rank", answer(&solver::rank,
                            [](const rank_estimate& found) {
                                return std::tuple(found.rank, found.nullity, std::string(to_string(found.source)));
                            }))
        .def("null_space", answer(&solver::null_space,
                                  [](const null_space_basis& found) {
                                      return nb::make_tuple(by_rows(found.vectors), found.error, found.digits);
                                  }))
        .def(
            "inverse_entries",
            [](kept_solver& s, const std::vector<std::pair<index_t, index_t>>& places) {
                const std::vector<inverse_entry> found =
                    s.ask([&](solver& each) { return each.inverse_entries(places); });
                nb::list all;
                for (const inverse_entry& each : found) {
                    all.append(
                        nb::make_tuple(each.value, each.imaginary, each.error, std::string(to_string(each.status))));
                }
                return all;
            },
            nb::arg("places"))
        .def("plan", plan_of);

    m.def("make_solver", make_solver, nb::arg("a"), nb::arg("options"), nb::arg("estimate"), nb::arg("x0").none(),
          nb::arg("null_space"), nb::arg("near_null_space"), nb::arg("coordinates"), nb::arg("weights").none(),
          nb::arg("m").none() = nb::none(), nb::arg("m_t").none() = nb::none());
    m.def(
        "precision_bits", [](const std::string& text) { return parse_precision("precision", text); }, nb::arg("text"));
}

}  // namespace residua::python
