#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/dense_direct/direct.hpp>

namespace residua::bench {

/// A x = b with x = 1, in p bits; b carries what p bits cannot.
struct problem {
    std::string matrix;
    index_t n;
    long bits;
    double digits;           // of x that have to be right
    std::vector<real> a, b;  // by rows
};

/// "hilbert", "random" in (-1/2, 1/2), or "definite": random, symmetric, n / 2 more on the diagonal.
problem make(const std::string& matrix, index_t n, long bits);

/// Bits for a Hilbert matrix: the condition exp(3.5 n), and 128.
long bits_of_hilbert(index_t n);

/// One way to solve: run() does it anew, error() is max |x_i - 1| of the last.
struct way {
    std::string name;
    std::function<void()> run;
    std::function<double()> error;
};

template <class S>
way residua_way(const std::string& name, const problem& q, const S& on, index_t panel,
                const product_place& products = {})
{
    auto a = on.make_matrix(q.n, q.n);
    auto b = on.make_vector(q.n);
    for (index_t i = 0; i < q.n; ++i) {
        b.set(i, on.make_scalar(q.b[static_cast<std::size_t>(i)]));
        for (index_t j = 0; j < q.n; ++j) {
            a.set(i, j, on.make_scalar(q.a[static_cast<std::size_t>(i * q.n + j)]));
        }
    }
    auto x = std::make_shared<typename S::vector>(b);
    const bool symmetric = q.matrix == "definite";
    return {name,
            [=] {
                *x = b;
                dense_factors<S>(on, a, symmetric, {.panel = panel, .products = products}).solve(*x);
            },
            [x] {
                real worst(0.0);
                for (index_t i = 0; i < x->size(); ++i) {
                    worst = max(worst, abs(to_real(x->get(i)) - real(1.0)));
                }
                return is_zero(worst) ? -std::numeric_limits<double>::infinity() : to_double(log10(worst));
            }};
}

way flint_way(const problem& q);
way qd_way(const problem& q);

double processor_seconds();
double elapsed_seconds();

/// Times of all ways in milliseconds, in turn, all of them.
nlohmann::json measure(const problem& q, const std::vector<way>& ways, int repeats, bool& right,
                       double (*seconds)() = processor_seconds);

}  // namespace residua::bench
