#pragma once

#include <string_view>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// What is measured: by `residua bench` those of bench_operations(), by bench/blas/host_bench those with peers.
enum class operation {
    dot,
    axpy,
    gemv,
    gemm,
    gemm_exact,
    geadd,
    spmv,  ///< Poisson's matrix in binary64, sliced ELL
    add,
    mul,
    gemv_exact,     ///< each element rounded once
    gemv_binary64,  ///< a matrix of binary64
    spmv_csr,       ///< the matrix of spmv in compressed rows
    cg,             ///< iterations of conjugate gradients with it, of host_bench alone
};

/// Number formats and executors that it measures.
enum class bench_format { native, expansion, multidigit, rns };
enum class bench_executor { host, cuda };

/// An operation by its name.
struct bench_operation {
    operation id;
    std::string_view name;
    std::string_view about;      ///< what it computes, and what its size is
    std::vector<index_t> sizes;  ///< unless others are asked for
    index_t largest = 0;         ///< size
};

/// All of them, in the order of help.
const std::vector<bench_operation>& bench_operations();

/// All of them, in the order of help.
const std::vector<bench_format>& bench_formats();

std::string_view to_string(bench_format format);
std::string_view to_string(bench_executor executor);

/// Whether the operation is there for numbers of a format on an executor, at some precision.
bool has(operation op, bench_format format, bench_executor executor);

/// Whether such numbers of so many bits are there too.
bool has(operation op, bench_format format, bench_executor executor, long bits);

/// Whether what is measured are kernels of element functions (chain_run.hpp), not operations on vectors.
bool is_of_kernels(operation op, bench_format format, bench_executor executor);

}  // namespace residua
