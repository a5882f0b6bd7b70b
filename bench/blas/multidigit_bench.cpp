// multidigit_bench [json] [part or bits ...]  Multi-digit floats on a CUDA device beside its own copy bandwidth.
//
// Parts: axpy dot gemv gemm spmv cg; all if none is named; bits: 106 212 424 848 1696. Operands are random numbers of
// full precision from a pool of 2^16; times as in device_bench.hpp. axpy, dot, gemv and spmv are compared with the host,
// bit for bit.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>

#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "bench/blas/device_bench.hpp"

namespace {

using namespace residua;
using device_vector = vector<cuda_executor, multidigit>;
using host_vector = vector<host_executor, multidigit>;

class format_bench {
public:
    format_bench(device_bench& p, long bits)
        : p_(p),
          exec_(p.exec),
          format_(bits),
          bits_(format_.bits()),
          bytes_(4.0 * (format_.digits() + 1)),
          pool_(to_device(exec_, random_pool()))
    {}

    void run()
    {
        if (p_.on("axpy") || p_.on("dot")) {
            for (const index_t n : {1000000, 10000000}) {
                vectors(n);
            }
        }
        if (p_.on("gemv")) {
            for (const index_t n : {1000, 4096}) {
                gemv(n);
            }
        }
        if (p_.on("gemm")) {
            gemm(500);
        }
        if (p_.on("spmv") || p_.on("cg")) {
            for (const index_t side : {256, 1024}) {
                poisson(side);
            }
        }
    }

private:
    static constexpr index_t pool_size = 1 << 16;

    host_vector random_pool() const
    {
        std::mt19937_64 random(12345);
        host_vector pool(format_, pool_size);
        for (index_t i = 0; i < pool_size; ++i) {
            real x(0.0, bits_ + 64);
            for (int k = 0; k < bits_ + 32; k += 32) {
                x = ldexp(x, 32) + real(static_cast<double>(random() >> 32));
            }
            x = ldexp(x, static_cast<long>(random() % 5) - exponent(x));
            pool.set(i, multidigit_number(format_, random() % 2 == 0 ? x : -x));
        }
        return pool;
    }

    /// x(t) <- pool((t + shift) mod pool_size)
    void fill(const vector_view<cuda_executor, multidigit>& x, index_t shift)
    {
        for (index_t t = 0; t < x.size;) {
            const index_t from = (t + shift) % pool_size;
            const index_t count = std::min(x.size - t, pool_size - from);
            blas::copy<multidigit>(exec_, pool_.view().part(from, from + count), x.part(t, t + count));
            t += count;
        }
    }

    device_vector filled(index_t n, index_t shift)
    {
        device_vector x(format_, n, exec_);
        fill(x, shift);
        return x;
    }

    void require_same(const char* what, const device_vector& device, const host_vector& host)
    {
        const auto found = to_host(exec_, device);
        for (index_t i = 0; i < host.size(); ++i) {
            if (!(found.get(i) == host.get(i))) {
                throw std::runtime_error(std::string(what) + ": element " + std::to_string(i) +
                                         " differs from the host's");
            }
        }
    }

    multidigit_number third() const { return multidigit_number(format_, 1.0) / multidigit_number(format_, 3.0); }

    void vectors(index_t n)
    {
        const double count = static_cast<double>(n);
        const auto x = filled(n, 0);
        auto y = filled(n, 77);
        const multidigit_number a = third();
        if (n <= 1000000) {
            auto host_y = to_host(exec_, y);
            const auto host_x = to_host(exec_, x);
            blas::axpy<multidigit>(host_, a, host_x, host_y);
            blas::axpy<multidigit>(exec_, a, x, y);
            require_same("axpy", y, host_y);
            if (!(blas::dot<multidigit>(exec_, x, y) == blas::dot<multidigit>(host_, host_x, host_y))) {
                throw std::runtime_error("dot differs from the host's");
            }
        }
        device_vector result(format_, 1, exec_);
        if (p_.on("axpy")) {
            p_.add("axpy", bits_, n, p_.time([&] { blas::axpy<multidigit>(exec_, a, x, y); }), 3.0 * bytes_ * count,
                   count, false);
        }
        if (p_.on("dot")) {
            p_.add("dot", bits_, n, p_.time([&] { blas::dot(exec_, x, y, result.view()); }), 2.0 * bytes_ * count,
                   count, true);
            p_.add("reading alone", bits_, n,
                   p_.time([&] { read_both(exec_, x.view().start.word, y.view().start.word, bytes_ * count); }),
                   2.0 * bytes_ * count, count, true);
            p_.add("dot to host", bits_, n, p_.time([&] { blas::dot<multidigit>(exec_, x, y); }), 2.0 * bytes_ * count,
                   count, true);
        }
    }

