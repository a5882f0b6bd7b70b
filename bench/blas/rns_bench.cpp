// rns_bench [json] [part or bits ...]  RNS floats on a CUDA device: split, basic and fused kernels, medians by CUDA
// events.
//
// Parts: axpy dot geadd gemv gemv4096 gemm spmv cg; all if none is named; bits: 106 212 424 848 1696. Operands are
// random numbers of full precision, drawn from a pool of 1021: every product and nearly every sum needs rounding.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <nlohmann/json.hpp>

#include <residua/blas/dense/entries.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/rns/operands.hpp>
#include <residua/blas/rns/split.hpp>
#include <residua/blas/sparse/spmv.hpp>

namespace {

using namespace residua;
using blas::trans;
using json = nlohmann::json;
using device_vector = vector<cuda_executor, rns>;
using device_matrix = matrix<cuda_executor, rns>;

struct timing {
    double median_ms, least_ms;
    int repeats;
};

class bench {
public:
    bench(cuda_executor device, std::set<std::string> wanted) : exec(device), parts(std::move(wanted)) {}

    json rows = json::array();

    void run_all()
    {
        for (const long bits : {106, 212, 424, 848, 1696}) {
            if (!on(std::to_string(bits), "0123456789")) {
                continue;
            }
            const rns_format f(bits);
            pool_.emplace(random_pool(f));
            if (on("axpy")) {
                axpy(f);
            }
            if (on("dot")) {
                dot(f);
            }
            if (on("geadd")) {
                ge_add(f);
            }
            if (on("gemv")) {
                gemv(f, 1000);
            }
            if (on("gemv4096")) {
                gemv(f, 4096);
            }
            if (on("gemm") && bits <= 848) {
                gemm(f);
            }
            if ((on("spmv") || on("cg")) && bits != 106 && bits != 1696) {
                poisson(f);
            }
        }
    }

private:
    static constexpr index_t pool_size = 1021;

    /// Whether a part is wanted: named, or none of its kind (by first letter) is.
    bool on(const std::string& part, const char* kind = "abcdefghijklmnopqrstuvwxyz") const
    {
        const auto of_kind = [kind](const std::string& p) {
            return std::string(kind).find(p.front()) != std::string::npos;
        };
        return parts.contains(part) || std::none_of(parts.begin(), parts.end(), of_kind);
    }

    device_vector random_pool(const rns_format& f)
    {
        std::mt19937_64 random(12345);
        vector<host_executor, rns> pool(f, pool_size);
        for (index_t i = 0; i < pool_size; ++i) {
            real x(0.0, f.precision_bits() + 64);
            for (long k = 0; k < f.precision_bits() + 32; k += 32) {
                x = ldexp(x, 32) + real(static_cast<double>(random() >> 32));
            }
            x = ldexp(x, static_cast<long>(random() % 5) - exponent(x));
            pool.set(i, rns_number(f, random() % 2 == 0 ? x : -x));
        }
        return to_device(exec, pool);
    }

    /// x(t) <- pool((t + shift) mod pool_size)
    void fill(const vector_view<cuda_executor, rns>& x, index_t shift)
    {
        index_t t = 0;
        const auto copy = [&](index_t from, index_t count) {
            blas::copy<rns>(exec, pool_->view().part(from, from + count), x.part(t, t + count));
            t += count;
        };
        if (x.size > shift) {
            copy(shift, std::min(x.size, pool_size - shift));
        }
        if (const index_t whole = (x.size - t) / pool_size; whole > 0) {
            const matrix_view<cuda_executor, rns> to{x.start.from(t), pool_size, whole, pool_size, x.format};
            blas::detail::combine(exec, to, blas::detail::plain(blas::detail::by_row<cuda_executor>(pool_->view())));
            t += whole * pool_size;
        }
        if (t < x.size) {
            copy(0, x.size - t);
        }
    }
    device_vector filled(const rns_format& f, index_t n, index_t shift)
    {
        device_vector x(f, n, exec);
        fill(x, shift);
        return x;
    }
    device_matrix filled(const rns_format& f, index_t m, index_t n, index_t shift)
    {
        device_matrix a(f, m, n, exec);
        const auto v = a.view();
        fill({v.start, v.ld * n, 1, f}, shift);
        return a;
    }

    timing time(const std::function<void()>& work, const std::function<void()>& before = {})
    {
        cudaEvent_t start = nullptr, stop = nullptr;
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        std::vector<double> ms;
        double total = 0.0;
        for (int k = 0; k < 40 && (k < 5 || total < 250.0); ++k) {
            if (before) {
                before();
            }
            cudaEventRecord(start, exec.stream);
            work();
            cudaEventRecord(stop, exec.stream);
            synchronize(exec);
            float t = 0.0f;
            cudaEventElapsedTime(&t, start, stop);
            if (k >= 2) {
                ms.push_back(t);
            }
            total += static_cast<double>(t);
        }
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
        std::sort(ms.begin(), ms.end());
        return {ms[ms.size() / 2], ms.front(), static_cast<int>(ms.size())};
    }

