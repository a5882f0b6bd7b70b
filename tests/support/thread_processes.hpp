#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/processes/processes.hpp>

/// Threads as the processes of a run.
namespace residua::support {

/// What the threads of a run share. Where they part - they wait in different calls, with messages of different sizes,
/// or one returns while others wait - all of them get an error: nothing hangs.
class thread_group {
public:
    using bytes = std::vector<std::byte>;

    explicit thread_group(index_t count) : mail_(static_cast<std::size_t>(count)), there_(count) {}

    index_t count() const { return static_cast<index_t>(mail_.size()); }

    /// Each thread leaves its messages, one for all or one for each, and gets all that were left, by their senders.
    std::vector<std::vector<bytes>> meet(index_t rank, const std::string& call, std::vector<bytes> left)
    {
        std::unique_lock lock(mutex_);
        if (waiting_ == 0) {
            call_ = call;
        } else if (call_ != call) {
            fail("processes have parted: one is in " + call_ + ", process " + std::to_string(rank) + " in " + call);
        }
        mail_[static_cast<std::size_t>(rank)] = std::move(left);
        ++waiting_;
        const std::uint64_t meeting = meetings_;
        if (waiting_ == count()) {
            met_ = mail_;
            waiting_ = 0;
            ++meetings_;
            changed_.notify_all();
        } else {
            fail_if_alone();
            changed_.wait(lock, [&] { return meetings_ != meeting || !failure_.empty(); });
        }
        throw_if_failed();
        return met_;
    }

    void send(index_t from, index_t to, const bytes& message)
    {
        const std::scoped_lock lock(mutex_);
        sent_[{from, to}].push_back(message);
        changed_.notify_all();
    }

    bytes receive(index_t from, index_t to)
    {
        std::unique_lock lock(mutex_);
        auto& queue = sent_[{from, to}];
        changed_.wait(lock, [&] { return !queue.empty() || !failure_.empty(); });
        throw_if_failed();
        bytes message = std::move(queue.front());
        queue.pop_front();
        return message;
    }

    void end_all(const std::string& why)
    {
        const std::scoped_lock lock(mutex_);
        fail(why);
    }

    /// A thread returns.
    void leave()
    {
        const std::scoped_lock lock(mutex_);
        --there_;
        fail_if_alone();
    }

private:
    void fail(const std::string& why)
    {
        if (failure_.empty()) {
            failure_ = why;
        }
        changed_.notify_all();
    }
    void fail_if_alone()
    {
        if (waiting_ > 0 && there_ < count()) {
            fail("processes have parted: one has returned, others wait in " + call_);
        }
    }
    void throw_if_failed() const
    {
        if (!failure_.empty()) {
            throw error(failure_);
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::vector<bytes>> mail_, met_;
    std::map<std::pair<index_t, index_t>, std::deque<bytes>> sent_;
    std::string call_, failure_;
    index_t waiting_ = 0;
    index_t there_;
    std::uint64_t meetings_ = 0;
};

/// One of them. Messages are merged in a random order, another one on each process.
class thread_process final : public processes {
public:
    thread_process(thread_group& group, index_t rank)
        : group_(group), rank_(rank), random_{0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(rank)}
    {}

    index_t count() const override { return group_.count(); }
    index_t rank() const override { return rank_; }
    index_t rank_on_machine() const override { return rank_; }
    index_t joins() const { return joins_; }
    index_t messages() const { return messages_; }

    void begin_exchange(std::span<const outgoing> out, std::span<const incoming> in) override
    {
        for (const outgoing& each : out) {
            group_.send(rank_, each.rank, {each.bytes.begin(), each.bytes.end()});
            ++messages_;
        }
        expected_.assign(in.begin(), in.end());
    }
    void end_exchange() override
    {
        for (const incoming& each : std::exchange(expected_, {})) {
            const auto message = group_.receive(each.rank, rank_);
            if (message.size() != each.bytes.size()) {
                end_all("a message of " + std::to_string(message.size()) + " bytes came where " +
                        std::to_string(each.bytes.size()) + " were expected");
            }
            std::copy(message.begin(), message.end(), each.bytes.begin());
        }
    }
    bytes_by_rank all_to_all(bytes_by_rank to) override
    {
        bytes_by_rank mine;
        for (auto& from : group_.meet(rank_, "all_to_all", std::move(to))) {
            mine.push_back(std::move(from[static_cast<std::size_t>(rank_)]));
        }
        return mine;
    }
    void broadcast(std::vector<std::byte>& bytes) override
    {
        bytes = group_.meet(rank_, "broadcast", {rank_ == 0 ? bytes : std::vector<std::byte>{}}).front().front();
    }
    [[noreturn]] void end_all(const std::string& why) override
    {
        group_.end_all(why);
        throw error(why);
    }

protected:
    void join_messages(std::span<std::byte> message, const merge_function& merge) override
    {
        ++joins_;
        bytes_by_rank left;
        const std::string call = "a join of " + std::to_string(message.size()) + " bytes";
        for (auto& from : group_.meet(rank_, call, {{message.begin(), message.end()}})) {
            left.push_back(std::move(from.front()));
        }
        while (left.size() > 1) {
            const auto at = static_cast<std::ptrdiff_t>(random_() % (left.size() - 1));
            merge(left[static_cast<std::size_t>(at)], left[static_cast<std::size_t>(at) + 1]);
            left.erase(left.begin() + at);
        }
        std::copy(left.front().begin(), left.front().end(), message.begin());
    }

private:
    thread_group& group_;
    index_t rank_;
    index_t joins_ = 0;
    index_t messages_ = 0;
    splitmix64 random_;
    std::vector<incoming> expected_;
};

/// f(process) on `count` threads.
///
/// throws  what a process throws, the first of them
template <class F>
void run_processes(index_t count, const F& f)
{
    thread_group group(count);
    std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(count));
    std::vector<std::thread> threads;
    for (index_t rank = 0; rank < count; ++rank) {
        threads.emplace_back([&, rank] {
            thread_process process(group, rank);
            try {
                f(process);
                group.leave();
            } catch (const std::exception& e) {
                thrown[static_cast<std::size_t>(rank)] = std::current_exception();
                group.end_all(e.what());
            }
        });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    for (const std::exception_ptr& each : thrown) {
        if (each) {
            std::rethrow_exception(each);
        }
    }
}

}  // namespace residua::support
