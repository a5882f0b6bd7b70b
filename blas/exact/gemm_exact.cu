#include <residua/blas/exact/gemm_exact.hpp>

#include <algorithm>
#include <string>

#include <residua/blas/base/launch.cuh>
#include <residua/blas/exact/byte_product.hpp>
#include <residua/blas/exact/operands.hpp>

namespace residua::blas {
namespace {

using namespace detail;

constexpr const char* op = "gemm_exact";
constexpr int threads = 256;
constexpr int warp = 32;
constexpr int warps = threads / warp;
constexpr int looks = 512;  // elements of a vector that a block looks at
constexpr int most_shared = 200000;
constexpr unsigned all_lanes = 0xffffffff;

unsigned blocks_for(index_t n, index_t each) { return static_cast<unsigned>((n + each - 1) / each); }

/// The extents of vectors, member by member.
struct device_extents {
    long long* top;
    long long* last;
    int* special;

    __device__ vector_extent get(index_t i) const { return {top[i], last[i], special[i] != 0}; }
};

__global__ void start_kernel(index_t count, device_extents to)
{
    take_turn();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i < count) {
        to.top[i] = vector_extent::none;
        to.last[i] = -vector_extent::none;
        to.special[i] = 0;
    }
}

template <class Operand>
__global__ void __launch_bounds__(threads) look_kernel(Operand x, index_t length, index_t count, device_extents to)
{
    take_turn();
    const auto lane = static_cast<int>(threadIdx.x) % warp;
    const auto own = static_cast<int>(threadIdx.x) / warp;
    const bool along = x.along == 1;  // a warp looks at a vector; else its lanes look at one each
    const index_t parts = (length + looks - 1) / looks;
    const index_t i = blockIdx.x / parts * (along ? warps : warp) + (along ? own : lane);
    const index_t begin = blockIdx.x % parts * looks;
    const index_t end = min(length, begin + looks);
    vector_extent extent;
    if (i < count) {
        for (index_t l = begin + (along ? lane : own); l < end; l += along ? warp : warps) {
            x.look(l, i, extent);
        }
    }
    for (int apart = along ? warp / 2 : 0; apart > 0; apart /= 2) {
        extent.include(__shfl_down_sync(all_lanes, extent.top, apart), __shfl_down_sync(all_lanes, extent.last, apart));
        extent.special |= __shfl_down_sync(all_lanes, extent.special ? 1 : 0, apart) != 0;
    }
    if (i < count && (!along || lane == 0)) {
        if (extent.top != vector_extent::none) {
            atomicMax(to.top + i, static_cast<long long>(extent.top));
            atomicMin(to.last + i, static_cast<long long>(extent.last));
        }
        if (extent.special) {
            atomicOr(to.special + i, 1);
        }
    }
}

__global__ void widest_kernel(index_t count, device_extents of, unsigned long long* widest)
{
    take_turn();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i < count && of.get(i).counts()) {
        atomicMax(widest, static_cast<unsigned long long>(of.top[i] - of.last[i]));
    }
}

/// What makes the numbers of a vector whole: 2^(width - top).
__device__ std::int64_t unit_of(const vector_extent& extent, std::int64_t width)
{
    return extent.counts() ? extent.top - width : 0;
}

/// 32 vectors and as many elements of each as the block has warps, or one vector and an element for each thread: as
/// their memory lies. Zeros beyond the elements.
template <class Operand>
__global__ void __launch_bounds__(threads)
    whole_kernel(Operand x, index_t length, index_t count, device_extents extents, std::int64_t width,
                 std::uint64_t* word, whole_vectors to)
{
    take_turn();
    extern __shared__ std::uint64_t number[];  // of a vector side by side, one place free then, so that banks differ
    const auto t = static_cast<int>(threadIdx.x);
    const int own_warps = static_cast<int>(blockDim.x) / warp;
    const int words_apart = warp * (own_warps + 1);
    const bool along = x.along == 1;
    const int lengths = along ? static_cast<int>(blockDim.x) : own_warps;
    const index_t parts = (to.ld + lengths - 1) / lengths;
    const index_t first_l = blockIdx.x % parts * lengths;
    const index_t first_i = blockIdx.x / parts * (along ? 1 : warp);
    {
        const int l = along ? t : t / warp;
        const int i = along ? 0 : t % warp;
        const long_integer mine{number + (along ? t : i * (own_warps + 1) + l), words_apart, to.words};
        for (int k = 0; k < to.words; ++k) {
            mine.word[k * words_apart] = 0;
        }
        const index_t vector = first_i + i;
        if (first_l + l < length && vector < count && extents.get(vector).counts()) {
            x.add(first_l + l, vector, -unit_of(extents.get(vector), width), mine);
        }
    }
    __syncthreads();
    const int l = t % lengths;
    const int i = t / lengths;
    if (first_l + l < to.ld && first_i + i < to.vectors) {
        const std::uint64_t* const from = number + (along ? t : i * (own_warps + 1) + l);
        for (int k = 0; k < to.words; ++k) {
            word[k * to.stride + (first_i + i) * to.ld + first_l + l] = from[k * words_apart];
        }
    }
}

