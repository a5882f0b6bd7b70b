// exact_bench [json] [part or bits or n ...]  Exact products of matrices of integers on a CUDA device, beside the
// 8-bit products that they consist of; spmv_exact and residual_exact of multi-digit floats beside a copy of what they
// move.
//
// Parts: 106 212 424 848 bits, integers of 12 bits more; n1024 n4096 n8192, of dense matrices; gemv; spmv, with the
// matrix of the 5-point stencil on 1024 x 1024 points in binary64, and with one of random entries; all if none is named.
// The latter are compared with the host on 256 x 256 points, bit for bit, with random vectors of full precision. gemm_exact
// is all of it, from multi-digit floats, random ones of full precision, to such; at 106 bits with cuBLAS's own product in
// binary64 before and after it.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <residua/blas/base/cublas.cuh>
#include <residua/blas/exact/byte_product.hpp>
#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/exact/gemv_exact.hpp>
#include <residua/blas/exact/spmv_exact.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/sparse/spmv.hpp>

#include "bench/blas/device_bench.hpp"

namespace {

using namespace residua;
using namespace blas::detail;

buffer<cuda_executor, std::uint64_t> random_words(const cuda_executor& exec, index_t size, int bits)
{
    const int words = bits / 64 + 1;
    std::mt19937_64 random(12345);
    std::vector<std::uint64_t> host(static_cast<std::size_t>(size * words));
    for (index_t k = 0; k < size * words; ++k) {
        const std::uint64_t x = random();
        const bool is_top = k >= size * (words - 1);
        host[static_cast<std::size_t>(k)] =
            is_top ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> (63 - bits % 64)) : x;
    }
    buffer<cuda_executor, std::uint64_t> device(size * words, exec, uninitialized{});
    residua::detail::cuda_copy_in(exec, device.data(), host.data(), host.size() * sizeof(std::uint64_t));
    return device;
}

void measure(device_bench& p, int bits, index_t n)
{
    const cuda_executor& exec = p.exec;
    const int kept = bits + 12;
    const auto words = random_words(exec, n * n, kept);
    const integer_vectors x{words.data(), n * n, kept / 64 + 1, n, n};
    const byte_moduli moduli(exec, 2L * kept + 15, x.words);
    const byte_planes a(exec, x, moduli);
    const index_t panel = std::min<index_t>(n, n <= 4096 || bits <= 424 ? 4096 : 2048);  // gemm_exact: 2816 of 8192
    const double count = static_cast<double>(n) * static_cast<double>(n);
    const double operations = 2.0 * count * static_cast<double>(n);
    const double planes = moduli.planes();
    std::printf("%d bits: %d moduli, %d of them of two digits, %d products\n", bits, moduli.set().size(),
                moduli.set().size() - moduli.set().narrow(), moduli.planes());
    p.add("to residues", bits, n, p.time([&] { const byte_planes made(exec, x, moduli); }),
          count * (8.0 * x.words + planes), count, false);
    {
        buffer<cuda_executor, std::int32_t> product(n * panel * moduli.planes(), exec, uninitialized{});
        p.add("8-bit products", bits, n, p.time([&] {
            for (index_t j = 0; j < n; j += panel) {
                multiply_planes(exec, a, a, j, panel, product.data());
            }
        }),
              count * 6.0 * planes, operations * planes, false);
    }
    buffer<cuda_executor, std::uint64_t> c(n * panel * moduli.words(), exec, uninitialized{});
    const auto multiply = [&](const byte_planes& of_a, const byte_planes& of_b) {
        for (index_t j = 0; j < n; j += panel) {
            multiply_bytes(exec, of_a, of_b, j, panel, moduli, c.data(), n * panel);
        }
    };
    p.add("with the sums", bits, n, p.time([&] { multiply(a, a); }), count * 8.0 * moduli.words(), operations, false);
    p.add("whole product", bits, n, p.time([&] {
        multiply({exec, x, moduli}, {exec, x, moduli});
    }),
          count * 8.0 * (2.0 * x.words + moduli.words()), operations, false);
}

using host_vector = vector<host_executor, multidigit>;
using device_vector = vector<cuda_executor, multidigit>;

constexpr index_t pool_size = 1 << 12;

/// Random numbers of full precision, over five binades, from a pool.
host_vector random_numbers(multidigit_format format, index_t n, std::mt19937_64& random)
{
    host_vector x(format, n);
    for (index_t i = 0; i < n; ++i) {
        if (i < pool_size) {
            real number(0.0, format.bits() + 64);
            for (int k = 0; k < format.bits() + 32; k += 32) {
                number = ldexp(number, 32) + real(static_cast<double>(random() >> 32));
            }
            number = ldexp(number, static_cast<long>(random() % 5) - exponent(number));
            x.set(i, multidigit_number(format, random() % 2 == 0 ? number : -number));
        } else {
            x.set(i, x.get((i * 7919) % pool_size));
        }
    }
    return x;
}

