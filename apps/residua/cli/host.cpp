#include "host.hpp"

#include <fstream>

#include <omp.h>

/// OpenBLAS has threads of its own. Null where another BLAS is linked.
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace residua {

int use_threads(int threads)
{
    if (threads > 0) {
        omp_set_num_threads(threads);
        if (openblas_set_num_threads != nullptr) {
            openblas_set_num_threads(threads);
        }
    }
    return omp_get_max_threads();
}

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
