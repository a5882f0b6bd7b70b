#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <residua/blas/base/parallel.hpp>

#include "case.hpp"
#include "numbers.hpp"

namespace residua {

/// moved_to() brings an object of the host to an executor's memory; on_host() brings it back.
template <class Object>
Object moved_to(const host_executor&, Object x)
{
    return x;
}

template <class Object>
auto moved_to(const cuda_executor& exec, const Object& x)
{
    return to_device(exec, x);
}

template <class Object>
const Object& on_host(const host_executor&, const Object& x)
{
    return x;
}

template <class T>
vector<host_executor, T> on_host(const cuda_executor& exec, const vector<cuda_executor, T>& x)
{
    return to_host(exec, x);
}

template <class T>
matrix<host_executor, T> on_host(const cuda_executor& exec, const matrix<cuda_executor, T>& x)
{
    return to_host(exec, x);
}

/// The data that all operations share: the executor, the format, the size and the pool of numbers.
template <class Exec, class T>
struct setting {
    using scalar = typename bench_numbers<T>::scalar;

    Exec exec;
    bench_numbers<T> numbers;
    operation op;
    index_t n;
    std::shared_ptr<const operand_pool> pool;
    std::vector<scalar> values;  ///< the pool's numbers

    setting(const Exec& where, const bench_numbers<T>& format, const bench_request& request)
        : exec(where),
          numbers(format),
          op(request.op),
          n(request.size),
          pool(std::make_shared<operand_pool>(format.bits(), request.seed))
    {
        for (const real& x : pool->numbers()) {
            values.push_back(format.make(x));
        }
    }

    scalar constant(double x) const { return numbers.make(x); }
    const scalar& factor(operand of) const { return values[pool->place(of, 0)]; }

    auto make_vector(operand of, index_t size) const
    {
        auto x = numbers.make_vector(size);
        fill(x.view(), of, 0);
        return std::make_shared<vector<Exec, T>>(moved_to(exec, std::move(x)));
    }

    auto make_matrix(operand of) const
    {
        auto a = numbers.make_matrix(n);
        for (index_t j = 0; j < n; ++j) {
            fill(a.view().column(j), of, j * n);
        }
        return std::make_shared<matrix<Exec, T>>(moved_to(exec, std::move(a)));
    }

    auto make_binary64_matrix(operand of) const
    {
        matrix<host_executor, double> a(n, n);
        in_parallel(n, static_cast<double>(n), [&](index_t j) {
            for (index_t i = 0; i < n; ++i) {
                a.set(i, j, to_double(pool->at(of, j * n + i)));
            }
        });
        return std::make_shared<matrix<Exec, double>>(moved_to(exec, std::move(a)));
    }

    /// Judges the results get(i), i = 0, 1, ..., of the operation.
    template <class Get>
    bench_verdict judge(const Get& get) const
    {
        word_hash hash;
        const index_t count = result_count(op, n);
        for (index_t i = 0; i < count; ++i) {
            numbers.add(hash, get(i));
        }
        bench_verdict verdict{.relative_error = largest_error(op, n, *pool, [&](index_t i) { return to_real(get(i)); }),
                              .error_bound = numbers.bound(op, n),
                              .hash = hash.value()};
        return verdict;
    }

    /// The measurement of `run`, whose results are the elements of a vector, or entries of a matrix.
    template <class Result>
    bench_case measured(double operations, double count, const std::function<void()>& run,
                        const std::shared_ptr<Result>& result) const
    {
        return {.precision_bits = numbers.bits(),
                .operations = operations,
                .bytes = count * numbers.bytes(),
                .run = run,
                .judge = [self = *this, result] {
                    const auto& host = on_host(self.exec, *result);
                    if constexpr (requires { host.rows(); }) {
                        return self.judge([&](index_t i) { return host.get(i % self.n, i / self.n); });
                    } else {
                        return self.judge([&](index_t i) { return host.get(i); });
                    }
                }};
    }

private:
    template <class View>
    void fill(const View& x, operand of, index_t first) const
    {
        in_parallel(x.size, 1.0, [&](index_t i) { x.store(i, values[pool->place(of, first + i)]); });
    }

    /// f(i) for i = 0, ..., count - 1; each call handles numbers_of_each numbers.
    template <class F>
    static void in_parallel(index_t count, double numbers_of_each, const F& f)
    {
        constexpr double operations_of_number = 100.0;
        const double work = operations_of_number * numbers_of_each * static_cast<double>(count);
        blas::detail::parallel_ranges(count, 64, work, [&](index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) {
                f(i);
            }
        });
    }
};

}  // namespace residua
