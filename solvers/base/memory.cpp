#include <residua/solvers/base/memory.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace residua {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

std::atomic<double> most_bytes{unlimited};  // of a memory_limit

/// The first bytes of a file of the system, which has no size before it is read; empty if it cannot be.
class system_file {
public:
    explicit system_file(const char* name)
    {
        const int file = open(name, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return;
        }
        ssize_t got = 0;
        while (size_ < sizeof text_ && (got = read(file, text_ + size_, sizeof text_ - size_)) > 0) {
            size_ += static_cast<std::size_t>(got);
        }
        close(file);
    }

    /// The number behind `key`, whatever the locale; infinite if there is none.
    double number_after(std::string_view key) const
    {
        const std::string_view text(text_, size_);
        const std::size_t at = text.find(key);
        const std::size_t first = at == std::string_view::npos ? at : text.find_first_not_of(" \t", at + key.size());
        double value = 0.0;
        const bool is_number = first != std::string_view::npos &&
                               std::from_chars(text.data() + first, text.data() + size_, value).ec == std::errc();
        return is_number ? value : unlimited;
    }

private:
    char text_[4096];
    std::size_t size_ = 0;
};

/// The number in a one-line file; infinite if it is not there or says "max".
double number_in(const char* file) { return system_file(file).number_after(""); }

/// What the machine and the control groups leave to this process.
double read_available_bytes()
{
    double available = 1024.0 * system_file("/proc/meminfo").number_after("MemAvailable:");

    // control groups, version 2 and version 1
    const char* const groups[][2] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
    for (const auto& [limit_file, usage_file] : groups) {
        const double limit = number_in(limit_file);
        const double used = limit < unlimited ? number_in(usage_file) : unlimited;
        if (used < unlimited) {
            available = std::min(available, std::max(limit - used, 0.0));
        }
    }
    return available;
}

/// The same, at most ten milliseconds old: the files take tens of microseconds, longer than a solve of few unknowns, and a
/// process fills tens of megabytes meanwhile, less than what others on the machine make of the number.
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
        const double used = 1024.0 * system_file("/proc/self/status").number_after("VmSize:");
        const double left = most - (used < unlimited ? used : 0.0);
        available = std::min(available, std::max(left, 0.0));
    }
    return available;
}

memory_limit::memory_limit(double bytes) { most_bytes = bytes; }

memory_limit::~memory_limit() { most_bytes = unlimited; }

held_address_space::held_address_space(double bytes) : size_(static_cast<std::size_t>(std::max(bytes, 1.0))), begin_(nullptr)
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
    const system_file status("/proc/self/status");
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
