#pragma once

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <residua/solvers/processes/processes.hpp>

/// Messages between processes of one machine through memory that all of them map.
namespace residua {

/// How a process waits for others.
struct way_of_waiting {
    bool crowded = false;                     ///< there are more processes than processors: it does not spin
    std::function<void()> meanwhile = [] {};  ///< called now and then while it waits long
};

/// Memory that other processes of the user map, too: a file of Linux without a name, which is gone with the last of
/// them. It begins with a page of two words: a token, and a round that its owner raises; readers wait for it.
class shared_pages {
public:
    static constexpr std::size_t page = 4096;

    /// What another process needs to open it.
    struct address {
        std::int64_t process = 0, file = -1;
        std::uint64_t bytes = 0, token = 0;
    };

    /// New ones. No memory where there is none: is_there() says so, here and below.
    explicit shared_pages(std::size_t bytes_behind_page) : owner_(getpid()), file_(memfd_create("residua", MFD_CLOEXEC))
    {
        const std::size_t bytes = page + bytes_behind_page;
        if (file_ >= 0 && posix_fallocate(file_, 0, static_cast<off_t>(bytes)) == 0 && map(file_, bytes)) {
            std::random_device random;
            word(token_at) = std::uint64_t{random()} << 32 | random();
        }
    }
    /// Those of another process.
    explicit shared_pages(const address& of) : owner_(static_cast<pid_t>(of.process))
    {
        const std::string name = "/proc/" + std::to_string(of.process) + "/fd/" + std::to_string(of.file);
        const int file = open(name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file < 0) {
            return;
        }
        struct stat status {};
        const bool fits = of.bytes > page && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                          status.st_size == static_cast<off_t>(of.bytes);
        if (fits && map(file, of.bytes) && word(token_at) != of.token) {  // where processes have other numbers
            unmap();
        }
        close(file);
    }
    shared_pages(const shared_pages&) = delete;
    shared_pages& operator=(const shared_pages&) = delete;
    ~shared_pages()
    {
        unmap();
        if (file_ >= 0) {
            close(file_);
        }
    }

    bool is_there() const { return !memory_.empty(); }
    address where() const { return {owner_, file_, memory_.size(), is_there() ? word(token_at) : 0}; }

    std::span<std::byte> all() const { return memory_; }
    std::span<std::byte> part(std::size_t at, std::size_t bytes) const { return memory_.subspan(page + at, bytes); }

    /// What was written before is seen by who has waited.
    void raise(std::uint64_t round) const
    {
        std::atomic_ref<std::uint64_t>(word(round_at)).store(round, std::memory_order_release);
    }
    /// Waits for the owner to raise its round to this one. Who waits long sleeps, so that others have its processor.
    ///
    /// throws  error if the owner has ended without
    void wait_for(std::uint64_t round, const way_of_waiting& how) const
    {
        using clock = std::chrono::steady_clock;
        constexpr int spins = 4000;  // some tenths of a millisecond
        const std::atomic_ref<std::uint64_t> now(word(round_at));
        const auto is_raised = [&] { return now.load(std::memory_order_acquire) >= round; };
        for (int k = how.crowded ? spins : 0; k < spins; ++k) {
            if (is_raised()) {
                return;
            }
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        const clock::time_point begin = clock::now();
        while (!is_raised()) {
            if (clock::now() - begin < std::chrono::milliseconds(5)) {
                sched_yield();
                continue;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            how.meanwhile();
            if (kill(owner_, 0) != 0 && errno == ESRCH && !is_raised()) {
                throw error("the process with the number " + std::to_string(owner_) +
                            " has ended, and others wait for it");
            }
        }
    }

private:
    static constexpr std::size_t token_at = 0, round_at = 128;  ///< apart, for the caches
    static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

    std::uint64_t& word(std::size_t at) const { return *reinterpret_cast<std::uint64_t*>(memory_.data() + at); }

    bool map(int file, std::size_t bytes)
    {
        void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED) {
            memory_ = {static_cast<std::byte*>(memory), bytes};
        }
        return is_there();
    }
    void unmap()
    {
        if (is_there()) {
            munmap(memory_.data(), memory_.size());
            memory_ = {};
        }
    }

    pid_t owner_;
    int file_ = -1;
    std::span<std::byte> memory_;
};

/// Joins and routes of processes of one machine. A process writes to its own memory and reads that of others; nothing
/// asks the system, or MPI.
class machine_mail {
public:
    /// What each process reads in a join at most: messages that are longer are left to MPI, which merges them in a tree.
    static constexpr std::size_t most_bytes_of_join = std::size_t{1} << 19;

