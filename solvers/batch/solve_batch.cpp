#include <residua/solvers/batch/solve_batch.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/resize.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/batch/batch_bound.hpp>
#include <residua/solvers/batch/batch_part.hpp>
#include <residua/solvers/batch/batch_request.hpp>
#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/solve.hpp>

namespace residua {
namespace {

using detail::digits_in;
using detail::most_terms;
using detail::with_format;

template <class T>
inline constexpr int terms_in = number_traits<T>::terms;

/// One call: the caller's systems, and what is found.
template <class Value>
class batch_run {
public:
    batch_run(const dense_batch<Value>& systems, const batch_options& options)
        : of_(systems), options_(options), terms_(detail::terms_for(options, terms_in<Value>))
    {
        found_.n = of_.n;
        found_.count = of_.count;
        found_.terms = terms_;
        found_.x.assign(static_cast<std::size_t>(of_.n * of_.count * terms_), std::numeric_limits<double>::quiet_NaN());
        found_.verdicts.resize(static_cast<std::size_t>(of_.count));
        goal_ = std::max(options.digits, 1);
        if (options.executor == executor::cuda) {
            require_device();
        }
    }

    batch_solution run()
    {
        std::vector<index_t> pending;
        for (index_t s = 0; s < of_.count; ++s) {
            if (is_finite_system(s)) {
                pending.push_back(s);
            }
        }
        const int last = options_.precision_bits == 0 ? most_terms : terms_;
        for (int terms = terms_; terms <= last; ++terms) {
            with_format(terms, [&]<class T>(T) {
                if constexpr (terms_in<T> >= terms_in<Value>) {
                    solve_in<T>(pending);
                }
                return 0;
            });
        }
        if (options_.one_by_one) {
            solve_alone(pending);
        }
        for (const batch_verdict& v : found_.verdicts) {
            found_.solved += v.status == batch_status::solved ? 1 : 0;
            found_.singular += v.status == batch_status::singular ? 1 : 0;
            found_.failed += v.status == batch_status::failed ? 1 : 0;
        }
        return std::move(found_);
    }

private:
    /// The format of an entry of the matrix: binary64 if the caller's entries are, otherwise the format of the factors.
    template <class T>
    using entry_of = std::conditional_t<terms_in<Value> == 1, double, T>;

    void require_device()
    {
        const std::vector<cuda_device> devices = cuda_devices();
        const auto chosen = std::find_if(devices.begin(), devices.end(),
                                         [&](const cuda_device& each) { return each.number == options_.device; });
        if (chosen == devices.end()) {
            throw resource_error("solve_batch: there is no GPU " + std::to_string(options_.device) +
                                 (devices.empty() ? ": " + why_no_cuda_device() : ""));
        }
        found_.executor = executor::cuda;
        found_.device = chosen->name;
        device_ = make_cuda_executor(options_.device);
    }

    batch_verdict& verdict(index_t s) { return found_.verdicts[static_cast<std::size_t>(s)]; }
    const Value& entry(index_t s, index_t i, index_t j) const
    {
        const bool by_rows = of_.order == storage_order::row_major;
        return of_.a[static_cast<std::size_t>((s * of_.n + (by_rows ? i : j)) * of_.n + (by_rows ? j : i))];
    }
    const Value& right(index_t s, index_t i) const { return of_.b[static_cast<std::size_t>(s * of_.n + i)]; }

    bool is_finite_system(index_t s) const
    {
        bool finite = true;
        for (index_t i = 0; i < of_.n; ++i) {
            finite = finite && is_finite(right(s, i));
            for (index_t j = 0; j < of_.n; ++j) {
                finite = finite && is_finite(entry(s, i, j));
            }
        }
        return finite;
    }

    /// Systems of a part: as many as fit into a quarter of a gigabyte on a device, or on the host into caches for each
    /// thread.
    index_t systems_of_part(int terms) const
    {
        const double bytes = 8.0 * static_cast<double>(of_.n * (3 * of_.n * terms + 8 * terms + 8));
        const double room = found_.executor == executor::cuda ? 0x1p30 : 0x1p22 * io::available_threads();
        return std::max<index_t>(static_cast<index_t>(room / bytes), 64);
    }

    /// Solves the pending systems in T. Those that are solved leave the list.
    template <class T>
    void solve_in(std::vector<index_t>& pending)
    {
        std::vector<index_t> bounded, unbounded, none;
        for_parts<T>(pending, {false, false}, [&](index_t s, bool is_bounded) {
            (is_bounded ? bounded : verdict(s).status == batch_status::singular ? none : unbounded).push_back(s);
        });
        std::vector<index_t> left = std::move(none);
        for_parts<T>(bounded, {true, false}, [&](index_t s, bool) { left.push_back(s); });
        if constexpr (terms_in<T> > 1) {
            for_parts<T>(unbounded, {true, true}, [&](index_t s, bool) { left.push_back(s); });
        } else {
            left.insert(left.end(), unbounded.begin(), unbounded.end());
        }
        std::sort(left.begin(), left.end());
        pending = std::move(left);
    }

