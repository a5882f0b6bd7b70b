#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <mpfr.h>

#include <residua/arith/base/random.hpp>
#include <residua/arith/real/real.hpp>
#include <residua/blas/level1/permute.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/getrf.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/methods/refine.hpp>
#include <residua/solvers/space/blas_space.hpp>

/// What irs_bench solves with on a device, and judges by on the host.
namespace residua::bench {

using dd = expansion<double, 2>;
using qd = expansion<double, 4>;
template <class T>
using host_vector = residua::vector<host_executor, T>;
template <class T>
using device_vector = residua::vector<cuda_executor, T>;
template <class T>
using device_space = blas_space<cuda_executor, T>;

/// A of V on the device as an operator on vectors of T there.
template <class T, class V>
struct dense_operator {
    matrix_view<cuda_executor, const V> a;

    void apply(const device_space<T>& space, const device_vector<T>& x, device_vector<T>& y) const
    {
        blas::gemv<T>(space.exec, blas::trans::no, T{1.0}, a, x.view(), T{0.0}, y.view());
    }
    bool residual(const device_space<T>& space, const device_vector<T>& x, const device_vector<T>& b,
                  device_vector<T>& r) const
    {
        space.copy(b, r);
        blas::gemv<T>(space.exec, blas::trans::no, T{-1.0}, a, x.view(), T{1.0}, r.view());
        return true;
    }
};

/// max |x_i - exact_i| / max |exact_i|
template <class T>
double error_of(const std::vector<T>& x, const host_vector<qd>& exact)
{
    double worst = 0.0;
    double largest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const qd exact_i = exact.get(static_cast<index_t>(i));
        qd x_i{0.0};
        for (int k = 0; k < number_traits<T>::terms; ++k) {
            x_i = x_i + qd{term(x[i], k)};
        }
        const double e = std::abs(to_double(x_i - exact_i));
        worst = e <= worst ? worst : e;  // a NaN stays
        largest = std::max(largest, std::abs(to_double(exact_i)));
    }
    return worst / largest;
}

template <class T>
std::vector<T> numbers(const host_vector<T>& x)
{
    std::vector<T> values;
    for (index_t i = 0; i < x.size(); ++i) {
        values.push_back(x.get(i));
    }
    return values;
}

/// max |b - A x| / max |b|, with 300 bits.
template <class V, class B, class T>
double true_residual(const matrix<host_executor, V>& a, const host_vector<B>& b, const host_vector<T>& x)
{
    const long bits = 300;
    const auto wide = [](const auto& number) {
        real sum(0.0, bits);
        for (int k = 0; k < number_traits<std::decay_t<decltype(number)>>::terms; ++k) {
            sum += real(term(number, k), bits);
        }
        return sum;
    };
    std::vector<real> x_wide;
    for (index_t j = 0; j < x.size(); ++j) {
        x_wide.push_back(wide(x.get(j)));
    }
    double worst = 0.0;
    double largest = 0.0;
    bool has_nan = false;
#pragma omp parallel for schedule(static) reduction(max : worst, largest) reduction(|| : has_nan)
    for (index_t i = 0; i < a.rows(); ++i) {
        real r = wide(b.get(i));
        real minus(0.0, 53);
        largest = std::max(largest, std::abs(to_double(r)));
        for (index_t j = 0; j < a.cols(); ++j) {
            const V entry = a.get(i, j);
            for (int k = 0; k < number_traits<V>::terms; ++k) {
                mpfr_set_d(minus.mpfr(), -term(entry, k), MPFR_RNDN);
                mpfr_fma(r.mpfr(), minus.mpfr(), x_wide[static_cast<std::size_t>(j)].mpfr(), r.mpfr(), MPFR_RNDN);
            }
        }
        const double r_i = std::abs(to_double(r));
        has_nan = has_nan || std::isnan(r_i);
        worst = std::max(worst, r_i);
    }
    return has_nan ? std::nan("") : worst / largest;
}