    /// Null where a process has no memory or does not see that of another one; the same on all.
    ///
    /// all        all on one machine
    /// meanwhile  called now and then while a process waits long for another one
    /// together
    static std::unique_ptr<machine_mail> open(processes& all, std::function<void()> meanwhile)
    {
        auto mail = std::unique_ptr<machine_mail>(new machine_mail(all, std::move(meanwhile)));
        return maximum(all, mail->is_there() ? 0 : 1) == 0 ? std::move(mail) : nullptr;
    }

    bool takes(std::size_t bytes) const { return bytes <= most_; }

    /// processes::join(), of a message that it takes. A message is in one of two places, one after the other, since others
    /// may still read the one before. When all have come to the next join, all have read it.
    void join(std::span<std::byte> message, const processes::merge_function& merge)
    {
        ++joins_;
        const auto place = [&](const shared_pages& of) { return of.part(joins_ % 2 * most_, message.size()); };
        std::copy(message.begin(), message.end(), place(own_).begin());
        own_.raise(joins_);
        for (std::size_t rank = 0; rank < pages_.size(); ++rank) {
            pages_[rank]->wait_for(joins_, how_);
            const std::span<const std::byte> next = place(*pages_[rank]);
            right_.assign(next.begin(), next.end());
            if (rank > 0) {
                merge(left_, right_);
            }
            left_.swap(right_);
        }
        std::copy(left_.begin(), left_.end(), message.begin());
    }

    /// processes::make_route(); null where a process has no memory for it; the same on all.
    ///
    /// together
    std::unique_ptr<route> make_route(processes& all, std::vector<route::end> out, std::vector<route::end> in) const
    {
        auto made = std::make_unique<memory_route>(all, std::move(out), std::move(in), how_);
        return maximum(all, made->is_there() ? 0 : 1) == 0 ? std::move(made) : nullptr;
    }

private:
    static std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

    /// What a process tells another one of its memory: its messages for that one are from `at` on, and `apart` further on.
    struct letter {
        shared_pages::address pages;
        std::uint64_t at = 0, apart = 0;
    };

    static std::vector<letter> exchanged(processes& all, const std::vector<letter>& to)
    {
        processes::bytes_by_rank out;
        for (const letter& each : to) {
            const auto bytes = std::as_bytes(std::span(&each, 1));
            out.emplace_back(bytes.begin(), bytes.end());
        }
        const processes::bytes_by_rank in = all.all_to_all(std::move(out));
        std::vector<letter> from(to.size());
        for (std::size_t rank = 0; rank < from.size(); ++rank) {
            std::memcpy(&from[rank], in[rank].data(), sizeof(letter));
        }
        return from;
    }

