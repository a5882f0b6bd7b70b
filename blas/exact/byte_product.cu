#include <residua/blas/exact/byte_product.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <residua/blas/base/cublas.cuh>
#include <residua/blas/base/launch.cuh>

namespace residua::blas::detail {
namespace {

constexpr const char* op = "gemm_exact";
constexpr std::int64_t digit_base = 127;
constexpr int moduli_at_once = 16;   // whose sums a thread keeps
constexpr int digits_at_once = 8;    // the same
constexpr int loads_at_once = 9;     // that a thread has under way
constexpr int most_digits = 128;     // of 32 bits: as many times one of 14 bits add up to less than 2^52
constexpr int most_moduli = 512;     // as many digits of 31 bits times one of 14 add up to less than 2^53
constexpr int most_threads = 128;    // of a block, two elements each
constexpr int most_shared = 200000;  // bytes
constexpr double whole = 0x1.8p52;   // x + whole - whole is the integer next to x, |x| < 2^51

struct byte_tables {
    int narrow;
    int moduli;
    int planes;
    const double* modulus;
    const double* reciprocal;
};

unsigned blocks_for(index_t n, index_t each) { return static_cast<unsigned>((n + each - 1) / each); }

/// Threads of a block that keep so many bytes each: whole warps.
int threads_for(int bytes_each) { return std::min(most_threads, most_shared / bytes_each / 32 * 32); }

/// Its launch, with so many bytes of shared memory for each thread.
template <class... Parameter, class... Argument>
void launch_sharing(const cuda_executor& exec, index_t calls, int bytes_each, void (*kernel)(Parameter...),
                    const Argument&... argument)
{
    const int threads = threads_for(bytes_each);
    const int bytes = threads * bytes_each;
    require_cuda(op, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<blocks_for(calls, threads), threads, static_cast<unsigned>(bytes), exec.stream>>>(argument...);
    require_cuda(op, cudaGetLastError());
}

byte_tables tables_of(const byte_moduli& moduli)
{
    return {moduli.set().narrow(), moduli.set().size(), moduli.planes(), moduli.modulus(), moduli.reciprocal()};
}

buffer<cuda_executor, double> to_device(const cuda_executor& exec, const std::vector<double>& x)
{
    buffer<cuda_executor, double> r(static_cast<index_t>(x.size()), exec, uninitialized{});
    residua::detail::cuda_copy_in(exec, r.data(), x.data(), x.size() * sizeof(double));
    return r;
}

/// x mod m, -m / 2 <= result <= m / 2, for a whole |x| < 2^52.
///
/// The quotient is rounded from x / m to within |x| 2^-53 / m, and x / m is 1 / (2 m) away from a half unless m is even.
__device__ double reduced(double x, double m, double reciprocal)
{
    const double quotient = __dsub_rn(__fma_rn(x, reciprocal, whole), whole);
    return __fma_rn(-quotient, m, x);
}

/// A whole number below 2^31 in magnitude; conversions of binary64 are slow, additions are not.
__device__ int to_int(double x) { return __double2loint(__dadd_rn(x, whole)); }
__device__ double to_double(int x)
{
    return __dsub_rn(__hiloint2double(0x43300000, x ^ static_cast<int>(0x80000000)), 0x1p52 + 0x1p31);
}

/// Two elements a thread. power[d * ld + i] = 2^(32 d) mod m_i, ld a multiple of moduli_at_once.
__global__ void __launch_bounds__(most_threads)
    to_bytes_kernel(whole_vectors x, byte_tables tables, int digits, const double* power, int power_ld, std::int8_t* to)
{
    extern __shared__ double2 digit[];  // d of this thread's elements at digit[d * blockDim.x + threadIdx.x]
    const index_t size = x.vectors * x.ld;
    const index_t e = 2 * (index_t{blockIdx.x} * blockDim.x + threadIdx.x);
    if (e >= size) {
        return;
    }
    for (int w = 0; w < x.words; ++w) {
        const ulonglong2 word = *reinterpret_cast<const ulonglong2*>(x.word + w * x.stride + e);
        digit[2 * w * blockDim.x + threadIdx.x] = {static_cast<double>(static_cast<std::uint32_t>(word.x)),
                                                   static_cast<double>(static_cast<std::uint32_t>(word.y))};
        const auto upper = [&](unsigned long long v) {
            return w + 1 < x.words ? static_cast<double>(static_cast<std::uint32_t>(v >> 32))
                                   : static_cast<double>(static_cast<std::int32_t>(v >> 32));
        };
        digit[(2 * w + 1) * blockDim.x + threadIdx.x] = {upper(word.x), upper(word.y)};
    }
    for (int first = 0; first < tables.moduli; first += moduli_at_once) {
        double sum[2][moduli_at_once] = {};
        for (int d = 0; d < digits; ++d) {
            const double2 v = digit[d * blockDim.x + threadIdx.x];
            const auto* const p = reinterpret_cast<const double2*>(power + d * power_ld + first);
#pragma unroll
            for (int k = 0; k < moduli_at_once; k += 2) {
                const double2 q = __ldg(p + k / 2);
                sum[0][k] = __fma_rn(v.x, q.x, sum[0][k]);
                sum[1][k] = __fma_rn(v.y, q.x, sum[1][k]);
                sum[0][k + 1] = __fma_rn(v.x, q.y, sum[0][k + 1]);
                sum[1][k + 1] = __fma_rn(v.y, q.y, sum[1][k + 1]);
            }
        }
#pragma unroll
        for (int k = 0; k < moduli_at_once; ++k) {
            const int i = first + k;
            if (i >= tables.moduli) {
                break;
            }
            const double m = __ldg(tables.modulus + i);
            const double reciprocal = __ldg(tables.reciprocal + i);
            const double r[2] = {reduced(sum[0][k], m, reciprocal), reduced(sum[1][k], m, reciprocal)};
            const auto store = [&](int plane, double a, double b) {
                *reinterpret_cast<char2*>(to + plane * size + e) = {static_cast<signed char>(to_int(a)),
                                                                    static_cast<signed char>(to_int(b))};
            };
            if (i < tables.narrow) {
                store(i, r[0], r[1]);
            } else {
                double low[2], high[2];
                for (int lane = 0; lane < 2; ++lane) {
                    high[lane] = __dsub_rn(__fma_rn(r[lane], 1.0 / digit_base, whole), whole);
                    low[lane] = __fma_rn(-high[lane], static_cast<double>(digit_base), r[lane]);
                }
                const int plane = tables.narrow + 3 * (i - tables.narrow);
                store(plane, low[0], low[1]);
                store(plane + 1, high[0], high[1]);
                store(plane + 2, low[0] + high[0], low[1] + high[1]);
            }
        }
    }
}

/// Two elements a thread of C, from the products of the planes: product[p * size + e].
///
/// X = sum_i y_i M / m_i - k M with y_i = w_i r_i mod m_i, and |X / M| < 1/4 tells k.
__global__ void __launch_bounds__(most_threads)
    combine_kernel(const std::int32_t* product, index_t size, byte_tables tables, const double* weight,
                   const double* part, int digits, std::uint64_t* c, index_t stride)
{
    extern __shared__ short2 y[];  // y_i of this thread's elements at y[i * blockDim.x + threadIdx.x]
    const index_t e = 2 * (index_t{blockIdx.x} * blockDim.x + threadIdx.x);
    if (e >= size) {
        return;
    }
    double excess[2] = {};
    const auto load = [&](int plane) {
        return plane < tables.planes ? __ldcs(reinterpret_cast<const int2*>(product + plane * size + e)) : int2{};
    };
    const auto keep = [&](int i, double r0, double r1) {
        const double m = __ldg(tables.modulus + i);
        const double reciprocal = __ldg(tables.reciprocal + i);
        const double w = __ldg(weight + i);
        r0 = reduced(r0 * w, m, reciprocal);
        r1 = reduced(r1 * w, m, reciprocal);
        excess[0] = __fma_rn(-r0, reciprocal, excess[0]);
        excess[1] = __fma_rn(-r1, reciprocal, excess[1]);
        y[i * blockDim.x + threadIdx.x] = {static_cast<short>(to_int(r0)), static_cast<short>(to_int(r1))};
    };
    for (int first = 0; first < tables.narrow; first += loads_at_once) {
        int2 p[loads_at_once];
#pragma unroll
        for (int k = 0; k < loads_at_once; ++k) {
            p[k] = load(first + k);
        }
#pragma unroll
        for (int k = 0; k < loads_at_once; ++k) {
            if (first + k < tables.narrow) {
                keep(first + k, to_double(p[k].x), to_double(p[k].y));
            }
        }
    }
    for (int first = tables.narrow; first < tables.moduli; first += loads_at_once / 3) {
        int2 p[loads_at_once];
#pragma unroll
        for (int k = 0; k < loads_at_once; ++k) {
            p[k] = load(tables.narrow + 3 * (first - tables.narrow) + k);
        }
#pragma unroll
        for (int k = 0; k < loads_at_once / 3; ++k) {
            const int i = first + k;
            if (i < tables.moduli) {
                const auto joined = [&](int low, int high, int both) {
                    constexpr double base = static_cast<double>(digit_base);
                    const double middle = to_double(both) - to_double(low) - to_double(high);
                    const double x = __fma_rn(__fma_rn(to_double(high), base, middle), base, to_double(low));
                    return reduced(x, __ldg(tables.modulus + i), __ldg(tables.reciprocal + i));
                };
                keep(i, joined(p[3 * k].x, p[3 * k + 1].x, p[3 * k + 2].x),
                     joined(p[3 * k].y, p[3 * k + 1].y, p[3 * k + 2].y));
            }
        }
    }
    y[tables.moduli * blockDim.x + threadIdx.x] = {static_cast<short>(to_int(excess[0])),
                                                   static_cast<short>(to_int(excess[1]))};
    std::int64_t carry[2] = {};
    for (int first = 0; first < digits; first += digits_at_once) {
        double sum[2][digits_at_once] = {};
        for (int i = 0; i <= tables.moduli; ++i) {
            const short2 v = y[i * blockDim.x + threadIdx.x];
            const double a = to_double(v.x);
            const double b = to_double(v.y);
            const auto* const p = reinterpret_cast<const double2*>(part + i * digits + first);
#pragma unroll
            for (int k = 0; k < digits_at_once; k += 2) {
                const double2 q = __ldg(p + k / 2);
                sum[0][k] = __fma_rn(a, q.x, sum[0][k]);
                sum[1][k] = __fma_rn(b, q.x, sum[1][k]);
                sum[0][k + 1] = __fma_rn(a, q.y, sum[0][k + 1]);
                sum[1][k + 1] = __fma_rn(b, q.y, sum[1][k + 1]);
            }
        }
#pragma unroll
        for (int k = 0; k < digits_at_once; k += 2) {
            std::uint64_t word[2];
            for (int lane = 0; lane < 2; ++lane) {
                const std::int64_t low = __double2ll_rn(sum[lane][k]) + carry[lane];
                const std::int64_t high = __double2ll_rn(sum[lane][k + 1]) + (low >> 32);
                word[lane] = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
                carry[lane] = high >> 32;
            }
            *reinterpret_cast<ulonglong2*>(c + (first + k) / 2 * stride + e) = {word[0], word[1]};
        }
    }
}

}  // namespace

byte_moduli::byte_moduli(const cuda_executor& exec, long product_bits)
    : set_(8, digit_base * digit_base, product_bits),
      digits_(static_cast<int>(set_.product_bits() / 32 + 2 + digits_at_once - 1) / digits_at_once * digits_at_once)
{
    if (set_.size() >= most_moduli) {
        throw unsupported_error("gemm_exact: sums of " + std::to_string(product_bits) +
                                " bits are too long for a CUDA device; give bits, how many to keep of each number");
    }
    std::vector<double> modulus;
    std::vector<double> reciprocal;
    std::vector<double> weight;
    std::vector<double> part(static_cast<std::size_t>(set_.size() + 1) * static_cast<std::size_t>(digits_));
    for (int i = 0; i <= set_.size(); ++i) {
        if (i < set_.size()) {
            modulus.push_back(static_cast<double>(set_.modulus(i)));
            reciprocal.push_back(1.0 / modulus.back());
            weight.push_back(static_cast<double>(set_.weight(i)));
        }
        const std::vector<std::int64_t> d = set_.digits(i, 32);
        std::copy(d.begin(), d.end(), part.begin() + static_cast<std::ptrdiff_t>(i) * digits_);
    }
    modulus_ = to_device(exec, modulus);
    reciprocal_ = to_device(exec, reciprocal);
    weight_ = to_device(exec, weight);
    part_ = to_device(exec, part);
}

byte_planes::byte_planes(const cuda_executor& exec, const whole_vectors& x, const byte_moduli& moduli)
    : vectors_(x.vectors), ld_(x.ld), planes_(moduli.planes()), data_(x.size() * planes_, exec, uninitialized{})
{
    const device_guard current(exec);
    const int digits = 2 * x.words;
    if (digits >= most_digits) {
        throw unsupported_error("gemm_exact: numbers of " + std::to_string(64 * x.words) +
                                " bits are too long for a CUDA device; give bits, how many to keep of each");
    }
    const moduli_set& set = moduli.set();
    const int power_ld = (set.size() + moduli_at_once - 1) / moduli_at_once * moduli_at_once;
    std::vector<double> power(static_cast<std::size_t>(digits) * static_cast<std::size_t>(power_ld));
    for (int i = 0; i < set.size(); ++i) {
        const std::int64_t m = set.modulus(i);
        const std::int64_t step = set.power_of_two(i, 32);
        std::int64_t r = 1;
        for (int d = 0; d < digits; ++d, r = centred_residue(r * step, m)) {
            power[static_cast<std::size_t>(d * power_ld + i)] = static_cast<double>(r);
        }
    }
    const auto on_device = to_device(exec, power);
    launch_sharing(exec, x.size() / 2, digits * static_cast<int>(sizeof(double2)), to_bytes_kernel, x,
                   tables_of(moduli), digits, on_device.data(), power_ld, data_.data());
}

void multiply_planes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first,
                     index_t count, std::int32_t* product)
{
    const device_guard current(exec);
    const std::int32_t one = 1;
    const std::int32_t zero = 0;
    require_cublas(op, cublas(op).gemm_strided_batched_ex(cublas_of(op, exec), CUBLAS_OP_T, CUBLAS_OP_N, a.vectors(),
                                                          count, a.ld(), &one, a.data(), CUDA_R_8I, a.ld(), a.size(),
                                                          b.data() + first * b.ld(), CUDA_R_8I, b.ld(), b.size(), &zero,
                                                          product, CUDA_R_32I, a.vectors(), a.vectors() * count,
                                                          a.planes(), CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
}

void multiply_bytes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first, index_t count,
                    const byte_moduli& moduli, std::uint64_t* c, index_t stride)
{
    const device_guard current(exec);
    const index_t size = a.vectors() * count;
    buffer<cuda_executor, std::int32_t> product(size * a.planes(), exec, uninitialized{});
    multiply_planes(exec, a, b, first, count, product.data());
    launch_sharing(exec, size / 2, (moduli.set().size() + 1) * static_cast<int>(sizeof(short2)), combine_kernel,
                   product.data(), size, tables_of(moduli), moduli.weight(), moduli.part(), moduli.digits(), c, stride);
}

}  // namespace residua::blas::detail