/// x_ij <- pool(i + j (n + 13) + shift)
matrix<cuda_executor, multidigit> random_matrix(const cuda_executor& exec, const multidigit_format& format, index_t n,
                                                index_t shift)
{
    std::mt19937_64 random(12345);
    const auto pool = to_device(exec, random_numbers(format, pool_size, random));
    matrix<cuda_executor, multidigit> a(format, n, n, exec);
    for (index_t j = 0; j < n; ++j) {
        const auto column = a.view().column(j);
        for (index_t i = 0; i < n;) {
            const index_t from = (i + j * (n + 13) + shift) % pool_size;
            const index_t count = std::min(n - i, pool_size - from);
            blas::copy<multidigit>(exec, pool.view().part(from, from + count), column.part(i, i + count));
            i += count;
        }
    }
    return a;
}

/// cuBLAS as it is by default: the library's own handle asks for no fewer bits than operands have, which costs binary64 a
/// fifth of its speed.
class default_cublas {
public:
    explicit default_cublas(const cuda_executor& exec)
    {
        require_cublas(op, functions_.create(&handle_));
        require_cublas(op, functions_.set_stream(handle_, exec.stream));
    }
    ~default_cublas() { (void)functions_.destroy(handle_); }
    default_cublas(const default_cublas&) = delete;
    default_cublas& operator=(const default_cublas&) = delete;

    void multiply(index_t n, const double* a, double* c) const
    {
        const double one = 1.0;
        const double zero = 0.0;
        require_cublas(op, functions_.dgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, a, n, &zero, c, n));
    }

private:
    static constexpr const char* op = "exact_bench";
    const cublas_functions& functions_ = cublas(op);
    cublasHandle_t handle_ = nullptr;
};

/// C <- A A by cuBLAS in binary64, random numbers in [-1, 1].
void measure_binary64(device_bench& p, const char* when, index_t n)
{
    std::mt19937_64 random(12345);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> host(static_cast<std::size_t>(n * n));
    for (double& x : host) {
        x = uniform(random);
    }
    buffer<cuda_executor, double> a(n * n, p.exec, uninitialized{});
    buffer<cuda_executor, double> c(n * n, p.exec, uninitialized{});
    residua::detail::cuda_copy_in(p.exec, a.data(), host.data(), host.size() * sizeof(double));
    const double count = static_cast<double>(n) * static_cast<double>(n);
    const default_cublas blas(p.exec);
    p.add(when, 53, n, p.time([&] { blas.multiply(n, a.data(), c.data()); }), 24.0 * count,
          2.0 * count * static_cast<double>(n), false);
}

void measure_format(device_bench& p, int bits, index_t n)
{
    const multidigit_format format(bits);
    const auto a = random_matrix(p.exec, format, n, 0);
    const auto b = random_matrix(p.exec, format, n, 77);
    matrix<cuda_executor, multidigit> c(format, n, n, p.exec);
    const double count = static_cast<double>(n) * static_cast<double>(n);
    for (const long kept : {0L, bits + 8L}) {
        p.add(kept == 0 ? "gemm_exact, all bits" : "gemm_exact", bits, n,
              p.time([&] { blas::gemm_exact<multidigit>(p.exec, a, b, c, {kept}); }),
              3.0 * count * 4.0 * (format.digits() + 1), 2.0 * count * static_cast<double>(n), false);
    }
}

void measure_vectors(device_bench& p, int bits, index_t n)
{
    const multidigit_format format(bits);
    const auto a = random_matrix(p.exec, format, n, 0);
    vector<cuda_executor, multidigit> column(format, n, p.exec);
    vector<cuda_executor, multidigit> y(format, n, p.exec);
    blas::copy<multidigit>(p.exec, a.view().column(n / 2), column.view());
    const blas::exact_matrix<cuda_executor, multidigit> whole(p.exec, a, {bits});
    const double count = static_cast<double>(n) * static_cast<double>(n);
    p.add("prepared gemv", bits, n, p.time([&] { whole.multiply(p.exec, column, y); }),
          count * static_cast<double>((bits + 9) / 8), count, true);
    p.add("gemv_exact", bits, n, p.time([&] { blas::gemv_exact<multidigit>(p.exec, a, column, y, {bits}); }),
          count * 4.0 * (format.digits() + 1), count, true);
}

