// expansion_bench [json] [part or terms ...]  Expansions and binary64 on a CUDA device beside its own copy bandwidth.
//
// Parts: axpy dot norm gemv gemv_t gemm trsv spmv cg; all if none is named; terms: 1 2 3 4 6 8 12 16. Operands are
// random numbers with every term full, from a pool of 2^18. A time is the median of batches that are long enough to
// hide the launch, of 30 ms after a rest; for the largest sizes to 4 terms also of the last batches of half a second,
// when a device that reads and computes at once has lowered its clock. axpy, dot and gemv are compared with the host,
// bit for bit.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "bench/blas/device_bench.hpp"

namespace {

using namespace residua;
using json = nlohmann::json;

template <class T>
class format_bench {
public:
    explicit format_bench(device_bench& p) : p_(p), exec_(p.exec), host_pool_(random_pool())
    {
        pool_ = to_device(exec_, host_pool_);
    }

    void run()
    {
        if (p_.on("axpy") || p_.on("dot") || p_.on("norm")) {
            for (const index_t n : {1000000, 10000000}) {
                vectors(n);
            }
        }
        for (const index_t n : {1000, 4096, 8192}) {
            if (p_.on("gemv") || p_.on("gemv_t") || p_.on("trsv")) {
                products<double>(n);
                if constexpr (terms > 1) {
                    products<T>(n);
                }
            }
        }
        if (p_.on("gemm")) {
            gemm(500);
            if (terms <= 8) {
                gemm(1000);
            }
        }
        if (p_.on("spmv") || p_.on("cg")) {
            for (const index_t side : {256, 1024}) {
                poisson(side);
            }
        }
    }

private:
    static constexpr int terms = number_traits<T>::terms;
    static constexpr double word = 8.0;
    static constexpr index_t pool_size = 1 << 18;

    static vector<host_executor, T> random_pool()
    {
        std::mt19937_64 random(12345);
        vector<host_executor, T> pool(pool_size);
        for (index_t i = 0; i < pool_size; ++i) {
            T x{0.0};
            double scale = random() % 2 == 0 ? 1.0 : -1.0;
            for (int k = 0; k < terms; ++k) {
                x = x + T{scale * (0.5 + 0.5 * std::ldexp(static_cast<double>(random() >> 11), -53))};
                scale *= random() % 2 == 0 ? 0x1p-54 : -0x1p-54;
            }
            pool.set(i, x);
        }
        return pool;
    }

    /// x(t) <- pool((t + shift) mod pool_size)
    template <class V>
    void fill(const vector_view<cuda_executor, V>& x, index_t shift)
    {
        for (index_t t = 0; t < x.size;) {
            const index_t from = (t + shift) % pool_size;
            const index_t count = std::min(x.size - t, pool_size - from);
            const vector_view<cuda_executor, const V> source{pool_->view().start.from(from), count};
            blas::copy<V>(exec_, source, x.part(t, t + count));
            t += count;
        }
    }

    vector<cuda_executor, T> filled(index_t n, index_t shift)
    {
        vector<cuda_executor, T> x(n, exec_);
        fill<T>(x.view(), shift);
        return x;
    }

    void require_same(const char* what, const vector<cuda_executor, T>& device, const vector<host_executor, T>& host)
    {
        const auto found = to_host(exec_, device);
        for (index_t i = 0; i < host.size(); ++i) {
            const T a = found.get(i);
            const T b = host.get(i);
            if (std::memcmp(&a, &b, sizeof(T)) != 0) {
                throw std::runtime_error(std::string(what) + ": element " + std::to_string(i) +
                                         " differs from the host's");
            }
        }
    }

    void vectors(index_t n)
    {
        const double count = static_cast<double>(n);
        const auto x = filled(n, 0);
        auto y = filled(n, 77);
        const T a = T{1.0} / T{3.0};
        if (n <= 1000000) {
            auto host_y = to_host(exec_, y);
            const auto host_x = to_host(exec_, x);
            blas::axpy<T>(host_, a, host_x, host_y);
            blas::axpy<T>(exec_, a, x, y);
            require_same("axpy", y, host_y);
            const T s = blas::dot<T>(exec_, x, y);
            const T t = blas::dot<T>(host_, host_x, host_y);
            if (std::memcmp(&s, &t, sizeof(T)) != 0) {
                throw std::runtime_error("dot differs from the host's");
            }
        }
        device_scalar<T> result(exec_);
        const bool sustained = terms <= 4 && n > 1000000;
        if (p_.on("axpy")) {
            p_.add("axpy", terms, n, p_.time([&] { blas::axpy<T>(exec_, a, x, y); }, sustained),
                   3.0 * word * terms * count, count, false);
        }
        if (p_.on("dot")) {
            p_.add("dot", terms, n, p_.time([&] { blas::dot<T>(exec_, x, y, result); }, sustained),
                   2.0 * word * terms * count, count, true);
            p_.add("dot to host", terms, n, p_.time([&] { blas::dot<T>(exec_, x, y); }), 2.0 * word * terms * count,
                   count, true);
        }
        if (p_.on("norm")) {
            p_.add("norm2 to host", terms, n, p_.time([&] { blas::norm2<T>(exec_, x.view()); }), word * terms * count,
                   count, true);
        }
    }

