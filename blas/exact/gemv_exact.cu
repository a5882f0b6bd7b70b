#include <residua/blas/exact/gemv_exact.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include <residua/blas/exact/device_factor.cuh>
#include <residua/blas/exact/digit_product.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class T>
using operand_of = decltype(exact_vectors(cuda_executor{}, std::declval<vector_view<cuda_executor, const T>>()));

/// The digits of vectors of a factor, in parts. Only the vectors that are needed are made, filled up to a multiple of
/// `group`.
template <class Operand>
digit_planes to_digits(const char* op, const cuda_executor& exec, device_factor<Operand>& of, index_t vectors,
                       const digit_parts& parts, int group)
{
    buffer<cuda_executor, std::uint64_t> words;
    const integer_vectors x = of.integers(exec, vectors, parts.ld(), words);
    return {op, exec, x, (digit_planes::needed(of.bits()) + group - 1) / group * group};
}

/// Rounds sums. Thread i has row i: word w of its sum is sums[w * stride + i].
template <class Rounded>
__global__ void __launch_bounds__(factor_block::threads)
    store_kernel(index_t rows, std::uint64_t* sums, index_t stride, int words, Rounded to)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * factor_block::threads + threadIdx.x;
    if (i < rows) {
        to.store(i, 0, {sums + i, stride, words});
    }
}

/// The digits of the rows of a matrix.
template <class Operand>
struct digit_rows {
    device_factor<Operand> of;
    digit_parts parts;
    digit_planes planes;

    digit_rows(const char* op, const cuda_executor& exec, const Operand& a, index_t length, index_t count, long bits)
        : of(op, exec, a, length, count, bits),
          parts(length, count),
          planes(to_digits(op, exec, of, count == 1 ? 1 : padded_to_group(count), parts, count == 1 ? 4 : 1))
    {}

    /// Number i * down of the result <- the sum of row i.
    ///
    /// throws  unsupported_error if sums are too long
    template <class Result>
    void multiply(const char* op, const cuda_executor& exec, const Operand& x, long bits, const Result& to,
                  index_t down)
    {
        device_factor<Operand> of_x(op, exec, x, of.length(), 1, bits);
        const std::int64_t needed = of.bits() + of_x.bits() + bits_of_terms(of.length()) + 1;
        require_bits(op, of.width(), of_x.width(), needed, most_sum_bits);
        const auto words = static_cast<int>(needed / 64) + 1;
        buffer<cuda_executor, std::uint64_t> sums(planes.vectors() * words, exec);
        if (of.length() > 0) {
            const digit_planes digits = to_digits(op, exec, of_x, 1, parts, digit_group);
            multiply_digits(op, exec, planes, digits, parts, digit_planes::needed(of_x.bits()), sums.data(),
                            planes.vectors(), words);
        }
        auto rounded = round_sums(of, of_x, to, down, 0);
        launch(exec, op, blocks_for(of.count(), factor_block::threads), factor_block::threads,
               store_kernel<decltype(rounded)>, of.count(), sums.data(), planes.vectors(), words, rounded);
    }
};

}  // namespace

template <class T>
struct detail::exact_integers<cuda_executor, T> {
    digit_rows<operand_of<T>> rows;
    long bits;
};

template <class T>
detail::exact_integers_of<cuda_executor, T> detail::make_integers(const cuda_executor& exec,
                                                                  in_matrix<cuda_executor, T> a,
                                                                  const exact_options& options)
{
    require_options("exact_matrix", options);
    using integers = exact_integers<cuda_executor, T>;
    const device_guard current(exec);
    return exact_integers_of<cuda_executor, T>(
        new integers{{"exact_matrix", exec, exact_vectors(exec, a, true), a.cols, a.rows, options.bits}, options.bits});
}

template <class T>
void detail::multiply_by_integers(const cuda_executor& exec, exact_integers<cuda_executor, T>& a,
                                  in_vector<cuda_executor, T> x, vector_view<cuda_executor, T> y)
{
    const device_guard current(exec);
    a.rows.multiply("exact_matrix", exec, exact_vectors(exec, x), a.bits, exact_result(exec, y), stride_of(y));
}

template <class T>
void gemv_exact(const cuda_executor& exec, in_matrix<cuda_executor, T> a, in_vector<cuda_executor, T> x,
                vector_view<cuda_executor, T> y, const exact_options& options)
{
    require_equal("gemv_exact", "rows of A and size of y", a.rows, y.size);
    require_equal("gemv_exact", "columns of A and size of x", a.cols, x.size);
    require_options("gemv_exact", options);
    if (y.size > 0) {
        const device_guard current(exec);
        digit_rows<operand_of<T>>("gemv_exact", exec, exact_vectors(exec, a, true), a.cols, a.rows, options.bits)
            .multiply("gemv_exact", exec, exact_vectors(exec, x), options.bits, exact_result(exec, y), stride_of(y));
    }
}

template <class T>
void dot_exact(const cuda_executor& exec, in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y,
               vector_view<cuda_executor, T> result, const exact_options& options)
{
    require_equal("dot_exact", "sizes of x and y", x.size, y.size);
    require_equal("dot_exact", "size of the result and 1", result.size, 1);
    require_options("dot_exact", options);
    const device_guard current(exec);
    digit_rows<operand_of<T>>("dot_exact", exec, exact_vectors(exec, x), x.size, 1, options.bits)
        .multiply("dot_exact", exec, exact_vectors(exec, y), options.bits, exact_result(exec, result), 1);
}

#define RESIDUA_INSTANTIATE(...)                                                                                  \
    template detail::exact_integers_of<cuda_executor, __VA_ARGS__> detail::make_integers<__VA_ARGS__>(            \
        const cuda_executor&, in_matrix<cuda_executor, __VA_ARGS__>, const exact_options&);                       \
    template void detail::multiply_by_integers<__VA_ARGS__>(                                                      \
        const cuda_executor&, exact_integers<cuda_executor, __VA_ARGS__>&, in_vector<cuda_executor, __VA_ARGS__>, \
        vector_view<cuda_executor, __VA_ARGS__>);                                                                 \
    template void gemv_exact<__VA_ARGS__>(const cuda_executor&, in_matrix<cuda_executor, __VA_ARGS__>,            \
                                          in_vector<cuda_executor, __VA_ARGS__>,                                  \
                                          vector_view<cuda_executor, __VA_ARGS__>, const exact_options&);         \
    template void dot_exact<__VA_ARGS__>(const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>,             \
                                         in_vector<cuda_executor, __VA_ARGS__>,                                   \
                                         vector_view<cuda_executor, __VA_ARGS__>, const exact_options&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(multidigit)
RESIDUA_INSTANTIATE(rns)

}  // namespace residua::blas
