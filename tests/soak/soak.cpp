// Thousands of solves in one process: some alone, some beside others, some stopped, some whose callbacks throw, some whose
// allocations fail. Those that nothing disturbs have the bits that they have alone, and memory stays as it is. Before them each
// kind is stopped at its questions one after the other, at all of them for 10000 solves and at each tenth for 1000, and memory is
// lacking at its allocations one after the other, at each 14th and at each 140th.
//
//   soak SOLVES [SEED [EXECUTOR]]    by default 1 and auto; cuda leaves out what only the host has

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <residua/io/error.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/options/names.hpp>
#include <residua/solvers/solver.hpp>

#include "cases.hpp"
#include "failing_allocator.hpp"
#include "tests/support/stopping.hpp"

// Of the sanitizers; absent without one.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes()  // NOLINT(bugprone-reserved-identifier)
    __attribute__((weak));

namespace {

using namespace residua;
using namespace residua::soak;

/// What a callback throws.
struct thrown_by_caller : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What happens to a solve on its way.
enum class disturbance { none, stopped, callback_throws, allocation_fails };

const char* describe(disturbance how)
{
    switch (how) {
        case disturbance::none:
            return "that nothing disturbed";
        case disturbance::stopped:
            return "that was stopped";
        case disturbance::callback_throws:
            return "whose callback threw";
        default:
            return "that lacked memory";
    }
}

std::vector<solve_result> solved(solver& s, const soak_case& c)
{
    return c.transposed ? s.solve_transposed(c.right_hand_sides) : s.solve(c.right_hand_sides);
}

bool are_same(const std::vector<solve_result>& a, const std::vector<solve_result>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const solve_result& p, const solve_result& q) {
        return p.report.status == q.report.status && p.report.iterations == q.report.iterations && p.x == q.x;
    });
}

/// The same for a solve that was stopped behind its last correction: x may be left in the bits in which it was made.
bool are_same_but_for_rounding(std::vector<solve_result> a, const std::vector<solve_result>& b)
{
    for (std::size_t k = 0; k < a.size(); ++k) {
        for (std::size_t i = 0; i < a[k].x.size(); ++i) {
            a[k].x[i] = a[k].x[i].with_precision(b[k].x[i].precision());
        }
    }
    return are_same(a, b);
}

class soak_run {
public:
    soak_run(std::vector<soak_case> cases, executor where)
    {
        for (soak_case& each : cases) {
            each.options.executor = where;
            try {
                solver s(each.system, each.options);
                expected_.push_back(solved(s, each));
                cases_.push_back(std::move(each));
            } catch (const unsupported_error&) {
                if (where != executor::cuda) {
                    throw;
                }
            }
        }
    }

    /// Stops each kind at one of `step` questions, and solves again with the same solver.
    void at_questions(long step)
    {
        for (std::size_t which = 0; which < cases_.size(); ++which) {
            const soak_case& c = cases_[which];
            solve_options options = c.options;
            options.threads = 1;
            long asked = 0;
            long last = -1;
            options.interrupted = [&] { return ++asked == last; };
            solver whole(c.system, options);
            if (!are_same(solved(whole, c), expected_[which])) {
                fail(c, "other bits by one thread");
            }
            const long questions = asked;
            for (long at = 1 + static_cast<long>(which) % step; at <= questions; at += step) {
                solver s(c.system, options);
                asked = 0;
                last = at;
                solved(s, c);
                last = -1;
                ++questions_;
                if (asked < at) {
                    fail(c, "fewer questions than before");
                }
                expect_the_same(s, c, which, "question " + std::to_string(at));
            }
        }
    }

    /// Lets each kind lack memory at one of `step` allocations, and solves again with the same solver.
    void at_allocations(long step)
    {
        for (std::size_t which = 0; which < cases_.size(); ++which) {
            const soak_case& c = cases_[which];
            solve_options options = c.options;
            options.threads = 1;
            long lacked_before = -1;
            for (long at = static_cast<long>(which) % step; lacked_memory_ > lacked_before; at += step) {
                lacked_before = lacked_memory_;
                solver s(c.system, options);
                fail_allocation(at);
                disturb(s, c, which, disturbance::allocation_fails);
                ++allocations_;
                expect_the_same(s, c, which, "allocation " + std::to_string(at));
            }
        }
    }

    /// Solves by several callers at once.
    void beside_each_other(long solves, unsigned callers, std::uint64_t seed)
    {
        std::atomic<long> left = solves;
        std::vector<std::thread> threads;
        for (unsigned k = 0; k < callers; ++k) {
            threads.emplace_back([&, k] {
                std::mt19937_64 random(seed * 1000 + k);
                while (left-- > 0) {
                    one(random, static_cast<disturbance>(random() % 3));
                }
            });
        }
        for (std::thread& each : threads) {
            each.join();
        }
    }

    /// Solves one after the other, during which an allocation fails.
    void without_memory(long solves, std::uint64_t seed)
    {
        std::mt19937_64 random(seed);
        for (; solves > 0; --solves) {
            one(random, disturbance::allocation_fails);
        }
    }

    std::size_t kinds() const { return cases_.size(); }
    long failures() const { return failures_; }
    long questions() const { return questions_; }
    long allocations() const { return allocations_; }
    long stopped() const { return stopped_; }
    long threw() const { return threw_; }
    long lacked_memory() const { return lacked_memory_; }

private:
    void fail(const soak_case& c, const std::string& what)
    {
        ++failures_;
        std::fprintf(stderr, "%s: %s\n", c.name.c_str(), what.c_str());
    }

