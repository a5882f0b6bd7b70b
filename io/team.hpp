#pragma once

#include <memory>

#include <residua/io/error.hpp>

/// Threads on the host: how many there may be, and the team that shares the parts of one operation.
namespace residua::io {

/// Processors that this process may use: those of the calling thread's affinity, and no more than the quota of its control
/// groups (cpu.max, cpu.cfs_quota_us), rounded up. At least 1. The quota is read once.
int available_processors();

/// How many threads work that starts here may use, this one included: as the innermost thread_limit says, otherwise as
/// OpenMP would have it; 1 inside a part of a team, and inside a parallel region of OpenMP that has several threads.
int available_threads();

/// While it lives, work that the calling thread starts uses at most `threads` threads; other threads are not affected.
class thread_limit {
public:
    /// threads  0: what OpenMP would take, but no more than available_processors()
    explicit thread_limit(int threads);
    ~thread_limit();
    thread_limit(const thread_limit&) = delete;
    thread_limit& operator=(const thread_limit&) = delete;

private:
    int before_;
};

namespace detail {

void run_parts(index_t count, int threads, void (*f)(const void* of, index_t part), const void* of);

}  // namespace detail

/// f(0), ..., f(count - 1), each once, by this thread and at most `threads` - 1 helpers.
///
/// The helpers are threads of the process that all callers share. There are never more than available_processors() - 1 of
/// them. They take parts that nobody has begun, and a caller waits only for parts that a helper has begun: so a helper
/// that gets no processor, because others use it, costs nothing. Helpers without work wait for some 20 us, then sleep.
///
/// Parts do not wait for one another: any of them may be the last to begin.
///
/// throws   what a part throws, the first to do so, once all have ended
template <class F>
void run_parts(index_t count, int threads, const F& f)
{
    detail::run_parts(
        count, threads, [](const void* g, index_t part) { (*static_cast<const F*>(g))(part); }, std::addressof(f));
}

}  // namespace residua::io