    /// Messages in the memory of the sender, from where the receiver takes them. They too are in one of two places: a
    /// process that sends in a round has read all messages of the one before.
    class memory_route final : public route {
    public:
        memory_route(processes& all, std::vector<end> out, std::vector<end> in, way_of_waiting how)
            : route(std::move(out), std::move(in)), how_(std::move(how)), apart_(apart()), own_(2 * apart_ + 1)
        {
            std::vector<letter> to(static_cast<std::size_t>(all.count()), {own_.where(), 0, apart_});
            for (const end& each : out_) {
                letter& next = to[static_cast<std::size_t>(each.rank)];
                next.at = at_.empty() ? 0 : at_.back() + in_lines(out_[at_.size() - 1].bytes);
                at_.push_back(next.at);
            }
            const std::vector<letter> letters = exchanged(all, to);
            const auto open_pages = [&](const end& of) {
                const letter& each = letters[static_cast<std::size_t>(of.rank)];
                return peer{each, std::make_unique<shared_pages>(each.pages)};
            };
            std::transform(out_.begin(), out_.end(), std::back_inserter(readers_), open_pages);
            std::transform(in_.begin(), in_.end(), std::back_inserter(writers_), open_pages);
        }

        bool is_there() const
        {
            const auto there = [](const peer& each) { return each.pages->is_there(); };
            return own_.is_there() && std::all_of(readers_.begin(), readers_.end(), there) &&
                   std::all_of(writers_.begin(), writers_.end(), there);
        }

        std::vector<std::span<std::byte>> memory() const override
        {
            std::vector<std::span<std::byte>> result{own_.all()};
            for (const peer& each : writers_) {
                result.push_back(each.pages->all());
            }
            return result;
        }
        void next() override
        {
            ++round_;
            for (const peer& each : readers_) {
                each.pages->wait_for(round_ - 1, how_);
            }
        }
        std::span<std::byte> to(std::size_t i) override
        {
            return own_.part(round_ % 2 * apart_ + at_[i], out_[i].bytes);
        }
        void send() override { own_.raise(round_); }
        void receive() override
        {
            for (const peer& each : writers_) {
                each.pages->wait_for(round_, how_);
            }
        }
        std::span<const std::byte> from(std::size_t i) const override
        {
            const peer& writer = writers_[i];
            return writer.pages->part(round_ % 2 * writer.to_me.apart + writer.to_me.at, in_[i].bytes);
        }

    private:
        struct peer {
            letter to_me;
            std::unique_ptr<shared_pages> pages;
        };

        std::size_t apart() const
        {
            return std::accumulate(out_.begin(), out_.end(), std::size_t{0},
                                   [](std::size_t sum, const end& each) { return sum + in_lines(each.bytes); });
        }

        way_of_waiting how_;
        std::uint64_t round_ = 0;
        std::size_t apart_;
        std::vector<std::size_t> at_;
        shared_pages own_;
        std::vector<peer> readers_, writers_;
    };

    machine_mail(processes& all, std::function<void()> meanwhile)
        : most_(most_bytes_of_join / static_cast<std::size_t>(all.count()) / 64 * 64),
          how_{all.count() > processors_of(all), std::move(meanwhile)},
          own_(2 * most_ + 1)
    {
        const std::vector<letter> to(static_cast<std::size_t>(all.count()), {own_.where(), 0, most_});
        for (const letter& each : exchanged(all, to)) {
            pages_.push_back(std::make_unique<shared_pages>(each.pages));
        }
    }

    /// The processors on which one process or another may run.
    static index_t processors_of(processes& all)
    {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {  // there are more than such a set can have
            std::memset(&allowed, 0xff, sizeof allowed);
        }
        all.join(std::as_writable_bytes(std::span(&allowed, 1)),
                 [](std::span<const std::byte> left, std::span<std::byte> right) {
                     std::transform(left.begin(), left.end(), right.begin(), right.begin(),
                                    [](std::byte a, std::byte b) { return a | b; });
                 });
        return CPU_COUNT(&allowed);
    }

    bool is_there() const
    {
        return std::all_of(pages_.begin(), pages_.end(), [](const auto& each) { return each->is_there(); });
    }

    std::size_t most_;
    way_of_waiting how_;
    std::uint64_t joins_ = 0;
    shared_pages own_;
    std::vector<std::unique_ptr<shared_pages>> pages_;  ///< of all processes, also the own ones
    std::vector<std::byte> left_, right_;
};

}  // namespace residua
