#include <residua/io/history.hpp>

#include <array>
#include <charconv>

namespace residua::io {

std::string to_csv(const history_step& step)
{
    std::array<char, 64> seconds;
    const auto [end, status] =
        std::to_chars(seconds.data(), seconds.data() + seconds.size(), step.seconds, std::chars_format::fixed, 6);
    (void)status;  // 64 characters hold any number of seconds below 1e50
    return std::to_string(step.iteration) + ',' + step.recursive + ',' + step.exact + ',' +
           std::string(seconds.data(), end) + ',' + std::to_string(step.precision_bits) + '\n';
}

}  // namespace residua::io
