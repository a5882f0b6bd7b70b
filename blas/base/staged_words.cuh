#pragma once

#include <atomic>
#include <cstdint>

#include <cuda_pipeline.h>

#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/view.hpp>

namespace residua::blas::detail {

/// Words in flight from global memory: each thread of a block has places of its own in shared memory, `Words` in each
/// of `Stages` stages, and fetches one stage at a time.
///
/// The copies are asynchronous. With plain loads the compiler saves registers by moving each load to its use, and gemv
/// of order 1000 takes half as long again.
template <int Block, int Words, int Stages>
class staged_words {
public:
    static constexpr int shared_words = Block * Words * Stages;

    __device__ explicit staged_words(double* shared) : mine_(shared + threadIdx.x) {}

    /// Fetches the terms of x_i to word `to` of this stage and the next ones; zeros if `there` is false.
    template <class View>
    __device__ void fetch(int to, const View& x, index_t i, bool there) const
    {
#pragma unroll
        for (int k = 0; k < View::terms; ++k) {
            __pipeline_memcpy_async(mine_ + (stage_ * Words + to + k) * Block, x.plane(k) + i, sizeof(double),
                                    there ? 0 : sizeof(double));
        }
    }

    /// Ends the fetches of this stage and goes on to the next one.
    __device__ void fetched()
    {
        __pipeline_commit();
        next_stage();
    }

    /// Waits for the words of this stage, once all stages have been fetched.
    __device__ void wait() const { __pipeline_wait_prior(Stages - 1); }

    /// The number whose terms begin at word `from` of this stage.
    template <class View>
    __device__ typename View::value_type number_at(int from) const
    {
        typename View::value_type x;
        residua::detail::unroll<View::terms>([&](int k) __attribute__((always_inline)) {
            term(x, k) = mine_[(stage_ * Words + from + k) * Block];
        });
        return x;
    }

private:
    __device__ void next_stage() { stage_ = stage_ + 1 == Stages ? 0 : stage_ + 1; }

    double* mine_;
    int stage_ = 0;
};

/// How much of a multiprocessor's fast memory is to be shared memory while Kernel runs, in percent of the most; the
/// rest is its first cache. Each device is set once.
template <auto Kernel>
void prefer_shared_memory(const cuda_executor& exec, const char* op, int percent)
{
    static std::atomic<std::uint64_t> told{0};
    const std::uint64_t bit = std::uint64_t{1} << (exec.device % 64);
    if ((told.load() & bit) == 0) {
        require_cuda(op, cudaFuncSetAttribute(Kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
        told |= bit;
    }
}

}  // namespace residua::blas::detail
