#pragma once

#include <functional>
#include <memory>
#include <optional>
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

/// The data that all operations share: the executor, the format, the size and the pool of numbers; and the forms that
/// operations have.
template <class Exec, class T>
struct setting {
    using scalar = typename bench_numbers<T>::scalar;

    Exec exec;
    bench_numbers<T> numbers;
    const bench_operation* op;
    index_t n;
    std::shared_ptr<const operand_pool> pool;
    std::vector<scalar> values;  ///< the pool's numbers, if these are random

    setting(const Exec& where, const bench_numbers<T>& format, const bench_request& request)
        : exec(where),
          numbers(format),
          op(&row_of(request.op)),
          n(request.size),
          pool(request.operands ? request.operands : std::make_shared<operand_pool>(format.bits(), request.seed))
    {
        if (!pool->is_given()) {
            for (const real& x : pool->numbers()) {
                values.push_back(format.make(x));
            }
        }
    }

    scalar constant(double x) const { return numbers.make(x); }
    scalar one() const { return constant(1.0); }
    scalar zero() const { return constant(0.0); }
    scalar factor(operand of) const { return number(of, 0); }

    auto make_vector(operand of, index_t size) const
    {
        auto x = numbers.make_vector(size);
        fill(x.view(), of, 0);
        return std::make_shared<vector<Exec, T>>(moved_to(exec, std::move(x)));
    }

    auto make_matrix(operand of, const std::optional<double>& diagonal = {}) const
    {
        auto a = numbers.make_matrix(n);
        for (index_t j = 0; j < n; ++j) {
            fill(a.view().column(j), of, j * n);
            if (diagonal) {
                a.set(j, j, constant(*diagonal));
            }
        }
        return std::make_shared<matrix<Exec, T>>(moved_to(exec, std::move(a)));
    }

    auto make_binary64_matrix(operand of, index_t rows, index_t cols) const
    {
        matrix<host_executor, double> a(rows, cols);
        in_parallel(cols, static_cast<double>(rows), [&](index_t j) {
            for (index_t i = 0; i < rows; ++i) {
                a.set(i, j, to_double(pool->at(of, j * rows + i)));
            }
        });
        return std::make_shared<matrix<Exec, double>>(moved_to(exec, std::move(a)));
    }

    /// x and y (n): f(exec, x, y), which makes y; `touched` numbers of each element are read or written.
    template <class F>
    bench_case elements(double touched, const F& f) const
    {
        const auto x = make_vector(operand::x, n);
        const auto y = make_vector(operand::y, n);
        return measured(
            size(), touched * size(), [exec = exec, f, x, y] { f(exec, x->view(), y->view()); }, y);
    }

    /// x and y (n): f(exec, x, y) is a number; `touched` as above.
    template <class F>
    bench_case number_of(double touched, const F& f) const
    {
        const auto x = make_vector(operand::x, n);
        const auto y = make_vector(operand::y, n);
        return single(size(), touched * size(), [exec = exec, f, x, y] { return f(exec, x->view(), y->view()); });
    }

    /// A (n x n, of n^2 entries of `entry_bytes` bytes), x and y (n): f(exec, a, x, y), which makes y.
    template <class F, class V>
    bench_case row_sums(const std::shared_ptr<matrix<Exec, V>>& a, double entry_bytes, const F& f) const
    {
        bench_case c = elements(
            2.0, [f, a](const Exec& on, const auto& x, const auto& y) { f(on, std::as_const(*a).view(), x, y); });
        c.operations = size() * size();
        c.bytes += size() * size() * entry_bytes;
        return c;
    }

    template <class F>
    bench_case row_sums(const F& f) const
    {
        return row_sums(make_matrix(operand::a), numbers.bytes(), f);
    }

    /// A, B and C (n x n, C begins as B): f(exec, a, b, c), which makes C by `operations` operations.
    template <class F>
    bench_case matrices(double operations, const F& f) const
    {
        const auto a = make_matrix(operand::a);
        const auto b = make_matrix(operand::b);
        const auto c = make_matrix(operand::b);
        return measured(
            operations, 3.0 * size() * size(), [exec = exec, f, a, b, c] { f(exec, a->view(), b->view(), c->view()); },
            c);
    }

