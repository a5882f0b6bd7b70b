#include "irs_peers.hpp"

#include <chrono>
#include <functional>

#include <residua/blas/base/cusolver.cuh>
#include <residua/blas/base/shared_library.hpp>

namespace residua::bench {
namespace {

using blas::detail::require_cusolver;

constexpr const char* op = "irs_bench";

/// A handle as cuSOLVER makes it, and the functions that only this program calls.
class default_cusolver {
public:
    explicit default_cusolver(const cuda_executor& exec)
        : library(op, "cuSOLVER", CUSOLVER_VER_MAJOR, blas::detail::cusolver_file())
    {
        require_cusolver(op, functions_.create(&handle));
        require_cusolver(op, functions_.set_stream(handle, exec.stream));
    }
    default_cusolver(const default_cusolver&) = delete;
    default_cusolver& operator=(const default_cusolver&) = delete;
    ~default_cusolver() { (void)functions_.destroy(handle); }

    blas::detail::shared_library library;
    cusolverDnHandle_t handle = nullptr;

private:
    const blas::detail::cusolver_functions& functions_ = blas::detail::cusolver(op);
};

/// The system in the memory that a solver works in.
struct work_space {
    int n;
    buffer<cuda_executor, double> a, b, x;
    buffer<cuda_executor, int> pivots, info;
    buffer<cuda_executor, double> memory;

    work_space(const cuda_executor& exec, index_t order)
        : n(static_cast<int>(order)),
          a(order * order, exec),
          b(order, exec),
          x(order, exec),
          pivots(order, exec),
          info(1, exec)
    {}
};

/// Runs `solve`, which gives a status, on the system anew each time.
void repeat(const cuda_executor& exec, peer_run& run, work_space& w, const buffer<cuda_executor, double>& a,
            const buffer<cuda_executor, double>& b, int repeats, const std::function<cusolverStatus_t()>& solve)
{
    for (int k = 0; k <= repeats; ++k) {  // the first is not counted
        residua::detail::cuda_copy(exec, w.a.data(), a.data(), static_cast<std::size_t>(a.size()) * sizeof(double));
        residua::detail::cuda_copy(exec, w.b.data(), b.data(), static_cast<std::size_t>(b.size()) * sizeof(double));
        require_cuda(op, cudaMemsetAsync(w.x.data(), 0, static_cast<std::size_t>(w.n) * sizeof(double), exec.stream));
        synchronize(exec);
        const auto start = std::chrono::steady_clock::now();
        const cusolverStatus_t status = solve();
        synchronize(exec);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        if (status != CUSOLVER_STATUS_SUCCESS) {
            run.failure = "status " + std::to_string(static_cast<int>(status));
            return;
        }
        if (k > 0) {
            run.seconds.push_back(seconds.count());
        }
    }
    run.info = *to_host(exec, w.info).data();
    const auto x = to_host(exec, w.x);
    run.x.assign(x.data(), x.data() + x.size());
}

peer_run run_lu(const cuda_executor& exec, const default_cusolver& with, work_space& w,
                const buffer<cuda_executor, double>& a, const buffer<cuda_executor, double>& b, int repeats)
{
    decltype(&cusolverDnDgetrf_bufferSize) words = nullptr;
    decltype(&cusolverDnDgetrf) getrf = nullptr;
    decltype(&cusolverDnDgetrs) getrs = nullptr;
    with.library.find(words, "cusolverDnDgetrf_bufferSize");
    with.library.find(getrf, "cusolverDnDgetrf");
    with.library.find(getrs, "cusolverDnDgetrs");
    int size = 0;
    require_cusolver(op, words(with.handle, w.n, w.n, w.a.data(), w.n, &size));
    w.memory = buffer<cuda_executor, double>(size, exec);
    peer_run run{.name = "cuSOLVER LU"};
    repeat(exec, run, w, a, b, repeats, [&] {
        const cusolverStatus_t factorised =
            getrf(with.handle, w.n, w.n, w.a.data(), w.n, w.memory.data(), w.pivots.data(), w.info.data());
        if (factorised != CUSOLVER_STATUS_SUCCESS) {
            return factorised;
        }
        require_cuda(op, cudaMemcpyAsync(w.x.data(), w.b.data(), static_cast<std::size_t>(w.n) * sizeof(double),
                                         cudaMemcpyDeviceToDevice, exec.stream));
        return getrs(with.handle, CUBLAS_OP_N, w.n, 1, w.a.data(), w.n, w.pivots.data(), w.x.data(), w.n,
                     w.info.data());
    });
    return run;
}

peer_run run_irs(const cuda_executor& exec, const default_cusolver& with, work_space& w,
                 const buffer<cuda_executor, double>& a, const buffer<cuda_executor, double>& b, int repeats,
                 const std::string& name, const std::string& function)
{
    decltype(&cusolverDnDDgesv_bufferSize) bytes = nullptr;
    decltype(&cusolverDnDDgesv) gesv = nullptr;
    with.library.find(bytes, (function + "_bufferSize").c_str());
    with.library.find(gesv, function.c_str());
    std::size_t size = 0;
    peer_run run{.name = name};
    const cusolverStatus_t status =
        bytes(with.handle, w.n, 1, w.a.data(), w.n, w.pivots.data(), w.b.data(), w.n, w.x.data(), w.n, nullptr, &size);
    if (status != CUSOLVER_STATUS_SUCCESS) {
        run.failure = "status " + std::to_string(static_cast<int>(status));
        return run;
    }
    w.memory = buffer<cuda_executor, double>(static_cast<index_t>(size / sizeof(double) + 1), exec);
    repeat(exec, run, w, a, b, repeats, [&] {
        return gesv(with.handle, w.n, 1, w.a.data(), w.n, w.pivots.data(), w.b.data(), w.n, w.x.data(), w.n,
                    w.memory.data(), size, &run.iterations, w.info.data());
    });
    return run;
}

}  // namespace

std::vector<peer_run> run_peers(const cuda_executor& exec, index_t n, const buffer<cuda_executor, double>& a,
                                const buffer<cuda_executor, double>& b, int repeats)
{
    const device_guard current(exec);
    const default_cusolver with(exec);
    work_space w(exec, n);
    std::vector<peer_run> runs{run_lu(exec, with, w, a, b, repeats)};
    const std::pair<const char*, const char*> irs[] = {{"cuSOLVER IRS, binary64", "cusolverDnDDgesv"},
                                                       {"cuSOLVER IRS, binary32", "cusolverDnDSgesv"},
                                                       {"cuSOLVER IRS, TF32", "cusolverDnDXgesv"},
                                                       {"cuSOLVER IRS, bfloat16", "cusolverDnDBgesv"},
                                                       {"cuSOLVER IRS, binary16", "cusolverDnDHgesv"}};
    for (const auto& [name, function] : irs) {
        runs.push_back(run_irs(exec, with, w, a, b, repeats, name, function));
    }
    return runs;
}

}  // namespace residua::bench
