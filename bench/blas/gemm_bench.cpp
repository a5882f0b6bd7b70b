// gemm_bench [json] [part or n ...]  Products of matrices by slices on a CUDA device: dense ones beside its own BLAS,
// and Poisson's on 1024 x 1024 points in sliced ELL beside spmv.
//
// Parts: blas slices all sparse; n, of dense ones: 1024 4096 8192; all if none is named. Square matrices, uniform on
// [-5, 5]; the greatest relative error of a product is taken against the one rounded once, and so is the gain over
// binary32.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include <residua/blas/base/matrix.hpp>
#include <residua/blas/slices/gemm_ozaki.hpp>
#include <residua/blas/slices/product.hpp>
#include <residua/blas/slices/spmv_ozaki.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/spmv2.hpp>

#include "bench/blas/device_bench.hpp"

namespace {

using namespace residua;
using device_matrix = matrix<cuda_executor, double>;
using host_matrix = matrix<host_executor, double>;
using blas::slice_type;

class gemm_bench {
public:
    gemm_bench(device_bench& p, index_t n) : p_(p), n_(n), a_(random()), b_(random()), c_(n, n, p.exec) {}

    void run()
    {
        if (p_.on("all")) {
            time_product("all slices, binary32", {slice_type::binary32, 0});
            time_product("all slices, int8", {slice_type::int8, 0});
            time_product("all slices, binary64", {slice_type::binary64, 0});
        }
        blas::gemm_ozaki(p_.exec, a_.view(), b_.view(), c_.view(), {slice_type::binary64, 0});
        exact_ = to_host(p_.exec, c_);
        if (p_.on("blas")) {
            time_blas<float>("binary32 BLAS");
            time_blas<double>("binary64 BLAS");
        }
        if (p_.on("slices")) {
            const double one = time_product("1 slice, binary32", {slice_type::binary32, 1});
            for (int s = 2; s <= 4; ++s) {
                const double error = time_product(std::to_string(s) + " slices, binary32", {slice_type::binary32, s});
                std::printf("  gain %.1f\n", one / error);
            }
            time_product("2 slices, binary64", {slice_type::binary64, 2});
        }
    }

private:
    device_matrix random()
    {
        std::uniform_real_distribution<double> uniform(-5.0, 5.0);
        host_matrix m(n_, n_);
        for (index_t j = 0; j < n_; ++j) {
            for (index_t i = 0; i < n_; ++i) {
                m.set(i, j, uniform(generator_));
            }
        }
        return to_device(p_.exec, m);
    }

    double cube() const { return 2.0 * std::pow(static_cast<double>(n_), 3); }
    double bytes() const { return 24.0 * std::pow(static_cast<double>(n_), 2); }

    double time_product(const std::string& name, const blas::ozaki_options& options)
    {
        const auto t = p_.time([&] { blas::gemm_ozaki(p_.exec, a_.view(), b_.view(), c_.view(), options); });
        p_.add(name, options.slices, n_, t, bytes(), cube(), false);
        if (exact_.rows() == 0) {
            return 0.0;
        }
        const host_matrix found = to_host(p_.exec, c_);
        double greatest = 0.0;
        for (index_t j = 0; j < n_; ++j) {
            for (index_t i = 0; i < n_; ++i) {
                greatest = std::max(greatest, std::abs(found.get(i, j) / exact_.get(i, j) - 1.0));
            }
        }
        std::printf("  greatest relative error %.3g\n", greatest);
        return greatest;
    }

    template <class T>
    void time_blas(const std::string& name)
    {
        using namespace blas::detail;
        const sliced_product shape{n_, n_, n_};
        const sliced_factors<cuda_executor> factors(p_.exec, a_.view(), b_.view());
        slices<cuda_executor, T> numbers(p_.exec, n_, n_);
        const rest_part all{slice_bits(slice_sum<T>::exact_bits, n_), 0};
        const T* const a = numbers.make(factors.rows(), factors.of_rows(), 0, n_, all, false);
        const T* const b = numbers.make(factors.columns(0, n_), factors.of_columns(0), 0, n_, all, false);
        buffer<cuda_executor, T> c(n_ * n_, p_.exec);
        const auto t = p_.time([&] { multiply_slices<T>(p_.exec, shape, n_, a, b, n_, c.data(), false); });
        p_.add(name, 0, n_, t, bytes(), cube(), false);
    }

    device_bench& p_;
    index_t n_;
    std::mt19937_64 generator_{12345};
    device_matrix a_, b_, c_;
    host_matrix exact_;
};

void time_sparse(device_bench& p)
{
    const auto on_host = five_point_stencil(1024);
    const index_t n = on_host.rows();
    std::mt19937_64 generator(12345);
    std::uniform_real_distribution<double> uniform(-5.0, 5.0);
    vector<host_executor, double> numbers(n);
    for (index_t l = 0; l < n; ++l) {
        numbers.set(l, uniform(generator));
    }
    const auto a = to_device(p.exec, sliced_ell<host_executor, double>(on_host));
    const auto x = to_device(p.exec, numbers);
    vector<cuda_executor, double> y(n, p.exec);
    const double operations = 2.0 * static_cast<double>(on_host.entries());
    const double bytes = 12.0 * static_cast<double>(on_host.entries()) + 16.0 * static_cast<double>(n);
    const auto add = [&](const std::string& name, int slices, const std::function<void()>& work) {
        p.add(name, slices, n, p.time(work), bytes, operations, true);
    };
    add("spmv", 0, [&] { blas::spmv<double>(p.exec, 1.0, a, x.view(), 0.0, y.view()); });
    add("spmv2", 0, [&] { blas::spmv2(p.exec, 1.0, a, x.view(), 0.0, y.view()); });
    for (const int slices : {1, 2, 3, 0}) {
        add(slices == 0 ? "spmv_ozaki, all slices" : "spmv_ozaki", slices,
            [&] { blas::spmv_ozaki(p.exec, a, x.view(), y.view(), slices); });
    }
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        device_bench p("gemm_bench", "slices", make_cuda_executor(), argc, argv);
        for (const index_t n : {1024, 4096, 8192}) {
            if (p.on(std::to_string(n))) {
                gemm_bench(p, n).run();
            }
        }
        if (p.on("sparse")) {
            time_sparse(p);
        }
        p.write();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "gemm_bench: %s\n", e.what());
        return 1;
    }
}
