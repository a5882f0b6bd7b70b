#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/processes/machine_mail.hpp>

#include "tests/support/thread_processes.hpp"

namespace residua::support {

/// Threads whose joins and routes go through memory that they map, as those of processes of one machine do.
class mail_process final : public processes {
public:
    /// together
    explicit mail_process(thread_process& of) : of_(of), mail_(machine_mail::open(of, [] {}))
    {
        if (mail_ == nullptr) {
            of_.end_all("there is no memory for mail");
        }
    }

    index_t count() const override { return of_.count(); }
    index_t rank() const override { return of_.rank(); }
    index_t rank_on_machine() const override { return of_.rank(); }
    void begin_exchange(std::span<const outgoing> out, std::span<const incoming> in) override
    {
        of_.begin_exchange(out, in);
    }
    void end_exchange() override { of_.end_exchange(); }
    std::unique_ptr<route> make_route(std::vector<route::end> out, std::vector<route::end> in) override
    {
        return mail_->make_route(of_, std::move(out), std::move(in));
    }
    bytes_by_rank all_to_all(bytes_by_rank to) override { return of_.all_to_all(std::move(to)); }
    void broadcast(std::vector<std::byte>& bytes) override { of_.broadcast(bytes); }
    [[noreturn]] void end_all(const std::string& why) override { of_.end_all(why); }

protected:
    void join_messages(std::span<std::byte> message, const merge_function& merge) override
    {
        mail_->takes(message.size()) ? mail_->join(message, merge) : of_.join(message, merge);
    }

private:
    thread_process& of_;
    std::unique_ptr<machine_mail> mail_;
};

}  // namespace residua::support