    void gemv(index_t n)
    {
        const double count = static_cast<double>(n) * static_cast<double>(n);
        matrix<cuda_executor, multidigit> a(format_, n, n, exec_);
        for (index_t j = 0; j < n; ++j) {
            fill(a.view().column(j), 3 + j * n);
        }
        const auto x = filled(n, 77);
        device_vector y(format_, n, exec_);
        const multidigit_number one(format_, 1.0);
        const multidigit_number zero(format_);
        p_.add("gemv", bits_, n, p_.time([&] { blas::gemv<multidigit>(exec_, blas::trans::no, one, a, x, zero, y); }),
               count * bytes_, count, true);
        p_.add("gemv_t", bits_, n,
               p_.time([&] { blas::gemv<multidigit>(exec_, blas::trans::yes, one, a, x, zero, y); }), count * bytes_,
               count, true);
    }

    void gemm(index_t n)
    {
        matrix<cuda_executor, multidigit> a(format_, n, n, exec_), b(format_, n, n, exec_), c(format_, n, n, exec_);
        for (index_t j = 0; j < n; ++j) {
            fill(a.view().column(j), 3 + j * n);
            fill(b.view().column(j), 5 + j * n);
        }
        const double size = static_cast<double>(n);
        const multidigit_number one(format_, 1.0);
        const multidigit_number zero(format_);
        p_.add("gemm", bits_, n,
               p_.time([&] { blas::gemm<multidigit>(exec_, blas::trans::no, blas::trans::no, one, a, b, zero, c); }),
               3.0 * size * size * bytes_, size * size * size, false);
    }

    void poisson(index_t side)
    {
        const index_t n = side * side;
        const double rows = static_cast<double>(n);
        const sliced_ell<host_executor, double> on_host(five_point_stencil(side));
        const auto a = to_device(exec_, on_host);
        const double spmv_bytes = (5.0 * rows - 4.0 * static_cast<double>(side)) * 12.0 + rows * (4.0 + 2.0 * bytes_);
        const auto b = filled(n, 0);
        device_vector x(format_, n, exec_);
        const multidigit_number one(format_, 1.0);
        const multidigit_number zero(format_);
        if (side <= 256) {
            host_vector host_x(format_, n);
            blas::spmv<multidigit>(host_, one, on_host, to_host(exec_, b), zero, host_x);
            blas::spmv<multidigit>(exec_, one, a, b, zero, x);
            require_same("spmv", x, host_x);
        }
        if (p_.on("spmv")) {
            p_.add("spmv, double A", bits_, side, p_.time([&] { blas::spmv<multidigit>(exec_, one, a, b, zero, x); }),
                   spmv_bytes, 5.0 * rows, false);
        }
        if (p_.on("cg")) {
            const blas_space<cuda_executor, multidigit> space{exec_, format_};
            p_.add("cg iteration", bits_, side, {seconds_of_cg_iteration(space, a, b, x), 0.0},
                   spmv_bytes + 12.0 * rows * bytes_, 10.0 * rows, false);
        }
    }

    device_bench& p_;
    cuda_executor exec_;
    host_executor host_;
    multidigit_format format_;
    int bits_;
    double bytes_;
    device_vector pool_;
};

}  // namespace

int main(int argc, char** argv)
{
    try {
        const cuda_executor exec = make_cuda_executor();
        device_bench p("multidigit_bench", "bits", exec, argc, argv);
        for (const long bits : {106, 212, 424, 848, 1696}) {
            if (p.on(std::to_string(bits))) {
                format_bench(p, bits).run();
            }
        }
        p.write();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "multidigit_bench: %s\n", e.what());
        return 1;
    }
}
