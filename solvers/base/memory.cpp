#include <residua/solvers/base/memory.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>

#include <sys/mman.h>
#include <sys/resource.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <residua/io/system_file.hpp>
#include <residua/solvers/base/group_memory.hpp>

namespace residua {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

std::atomic<double> most_bytes{unlimited};  // set by a memory_limit

/// The bytes that the machine and the control groups leave to this process.
double read_available_bytes()
{
    static const group_memory groups;
    return std::min(1024.0 * io::system_file("/proc/meminfo").number_after("MemAvailable:"), groups.left());
}

/// read_available_bytes(), at most ten milliseconds old: the files take tens of microseconds, longer than a solve of
/// few unknowns, and meanwhile a process fills tens of megabytes, less than others on the machine change the number by.
double recent_available_bytes()
{
    using clock = std::chrono::steady_clock;
    thread_local clock::time_point read_at;
    thread_local double bytes = -1.0;
    if (bytes < 0.0 || clock::now() - read_at > std::chrono::milliseconds(10)) {
        bytes = read_available_bytes();
        read_at = clock::now();
    }
    return bytes;
}

/// The address space that the process may have; infinite if it is not limited.
double most_address_space()
{
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? static_cast<double>(limit.rlim_cur)
                                                                                : unlimited;
}

}  // namespace

double available_memory_bytes()
{
    double available = std::min(most_bytes.load(), recent_available_bytes());
    if (const double most = most_address_space(); most < unlimited) {
        const double used = 1024.0 * io::system_file("/proc/self/status").number_after("VmSize:");
        const double left = most - (used < unlimited ? used : 0.0);
        available = std::min(available, std::max(left, 0.0));
    }
    return available;
}

memory_limit::memory_limit(double bytes) { most_bytes = bytes; }

memory_limit::~memory_limit() { most_bytes = unlimited; }

held_address_space::held_address_space(double bytes)
    : size_(static_cast<std::size_t>(std::max(bytes, 1.0))), begin_(nullptr)
{
    if (most_address_space() == unlimited) {  // nobody needs what is held, and each mapping costs microseconds
        return;
    }
    begin_ = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin_ == MAP_FAILED) {
        throw resource_error("the solve without factors finds no " + bytes_in_words(bytes) + " of address space");
    }
}

held_address_space::~held_address_space()
{
    if (begin_ != nullptr) {
        munmap(begin_, size_);
    }
}

void return_free_memory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

std::string bytes_in_words(double bytes)
{
    char text[32];
    const bool large = bytes >= 0x1p30;
    std::snprintf(text, sizeof text, large ? "%.3g GiB" : "%.4g MiB", bytes / (large ? 0x1p30 : 0x1p20));
    return text;
}

std::optional<resident_memory> resident_memory_bytes()
{
    const io::system_file status("/proc/self/status");
    const resident_memory result{1024.0 * status.number_after("VmRSS:"), 1024.0 * status.number_after("VmHWM:")};
    return result.now < unlimited && result.peak < unlimited ? std::optional(result) : std::nullopt;
}

void require_memory(const char* what, double needed_bytes)
{
    const double available = available_memory_bytes();
    if (needed_bytes > available) {
        char text[200];
        std::snprintf(text, sizeof text, "%s needs %.0f bytes, %.0f bytes of memory are available", what, needed_bytes,
                      available);
        throw resource_error(text);
    }
}

}  // namespace residua
