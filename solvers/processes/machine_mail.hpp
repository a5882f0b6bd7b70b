#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <residua/solvers/processes/processes.hpp>

/// Messages between processes of one machine through memory that all of them map.
namespace residua {

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

    shared_pages() = default;
    /// No memory where there is none: is_there() says so, here and below.
    explicit shared_pages(std::size_t bytes_behind_page)
    {
        const std::size_t bytes = page + bytes_behind_page;
        file_ = memfd_create("residua", MFD_CLOEXEC);
        if (file_ < 0 || posix_fallocate(file_, 0, static_cast<off_t>(bytes)) != 0 || !map(bytes)) {
            return;
        }
        std::random_device random;
        word(token_at) = std::uint64_t{random()} << 32 | random();
    }
    explicit shared_pages(const address& of)
    {
        const std::string name = "/proc/" + std::to_string(of.process) + "/fd/" + std::to_string(of.file);
        file_ = open(name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        struct stat status {};
        const bool fits = file_ >= 0 && of.bytes > page && fstat(file_, &status) == 0 && S_ISREG(status.st_mode) &&
                          status.st_size == static_cast<off_t>(of.bytes);
        if (!fits || !map(of.bytes) ||
            word(token_at) != of.token) {  // another file, where processes have other numbers
            unmap();
        }
    }
    shared_pages(shared_pages&& other) noexcept
        : file_(std::exchange(other.file_, -1)), memory_(std::exchange(other.memory_, {}))
    {}
    shared_pages& operator=(shared_pages&& other) noexcept
    {
        std::swap(file_, other.file_);
        std::swap(memory_, other.memory_);
        return *this;
    }
    ~shared_pages()
    {
        unmap();
        close_file();
    }

    bool is_there() const { return !memory_.empty(); }
    address where() const { return {getpid(), file_, memory_.size(), is_there() ? word(token_at) : 0}; }
    /// Nobody opens it any more: files are few.
    void close_file()
    {
        if (file_ >= 0) {
            close(std::exchange(file_, -1));
        }
    }

    std::span<std::byte> all() const { return memory_; }
    std::span<std::byte> part(std::size_t at, std::size_t bytes) const { return memory_.subspan(page + at, bytes); }

    /// What was written before is seen by who has waited.
    void raise(std::uint64_t round) const
    {
        std::atomic_ref<std::uint64_t>(word(round_at)).store(round, std::memory_order_release);
    }
    /// Waits for the owner to raise its round to this one. Who waits long sleeps, so that others have its processor.
    ///
    /// crowded  there are more processes than processors
    void wait_for(std::uint64_t round, bool crowded) const
    {
        using clock = std::chrono::steady_clock;
        constexpr int spins = 4000;  // some tenths of a millisecond
        const std::atomic_ref<std::uint64_t> now(word(round_at));
        for (int k = crowded ? spins : 0; k < spins; ++k) {
            if (now.load(std::memory_order_acquire) >= round) {
                return;
            }
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        const clock::time_point begin = clock::now();
        while (now.load(std::memory_order_acquire) < round) {
            if (clock::now() - begin < std::chrono::milliseconds(5)) {
                sched_yield();
            } else {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        }
    }

private:
    static constexpr std::size_t token_at = 0, round_at = 128;  ///< apart, for the caches
    static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

    std::uint64_t& word(std::size_t at) const { return *reinterpret_cast<std::uint64_t*>(memory_.data() + at); }

    bool map(std::size_t bytes)
    {
        void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
        if (memory == MAP_FAILED) {
            return false;
        }
        memory_ = {static_cast<std::byte*>(memory), bytes};
        return true;
    }
    void unmap()
    {
        if (is_there()) {
            munmap(memory_.data(), memory_.size());
            memory_ = {};
        }
    }

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
    /// all       all on one machine
    /// together
    static std::unique_ptr<machine_mail> open(processes& all)
    {
        auto mail = std::unique_ptr<machine_mail>(new machine_mail(all));
        return maximum(all, mail->is_there_ ? 0 : 1) == 0 ? std::move(mail) : nullptr;
    }

    bool takes(std::size_t bytes) const { return bytes <= most_; }

    /// processes::join(), of a message that it takes. A message is in one of two places, one after the other, since others
    /// may still read the one before. When all have come to the next join, all have read it.
    void join(std::span<std::byte> message, const processes::merge_function& merge)
    {
        ++joins_;
        const auto place = [&](const shared_pages& of) { return of.part(joins_ % 2 * most_, message.size()); };
        std::copy(message.begin(), message.end(), place(pages_[rank_]).begin());
        pages_[rank_].raise(joins_);
        for (std::size_t rank = 0; rank < pages_.size(); ++rank) {
            pages_[rank].wait_for(joins_, crowded_);
            const std::span<const std::byte> next = place(pages_[rank]);
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
        auto made = std::make_unique<way>(all, std::move(out), std::move(in), crowded_);
        const bool is_there = maximum(all, made->is_there() ? 0 : 1) == 0;
        made->close_file();
        return is_there ? std::move(made) : nullptr;
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
    /// process that begins a round has read all messages of the one before.
    class way final : public route {
    public:
        way(processes& all, std::vector<end> out, std::vector<end> in, bool crowded)
            : route(std::move(out), std::move(in)), crowded_(crowded)
        {
            std::vector<letter> to(static_cast<std::size_t>(all.count()));
            for (const end& each : out_) {
                to[static_cast<std::size_t>(each.rank)].at = apart_;
                at_.push_back(apart_);
                apart_ += in_lines(each.bytes);
            }
            own_ = shared_pages(2 * apart_ + 1);
            for (letter& each : to) {
                each.pages = own_.where();
                each.apart = apart_;
            }
            letters_ = exchanged(all, to);
            is_there_ = own_.is_there();
            pages_.resize(letters_.size());
            for (const std::vector<end>* ends : {&out_, &in_}) {
                for (const end& each : *ends) {
                    shared_pages& pages = pages_[static_cast<std::size_t>(each.rank)];
                    if (!pages.is_there()) {
                        pages = shared_pages(letters_[static_cast<std::size_t>(each.rank)].pages);
                        pages.close_file();
                    }
                    is_there_ = is_there_ && pages.is_there();
                }
            }
        }

        bool is_there() const { return is_there_; }
        void close_file() { own_.close_file(); }

        std::vector<std::span<std::byte>> memory() const override
        {
            std::vector<std::span<std::byte>> result{own_.all()};
            for (const shared_pages& each : pages_) {
                if (each.is_there()) {
                    result.push_back(each.all());
                }
            }
            return result;
        }
        void next() override
        {
            ++round_;
            for (const end& each : out_) {
                pages_[static_cast<std::size_t>(each.rank)].wait_for(round_ - 1, crowded_);
            }
        }
        std::span<std::byte> to(std::size_t i) override
        {
            return own_.part(round_ % 2 * apart_ + at_[i], out_[i].bytes);
        }
        void send() override { own_.raise(round_); }
        void receive() override
        {
            for (const end& each : in_) {
                pages_[static_cast<std::size_t>(each.rank)].wait_for(round_, crowded_);
            }
        }
        std::span<const std::byte> from(std::size_t i) const override
        {
            const auto rank = static_cast<std::size_t>(in_[i].rank);
            return pages_[rank].part(round_ % 2 * letters_[rank].apart + letters_[rank].at, in_[i].bytes);
        }

    private:
        bool crowded_, is_there_ = false;
        std::uint64_t round_ = 0;
        std::size_t apart_ = 0;
        std::vector<std::size_t> at_;
        shared_pages own_;
        std::vector<letter> letters_;      ///< by the ranks of those who wrote them
        std::vector<shared_pages> pages_;  ///< of others, by their ranks
    };

    explicit machine_mail(processes& all)
        : rank_(static_cast<std::size_t>(all.rank())),
          most_(most_bytes_of_join / static_cast<std::size_t>(all.count()) / 64 * 64),
          crowded_(all.count() > sysconf(_SC_NPROCESSORS_ONLN))
    {
        shared_pages own(2 * most_ + 1);
        is_there_ = own.is_there();
        for (const letter& each :
             exchanged(all, std::vector<letter>(static_cast<std::size_t>(all.count()), letter{own.where()}))) {
            pages_.emplace_back(each.pages);
            pages_.back().close_file();
            is_there_ = is_there_ && pages_.back().is_there();
        }
        (void)maximum(all, 0);  // all have opened the own pages, which stay
    }

    std::size_t rank_, most_;
    bool crowded_, is_there_ = false;
    std::uint64_t joins_ = 0;
    std::vector<shared_pages> pages_;  ///< of all processes
    std::vector<std::byte> left_, right_;
};

}  // namespace residua
