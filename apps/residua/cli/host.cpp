#include "host.hpp"

#include <fstream>

namespace residua {

void forget_memory_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

std::string processor_name()
{
    std::ifstream in("/proc/cpuinfo");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("model name")) {
            const std::size_t colon = line.find(": ");
            return colon == std::string::npos ? "host" : line.substr(colon + 2);
        }
    }
    return "host";
}

}  // namespace residua
