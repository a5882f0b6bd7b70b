#pragma once

#include <chrono>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua {

/// Where the time of a method goes, in seconds by the host's clock.
struct method_seconds {
    double products = 0.0;        ///< products with A, and residuals of the method
    double preconditioner = 0.0;  ///< applications of it; for a direct method, solves by the factors
    double transfers = 0.0;       ///< residuals into the format and the memory of the method, corrections out of them
};

/// Returns f(), and adds the seconds that it takes to a sum. If that is null, no clock is read.
template <class F>
decltype(auto) timed(double* sum, const F& f)  // NOLINT(readability-non-const-parameter): the watch adds to it
{
    struct watch {
        double* sum;
        std::chrono::steady_clock::time_point start;

        explicit watch(double* of) : sum(of)
        {
            if (sum != nullptr) {
                start = std::chrono::steady_clock::now();
            }
        }
        watch(const watch&) = delete;
        ~watch()
        {
            if (sum != nullptr) {
                *sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            }
        }
    };
    const watch running(sum);
    return f();
}

/// timed() for what a space computes: it waits for a device before and after f, so that the time is that of f alone.
template <class S, class F>
void timed(const S& space, double* sum, const F& f)
{
    const auto wait = [&] {
        if constexpr (!S::on_host) {
            if (sum != nullptr) {
                synchronize(space.exec);
            }
        }
    };
    wait();
    timed(sum, [&] {
        f();
        wait();
    });
}

}  // namespace residua
