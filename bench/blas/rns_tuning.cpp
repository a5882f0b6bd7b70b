// rns_tuning  prints blas/rns/launch_table.hpp for this device: for each number of moduli the fastest threads a
// number and threads a block of an axpy of 10^6 numbers, and on standard error all that was measured.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include <cuda_runtime.h>

#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/rns/launch.hpp>

namespace {

using namespace residua;

double axpy_ms(const cuda_executor& exec, const rns_number& a, const vector<cuda_executor, rns>& x,
               vector<cuda_executor, rns>& y)
{
    cudaEvent_t start = nullptr, stop = nullptr;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    std::vector<float> ms;
    for (int k = 0; k < 9; ++k) {
        cudaEventRecord(start, exec.stream);
        blas::axpy<rns>(exec, a, x, y);
        cudaEventRecord(stop, exec.stream);
        synchronize(exec);
        float t = 0.0f;
        cudaEventElapsedTime(&t, start, stop);
        ms.push_back(t);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
}

void tune()
{
    const cuda_executor exec = make_cuda_executor();
    std::printf(
        "#pragma once\n\n/// Written by bench/blas/rns_tuning on an %s: the fastest launch for an axpy of 10^6 "
        "numbers.\n"
        "namespace residua::blas::detail {\n\nstruct rns_launch_row {\n    int most_moduli;\n"
        "    int block;  ///< threads\n};\n\ninline constexpr rns_launch_row rns_launch_table[] = {\n",
        cuda_devices().front().name.c_str());
    const index_t n = 1000000;
    for (const int moduli : {7, 14, 28, 56, 112}) {
        const rns_format f(rns_precision(moduli));
        const rns_number third = rns_number(f, 1.0) / rns_number(f, 3.0);
        vector<cuda_executor, rns> x(f, n, exec), y(f, n, exec);
        blas::fill<rns>(exec, third, x);
        blas::fill<rns>(exec, third * third, y);
        double best = 1e30;
        int chosen = 0;
        for (const int block : {32, 64, 128}) {
            blas::detail::force_block(block);
            const double ms = axpy_ms(exec, third, x, y);
            std::fprintf(stderr, "%3d moduli, %3d threads a block: %.4f ms\n", moduli, block, ms);
            if (ms < best) {
                best = ms;
                chosen = block;
            }
        }
        blas::detail::force_block(0);
        std::printf("    {%d, %d},  // %.4f ms\n", moduli, chosen, best);
    }
    std::printf("};\n\n}  // namespace residua::blas::detail\n");
}

}  // namespace

int main()
{
    try {
        tune();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "rns_tuning: %s\n", e.what());
        return 1;
    }
}
