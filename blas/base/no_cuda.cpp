// In place of cuda_executor.cu in a build without CUDA.
#include <residua/blas/base/cuda_executor.hpp>

namespace residua {
namespace {

[[noreturn]] void refuse() { throw cuda_error("no CUDA device can be used: " + why_no_cuda_device()); }

}  // namespace

std::vector<cuda_device> cuda_devices() { return {}; }

std::string why_no_cuda_device() { return "this build has no CUDA side"; }

cuda_executor make_cuda_executor(int) { refuse(); }

std::size_t free_device_memory(const cuda_executor&) { return 0; }

void synchronize(const cuda_executor&) {}

namespace detail {

void* cuda_allocate(const cuda_executor&, std::size_t) { refuse(); }
void* cuda_allocate_zeros(const cuda_executor&, std::size_t) { refuse(); }
void cuda_free(const cuda_executor&, void*) noexcept {}
void cuda_copy_in(const cuda_executor&, void*, const void*, std::size_t) { refuse(); }
void cuda_copy_out(const cuda_executor&, void*, const void*, std::size_t) { refuse(); }
void cuda_copy(const cuda_executor&, void*, const void*, std::size_t) { refuse(); }

}  // namespace detail
}  // namespace residua