/// Vectors and what makes them whole.
template <class Operand>
class device_factor {
public:
    device_factor(const cuda_executor& exec, const Operand& from, index_t length, index_t count, long bits)
        : from_(from),
          length_(length),
          count_(count),
          ends_(2 * count, exec, uninitialized{}),
          special_(count, exec, uninitialized{})
    {
        launch(exec, op, blocks_for(count, threads), threads, start_kernel, count, extents());
        if (length == 0) {
            return;
        }
        buffer<cuda_executor, unsigned long long> widest(1, exec);
        const unsigned grid = blocks_for(count, from_.along == 1 ? warps : warp) * blocks_for(length, looks);
        launch(exec, op, grid, threads, look_kernel<Operand>, from_, length, count, extents());
        launch(exec, op, blocks_for(count, threads), threads, widest_kernel, count, extents(), widest.data());
        unsigned long long found = 0;
        residua::detail::cuda_copy_out(exec, &found, widest.data(), sizeof found);
        width_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(found));
        width_ = bits > 0 ? std::min<std::int64_t>(width_, bits) : width_;
    }

    index_t count() const { return count_; }
    const Operand& from() const { return from_; }
    std::int64_t width() const { return width_; }
    std::int64_t bits() const { return width_ + bits_of_terms(Operand::terms); }
    int words() const { return static_cast<int>(bits() / 64) + 1; }
    device_extents extents() { return {ends_.data(), ends_.data() + count_, special_.data()}; }

    /// The numbers as whole ones; their words are in `word`.
    whole_vectors whole(const cuda_executor& exec, buffer<cuda_executor, std::uint64_t>& word)
    {
        whole_vectors x;
        x.words = words();
        x.vectors = padded_to_group(count_);
        x.ld = padded_to_group(length_);
        x.stride = x.size();
        word = buffer<cuda_executor, std::uint64_t>(x.size() * x.words, exec, uninitialized{});
        x.word = word.data();
        int block = threads;
        while (block > warp && bytes_of(block, x.words) > most_shared) {
            block /= 2;
        }
        const bool along = from_.along == 1;
        const unsigned grid = blocks_for(x.vectors, along ? 1 : warp) * blocks_for(x.ld, along ? block : block / warp);
        const int bytes = bytes_of(block, x.words);
        require_cuda(op,
                     cudaFuncSetAttribute(whole_kernel<Operand>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        whole_kernel<Operand><<<grid, static_cast<unsigned>(block), static_cast<unsigned>(bytes), exec.stream>>>(
            from_, length_, count_, extents(), width_, word.data(), x);
        require_cuda(op, cudaGetLastError());
        return x;
    }

private:
    static int bytes_of(int block, int words)
    {
        return (block + warp) * words * static_cast<int>(sizeof(std::uint64_t));
    }

    Operand from_;
    index_t length_;
    index_t count_;
    buffer<cuda_executor, long long> ends_;
    buffer<cuda_executor, int> special_;
    std::int64_t width_ = 1;
};

/// The sums of some columns, as whole numbers.
struct device_sums {
    std::uint64_t* word;
    index_t stride;
    int words;
    index_t ld;
};

template <class Operand, class Result>
__global__ void __launch_bounds__(threads)
    store_kernel(index_t rows, index_t cols, index_t first, device_sums sums, Operand a, device_extents of_a,
                 std::int64_t width_a, Operand b, device_extents of_b, std::int64_t width_b, index_t inner, Result c,
                 index_t ldc)
{
    take_turn();
    const index_t k = index_t{blockIdx.x} * threads + threadIdx.x;
    if (k >= rows * cols) {
        return;
    }
    const index_t i = k % rows;
    const index_t j = first + k / rows;
    if (of_a.special[i] != 0 || of_b.special[j] != 0) {
        c.store_special(i + j * ldc, special_sum(a, b, inner, i, j));
    } else {
        const long_integer sum{sums.word + i + k / rows * sums.ld, sums.stride, sums.words};
        c.store(i + j * ldc, sum, unit_of(of_a.get(i), width_a) + unit_of(of_b.get(j), width_b));
    }
}

template <class Operand, class Result>
void multiply(const cuda_executor& exec, const Operand& a, const Operand& b, index_t rows, index_t inner, index_t cols,
              const Result& c, index_t ldc, long bits)
{
    constexpr double most_bytes = 8e9;  // of products and sums at a time
    if (inner > most_byte_terms) {
        throw unsupported_error("gemm_exact: " + std::to_string(inner) + " columns of A are more than the " +
                                std::to_string(most_byte_terms) + " whose products 32 bits add up on a CUDA device");
    }
    device_factor<Operand> of_a(exec, a, inner, rows, bits);
    device_factor<Operand> of_b(exec, b, inner, cols, bits);
    buffer<cuda_executor, std::uint64_t> words_of_a;
    buffer<cuda_executor, std::uint64_t> words_of_b;
    whole_vectors whole_a;
    whole_vectors whole_b;
    if (inner > 0) {  // the device works while the host makes the tables of the moduli
        whole_a = of_a.whole(exec, words_of_a);
        whole_b = of_b.whole(exec, words_of_b);
    }
    const byte_moduli moduli(exec, static_cast<long>(of_a.bits() + of_b.bits() + bits_of_terms(inner) + 2),
                             std::max(of_a.words(), of_b.words()));
    const index_t ld = padded_to_group(rows);
    const double bytes_of_column = static_cast<double>(ld) * (4.0 * moduli.planes() + 8.0 * moduli.words());
    const auto fitting = static_cast<index_t>(most_bytes / bytes_of_column) / byte_group * byte_group;
    const index_t panel = std::min(padded_to_group(cols), std::max(fitting, byte_group));
    buffer<cuda_executor, std::uint64_t> sums(ld * panel * moduli.words(), exec);
    const auto store = [&](index_t first, index_t count) {
        launch(exec, op, blocks_for(rows * count, threads), threads, store_kernel<Operand, Result>, rows, count, first,
               device_sums{sums.data(), ld * panel, moduli.words(), ld}, a, of_a.extents(), of_a.width(), b,
               of_b.extents(), of_b.width(), inner, c, ldc);
    };
    if (inner == 0) {
        for (index_t j = 0; j < cols; j += panel) {
            store(j, std::min(panel, cols - j));
        }
        return;
    }
    const byte_planes planes_of_a(exec, whole_a, moduli);
    const byte_planes planes_of_b(exec, whole_b, moduli);
    words_of_a = {};
    words_of_b = {};
    for (index_t j = 0; j < cols; j += panel) {
        const index_t here = std::min(panel, planes_of_b.vectors() - j);
        multiply_bytes(exec, planes_of_a, planes_of_b, j, here, moduli, sums.data(), ld * panel);
        store(j, std::min(here, cols - j));
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
    multiply(exec, exact_vectors(a, true), exact_vectors(b, false), c.rows, a.cols, c.cols, exact_result(c), c.ld,
             options.bits);
}

#define RESIDUA_INSTANTIATE(...)                                                                       \
    template void gemm_exact<__VA_ARGS__>(const cuda_executor&, in_matrix<cuda_executor, __VA_ARGS__>, \
                                          in_matrix<cuda_executor, __VA_ARGS__>,                       \
                                          matrix_view<cuda_executor, __VA_ARGS__>, const exact_options&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(multidigit)

}  // namespace residua::blas
