#include "dense_ways.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <utility>

#include <arb.h>
#include <arb_mat.h>

#include "arb_system.hpp"
#include "peer_qd_lu.hpp"

namespace residua::bench {

using nlohmann::json;

problem make(const std::string& matrix, index_t n, long bits)
{
    const bool definite = matrix == "definite";
    problem q{matrix, n, bits, matrix == "hilbert" ? 16.0 : 0.3 * static_cast<double>(bits) - 10.0, {}, {}};
    std::mt19937_64 random(20261122);
    for (index_t i = 0; i < n; ++i) {
        real sum(0.0, bits + 64);
        for (index_t j = 0; j < n; ++j) {
            real x(0.0, bits);
            if (matrix == "hilbert") {
                x = real(1.0, bits) / real(static_cast<double>(i + j + 1), bits);
            } else if (definite && j < i) {
                x = q.a[static_cast<std::size_t>(j * n + i)];
            } else {
                for (long k = 0; k < bits; k += 50) {
                    x = ldexp(x, -50) + real(std::ldexp(static_cast<double>(random() >> 14), -50), bits);
                }
                x -= real(definite && i == j ? 0.5 - 0.5 * static_cast<double>(n) : 0.5, bits);
            }
            sum += x;
            q.a.push_back(std::move(x));
        }
        q.b.push_back(std::move(sum));
    }
    return q;
}

long bits_of_hilbert(index_t n) { return std::lround(std::ceil(3.5 * static_cast<double>(n) / std::log(2.0))) + 128; }

way flint_way(const problem& q)
{
    auto m = std::make_shared<arb_system>(q);
    return {"FLINT", [m, p = q.bits] { arb_mat_approx_solve(m->x, m->a, m->b, p); },
            [m, n = q.n, p = q.bits] {
                double worst = -std::numeric_limits<double>::infinity();
                for (index_t i = 0; i < n; ++i) {
                    real x(0.0, p);
                    arf_get_mpfr(x.mpfr(), arb_midref(arb_mat_entry(m->x, i, 0)), MPFR_RNDN);
                    const real e = abs(x - real(1.0));
                    worst = is_zero(e) ? worst : std::max(worst, to_double(log10(e)));
                }
                return worst;
            }};
}

way qd_way(const problem& q)
{
    const qd_solve solve = make_qd_solve(static_cast<int>(q.bits / 53), q.n, q.a, q.b);
    return {"QD", solve.run, [solve] {
                double worst = -std::numeric_limits<double>::infinity();
                for (const real& x : solve.result()) {
                    const real e = abs(x - real(1.0));
                    worst = is_zero(e) ? worst : std::max(worst, to_double(log10(e)));
                }
                return worst;
            }};
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double elapsed_seconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

json measure(const problem& q, const std::vector<way>& ways, int repeats, bool& right, double (*seconds)())
{
    std::vector<std::vector<double>> times(ways.size());
    for (int r = 0; r < repeats; ++r) {
        for (std::size_t w = 0; w < ways.size(); ++w) {
            const double start = seconds();
            ways[w].run();
            times[w].push_back(1e3 * (seconds() - start));
        }
    }
    std::vector<double> least;
    for (const auto& each : times) {
        least.push_back(*std::min_element(each.begin(), each.end()));
    }
    json result{{"matrix", q.matrix}, {"n", q.n}, {"bits", q.bits}, {"repeats", repeats}};
    std::printf("| %s | %ld | %ld |", q.matrix.c_str(), static_cast<long>(q.n), q.bits);
    for (std::size_t w = 0; w < ways.size(); ++w) {
        const double error = ways[w].error();
        const bool good = error <= -q.digits;
        right = right && good;
        result["milliseconds"][ways[w].name] = times[w];
        result["log10_error"][ways[w].name] = error;
        std::printf(" %s %.3g%s |", ways[w].name.c_str(), least[w], good ? "" : " WRONG");
    }
    for (std::size_t w = 1; w < ways.size(); ++w) {
        if (ways[w].name == "FLINT" || ways[w].name == "QD") {
            std::printf(" %s / %s %.2f |", ways[w].name.c_str(), ways.front().name.c_str(), least[w] / least.front());
        }
    }
    std::printf("\n");
    std::fflush(stdout);
    return result;
}

}  // namespace residua::bench
