#pragma once

#include <string_view>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// The operations that can be measured. table.hpp has a row for each one that `residua bench` measures.
enum class operation {
    dot,
    dot2,
    dot_exact,
    dot_split,
    asum,
    norm_inf,
    axpy,
    axpy_split,
    axpy_basic,
    axpy_dot,
    add,
    mul,
    rot,
    gemv,
    gemv_binary64,
    gemv2,
    gemv_exact,
    exact_matrix,
    gemv_split,
    gemv_basic,
    symv,
    trmv,
    ger,
    ger_split,
    geadd,
    geadd_split,
    geadd_basic,
    ge_acc,
    ge_diag_scale_cols,
    ge_lrscale,
    ge_norm,
    syr,
    syrk,
    trsm,
    gemm,
    gemm2,
    gemm_ozaki,
    gemm_exact,
    spmv,
    spmv_csr,
    spmv2,
    spmv_ozaki,
    spmm_ozaki,
    spmv_exact,
    cg,  ///< iterations of CG with the matrix of spmv; host_bench alone has them
};

/// What an operation computes. Those of one formula differ in how they compute it.
enum class formula {
    dot,
    asum,
    norm_inf,
    axpy,
    axpy_dot,
    add,
    mul,
    rot,
    gemv,
    symv,
    trmv,
    ger,
    geadd,
    ge_acc,
    ge_scale,
    ge_lrscale,
    ge_norm,
    syr,
    syrk,
    trsm,
    gemm,
    spmv,
    spmm
};

/// How the sums of an operation are formed.
enum class way {
    sums,     ///< in the format
    twofold,  ///< in binary64 as if with twice its precision
    slices,   ///< from products of slices, all of them
    exact,    ///< exactly, and rounded once
    split,    ///< by kernels of [IKK20] for signs, residues and rounding
    basic     ///< by one thread a number, the baseline of [IKK20]
};

/// The number formats and executors that `residua bench` measures.
enum class bench_format { native, expansion, multidigit, rns };
enum class bench_executor { host, cuda };

/// An operation of `residua bench`.
struct bench_operation {
    operation id;
    std::string_view name;
    std::string_view about;  ///< what it computes, and what its size is
    formula computes;
    way by;
    std::vector<index_t> sizes;  ///< the default of --sizes
    index_t largest = 0;         ///< the largest size allowed
};

/// All operations of `residua bench`, in the order of its help.
const std::vector<bench_operation>& bench_operations();

/// The row of an operation of `residua bench`.
///
/// throws  unsupported_error for one that only host_bench has
const bench_operation& row_of(operation op);

/// The default of --precisions: 106, 212 and 424 bits, or 53 of an operation of binary64 alone.
std::vector<long> default_precisions(const bench_operation& op);

/// All formats, in the order of its help.
const std::vector<bench_format>& bench_formats();

std::string_view to_string(bench_format format);
std::string_view to_string(bench_executor executor);

/// How an operation forms its sums with numbers of that format: "plain" in binary64 and "fused" in others, "twofold", "slices",
/// "exact", "split", "basic".
std::string_view to_string(way by, bench_format format);

/// Whether the operation is there for numbers of a format on an executor, at some precision.
bool has(operation op, bench_format format, bench_executor executor);

/// Whether the operation is there for numbers of that format with `bits` bits.
bool has(operation op, bench_format format, bench_executor executor, long bits);

}  // namespace residua
