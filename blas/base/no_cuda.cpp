// In place of cuda_executor.cu in a build without CUDA.
#include <residua/blas/base/cuda_executor.hpp>

namespace residua {

std::vector<cuda_device> cuda_devices() { return {}; }

std::string why_no_cuda_device() { return "this build has no CUDA side"; }

cuda_executor make_cuda_executor(int) { throw cuda_error("no CUDA device can be used: " + why_no_cuda_device()); }

std::size_t free_device_memory(const cuda_executor&) { return 0; }

}  // namespace residua
