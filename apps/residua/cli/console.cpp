#include "console.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>

#include <residua/io/error.hpp>

namespace residua {

void hold_standard_streams() noexcept
{
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
            // open() takes the lowest free number, this one; the mode is the wrong one, so that any use of it fails
            (void)::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

void tell(std::string_view text) noexcept
{
    (void)std::fwrite(text.data(), 1, text.size(), stderr);
    (void)std::fflush(stderr);
}

void put(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw resource_error("cannot write to standard output: " + std::string(std::strerror(errno)));
    }
}

}  // namespace residua