    /// Solves systems part by part. Calls miss(s, whether the inverse is bounded) for each that misses its digits.
    template <class T, class Miss>
    void for_parts(const std::vector<index_t>& systems, const detail::part_request& request, const Miss& miss)
    {
        const index_t all = static_cast<index_t>(systems.size());
        const index_t each = systems_of_part(terms_in<T>);
        for (index_t first = 0; first < all; first += each) {
            io::ask_for_stop();
            const std::span<const index_t> part = std::span(systems).subspan(
                static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(each, all - first)));
            std::vector<detail::error_bound> bounds(part.size());
            solve_part<T>(part, request, bounds);
            for (std::size_t k = 0; k < part.size(); ++k) {
                if (verdict(part[k]).status != batch_status::solved) {
                    miss(part[k], bounds[k].inverse_is_bounded);
                }
            }
        }
    }

    template <class T>
    void solve_part(std::span<const index_t> part, const detail::part_request& request,
                    std::vector<detail::error_bound>& bounds)
    {
        using V = entry_of<T>;
        const auto count = static_cast<index_t>(part.size());
        matrix_batch<host_executor, V> a(of_.n, count);
        vector_batch<host_executor, T> b(of_.n, count);
        std::vector<int> exponents(part.size());
        const double words = 8.0 * static_cast<double>(of_.n * of_.n);
        blas::detail::parallel_ranges(count, 8, words * static_cast<double>(count), [&](index_t begin, index_t end) {
            for (index_t k = begin; k < end; ++k) {
                exponents[static_cast<std::size_t>(k)] =
                    store_scaled<T>(part[static_cast<std::size_t>(k)], a.view()[k], b.view()[k]);
            }
        });
        const auto result = [&] {
#if defined(RESIDUA_CUDA)
            if (found_.executor == executor::cuda) {
                return detail::solve_part<cuda_executor, T, V>(device_, a, b, request);
            }
#endif
            return detail::solve_part<host_executor, T, V>(host_executor{}, a, b, request);
        }();
        blas::detail::parallel_ranges(count, 8, words * static_cast<double>(count), [&](index_t begin, index_t end) {
            for (index_t k = begin; k < end; ++k) {
                const auto at = static_cast<std::size_t>(k);
                bounds[at] =
                    request.long_bound ? detail::bound_of<T, T>(result, k) : detail::bound_of<T, double>(result, k);
                judge<T>(part[at], k, result, bounds[at], exponents[at]);
            }
        });
    }

