#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <residua/blas/base/cuda_timer.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/solvers/methods/cg.hpp>

#include <apps/residua/bench/operands.hpp>

#include "bench/blas/ceilings.hpp"

/// What benchmarks of formats on a CUDA device share: what is wanted of them, how a time is taken, what is written.
using json = nlohmann::json;

class device_bench {
public:
    /// argv: a file to write to, if any, and what is wanted
    device_bench(std::string name, std::string size_name, const residua::cuda_executor& device, int argc, char** argv)
        : exec(device),
          timer(device),
          limits(measure_ceilings(device)),
          name_(std::move(name)),
          size_name_(std::move(size_name)),
          file_(argc > 1 ? argv[1] : ""),
          parts(argv + std::min(argc, 2), argv + argc)
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

    /// `reads` says what the share relates to: bytes over the bandwidth of a copy, or of reading alone.
    void add(const std::string& operation, long size, residua::index_t n, const timing& t, double bytes,
             double operations, bool reads)
    {
        const double seconds = t.seconds;
        const double ceiling = reads ? limits.read_bytes_per_second : limits.copy_bytes_per_second;
        const double share = bytes / seconds / ceiling;
        rows.push_back({{"operation", operation},
                        {size_name_, size},
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
        std::printf("%-14s %4ld %s n=%-9lld %10.4f ms %6.0f GB/s %5.1f %% %9.2f Gop/s; sustained %.4f ms\n",
                    operation.c_str(), size, size_name_.c_str(), static_cast<long long>(n), seconds * 1e3,
                    bytes / seconds * 1e-9, share * 100.0, operations / seconds * 1e-9, t.sustained * 1e3);
        std::fflush(stdout);
    }

    /// The file of all that was added.
    void write() const
    {
        if (file_.empty()) {
            return;
        }
        const residua::cuda_device device = residua::cuda_devices().front();
        const json document{{"benchmark", name_},
                            {"device", device.name},
                            {"multiprocessors", device.multiprocessors},
                            {"seed", 12345},
                            {"copy_gb_per_s", limits.copy_bytes_per_second * 1e-9},
                            {"read_gb_per_s", limits.read_bytes_per_second * 1e-9},
                            {"rows", rows}};
        std::ofstream(file_) << document.dump(1) << "\n";
    }

    residua::cuda_executor exec;
    residua::cuda_timer timer;
    ceilings limits;

private:
    std::string name_, size_name_, file_;
    std::set<std::string> parts;
    json rows = json::array();
};

/// The 5-point stencil on side x side points.
inline residua::csr<residua::host_executor, double> five_point_stencil(residua::index_t side)
{
    return residua::csr_from_coo(residua::poisson_matrix(side));
}

/// One iteration of solvers/cg as it is, without a preconditioner: wall time of 40 iterations less that of 20.
template <class Space>
double seconds_of_cg_iteration(const Space& space, const residua::sliced_ell<residua::cuda_executor, double>& a,
                               const typename Space::vector& b, typename Space::vector& x)
{
    using vector = typename Space::vector;
    struct stored {
        const residua::sliced_ell<residua::cuda_executor, double>& a;
        void apply(const Space& on, const vector& v, vector& w) const { on.spmv(a, v, w); }
    };
    struct identity {
        bool is_identity() const { return true; }
        void apply(const Space& on, const vector& v, vector& w) const { on.copy(v, w); }
    };
    residua::cg_workspace<Space> work(space, space.size(b));
    const auto seconds = [&](residua::index_t iterations) {
        std::vector<double> s;
        for (int k = 0; k < 5; ++k) {
            space.fill(space.make_scalar(0.0), x);
            synchronize(space.exec);
            const auto start = std::chrono::steady_clock::now();
            residua::stop_rule rule;
            rule.relative_residual = 0.0;
            rule.max_iterations = iterations;
            cg(space, stored{a}, identity{}, b, x, rule, work);
            synchronize(space.exec);
            s.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::nth_element(s.begin(), s.begin() + 2, s.end());
        return s[2];
    };
    seconds(3);
    return (seconds(40) - seconds(20)) / 20.0;
}
