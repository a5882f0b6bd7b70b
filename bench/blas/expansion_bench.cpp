// expansion_bench [json] [part or terms ...]  Expansions and binary64 on a CUDA device beside its own copy bandwidth.
//
// Parts: axpy dot norm gemv gemv_t gemm trsv spmv cg; all if none is named; terms: 1 2 3 4 6 8 12 16. Operands are
// random numbers with every term full, from a pool of 2^18. A time is the median of batches that are long enough to
// hide the launch, of 30 ms after a rest; for the largest sizes to 4 terms also of the last batches of half a second,
// when a device that reads and computes at once has lowered its clock. axpy, dot and gemv are compared with the host,
// bit for bit.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/cuda_timer.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv_t.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/solvers/base/expansion_space.hpp>
#include <residua/solvers/cg.hpp>

#include "bench/blas/ceilings.hpp"

namespace {

using namespace residua;
using json = nlohmann::json;

class program {
public:
    program(cuda_executor device, std::set<std::string> wanted)
        : exec(device), timer(device), limits(measure_ceilings(device)), parts(std::move(wanted))
    {
        std::printf("copy %.0f GB/s, read %.0f GB/s\n", limits.copy_bytes_per_second * 1e-9,
                    limits.read_bytes_per_second * 1e-9);
    }

    /// Whether a part is wanted: named, or none of its kind (by first letter) is.
    bool on(const std::string& part) const
    {
        const auto is_number = [](const std::string& p) { return p.front() >= '0' && p.front() <= '9'; };
        return parts.contains(part) || std::none_of(parts.begin(), parts.end(), [&](const std::string& p) {
                   return is_number(p) == is_number(part);
               });
    }

    struct timing {
        double seconds;
        double sustained;  ///< 0: not measured
    };

    /// The median time of `work`, in batches of at least a millisecond.
    timing time(const std::function<void()>& work, bool sustained = false)
    {
        const auto batch = [&](int calls) {
            timer.start();
            for (int k = 0; k < calls; ++k) {
                work();
            }
            return timer.stop() / calls;
        };
        batch(1);
        const int calls = std::clamp(static_cast<int>(1e-3 / batch(2)), 1, 500);
        const auto median_of_last = [&](double length, double part) {
            std::vector<double> seconds;
            double total = 0.0;
            while (seconds.size() < 3 || total < length) {
                seconds.push_back(batch(calls));
                total += seconds.back() * calls;
            }
            const auto first =
                seconds.begin() + static_cast<std::ptrdiff_t>((1.0 - part) * static_cast<double>(seconds.size()));
            const auto middle = first + (seconds.end() - first) / 2;
            std::nth_element(first, middle, seconds.end());
            return *middle;
        };
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
        const double seconds = median_of_last(0.03, 1.0);
        return {seconds, sustained ? median_of_last(0.5, 0.3) : 0.0};
    }

    /// `reads` tells what the share is of: bytes over the bandwidth of a copy, or of reading alone.
    void add(const std::string& operation, int terms, index_t n, const timing& t, double bytes, double operations,
             bool reads)
    {
        const double seconds = t.seconds;
        const double ceiling = reads ? limits.read_bytes_per_second : limits.copy_bytes_per_second;
        const double share = bytes / seconds / ceiling;
        rows.push_back({{"operation", operation},
                        {"terms", terms},
                        {"n", n},
                        {"median_ms", seconds * 1e3},
                        {"bytes", bytes},
                        {"gb_per_s", bytes / seconds * 1e-9},
                        {"share_of_bandwidth", share},
                        {"ceiling", reads ? "read" : "copy"},
                        {"gop_per_s", operations / seconds * 1e-9}});
        if (t.sustained > 0.0) {
            rows.back()["sustained_ms"] = t.sustained * 1e3;
        }
        std::printf("%-14s %2d terms n=%-9lld %10.4f ms %6.0f GB/s %5.1f %% %9.2f Gop/s; sustained %.4f ms\n",
                    operation.c_str(), terms, static_cast<long long>(n), seconds * 1e3, bytes / seconds * 1e-9,
                    share * 100.0, operations / seconds * 1e-9, t.sustained * 1e3);
        std::fflush(stdout);
    }