    template <class F>
    bench_case products(const F& f) const
    {
        return matrices(size() * size() * size(), f);
    }

    /// x and y (n) and A (n x n): f(exec, x, y, a), which makes A.
    template <class F>
    bench_case rank_one(const F& f) const
    {
        const auto a = make_matrix(operand::a);
        const auto x = make_vector(operand::x, n);
        const auto y = make_vector(operand::y, n);
        return measured(
            size() * size(), 2.0 * size() * size() + 2.0 * size(),
            [exec = exec, f, x, y, a] { f(exec, x->view(), y->view(), a->view()); }, a);
    }

    /// A sparse in storage Matrix, x and y (n^2): f(exec, a, x, y), which makes y.
    template <class Matrix, class F>
    bench_case sparse(const F& f) const
    {
        const index_t rows = n * n;
        return sparse<Matrix>(1.0, make_vector(operand::x, rows), make_vector(operand::y, rows), f);
    }

    /// The same with matrices X and Y of several columns.
    template <class Matrix, class F, class X>
    bench_case sparse(double columns, const std::shared_ptr<X>& x, const std::shared_ptr<X>& y, const F& f) const
    {
        const Matrix rows(csr_from_coo(spmv_matrix(n, *pool)));
        const auto a = std::make_shared<decltype(moved_to(exec, rows))>(moved_to(exec, rows));
        const double length = size() * size();
        const double entries = poisson_entries(n);
        bench_case c = measured(
            columns * entries, 2.0 * columns * length,
            [exec = exec, f, a, x, y] { f(exec, std::as_const(*a), x->view(), y->view()); }, y);
        c.bytes += 12.0 * entries + 4.0 * length;  // values, columns, lengths of rows
        return c;
    }

    /// f() is the only result, a number.
    template <class F>
    bench_case single(double operations, double count, const F& f) const
    {
        const auto result = std::make_shared<scalar>(zero());
        return {.precision_bits = numbers.bits(),
                .operations = operations,
                .bytes = count * numbers.bytes(),
                .run = [f, result] { *result = f(); },
                .judge = [self = *this, result] { return self.judge([&](index_t) { return *result; }); }};
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
                        return self.judge([&](index_t i) { return host.get(i % host.rows(), i / host.rows()); });
                    } else {
                        return self.judge([&](index_t i) { return host.get(i); });
                    }
                }};
    }

    double size() const { return static_cast<double>(n); }

private:
    scalar number(operand of, index_t i) const
    {
        return pool->is_given() ? numbers.make(pool->at(of, i)) : values[pool->place(of, i)];
    }

    /// Judges the results get(i), i = 0, 1, ..., of the operation.
    template <class Get>
    bench_verdict judge(const Get& get) const
    {
        word_hash hash;
        const index_t count = result_count(op->id, n);
        for (index_t i = 0; i < count; ++i) {
            numbers.add(hash, get(i));
        }
        const result_bound bound = numbers.bound(*op, n);
        bench_verdict verdict;
        verdict.error_bound = bound.of_result + bound.of_terms;
        verdict.hash = hash.value();
        each_sample(op->id, n, [&](index_t i) {
            const exact_result right = exact(op->id, n, *pool, i);
            const real error = abs(to_real(get(i)) - right.value);
            const real size_of_result = abs(right.value);
            const auto relative = [&](const real& x) { return is_zero(x) ? real(0.0) : x / size_of_result; };
            const real allowed = bound.of_result * size_of_result + bound.of_terms * right.magnitude;
            verdict.relative_error = max(verdict.relative_error, error / right.magnitude);
            verdict.result_error = max(verdict.result_error, relative(error));
            verdict.result_bound = max(verdict.result_bound, relative(allowed));
            verdict.condition = max(verdict.condition, relative(right.magnitude));
            verdict.within &= error <= allowed;
        });
        return verdict;
    }

    template <class View>
    void fill(const View& x, operand of, index_t first) const
    {
        in_parallel(x.size, 1.0, [&](index_t i) { x.store(i, number(of, first + i)); });
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
