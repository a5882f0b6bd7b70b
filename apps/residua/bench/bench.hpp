#pragma once

#include <string_view>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// The operations that can be measured. `residua bench` measures bench_operations(); host_bench measures the operations
/// that a peer has too.
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
    cg,             ///< iterations of CG with the matrix of spmv; host_bench alone has them
};

/// The number formats and executors that `residua bench` measures.
enum class bench_format { native, expansion, multidigit, rns };
enum class bench_executor { host, cuda };

/// An operation of `residua bench`.
struct bench_operation {
    operation id;
    std::string_view name;
    std::string_view about;      ///< what it computes, and what its size is
    std::vector<index_t> sizes;  ///< the default of --sizes
    index_t largest = 0;         ///< the largest size allowed
};

/// All operations of `residua bench`, in the order of its help.
const std::vector<bench_operation>& bench_operations();

/// All formats, in the order of its help.
const std::vector<bench_format>& bench_formats();

std::string_view to_string(bench_format format);
std::string_view to_string(bench_executor executor);

/// Whether the operation is there for numbers of a format on an executor, at some precision.
bool has(operation op, bench_format format, bench_executor executor);

/// Whether the operation is there for numbers of that format with `bits` bits.
bool has(operation op, bench_format format, bench_executor executor, long bits);

}  // namespace residua