    cuda_executor exec;
    cuda_timer timer;
    ceilings limits;
    std::set<std::string> parts;
    json rows = json::array();
};

template <class T>
class format_bench {
public:
    explicit format_bench(program& p) : p_(p), exec_(p.exec), host_pool_(random_pool())
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
        const index_t lines = pool_->view().plane_stride;
        for (index_t t = 0; t < x.size;) {
            const index_t from = (t + shift) % pool_size;
            const index_t count = std::min(x.size - t, pool_size - from);
            const vector_view<cuda_executor, const V> source{pool_->view().data + from, count, lines};
            blas::copy<V>(exec_, source, {x.data + t, count, x.plane_stride});
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
            fill<V>({v.data, v.ld * n, v.plane_stride}, 3);
        } else {
            const auto leading = pool_->view();
            for (index_t t = 0; t < v.ld * n; t += pool_size) {  // the leading terms alone
                const index_t part = std::min(pool_size, v.ld * n - t);
                blas::copy<double>(exec_, vector_view<cuda_executor, const double>{leading.data, part, pool_size},
                                   {v.data + t, part, v.plane_stride});
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
            blas::gemv<T>(host_, alpha, host_a.view(), to_host(exec_, x).view(), beta, host_y.view());
            blas::gemv<T>(exec_, alpha, a.view(), x.view(), beta, found.view());
            require_same("gemv", found, host_y);
        }
        const bool sustained = terms <= 4 && n >= 8192;
        if (p_.on("gemv")) {
            const auto work = [&] { blas::gemv<T>(exec_, alpha, a.view(), x.view(), beta, y.view()); };
            p_.add("gemv" + of, terms, n, p_.time(work, sustained), count * word * words, count, true);
        }
        if (p_.on("gemv_t")) {
            const auto work = [&] { blas::gemv_t<T>(exec_, alpha, a.view(), x.view(), beta, y.view()); };
            p_.add("gemv_t" + of, terms, n, p_.time(work, sustained), count * word * words, count, true);
        }
        if (p_.on("trsv") && n <= 4096) {
            const auto work = [&] {
                blas::trsv<T>(exec_, blas::uplo::lower, blas::diag::unit, a.view(), x.view(), y.view());
            };
            p_.add("trsv" + of, terms, n, p_.time(work), 0.5 * count * word * words, 0.5 * count, true);
        }
    }

    void gemm(index_t n)
    {
        matrix<cuda_executor, T> a(n, n, exec_), b(n, n, exec_), c(n, n, exec_);
        for (matrix<cuda_executor, T>* m : {&a, &b, &c}) {
            const auto v = m->view();
            fill<T>({v.data, v.ld * n, v.plane_stride}, m - &a);
        }
        const double size = static_cast<double>(n);
        const auto work = [&] { blas::gemm<T>(exec_, T{1.0}, a.view(), b.view(), T{0.0}, c.view()); };
        p_.add("gemm", terms, n, p_.time(work), 3.0 * size * size * word * terms, size * size * size, false);
    }

    /// The 5-point stencil on side x side points.
    static csr<host_executor, double> stencil(index_t side)
    {
        const index_t n = side * side;
        csr<host_executor, double> a(n, n, 5 * n - 4 * side);
        index_t p = 0;
        for (index_t i = 0; i < n; ++i) {
            const auto entry = [&](bool there, index_t j, double v) {
                if (there) {
                    a.col()[p] = static_cast<column_t>(j);
                    a.value().store(p++, v);
                }
            };
            entry(i >= side, i - side, -1.0);
            entry(i % side > 0, i - 1, -1.0);
            entry(true, i, 4.0);
            entry(i % side < side - 1, i + 1, -1.0);
            entry(i < n - side, i + side, -1.0);
            a.row_begin()[i + 1] = p;
        }
        return a;
    }