    void add(const char* operation, const std::string& variant, const rns_format& f, index_t n, const timing& t,
             double bytes, double multiply_adds)
    {
        rows.push_back({{"operation", operation},
                        {"variant", variant},
                        {"bits", f.precision_bits()},
                        {"moduli", f.count()},
                        {"n", n},
                        {"median_ms", t.median_ms},
                        {"min_ms", t.least_ms},
                        {"repeats", t.repeats},
                        {"bytes", bytes},
                        {"gb_per_s", bytes / t.median_ms * 1e-6},
                        {"gop_per_s", multiply_adds / t.median_ms * 1e-6}});
        std::printf("%-8s %-6s %5ld bits n=%-8lld %10.4f ms %8.0f GB/s %9.2f Gop/s\n", operation, variant.c_str(),
                    f.precision_bits(), static_cast<long long>(n), t.median_ms, bytes / t.median_ms * 1e-6,
                    multiply_adds / t.median_ms * 1e-6);
        std::fflush(stdout);
    }

    rns_number scalar(const rns_format& f, double d) { return rns_number(f, d) / rns_number(f, 3.0); }

    void axpy(const rns_format& f)
    {
        const index_t n = 1000000;
        const auto x = filled(f, n, 0);
        auto y = filled(f, n, 77);
        const rns_number a = scalar(f, 1.0);
        const auto restore = [&] { fill(y, 77); };
        const double bytes = 3.0 * f.bytes() * static_cast<double>(n);
        add("axpy", "fused", f, n, time([&] { blas::axpy<rns>(exec, a, x, y); }, restore), bytes, 1e6);
        add("axpy", "split", f, n, time([&] { blas::axpy_split(exec, a, x, y); }, restore), bytes, 1e6);
        add("axpy", "basic", f, n, time([&] { blas::axpy_basic(exec, a, x, y); }, restore), bytes, 1e6);
        auto w = device_vector(f, n, exec);
        const rns_number one(f, 1.0);
        add("add", "fused", f, n, time([&] { blas::waxpby<rns>(exec, one, x, one, y, w); }), bytes, 1e6);
        add("mul", "fused", f, n, time([&] {
                blas::copy<rns>(exec, x, w);
                blas::scal<rns>(exec, a, w);
            }),
            bytes, 1e6);
    }

    void dot(const rns_format& f)
    {
        const index_t n = 1000000;
        const auto x = filled(f, n, 0), y = filled(f, n, 77);
        const double bytes = 2.0 * f.bytes() * static_cast<double>(n);
        add("dot", "fused", f, n, time([&] { blas::dot<rns>(exec, x, y); }), bytes, 1e6);
        add("dot", "split", f, n, time([&] { blas::dot_split(exec, x, y); }), bytes, 1e6);
    }

    void ge_add(const rns_format& f)
    {
        const index_t n = 1000;
        const auto a = filled(f, n, n, 0), b = filled(f, n, n, 77);
        device_matrix c(f, n, n, exec);
        const rns_number alpha = scalar(f, 1.0), beta = scalar(f, 2.0);
        const double bytes = 3e6 * f.bytes();
        add("ge_add", "fused", f, n, time([&] { blas::ge_add<rns>(exec, alpha, a, beta, b, c); }), bytes, 2e6);
        add("ge_add", "split", f, n, time([&] { blas::ge_add_split(exec, alpha, a, beta, b, c); }), bytes, 2e6);
        add("ge_add", "basic", f, n, time([&] { blas::ge_add_basic(exec, alpha, a, beta, b, c); }), bytes, 2e6);
    }

    void gemv(const rns_format& f, index_t n)
    {
        const auto a = filled(f, n, n, 0);
        const auto x = filled(f, n, 77);
        auto y = filled(f, n, 99);
        const rns_number alpha = scalar(f, 1.0), beta = scalar(f, 2.0);
        const auto restore = [&] { fill(y, 99); };
        const double entries = static_cast<double>(n) * static_cast<double>(n);
        const double bytes = entries * f.bytes();
        for (const trans op : {trans::no, trans::yes}) {
            const char* name = op == trans::no ? "gemv" : "gemv_t";
            add(name, "fused", f, n, time([&] { blas::gemv<rns>(exec, op, alpha, a, x, beta, y); }, restore), bytes,
                entries);
            add(name, "split", f, n, time([&] { blas::gemv_split(exec, op, alpha, a, x, beta, y); }, restore), bytes,
                entries);
            add(name, "basic", f, n, time([&] { blas::gemv_basic(exec, op, alpha, a, x, beta, y); }, restore), bytes,
                entries);
        }
    }

