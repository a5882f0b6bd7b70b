#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/processes/processes.hpp>

namespace residua::bench {

inline double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Other processes, with a clock: seconds in which this one was in a join, or waited for numbers of neighbours.
class timed_processes final : public processes {
public:
    explicit timed_processes(processes& of) : of_(of) {}

    struct sums {
        double seconds_of_joins = 0.0, seconds_of_exchanges = 0.0;
        double bytes_of_joins = 0.0, bytes_sent = 0.0;
        index_t joins = 0, messages = 0;
    };
    sums so_far;

    index_t count() const override { return of_.count(); }
    index_t rank() const override { return of_.rank(); }
    index_t rank_on_machine() const override { return of_.rank_on_machine(); }
    void begin_exchange(std::span<const outgoing> out, std::span<const incoming> in) override
    {
        so_far.messages += static_cast<index_t>(out.size());
        for (const outgoing& each : out) {
            so_far.bytes_sent += static_cast<double>(each.bytes.size());
        }
        const double start = seconds_now();
        of_.begin_exchange(out, in);
        so_far.seconds_of_exchanges += seconds_now() - start;
    }
    void end_exchange() override
    {
        const double start = seconds_now();
        of_.end_exchange();
        so_far.seconds_of_exchanges += seconds_now() - start;
    }
    std::unique_ptr<route> make_route(std::vector<route::end> out, std::vector<route::end> in) override
    {
        return std::make_unique<timed_route>(of_.make_route(out, in), out, in, so_far);
    }
    bytes_by_rank all_to_all(bytes_by_rank to) override { return of_.all_to_all(std::move(to)); }
    void broadcast(std::vector<std::byte>& bytes) override { of_.broadcast(bytes); }
    [[noreturn]] void end_all(const std::string& why) override
    {
        of_.end_all(why);
        std::abort();  // not reached: of a virtual function not every compiler believes it
    }

protected:
    void join_messages(std::span<std::byte> message, const merge_function& merge) override
    {
        const double start = seconds_now();
        of_.join(message, merge);
        so_far.seconds_of_joins += seconds_now() - start;
        so_far.bytes_of_joins += static_cast<double>(message.size());
        ++so_far.joins;
    }

private:
    class timed_route final : public route {
    public:
        timed_route(std::unique_ptr<route> of, std::vector<end> out, std::vector<end> in, sums& so_far)
            : route(std::move(out), std::move(in)), of_(std::move(of)), so_far_(so_far)
        {}
        std::vector<std::span<std::byte>> memory() const override { return of_->memory(); }
        void next() override
        {
            timed([&] { of_->next(); });
        }
        std::span<std::byte> to(std::size_t i) override { return of_->to(i).first(out_[i].bytes); }
        void send() override
        {
            so_far_.messages += static_cast<index_t>(out_.size());
            for (const end& each : out_) {
                so_far_.bytes_sent += static_cast<double>(each.bytes);
            }
            timed([&] { of_->send(); });
        }
        void receive() override
        {
            timed([&] { of_->receive(); });
        }
        std::span<const std::byte> from(std::size_t i) const override { return of_->from(i).first(in_[i].bytes); }

    private:
        template <class F>
        void timed(const F& f)
        {
            const double start = seconds_now();
            f();
            so_far_.seconds_of_exchanges += seconds_now() - start;
        }

        std::unique_ptr<route> of_;
        sums& so_far_;
    };

    processes& of_;
};

}  // namespace residua::bench