    /// Stores A and b with rows and right-hand side scaled by powers of two, so that the largest number of each is in
    /// [1/2, 1); returns the exponent by which x is to be scaled.
    template <class T>
    int store_scaled(index_t s, matrix_view<host_executor, entry_of<T>> a, vector_view<host_executor, T> b) const
    {
        const index_t n = of_.n;
        int of_rows[largest_batch_order] = {};
        int top = exponent_of_zero;
        for (index_t i = 0; i < n; ++i) {
            double largest = 0.0;
            for (index_t j = 0; j < n; ++j) {
                largest = std::max(largest, std::fabs(term(entry(s, i, j), 0)));
            }
            of_rows[i] = largest == 0.0 ? 0 : floor_log2(largest) + 1;
            const double size = term(right(s, i), 0);
            top = size == 0.0 ? top : std::max(top, floor_log2(size) + 1 - of_rows[i]);
        }
        top = top == exponent_of_zero ? 0 : top;
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                a.column(j).store(i, entry_of<T>{ldexp(entry(s, i, j), -of_rows[i])});
            }
            b.store(i, T{ldexp(right(s, i), -of_rows[i] - top)});
        }
        return top;
    }

    template <class T>
    void judge(index_t s, index_t k, const detail::part_result<T>& result, const detail::error_bound& bound,
               int exponent)
    {
        batch_verdict& v = verdict(s);
        if (std::as_const(result.info).data()[k] != 0) {
            v.status = v.digits == 0 ? batch_status::singular : v.status;
            return;
        }
        v.status = batch_status::failed;
        const bool corrected = result.d.count() > 0;
        double error = bound.error;
        if (corrected || terms_ < terms_in<T>) {  // x is rounded
            error += std::ldexp(1.0, 1 - 52 * terms_) * bound.size * (1.0 + 0x1p-20);
        }
        const double least = bound.size - error;  // a lower bound of ||x*||_inf
        const double relative = error == 0.0 ? 0.0 : least > 0.0 ? error / least * (1.0 + 0x1p-40) : error;
        const int digits = digits_of(least > 0.0 || error == 0.0 ? relative : 1.0);
        const int size = bound.size == 0.0 ? 0 : floor_log2(bound.size) + exponent;
        if (digits <= v.digits || size > 1000 || size < -700) {
            return;
        }
        v = {digits >= goal_ ? batch_status::solved : batch_status::failed,
             digits,
             relative,
             53 * terms_in<T>,
             corrected,
             false};
        for (index_t i = 0; i < of_.n; ++i) {
            const auto x = result.x.view()[k].load(i);
            if (corrected) {
                using wide = blas::doubled<T>;
                store(s, i, ldexp(wide{x} + wide{result.d.view()[k].load(i)}, exponent));
            } else {
                store(s, i, ldexp(x, exponent));
            }
        }
    }

    int digits_of(double relative) const
    {
        const int most = digits_in(terms_);
        return relative == 0.0 ? most : std::clamp(static_cast<int>(std::floor(-std::log10(relative) - 1e-9)), 0, most);
    }

    /// x_i of system s <- x, in the terms of the result.
    template <class X>
    void store(index_t s, index_t i, const X& x)
    {
        with_format(terms_, [&]<class T>(T) {
            T rounded{0.0};
            if constexpr (std::same_as<X, real>) {
                rounded = from_real<T>(x);
            } else {
                rounded = blas::detail::converted<T>(x);
            }
            for (int k = 0; k < terms_in<T>; ++k) {
                found_.x[static_cast<std::size_t>((s * of_.n + i) * terms_ + k)] = term(rounded, k);
            }
            return 0;
        });
    }

    /// Leaves the rest to solve(), a thread for each system, but for systems with a zero pivot in the longest format.
    void solve_alone(const std::vector<index_t>& pending)
    {
        std::vector<index_t> alone;
        const bool is_final = options_.precision_bits == 0 || terms_ == most_terms;
        for (const index_t s : pending) {
            if (!is_final || verdict(s).status != batch_status::singular) {
                alone.push_back(s);
            }
        }
        const auto count = static_cast<index_t>(alone.size());
        found_.one_by_one = count;
        io::run_parts(count, io::available_threads(),
                      [&](index_t k) { solve_one(alone[static_cast<std::size_t>(k)]); });
    }

    void solve_one(index_t s)
    {
        const auto n = static_cast<std::size_t>(of_.n);
        const auto at = static_cast<std::size_t>(s);
        const dense_view<Value> a{of_.n, of_.n, of_.a.subspan(at * n * n, n * n), of_.order, 0};
        solve_options options;
        options.digits = goal_;
        options.executor = executor::host;
        options.threads = 1;
        const solve_result alone = solve(make_system(a, of_.b.subspan(at * n, n)), options);
        batch_verdict& v = verdict(s);
        if (alone.report.looks_singular || alone.report.rank) {
            v.status = v.digits == 0 ? batch_status::singular : v.status;
            v.one_by_one = v.digits == 0;
            return;
        }
        const int digits = std::min(alone.report.digits, digits_in(terms_));
        if (digits <= v.digits || !alone.report.forward_error) {
            return;
        }
        bool fits = true;
        for (const real& x : alone.x) {
            const double size = std::fabs(to_double(x));
            fits = fits && (is_zero(x) || (size <= 0x1p1000 && size >= 0x1p-700));
        }
        if (!fits) {
            return;
        }
        v = {alone.report.status == solve_status::converged && digits >= goal_ ? batch_status::solved
                                                                               : batch_status::failed,
             digits,
             to_double(*alone.report.forward_error) + std::ldexp(1.0, 1 - 52 * terms_),
             static_cast<int>(alone.report.factor_bits),
             false,
             true};
        for (std::size_t i = 0; i < n; ++i) {
            store(s, static_cast<index_t>(i), alone.x[i]);
        }
    }

    const dense_batch<Value>& of_;
    const batch_options& options_;
    int terms_;
    int goal_ = 1;
    cuda_executor device_;
    batch_solution found_;
};

}  // namespace

std::string_view to_string(batch_status value) noexcept
{
    switch (value) {
        case batch_status::solved:
            return "solved";
        case batch_status::singular:
            return "singular";
        default:
            return "failed";
    }
}

template <class Value>
batch_solution solve_batch(const dense_batch<Value>& systems, const batch_options& options)
{
    detail::require_sizes(systems.n, systems.count, static_cast<index_t>(systems.a.size()),
                          static_cast<index_t>(systems.b.size()));
    const io::thread_limit limit(options.threads);
    return batch_run<Value>(systems, options).run();
}

#define RESIDUA_INSTANTIATE(...) \
    template batch_solution solve_batch<__VA_ARGS__>(const dense_batch<__VA_ARGS__>&, const batch_options&);
RESIDUA_FOR_EACH_BATCH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua
