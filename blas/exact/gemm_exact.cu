#include <residua/blas/exact/gemm_exact.hpp>

#include <algorithm>
#include <string>

#include <residua/blas/exact/byte_product.cuh>
#include <residua/blas/exact/device_factor.cuh>

namespace residua::blas {
namespace {

using namespace detail;

constexpr const char* op = "gemm_exact";

/// The columns of C that are computed at a time. Their products take at most a quarter of the device's memory.
index_t columns_at_once(index_t cols, index_t bytes_of_column)
{
    constexpr index_t full_tiles = 256;
    std::size_t free = 0;
    std::size_t total = 0;
    require_cuda(op, cudaMemGetInfo(&free, &total));
    const index_t fitting = std::max(static_cast<index_t>(total / 4) / bytes_of_column, byte_group);
    if (fitting < full_tiles || cols <= fitting) {
        return std::min(padded_to_group(cols), fitting / byte_group * byte_group);
    }
    const index_t panels = (cols + fitting / full_tiles * full_tiles - 1) / (fitting / full_tiles * full_tiles);
    return (cols + panels * full_tiles - 1) / (panels * full_tiles) * full_tiles;
}

/// Makes some columns of C from the sums of padded columns.
template <class Rounded>
struct store_columns {
    Rounded to;
    unsigned groups;  // of byte_group sums in a column; memory is too small for more than 32 bits of them
    index_t rows;
    index_t first;
    index_t cols;

    __device__ void operator()(index_t e, const long_integer& sum) const
    {
        const auto group = static_cast<unsigned>(e / byte_group);
        const unsigned j = group / groups;
        const index_t i = (group - j * groups) * byte_group + e % byte_group;
        if (i < rows && j < cols) {
            to.store(i, first + j, sum);
        }
    }
};

template <class Operand, class Result>
void multiply(const cuda_executor& exec, const Operand& a, const Operand& b, index_t rows, index_t inner, index_t cols,
              const Result& c, index_t ldc, long bits)
{
    if (inner > most_byte_terms) {
        throw unsupported_error("gemm_exact: " + std::to_string(inner) + " columns of A are more than the " +
                                std::to_string(most_byte_terms) + " whose products 32 bits add up on a CUDA device");
    }
    device_factor<Operand> of_a(op, exec, a, inner, rows, bits);
    device_factor<Operand> of_b(op, exec, b, inner, cols, bits);
    buffer<cuda_executor, std::uint64_t> words_of_a;
    buffer<cuda_executor, std::uint64_t> words_of_b;
    const index_t padded = std::max(padded_to_group(inner), byte_group);
    // the device works while the host makes the tables of the moduli
    const integer_vectors integer_a = of_a.integers(exec, padded_to_group(rows), padded, words_of_a);
    const integer_vectors integer_b = of_b.integers(exec, padded_to_group(cols), padded, words_of_b);
    const byte_moduli moduli(exec, static_cast<long>(of_a.bits() + of_b.bits() + bits_of_terms(inner) + 2),
                             std::max(of_a.words(), of_b.words()));
    const byte_planes planes_of_a(exec, integer_a, moduli);
    const byte_planes planes_of_b(exec, integer_b, moduli);
    words_of_a = {};
    words_of_b = {};
    const index_t ld = planes_of_a.vectors();
    const index_t panel = columns_at_once(cols, ld * 4 * index_t{moduli.planes()});
    auto rounded = round_sums(of_a, of_b, c, 1, ldc);
    for (index_t j = 0; j < cols; j += panel) {
        multiply_bytes(
            op, exec, planes_of_a, planes_of_b, j, std::min(panel, planes_of_b.vectors() - j), moduli,
            store_columns<decltype(rounded)>{rounded, static_cast<unsigned>(ld / byte_group), rows, j, cols - j});
    }
}

}  // namespace

template <class T>
void gemm_exact(const cuda_executor& exec, in_matrix<cuda_executor, T> a, in_matrix<cuda_executor, T> b,
                matrix_view<cuda_executor, T> c, const exact_options& options)
{
    require_gemm_exact(a, b, c, options);
    if (c.rows == 0 || c.cols == 0) {
        return;
    }
    const device_guard current(exec);
    multiply(exec, exact_vectors(exec, a, true), exact_vectors(exec, b, false), c.rows, a.cols, c.cols,
             exact_result(exec, c), c.ld, options.bits);
}

#define RESIDUA_INSTANTIATE(...)                                                                       \
    template void gemm_exact<__VA_ARGS__>(const cuda_executor&, in_matrix<cuda_executor, __VA_ARGS__>, \
                                          in_matrix<cuda_executor, __VA_ARGS__>,                       \
                                          matrix_view<cuda_executor, __VA_ARGS__>, const exact_options&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(multidigit)
RESIDUA_INSTANTIATE(rns)

}  // namespace residua::blas