    void gemm(const rns_format& f)
    {
        for (const index_t n : {500, 1000}) {
            const auto a = filled(f, n, n, 0), b = filled(f, n, n, 77);
            auto c = filled(f, n, n, 99);
            const double m = static_cast<double>(n);
            const auto t =
                time([&] { blas::gemm<rns>(exec, trans::no, trans::no, rns_number(f, 1.0), a, b, rns_number(f), c); });
            add("gemm", "fused", f, n, t, 3.0 * m * m * f.bytes(), m * m * m);
        }
    }

    void poisson(const rns_format& f)
    {
        for (const index_t side : {256, 1024}) {
            const index_t n = side * side;
            csr<host_executor, double> a(n, n, 5 * n - 4 * side);
            index_t p = 0;
            for (index_t i = 0; i < n; ++i) {
                const auto entry = [&](index_t j, double v) {
                    a.col()[p] = static_cast<column_t>(j);
                    a.value().store(p++, v);
                };
                if (i >= side) {
                    entry(i - side, -1.0);
                }
                if (i % side > 0) {
                    entry(i - 1, -1.0);
                }
                entry(i, 4.0);
                if (i % side < side - 1) {
                    entry(i + 1, -1.0);
                }
                if (i < n - side) {
                    entry(i + side, -1.0);
                }
                a.row_begin()[i + 1] = p;
            }
            const auto matrix = to_device(exec, sliced_ell<host_executor, double>(a));
            const auto x = filled(f, n, 0);
            auto y = device_vector(f, n, exec);
            const rns_number one(f, 1.0), zero(f);
            const double entries = static_cast<double>(a.entries());
            const double bytes = entries * 12.0 + 2.0 * static_cast<double>(n) * f.bytes();
            if (on("spmv")) {
                const auto t = time([&] { blas::spmv<rns>(exec, one, matrix, x, zero, y); });
                add("spmv", "fused", f, side, t, bytes, entries);
            }
            if (on("cg")) {
                cg(f, side, matrix, bytes);
            }
        }
    }

    /// Plain CG, as solvers/methods/cg.hpp with the Jacobi preconditioner of a constant diagonal left out.
    void cg(const rns_format& f, index_t side, const sliced_ell<cuda_executor, double>& a, double spmv_bytes)
    {
        const index_t n = side * side;
        auto r = filled(f, n, 5);
        auto p = r;
        device_vector x(f, n, exec), q(f, n, exec);
        const rns_number one(f, 1.0), zero(f);
        rns_number rho = blas::dot<rns>(exec, r, r);
        std::vector<double> ms;
        for (int k = 0; k < 12; ++k) {
            const auto start = std::chrono::steady_clock::now();
            blas::spmv<rns>(exec, one, a, p, zero, q);
            const rns_number alpha = rho / blas::dot<rns>(exec, p, q);
            blas::axpy<rns>(exec, alpha, p, x);
            blas::axpy<rns>(exec, -alpha, q, r);
            const rns_number next = blas::dot<rns>(exec, r, r);
            blas::xpay<rns>(exec, r, next / rho, p);
            rho = next;
            synchronize(exec);
            if (k >= 2) {
                ms.push_back(
                    std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
            }
        }
        std::sort(ms.begin(), ms.end());
        const double bytes = spmv_bytes + 12.0 * static_cast<double>(n) * f.bytes();
        add("cg", "fused", f, side, {ms[ms.size() / 2], ms.front(), static_cast<int>(ms.size())}, bytes,
            10.0 * static_cast<double>(n));
    }

    cuda_executor exec;
    std::set<std::string> parts;
    std::optional<device_vector> pool_;
};

}  // namespace

int main(int argc, char** argv)
{
    try {
        const cuda_executor exec = make_cuda_executor();
        bench b(exec, argc > 2 ? std::set<std::string>(argv + 2, argv + argc) : std::set<std::string>{});
        b.run_all();
        const cuda_device device = cuda_devices().front();
        json document{{"benchmark", "rns_bench"},
                      {"device", device.name},
                      {"multiprocessors", device.multiprocessors},
                      {"compiler", "nvcc " + std::to_string(CUDART_VERSION)},
                      {"seed", 12345},
                      {"rows", b.rows}};
        if (argc > 1) {
            std::ofstream(argv[1]) << document.dump(1) << "\n";
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "rns_bench: %s\n", e.what());
        return 1;
    }
}