void require_same(const char* what, const cuda_executor& exec, const device_vector& device, const host_vector& host)
{
    const auto found = to_host(exec, device);
    for (index_t i = 0; i < host.size(); ++i) {
        if (!(found.get(i) == host.get(i))) {
            throw std::runtime_error(std::string(what) + ": element " + std::to_string(i) + " differs from the host's");
        }
    }
}

void poisson(device_bench& p, long bits, index_t side)
{
    const cuda_executor& exec = p.exec;
    const multidigit_format format(bits);
    std::mt19937_64 random(12345);
    const index_t n = side * side;
    const auto rows = five_point_stencil(side);
    const sliced_ell<host_executor, double> slices(rows);
    const auto host_x = random_numbers(format, n, random);
    const auto host_b = random_numbers(format, n, random);
    const auto a = to_device(exec, slices);
    const auto a_by_rows = to_device(exec, rows);
    auto rows_of_53_bits = rows;
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (index_t k = 0; k < rows.entries(); ++k) {
        rows_of_53_bits.value().data()[k] = uniform(random);
    }
    const sliced_ell<host_executor, double> slices_of_53_bits(rows_of_53_bits);
    const auto a_of_53_bits = to_device(exec, slices_of_53_bits);
    const auto x = to_device(exec, host_x);
    const auto b = to_device(exec, host_b);
    device_vector y(format, n, exec);
    if (side <= 256) {
        host_vector expected(format, n);
        blas::spmv_exact<multidigit, double>(host_executor{}, slices, host_x, expected);
        blas::spmv_exact<multidigit, double>(exec, a, x, y);
        require_same("spmv_exact", exec, y, expected);
        blas::spmv_exact<multidigit, double>(exec, a_by_rows, x, y);
        require_same("spmv_exact by rows", exec, y, expected);
        blas::residual_exact<multidigit, double>(host_executor{}, slices, host_x, host_b, expected);
        blas::residual_exact<multidigit, double>(exec, a, x, b, y);
        require_same("residual_exact", exec, y, expected);
        blas::spmv_exact<multidigit, double>(host_executor{}, slices_of_53_bits, host_x, expected);
        blas::spmv_exact<multidigit, double>(exec, a_of_53_bits, x, y);
        require_same("spmv_exact, 53 bits", exec, y, expected);
        return;
    }
    const double count = static_cast<double>(n);
    const double number = 4.0 * (format.digits() + 1);
    const double matrix = (5.0 * count - 4.0 * static_cast<double>(side)) * 12.0;
    const double sliced_bytes = matrix + count * (4.0 + 2.0 * number);
    const int of = static_cast<int>(bits);
    const multidigit_number one(format, 1.0);
    const multidigit_number zero(format);
    p.add("spmv", of, side, p.time([&] { blas::spmv<multidigit>(exec, one, a, x, zero, y); }), sliced_bytes,
          5.0 * count, false);
    p.add("spmv_exact", of, side, p.time([&] { blas::spmv_exact<multidigit, double>(exec, a, x, y); }), sliced_bytes,
          5.0 * count, false);
    p.add("spmv_exact, 53 bits", of, side,
          p.time([&] { blas::spmv_exact<multidigit, double>(exec, a_of_53_bits, x, y); }), sliced_bytes, 5.0 * count,
          false);
    p.add("spmv_exact csr", of, side, p.time([&] { blas::spmv_exact<multidigit, double>(exec, a_by_rows, x, y); }),
          matrix + count * (8.0 + 2.0 * number), 5.0 * count, false);
    p.add("residual_exact", of, side, p.time([&] { blas::residual_exact<multidigit, double>(exec, a, x, b, y); }),
          sliced_bytes + count * number, 6.0 * count, false);
    p.add("with 106 bits", of, side, p.time([&] { blas::spmv_exact<multidigit, double>(exec, a, x, y, {106}); }),
          sliced_bytes, 5.0 * count, false);
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        device_bench p("exact_bench", "bits", make_cuda_executor(), argc, argv);
        for (const int bits : {106, 212, 424, 848}) {
            for (const index_t n : {1024, 4096, 8192}) {
                if (p.on(std::to_string(bits)) && p.on("n" + std::to_string(n))) {
                    measure(p, bits, n);
                    if (bits == 106) {
                        measure_binary64(p, "binary64, before", n);
                    }
                    measure_format(p, bits, n);
                    if (bits == 106) {
                        measure_binary64(p, "binary64, after", n);
                    }
                }
            }
            if (p.on(std::to_string(bits)) && p.on("gemv")) {
                measure_vectors(p, bits, 8192);
            }
            if (p.on(std::to_string(bits)) && p.on("spmv")) {
                poisson(p, bits, 256);
                poisson(p, bits, 1024);
            }
        }
        p.write();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "exact_bench: %s\n", e.what());
        return 1;
    }
}