/// Factors in two terms on the device: y = inverse(U) inverse(L) P x for vectors of four terms, by their first two.
class two_term_factors {
public:
    two_term_factors(const cuda_executor& exec, const dense_factors<host_space<dd>>& f)
        : lu_(to_device(exec, f.factors())), first_(f.factors().cols(), exec), second_(f.factors().cols(), exec)
    {
        const index_t n = f.factors().cols();
        std::vector<std::int64_t> pivots;
        for (const index_t p : f.pivots()) {
            pivots.push_back(p + 1);
        }
        const std::vector<index_t> order = blas::row_order(pivots);
        blas::scaled_permutation<host_executor> p{buffer<host_executor, index_t>(n), buffer<host_executor, double>(n)};
        std::copy(order.begin(), order.end(), p.source.data());
        std::fill(p.factor.data(), p.factor.data() + n, 1.0);
        rows_ = {to_device(exec, p.source), to_device(exec, p.factor)};
    }

    void apply(const device_space<qd>& space, const device_vector<qd>& x, device_vector<qd>& y) const
    {
        const auto from = x.view();
        const auto to = y.view();
        blas::permute<dd>(space.exec, rows_, {from.start, from.size}, first_.view());
        blas::trsv<dd>(space.exec, blas::uplo::lower, blas::trans::no, blas::diag::unit, lu_.view(), first_.view(),
                       second_.view());
        blas::fill<qd>(space.exec, qd{0.0}, to);
        blas::trsv<dd>(space.exec, blas::uplo::upper, blas::trans::no, blas::diag::non_unit, lu_.view(), second_.view(),
                       vector_view<cuda_executor, dd>{to.start, to.size});
    }

private:
    matrix<cuda_executor, dd> lu_;
    blas::scaled_permutation<cuda_executor> rows_;
    mutable device_vector<dd> first_, second_;
};

inline double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[values.size() / 2];
}

/// What a way to solve did.
struct outcome {
    std::string name;
    double factor_seconds = 0.0;
    double refine_seconds = 0.0;
    double error = 0.0;
    double residual = 0.0;  ///< the true one
    std::string status = {};
    index_t iterations = 0;
    std::vector<double> all_seconds = {};
};

/// x to a residual that gives 16 digits, from zero: by refinement, and where that ends before by GMRES.
template <class T, class A, class M>
void solve(const device_space<T>& space, const A& a, const M& m, const device_vector<T>& b, double tolerance,
           device_vector<T>& x, outcome& o)
{
    stop_rule rule;
    rule.relative_residual = tolerance;
    rule.max_iterations = 60;
    space.fill(T{0.0}, x);
    refine_workspace<device_space<T>> work(space, space.size(b));
    const iteration_report refined = refine(space, a, m, b, x, rule, work);
    o.status = to_string(refined.status);
    o.iterations = refined.iterations;
    if (refined.status != solve_status::converged) {
        const double start = now();
        rule.max_iterations = 300;
        rule.poll = [start] { return now() - start > 20.0 ? std::optional(solve_status::time_limit) : std::nullopt; };
        gmres_workspace<device_space<T>> krylov(space, space.size(b), 100);
        const iteration_report gained = gmres(space, a, m, b, x, rule, krylov, orthogonalization::reorthogonalized);
        o.status += ", gmres " + std::string(to_string(gained.status));
        o.iterations += gained.iterations;
    }
    synchronize(space.exec);
}

/// The first terms of a matrix.
inline matrix<host_executor, double> rounded(const matrix<host_executor, dd>& a)
{
    matrix<host_executor, double> to(a.rows(), a.cols());
    for (index_t j = 0; j < a.cols(); ++j) {
        for (index_t i = 0; i < a.rows(); ++i) {
            const dd entry = a.get(i, j);
            to.set(i, j, term(entry, 0));
        }
    }
    return to;
}

inline host_vector<double> random_vector(index_t n)
{
    splitmix64 random{12345};
    host_vector<double> x(n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, uniform(random));
    }
    return x;
}

}  // namespace residua::bench
