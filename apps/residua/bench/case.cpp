#include "case.hpp"

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/exact/gemv_exact.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/waxpby.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/multidigit/dense.hpp>
#include <residua/blas/multidigit/sparse.hpp>
#include <residua/blas/rns/level2.hpp>
#include <residua/blas/rns/sparse.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/base/memory.hpp>

#include "setting.hpp"

namespace residua {
namespace {

template <class Exec, class T>
bench_case measure_axpy(const setting<Exec, T>& s)
{
    const auto x = s.make_vector(operand::x, s.n);
    const auto y = s.make_vector(operand::y, s.n);
    const auto n = static_cast<double>(s.n);
    return s.measured(
        n, 3.0 * n, [exec = s.exec, a = s.factor(operand::alpha), x, y] { blas::axpy(exec, a, x->view(), y->view()); },
        y);
}

template <class Exec, class T>
bench_case measure_dot(const setting<Exec, T>& s)
{
    const auto x = s.make_vector(operand::x, s.n);
    const auto y = s.make_vector(operand::y, s.n);
    const auto result = std::make_shared<typename setting<Exec, T>::scalar>(s.constant(0.0));
    const auto n = static_cast<double>(s.n);
    const auto run = [exec = s.exec, x, y, result] {
        if constexpr (run_time_format<T>) {
            *result = blas::dot(exec, x->view(), y->view());
        } else {
            *result = blas::dot<T>(exec, x->view(), y->view());
        }
    };
    return {.precision_bits = s.numbers.bits(),
            .operations = n,
            .bytes = 2.0 * n * s.numbers.bytes(),
            .run = run,
            .judge = [s, result] { return s.judge([&](index_t) { return *result; }); }};
}

template <class Exec, class T>
bench_case measure_add(const setting<Exec, T>& s)
{
    const auto x = s.make_vector(operand::x, s.n);
    const auto y = s.make_vector(operand::y, s.n);
    const auto w = s.make_vector(operand::y, s.n);
    const auto n = static_cast<double>(s.n);
    return s.measured(
        n, 3.0 * n,
        [exec = s.exec, one = s.constant(1.0), x, y, w] {
            blas::waxpby(exec, one, x->view(), one, y->view(), w->view());
        },
        w);
}

/// multiply(exec, a, x, y) makes y <- A x.
template <class Exec, class T, class V, class Multiply>
bench_case measure_gemv_by(const setting<Exec, T>& s, std::shared_ptr<matrix<Exec, V>> a, double matrix_bytes,
                           const Multiply& multiply)
{
    const auto x = s.make_vector(operand::x, s.n);
    const auto y = s.make_vector(operand::y, s.n);
    const auto n = static_cast<double>(s.n);
    bench_case c = s.measured(
        n * n, 2.0 * n,
        [exec = s.exec, multiply, a, x, y] { multiply(exec, std::as_const(*a).view(), x->view(), y->view()); }, y);
    c.bytes += n * n * matrix_bytes;
    return c;
}

template <class Exec, class T>
bench_case measure_gemv(const setting<Exec, T>& s)
{
    return measure_gemv_by(s, s.make_matrix(operand::a), s.numbers.bytes(),
                           [one = s.constant(1.0), zero = s.constant(0.0)](auto& exec, auto a, auto x, auto y) {
                               if constexpr (std::same_as<T, rns>) {
                                   blas::gemv(exec, blas::trans::no, one, a, x, zero, y);
                               } else {
                                   blas::gemv(exec, one, a, x, zero, y);
                               }
                           });
}

template <class Matrix, class Exec, class T>
bench_case measure_spmv(const setting<Exec, T>& s)
{
    const csr<host_executor, double> rows = csr_from_coo(poisson_matrix(s.n));
    const auto a = std::make_shared<decltype(moved_to(s.exec, Matrix(rows)))>(moved_to(s.exec, Matrix(rows)));
    const auto x = s.make_vector(operand::x, rows.rows());
    const auto y = s.make_vector(operand::y, rows.rows());
    const auto n = static_cast<double>(rows.rows());
    const double entries = poisson_entries(s.n);
    bench_case c = s.measured(
        entries, 2.0 * n,
        [exec = s.exec, one = s.constant(1.0), zero = s.constant(0.0), a, x, y] {
            blas::spmv(exec, one, *a, x->view(), zero, y->view());
        },
        y);
    c.bytes += 12.0 * entries + 4.0 * n;  // values, columns, lengths of rows
    return c;
}

/// The operations that bench/blas/host_bench alone has.
template <class T>
std::optional<bench_case> make_beside_peers(const setting<host_executor, T>& s)
{
    switch (s.op) {
        case operation::gemv_exact:
            if constexpr (std::same_as<T, multidigit>) {
                return measure_gemv_by(s, s.make_matrix(operand::a), s.numbers.bytes(),
                                       [](auto& exec, auto a, auto x, auto y) { blas::gemv_exact<T>(exec, a, x, y); });
            }
            break;
        case operation::gemv_binary64:
            if constexpr (!run_time_format<T>) {
                return measure_gemv_by(
                    s, s.make_binary64_matrix(operand::a), 8.0,
                    [](auto& exec, auto a, auto x, auto y) { blas::gemv<T>(exec, T{1.0}, a, x, T{0.0}, y); });
            }
            break;
        case operation::spmv_csr:
            return measure_spmv<csr<host_executor, double>>(s);
        default:
            break;
    }
    return std::nullopt;
}

template <class Exec>
bench_case measure_mul(const setting<Exec, rns>& s)
{
    const auto x = s.make_vector(operand::x, s.n);
    const auto y = s.make_vector(operand::y, s.n);
    const auto n = static_cast<double>(s.n);
    const vector_view<Exec, rns> view = y->view();
    const matrix_view<Exec, rns> column{view.format, view.start, s.n, 1, s.n};
    return s.measured(
        n, 3.0 * n, [exec = s.exec, x, column] { blas::ge_diag_scale_rows(exec, x->view(), column); }, y);
}

/// multiply(exec, a, b, c) makes C <- A B.
template <class Exec, class T, class Multiply>
bench_case measure_product(const setting<Exec, T>& s, const Multiply& multiply)
{
    const auto a = s.make_matrix(operand::a);
    const auto b = s.make_matrix(operand::b);
    const auto c = s.make_matrix(operand::b);
    const auto n = static_cast<double>(s.n);
    return s.measured(
        n * n * n, 3.0 * n * n, [exec = s.exec, multiply, a, b, c] { multiply(exec, a->view(), b->view(), c->view()); },
        c);
}

template <class Exec, run_time_format T>
bench_case measure_gemm(const setting<Exec, T>& s)
{
    return measure_product(s, [one = s.constant(1.0), zero = s.constant(0.0)](auto& exec, auto a, auto b, auto c) {
        if constexpr (std::same_as<T, rns>) {
            blas::gemm(exec, blas::trans::no, blas::trans::no, one, a, b, zero, c);
        } else {
            blas::gemm(exec, one, a, b, zero, c);
        }
    });
}

template <class Exec, class T>
bench_case measure_gemm_exact(const setting<Exec, T>& s)
{
    return measure_product(s, [](auto& exec, auto a, auto b, auto c) { blas::gemm_exact<T>(exec, a, b, c); });
}

template <class Exec>
bench_case measure_geadd(const setting<Exec, rns>& s)
{
    const auto a = s.make_matrix(operand::a);
    const auto b = s.make_matrix(operand::b);
    const auto c = s.make_matrix(operand::b);
    const auto n = static_cast<double>(s.n);
    return s.measured(
        2.0 * n * n, 3.0 * n * n,
        [exec = s.exec, alpha = s.factor(operand::alpha), beta = s.factor(operand::beta), a, b, c] {
            blas::ge_add(exec, alpha, a->view(), beta, b->view(), c->view());
        },
        c);
}

/// throws  resource_error if the operands do not fit in the host's memory, where they are made
void require_operands(operation op, index_t size, double number_bytes)
{
    const auto n = static_cast<double>(size);
    double numbers = 3.0 * n;
    double words = 0.0;
    switch (op) {
        case operation::gemv:
        case operation::gemv_exact:
            numbers += n * n;
            break;
        case operation::gemv_binary64:
            words = n * n;
            break;
        case operation::gemm:
        case operation::geadd:
            numbers = 4.0 * n * n;  // the fourth is the result before it is stored
            break;
        case operation::gemm_exact:
            numbers = 12.0 * n * n;  // residues take about three times the memory of numbers, sums twice
            break;
        case operation::spmv:
        case operation::spmv_csr:
            numbers = 2.0 * n * n;
            words = 12.0 * poisson_entries(size);  // the matrix is there in three storages
            break;
        default:
            break;
    }
    require_memory("the operands", numbers * number_bytes + words * 8.0);
}

template <class Exec, class T>
bench_case make_in(const Exec& exec, const bench_numbers<T>& numbers, const bench_request& request)
{
    require_operands(request.op, request.size, numbers.bytes());
    const setting<Exec, T> s(exec, numbers, request);
    if (request.op == operation::gemm_exact) {
        return measure_gemm_exact(s);
    }
    if constexpr (std::same_as<Exec, host_executor>) {
        if (std::optional<bench_case> beside_peers = make_beside_peers(s)) {
            return *std::move(beside_peers);
        }
    }
    if constexpr (run_time_format<T> || std::same_as<Exec, host_executor>) {
        switch (request.op) {
            case operation::dot:
                return measure_dot(s);
            case operation::add:
                return measure_add(s);
            case operation::gemv:
                return measure_gemv(s);
            case operation::spmv:
                return measure_spmv<sliced_ell<host_executor, double>>(s);
            default:
                break;
        }
    }
    if constexpr (run_time_format<T>) {
        if (request.op == operation::gemm) {
            return measure_gemm(s);
        }
    }
    if constexpr (std::same_as<T, rns>) {
        switch (request.op) {
            case operation::mul:
                return measure_mul(s);
            case operation::geadd:
                return measure_geadd(s);
            default:
                break;
        }
    }
    return measure_axpy(s);  // every format has axpy on every executor
}

/// Measures in the first of these formats that has the bits asked for, or in the last if none has them.
template <class Exec, class T, class... Wider>
bench_case make_in_first(const Exec& exec, const bench_request& request)
{
    const bench_numbers<T> numbers;
    if constexpr (sizeof...(Wider) > 0) {
        if (request.bits > numbers.bits()) {
            return make_in_first<Exec, Wider...>(exec, request);
        }
    }
    return make_in(exec, numbers, request);
}

template <int N>
using terms_of = expansion<double, N>;

template <class Exec>
bench_case make_on(const Exec& exec, const bench_request& request)
{
    switch (request.format) {
        case bench_format::multidigit:
            return make_in(exec, bench_numbers<multidigit>{multidigit_format(request.bits)}, request);
        case bench_format::rns:
            return make_in(exec, bench_numbers<rns>{rns_format(request.bits)}, request);
        default:
            return make_in_first<Exec, double, terms_of<2>, terms_of<3>, terms_of<4>, terms_of<6>, terms_of<8>,
                                 terms_of<12>, terms_of<16>, terms_of<24>, terms_of<32>>(exec, request);
    }
}

}  // namespace

bench_case make_bench_case(const host_executor& exec, const bench_request& request) { return make_on(exec, request); }

#if defined(RESIDUA_CUDA)
bench_case make_bench_case(const cuda_executor& exec, const bench_request& request) { return make_on(exec, request); }
#endif

}  // namespace residua