    void poisson(index_t side)
    {
        const index_t n = side * side;
        const double rows = static_cast<double>(n);
        const auto on_host = stencil(side);
        const auto a = to_device(exec_, sliced_ell<host_executor, double>(on_host));
        const double spmv_bytes = static_cast<double>(on_host.entries()) * 12.0 + rows * (4.0 + 2.0 * word * terms);
        const auto b = filled(n, 0);
        auto x = vector<cuda_executor, T>(n, exec_);
        if (p_.on("spmv")) {
            const auto work = [&] { blas::spmv<T>(exec_, T{1.0}, a, b.view(), T{0.0}, x.view()); };
            p_.add("spmv, double A", terms, side, p_.time(work), spmv_bytes, 5.0 * rows, false);
        }
        if (p_.on("cg")) {
            cg_iteration(side, a, b, x, spmv_bytes + 12.0 * rows * word * terms);
        }
    }

    /// solvers/cg as it is, without a preconditioner: wall time of 40 iterations less that of 20.
    void cg_iteration(index_t side, const sliced_ell<cuda_executor, double>& a, const vector<cuda_executor, T>& b,
                      vector<cuda_executor, T>& x, double bytes)
    {
        using space_type = expansion_space<cuda_executor, T>;
        struct stored {
            const sliced_ell<cuda_executor, double>& a;
            void apply(const space_type& space, const vector<cuda_executor, T>& v, vector<cuda_executor, T>& w) const
            {
                space.spmv(a, v, w);
            }
        };
        struct identity {
            bool is_identity() const { return true; }
            void apply(const space_type& space, const vector<cuda_executor, T>& v, vector<cuda_executor, T>& w) const
            {
                space.copy(v, w);
            }
        };
        const space_type space{exec_};
        cg_workspace<space_type> work(space, space.size(b));
        const auto seconds = [&](index_t iterations) {
            std::vector<double> s;
            for (int k = 0; k < 5; ++k) {
                space.fill(T{0.0}, x);
                synchronize(exec_);
                const auto start = std::chrono::steady_clock::now();
                stop_rule rule;
                rule.relative_residual = 0.0;
                rule.max_iterations = iterations;
                cg(space, stored{a}, identity{}, b, x, rule, work);
                synchronize(exec_);
                s.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            }
            std::nth_element(s.begin(), s.begin() + 2, s.end());
            return s[2];
        };
        seconds(3);
        p_.add("cg iteration", terms, side, {(seconds(40) - seconds(20)) / 20.0, 0.0}, bytes,
               10.0 * static_cast<double>(side * side), false);
    }

    program& p_;
    cuda_executor exec_;
    host_executor host_;
    vector<host_executor, T> host_pool_;
    std::optional<vector<cuda_executor, T>> pool_;
};

template <class... T>
void run_all(program& p)
{
    ((p.on(std::to_string(number_traits<T>::terms)) ? format_bench<T>(p).run() : void()), ...);
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        const cuda_executor exec = make_cuda_executor();
        program p(exec, argc > 2 ? std::set<std::string>(argv + 2, argv + argc) : std::set<std::string>{});
        run_all<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>, expansion<double, 6>,
                expansion<double, 8>, expansion<double, 12>, expansion<double, 16>, expansion<double, 24>,
                expansion<double, 32>>(p);
        const cuda_device device = cuda_devices().front();
        const json document{{"benchmark", "expansion_bench"},
                            {"device", device.name},
                            {"multiprocessors", device.multiprocessors},
                            {"seed", 12345},
                            {"copy_gb_per_s", p.limits.copy_bytes_per_second * 1e-9},
                            {"read_gb_per_s", p.limits.read_bytes_per_second * 1e-9},
                            {"rows", p.rows}};
        if (argc > 1) {
            std::ofstream(argv[1]) << document.dump(1) << "\n";
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "expansion_bench: %s\n", e.what());
        return 1;
    }
}
