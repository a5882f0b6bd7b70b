#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/checkpoint/message_archive.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>
#include <residua/solvers/processes/processes.hpp>

/// States of runs on several processes, in the file of process 0: they have the bytes of a run on one process, so that a
/// run goes on from them on any number of processes.
namespace residua {

/// A state of which process 0 has the archive. What is the same on all processes is written from process 0, and read for
/// all; vectors go their own way, distributed_space::archive().
class shared_archive final : public state_archive {
public:
    /// of_first  the archive of process 0; null on the others
    shared_archive(processes& all, state_archive* of_first, bool reads) : all_(all), of_first_(of_first), reads_(reads)
    {}

    state_archive* of_first() const { return of_first_; }
    bool reads() const override { return reads_; }

    /// together  where it reads
    void bytes(void* data, std::size_t size) override
    {
        if (of_first_ != nullptr) {
            of_first_->bytes(data, size);
        }
        if (reads_) {
            auto* const begin = static_cast<std::byte*>(data);
            std::vector<std::byte> message(begin, begin + (of_first_ != nullptr ? size : 0));
            all_.broadcast(message);
            std::copy(message.begin(), message.end(), begin);
        }
    }

private:
    std::uint64_t left() const override { return std::numeric_limits<std::uint64_t>::max(); }
    [[noreturn]] void refuse(const std::string& reason) const override { throw error(reason); }

    processes& all_;
    state_archive* of_first_;
    bool reads_;
};

/// A state that process 0 cannot take, before any of it was read: all processes throw this at the same place.
class refused_state : public error {
public:
    /// why  what process 0 threw; null on the others
    explicit refused_state(std::exception_ptr why) : error("a state was refused"), why_(std::move(why)) {}
    const std::exception_ptr& why() const { return why_; }

private:
    std::exception_ptr why_;
};

/// Where a run on several processes leaves its state: with the keeper of process 0.
class shared_keeper final : public run_keeper {
public:
    /// of_first  the keeper of process 0; null on the others
    shared_keeper(processes& all, run_keeper* of_first) : all_(all), of_first_(of_first) {}

    bool is_due() const override { return of_first_ != nullptr && of_first_->is_due(); }

    /// The state is put together before a file is touched: writing may fail, and may need the state twice.
    ///
    /// together
    void keep(const state_function& state) override
    {
        message_writer whole;
        shared_archive shared(all_, of_first_ != nullptr ? &whole : nullptr, false);
        state(shared);
        if (of_first_ != nullptr) {
            of_first_->keep([&](state_archive& io) { io.bytes(whole.message().data(), whole.message().size()); });
        }
    }

    /// throws    refused_state on all processes, if process 0 cannot take the state that is there
    /// together
    bool find(const state_function& state) override
    {
        answer found = answer::none;
        const auto give = [&](state_archive* io) {
            shared_archive shared(all_, io, true);
            state(shared);
        };
        std::exception_ptr why;
        try {
            if (of_first_ != nullptr) {
                of_first_->find([&](state_archive& io) {
                    found = answer::there;
                    tell(found);
                    give(&io);
                });
            }
        } catch (...) {
            if (found == answer::there) {
                throw;
            }
            found = answer::refused;
            why = std::current_exception();
        }
        if (found != answer::there) {
            tell(found);
            if (found == answer::there) {
                give(nullptr);
            }
        }
        if (found == answer::refused) {
            throw refused_state(why);
        }
        return found == answer::there;
    }

private:
    enum class answer : unsigned char { none, there, refused };

    /// The answer of process 0, on all.
    void tell(answer& found)
    {
        std::vector<std::byte> message(1, static_cast<std::byte>(found));
        all_.broadcast(message);
        found = static_cast<answer>(message.front());
    }

    processes& all_;
    run_keeper* of_first_;
};

}  // namespace residua
