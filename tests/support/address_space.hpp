#pragma once

#include <fstream>
#include <string>

#include <sys/resource.h>

namespace residua::support {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_space_can_be_limited = false;  // AddressSanitizer needs it
#else
inline constexpr bool address_space_can_be_limited = true;
#endif

/// Leaves this process so many bytes beyond those that it has now, while the object lives.
class address_space_limit {
public:
    explicit address_space_limit(long bytes)
    {
        getrlimit(RLIMIT_AS, &before_);
        std::ifstream status("/proc/self/status");
        std::string word;
        long kilobytes = 0;
        while (status >> word && !(word == "VmSize:" && status >> kilobytes)) {
        }
        rlimit limit = before_;
        limit.rlim_cur = static_cast<rlim_t>(kilobytes) * 1024 + static_cast<rlim_t>(bytes);
        setrlimit(RLIMIT_AS, &limit);
    }
    ~address_space_limit() { setrlimit(RLIMIT_AS, &before_); }
    address_space_limit(const address_space_limit&) = delete;
    address_space_limit& operator=(const address_space_limit&) = delete;

private:
    rlimit before_{};
};

}  // namespace residua::support
