#include <residua/io/team.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <omp.h>

#include <residua/io/interruption.hpp>

namespace residua::io {
namespace {

thread_local int limit_of_thread = 0;
thread_local bool inside_part = false;

/// How often a thread looks for what it waits for before it sleeps: some 20 us.
constexpr int looks_before_sleep = 1000;

void pause_shortly()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

/// Whether `is_so` becomes true while this thread looks, without sleeping.
template <class Condition>
bool comes_soon(const Condition& is_so)
{
    for (int k = 0; k < looks_before_sleep; ++k) {
        if (is_so()) {
            return true;
        }
        pause_shortly();
    }
    return is_so();
}

constexpr index_t bits_of_word = 64;
constexpr index_t most_parts = 16 * bits_of_word;  ///< at once

/// The parts of one call, and who works on them. It lives on its caller's stack: a helper that has left it under the
/// team's lock does not touch it again.
class call {
public:
    call(index_t first, index_t count, void (*f)(const void*, index_t), const void* of)
        : first_(first), count_(count), f_(f), of_(of), interruption_(detail::current_interruption())
    {}

    /// Begins parts that nobody has begun, from this one on and around, until there is none.
    void take_parts(index_t preferred)
    {
        interruption* const mine = std::exchange(detail::current_interruption(), interruption_);
        const index_t words = (count_ + bits_of_word - 1) / bits_of_word;
        preferred %= count_;
        for (index_t k = 0; k <= words; ++k) {
            const index_t word = (preferred / bits_of_word + k) % words;
            const int from = k == 0 ? static_cast<int>(preferred % bits_of_word) : 0;
            for (int bit = next(word, from); bit >= 0; bit = next(word, bit)) {
                run(word * bits_of_word + bit);
            }
        }
        detail::current_interruption() = mine;
    }

    void rethrow() const
    {
        if (thrown_) {
            std::rethrow_exception(thrown_);
        }
    }

    int wanted = 0;              ///< helpers that may still join; under the team's lock
    std::atomic<int> inside{0};  ///< helpers that have joined and not left; changed under the team's lock
    std::condition_variable left;

private:
    /// Claims the first free part at or beyond this bit of a word; -1: there is none.
    int next(index_t word, int from)
    {
        const index_t size = std::min(bits_of_word, count_ - word * bits_of_word);
        const std::uint64_t all = size == bits_of_word ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
        std::atomic<std::uint64_t>& begun = begun_[static_cast<std::size_t>(word)];
        for (std::uint64_t seen = begun.load(std::memory_order_relaxed);;) {
            const std::uint64_t free = ~seen & all & (~std::uint64_t{0} << from);
            if (free == 0) {
                return -1;
            }
            const std::uint64_t mine = free & (~free + 1);
            seen = begun.fetch_or(mine, std::memory_order_relaxed);
            if ((seen & mine) == 0) {
                return std::countr_zero(mine);
            }
        }
    }

    void run(index_t part)
    {
        try {
            f_(of_, first_ + part);
        } catch (...) {
            const std::lock_guard lock(throwing_);
            thrown_ = thrown_ ? thrown_ : std::current_exception();
        }
    }

    const index_t first_, count_;
    void (*const f_)(const void*, index_t);
    const void* const of_;
    interruption* const interruption_;
    std::array<std::atomic<std::uint64_t>, most_parts / bits_of_word> begun_{};
    std::mutex throwing_;
    std::exception_ptr thrown_;
};

/// The helpers of the process, and the calls that want some.
class team {
public:
    void share(call& shared, int wanted)
    {
        {
            const std::lock_guard lock(mutex_);
            start(std::min(wanted, available_processors() - 1));
            shared.wanted = std::min(wanted, helpers_);
            if (shared.wanted > 0) {
                calls_.push_back(&shared);
                open_.store(static_cast<int>(calls_.size()), std::memory_order_relaxed);
                for (int k = std::min(shared.wanted, asleep_); k > 0; --k) {
                    work_.notify_one();
                }
            }
        }
        inside_part = true;
        shared.take_parts(0);
        inside_part = false;
        const auto alone = [&] { return shared.inside.load(std::memory_order_relaxed) == 0; };
        std::unique_lock lock(mutex_);
        close(shared);
        if (!alone()) {
            lock.unlock();
            comes_soon(alone);
            lock.lock();
            shared.left.wait(lock, alone);
        }
    }

private:
    /// Starts helpers until there are `count`, or until the system refuses; called under the lock.
    void start(int count)
    {
        while (helpers_ < count) {
            try {
                std::thread([this, place = helpers_ + 1] { help(place); }).detach();
            } catch (const std::system_error&) {
                return;
            }
            ++helpers_;
        }
    }

    void close(call& shared)
    {
        std::erase(calls_, &shared);
        open_.store(static_cast<int>(calls_.size()), std::memory_order_relaxed);
    }

    [[noreturn]] void help(index_t place)
    {
        inside_part = true;
        omp_set_num_threads(1);  // of this thread alone: an OpenBLAS that uses OpenMP asks there
        while (true) {
            comes_soon([this] { return open_.load(std::memory_order_relaxed) > 0; });
            std::unique_lock lock(mutex_);
            ++asleep_;
            work_.wait(lock, [this] { return !calls_.empty(); });
            --asleep_;
            call& mine = *calls_.front();
            if (--mine.wanted == 0) {
                close(mine);
            }
            mine.inside.fetch_add(1, std::memory_order_relaxed);
            lock.unlock();
            mine.take_parts(place);
            lock.lock();
            if (mine.inside.fetch_sub(1, std::memory_order_relaxed) == 1) {
                mine.left.notify_one();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable work_;
    std::vector<call*> calls_;  ///< that want helpers
    std::atomic<int> open_{0};  ///< how many these are, for who looks without the lock
    int helpers_ = 0;
    int asleep_ = 0;
};

/// It is never destroyed: its helpers may outlive main().
team& helpers()
{
    static team& all = *new team;
    return all;
}

}  // namespace

int available_threads()
{
    if (inside_part || omp_in_parallel() != 0) {
        return 1;
    }
    return limit_of_thread > 0 ? limit_of_thread : omp_get_max_threads();
}

thread_limit::thread_limit(int threads) : before_(limit_of_thread)
{
    limit_of_thread = threads > 0 ? threads : std::min(available_threads(), available_processors());
}

thread_limit::~thread_limit() { limit_of_thread = before_; }

void detail::run_parts(index_t count, int threads, void (*f)(const void*, index_t), const void* of)
{
    const bool alone = threads <= 1 || count <= 1 || inside_part;
    for (index_t first = 0; first < count && !alone; first += most_parts) {
        call shared(first, std::min(most_parts, count - first), f, of);
        helpers().share(shared, static_cast<int>(std::min<index_t>(threads, count)) - 1);
        shared.rethrow();
    }
    for (index_t part = 0; part < count && alone; ++part) {
        f(of, part);
    }
}

}  // namespace residua::io
