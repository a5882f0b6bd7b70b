#include <residua/blas/base/cuda_timer.hpp>

#include <residua/blas/base/check_cuda.cuh>

namespace residua {

cuda_timer::cuda_timer(const cuda_executor& exec) : exec_(exec)
{
    const device_guard current(exec_);
    require_cuda("timing", cudaEventCreate(&begin_));
    const cudaError_t status = cudaEventCreate(&end_);
    if (status != cudaSuccess) {
        (void)cudaEventDestroy(begin_);
    }
    require_cuda("timing", status);
}

cuda_timer::~cuda_timer()
{
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
}

void cuda_timer::start()
{
    const device_guard current(exec_);
    require_cuda("timing", cudaEventRecord(begin_, exec_.stream));
}

double cuda_timer::stop()
{
    const device_guard current(exec_);
    require_cuda("timing", cudaEventRecord(end_, exec_.stream));
    require_cuda("timing", cudaEventSynchronize(end_));
    float milliseconds = 0.0F;
    require_cuda("timing", cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace residua