    void one(std::mt19937_64& random, disturbance how)
    {
        const std::size_t which = random() % cases_.size();
        const soak_case& c = cases_[which];
        solve_options options = c.options;
        options.threads = static_cast<int>(random() % 4);
        // The object outlives the disturbance, behind which it solves as ever; its callbacks look at these.
        const auto asked = std::make_shared<std::atomic<long>>(0);
        const auto disturbed = std::make_shared<std::atomic<bool>>(how != disturbance::none);
        if (how == disturbance::stopped) {
            const long when = static_cast<long>(random() % (1L << (random() % 12)));
            options.interrupted = [=] { return *disturbed && (*asked)++ >= when; };
        } else if (how == disturbance::callback_throws) {
            const long when = static_cast<long>(random() % 30);
            options.on_history = [=](const history_entry&) {
                if (*disturbed && (*asked)++ >= when) {
                    throw thrown_by_caller("enough");
                }
            };
        }
        solver s(c.system, options);
        if (how == disturbance::allocation_fails) {
            fail_allocation(static_cast<long>(random() % (1L << (random() % 14))));
        }
        disturb(s, c, which, how);
        *disturbed = false;
        if (how == disturbance::none || random() % 2 == 0) {
            expect_the_same(s, c, which, std::string("a solve ") + describe(how));
        }
    }

    /// A solve that nothing disturbs, behind one that was disturbed.
    void expect_the_same(solver& s, const soak_case& c, std::size_t which, const std::string& behind)
    {
        try {
            if (!are_same(solved(s, c), expected_[which])) {
                fail(c, "other bits than alone, behind " + behind);
            }
        } catch (const std::exception& e) {
            fail(c, "undisturbed, behind " + behind + ": " + e.what());
        }
    }

    /// A solve that ends in one of the ways that it may.
    void disturb(solver& s, const soak_case& c, std::size_t which, disturbance how)
    {
        if (how == disturbance::none) {
            return;
        }
        try {
            const std::vector<solve_result> results = solved(s, c);
            const bool failed = how == disturbance::allocation_fails && stop_failing();
            const bool is_stopped = std::any_of(results.begin(), results.end(), [](const solve_result& each) {
                return each.report.status == solve_status::interrupted;
            });
            stopped_ += is_stopped ? 1 : 0;
            lacked_memory_ += failed ? 1 : 0;
            if (is_stopped && how != disturbance::stopped) {
                fail(c, "interrupted without a reason");
            }
            const bool as_expected = how == disturbance::stopped ? are_same_but_for_rounding(results, expected_[which])
                                                                 : are_same(results, expected_[which]);
            if (!is_stopped && !failed && !as_expected) {
                fail(c, "other bits than alone, beside callbacks");
            }
        } catch (const thrown_by_caller&) {
            ++threw_;
            if (how != disturbance::callback_throws) {
                fail(c, "an exception from elsewhere");
            }
        } catch (const std::bad_alloc&) {
            lack(c, how);
        } catch (const resource_error&) {
            lack(c, how);
        } catch (const std::exception& e) {
            stop_failing();
            fail(c, std::string("throws ") + e.what());
        }
    }

    void lack(const soak_case& c, disturbance how)
    {
        ++lacked_memory_;
        if (how != disturbance::allocation_fails || !stop_failing()) {
            fail(c, "lacks memory that is there");
        }
    }

    std::vector<soak_case> cases_;
    std::vector<std::vector<solve_result>> expected_;
    long questions_ = 0;
    long allocations_ = 0;
    std::atomic<long> failures_ = 0;
    std::atomic<long> stopped_ = 0;
    std::atomic<long> threw_ = 0;
    std::atomic<long> lacked_memory_ = 0;
};

/// What the process holds. A sanitizer keeps freed memory and notes of its own, so there it is what is allocated.
double held_megabytes()
{
    if (__sanitizer_get_current_allocated_bytes != nullptr) {
        return static_cast<double>(__sanitizer_get_current_allocated_bytes()) / 1e6;
    }
    return_free_memory();
    const std::optional<resident_memory> memory = resident_memory_bytes();
    return memory ? memory->now / 1e6 : 0.0;
}

}  // namespace

int main(int argc, char** argv)
{
    const long solves = argc > 1 ? std::atol(argv[1]) : 0;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const std::optional<executor> where = argc > 3 ? value_of<executor>(argv[3]) : executor::automatic;
    if (solves < 10 || argc > 4 || !where) {
        std::fprintf(stderr, "usage: %s SOLVES [SEED [EXECUTOR]], ten solves at least, auto, host or cuda\n", argv[0]);
        return 2;
    }
    const support::asked_each_time each;
    soak_run run(soak_cases(), *where);
    run.at_questions(std::max(1L, 10000 / solves));
    run.at_allocations(std::max(1L, 140000 / solves));
    constexpr long rounds = 5;
    double first = 0.0;
    double last = 0.0;
    for (long round = 0; round < rounds; ++round) {
        const long now = solves * (round + 1) / rounds - solves * round / rounds;
        run.beside_each_other(now / 2, 3, seed + static_cast<std::uint64_t>(round));
        run.without_memory(now - now / 2, seed + 100 + static_cast<std::uint64_t>(round));
        last = held_megabytes();
        first = round == 1 ? last : first;
    }
    std::printf("%zu kinds, %ld questions, %ld allocations; ", run.kinds(), run.questions(), run.allocations());
    std::printf(
        "%ld solves: %ld stopped, %ld whose callbacks threw, %ld that lacked memory, %ld failures; %.0f MB after two "
        "fifths, %.0f MB at the end\n",
        solves, run.stopped(), run.threw(), run.lacked_memory(), run.failures(), first, last);
    const bool flat = last <= first * 1.05 + 8.0;
    if (!flat) {
        std::fprintf(stderr, "memory grows\n");
    }
    return run.failures() == 0 && flat ? 0 : 1;
}
