#include <residua/solvers/base/memory.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

#include <sys/mman.h>
#include <sys/resource.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace residua {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

std::atomic<double> most_bytes{unlimited};  // of a memory_limit

/// The number behind `key` in a file of "key: number kB" lines, in bytes; infinite if not there.
double kilobytes_in(const char* file, const std::string& key)
{
    std::ifstream in(file);
    std::string word;
    while (in >> word) {
        double kilobytes = 0.0;
        if (word == key && in >> kilobytes) {
            return kilobytes * 1024.0;
        }
    }
    return unlimited;
}

/// The number in a one-line file; infinite if it is not there or says "max".
double number_in(const char* file)
{
    std::ifstream in(file);
    double value = 0.0;
    return in >> value ? value : unlimited;
}

}  // namespace

double available_memory_bytes()
{
    double available = std::min(most_bytes.load(), kilobytes_in("/proc/meminfo", "MemAvailable:"));

    // control groups, version 2 and version 1
    const char* const groups[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
    for (const auto& [limit_file, usage_file] : groups) {
        const double limit = number_in(limit_file);
        const double used = number_in(usage_file);
        if (limit < unlimited && used < unlimited) {
            available = std::min(available, std::max(limit - used, 0.0));
        }
    }

    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const double used = kilobytes_in("/proc/self/status", "VmSize:");
        const double left = static_cast<double>(limit.rlim_cur) - (used < unlimited ? used : 0.0);
        available = std::min(available, std::max(left, 0.0));
    }
    return available;
}

memory_limit::memory_limit(double bytes) { most_bytes = bytes; }

memory_limit::~memory_limit() { most_bytes = unlimited; }

held_address_space::held_address_space(double bytes) : size_(static_cast<std::size_t>(std::max(bytes, 1.0)))
{
    begin_ = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (begin_ == MAP_FAILED) {
        throw resource_error("the solve without factors finds no " + bytes_in_words(bytes) + " of address space");
    }
}

held_address_space::~held_address_space() { munmap(begin_, size_); }

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
    const resident_memory result{kilobytes_in("/proc/self/status", "VmRSS:"),
                                 kilobytes_in("/proc/self/status", "VmHWM:")};
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