    template <class V>
    void products(index_t n)
    {
        constexpr bool own = number_traits<V>::terms > 1;
        constexpr int words = number_traits<V>::terms;
        const std::string of = own || terms == 1 ? "" : ", double A";
        const double count = static_cast<double>(n) * static_cast<double>(n);
        matrix<cuda_executor, V> a(n, n, exec_);
        const auto v = a.view();
        if constexpr (own || terms == 1) {
            fill<V>({v.start, v.ld * n}, 3);
        } else {
            const auto leading = pool_->view();
            for (index_t t = 0; t < v.ld * n; t += pool_size) {  // the leading terms alone
                const index_t part = std::min(pool_size, v.ld * n - t);
                blas::copy<double>(exec_, vector_view<cuda_executor, const double>{{leading.data(), 0}, part},
                                   {v.start.from(t), part});
            }
        }
        const auto x = filled(n, 77);
        auto y = filled(n, 99);
        const T alpha = T{1.0} / T{3.0};
        const T beta = T{1.0} / T{7.0};
        if (n <= 1000) {
            const auto host_a = to_host(exec_, a);
            auto host_y = to_host(exec_, y);
            auto found = y;
            blas::gemv<T>(host_, blas::trans::no, alpha, host_a.view(), to_host(exec_, x).view(), beta, host_y.view());
            blas::gemv<T>(exec_, blas::trans::no, alpha, a.view(), x.view(), beta, found.view());
            require_same("gemv", found, host_y);
        }
        const bool sustained = terms <= 4 && n >= 8192;
        if (p_.on("gemv")) {
            const auto work = [&] { blas::gemv<T>(exec_, blas::trans::no, alpha, a.view(), x.view(), beta, y.view()); };
            p_.add("gemv" + of, terms, n, p_.time(work, sustained), count * word * words, count, true);
        }
        if (p_.on("gemv_t")) {
            const auto work = [&] {
                blas::gemv<T>(exec_, blas::trans::yes, alpha, a.view(), x.view(), beta, y.view());
            };
            p_.add("gemv_t" + of, terms, n, p_.time(work, sustained), count * word * words, count, true);
        }
        if (p_.on("trsv") && n <= 4096) {
            const auto work = [&] {
                blas::trsv<T>(exec_, blas::uplo::lower, blas::trans::no, blas::diag::unit, a.view(), x.view(),
                              y.view());
            };
            p_.add("trsv" + of, terms, n, p_.time(work), 0.5 * count * word * words, 0.5 * count, true);
        }
    }

    void gemm(index_t n)
    {
        matrix<cuda_executor, T> a(n, n, exec_), b(n, n, exec_), c(n, n, exec_);
        index_t shift = 0;
        for (matrix<cuda_executor, T>* m : {&a, &b, &c}) {
            const auto v = m->view();
            fill<T>({v.start, v.ld * n}, shift++);
        }
        const double size = static_cast<double>(n);
        const auto work = [&] {
            blas::gemm<T>(exec_, blas::trans::no, blas::trans::no, T{1.0}, a.view(), b.view(), T{0.0}, c.view());
        };
        p_.add("gemm", terms, n, p_.time(work), 3.0 * size * size * word * terms, size * size * size, false);
    }

    void poisson(index_t side)
    {
        const index_t n = side * side;
        const double rows = static_cast<double>(n);
        const auto on_host = five_point_stencil(side);
        const auto a = to_device(exec_, sliced_ell<host_executor, double>(on_host));
        const double spmv_bytes = static_cast<double>(on_host.entries()) * 12.0 + rows * (4.0 + 2.0 * word * terms);
        const auto b = filled(n, 0);
        auto x = vector<cuda_executor, T>(n, exec_);
        if (p_.on("spmv")) {
            const auto work = [&] { blas::spmv<T>(exec_, T{1.0}, a, b.view(), T{0.0}, x.view()); };
            p_.add("spmv, double A", terms, side, p_.time(work), spmv_bytes, 5.0 * rows, false);
        }
        if (p_.on("cg")) {
            const blas_space<cuda_executor, T> space{exec_};
            p_.add("cg iteration", terms, side, {seconds_of_cg_iteration(space, a, b, x), 0.0},
                   spmv_bytes + 12.0 * rows * word * terms, 10.0 * rows, false);
        }
    }

    device_bench& p_;
    cuda_executor exec_;
    host_executor host_;
    vector<host_executor, T> host_pool_;
    std::optional<vector<cuda_executor, T>> pool_;
};

template <class... T>
void run_all(device_bench& p)
{
    ((p.on(std::to_string(number_traits<T>::terms)) ? format_bench<T>(p).run() : void()), ...);
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const cuda_executor exec = make_cuda_executor();
        device_bench p("expansion_bench", "terms", exec, argc, argv);
        run_all<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>, expansion<double, 6>,
                expansion<double, 8>>(p);
        p.write();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "expansion_bench: %s\n", e.what());
        return 1;
    }
}
