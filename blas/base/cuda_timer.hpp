#pragma once

#include <residua/blas/base/cuda_executor.hpp>

struct CUevent_st;  // what cudaEvent_t points to

namespace residua {

/// The time between two moments of a stream, by the device's own clock. In builds with CUDA.
class cuda_timer {
public:
    /// throws  cuda_error if the device refuses
    explicit cuda_timer(const cuda_executor& exec);
    cuda_timer(const cuda_timer&) = delete;
    cuda_timer& operator=(const cuda_timer&) = delete;
    ~cuda_timer();

    /// From when all that was queued before is done.
    ///
    /// throws  cuda_error
    void start();

    /// Seconds until all that was queued since is done; waits for it.
    ///
    /// throws  cuda_error with the error of what failed since
    double stop();

private:
    cuda_executor exec_;
    CUevent_st* begin_ = nullptr;
    CUevent_st* end_ = nullptr;
};

}  // namespace residua
