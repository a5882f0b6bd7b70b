#pragma once

#include <optional>

#include <residua/solvers/checkpoint/state_archive.hpp>
#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/processes/processes.hpp>

namespace residua {

/// A stop_rule that ends, or keeps the state of, a run on all processes in the same iteration, as soon as the rule of
/// one of them asks for it. Clocks and interrupts of one process so decide for all, one join later.
///
/// In an iteration there must be a join, as every method has it.
class agreed_rule {
public:
    /// Both must outlive this.
    agreed_rule(processes& all, const stop_rule& given) : rule_(given), keeper_(all, given.keeper)
    {
        if (given.poll) {
            rule_.poll = [&all, &given]() -> std::optional<solve_status> {
                if (const std::optional<solve_status> status = given.poll()) {
                    all.say(*status == solve_status::time_limit ? status_word::time_limit : status_word::interrupted);
                }
                switch (all.agreed()) {
                    case status_word::time_limit:
                        return solve_status::time_limit;
                    case status_word::interrupted:
                    case status_word::failed:
                        return solve_status::interrupted;
                    default:
                        return std::nullopt;
                }
            };
        }
        if (given.keeper != nullptr) {
            rule_.keeper = &keeper_;
        }
    }
    agreed_rule(const agreed_rule&) = delete;
    agreed_rule& operator=(const agreed_rule&) = delete;

    const stop_rule& rule() const { return rule_; }

private:
    class agreed_keeper final : public run_keeper {
    public:
        agreed_keeper(processes& all, run_keeper* given) : all_(all), given_(given) {}

        bool is_due() const override
        {
            if (given_->is_due()) {
                all_.say(status_word::checkpoint_due);
            }
            return all_.agreed() != status_word::go_on;
        }
        void keep(const state_function& state) override
        {
            given_->keep(state);
            all_.take_back(status_word::checkpoint_due);
        }
        bool find(const state_function& state) override { return given_->find(state); }

    private:
        processes& all_;
        run_keeper* given_;
    };

    stop_rule rule_;
    agreed_keeper keeper_;
};

}  // namespace residua
