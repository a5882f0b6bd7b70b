#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/exact/elements.hpp>
#include <residua/blas/exact/options.hpp>
#include <residua/blas/exact/rns.hpp>

/// Matrices and vectors as operands and results of exact products.
namespace residua::blas::detail {

/// ceil(log2 n), 0 for n <= 1.
constexpr int bits_of_terms(index_t n)
{
    int bits = 0;
    while (bits < 62 && (index_t{1} << bits) < n) {
        ++bits;
    }
    return bits;
}

/// An operand: the rows or the columns of a matrix. RNS floats become multi-digit floats in memory that the operand
/// owns, with the costs and errors of digits_of().
template <class Exec, class T>
auto exact_vectors([[maybe_unused]] const Exec& exec, const matrix_view<Exec, const T>& a, bool rows)
{
    const index_t along = rows ? a.ld : 1;
    const index_t across = rows ? 1 : a.ld;
    if constexpr (std::same_as<T, rns>) {
        auto numbers = digits_of(exec, a.format, a.start, a.rows, a.cols, a.ld);
        const auto start = numbers->view().start;
        return exact_rns<Exec>{{start, rows ? a.rows : 1, rows ? 1 : a.rows}, std::move(numbers)};
    } else if constexpr (run_time_format<T>) {
        return exact_digits{a.start, along, across};
    } else {
        return exact_terms<number_traits<T>::terms>{a.data(), along, across, a.start.plane_stride};
    }
}

/// An operand or result that is a vector, as a matrix of one column.
template <class Exec, class T>
auto exact_vectors([[maybe_unused]] const Exec& exec, const vector_view<Exec, const T>& x)
{
    if constexpr (std::same_as<T, rns>) {
        auto numbers = digits_of(exec, x.format, x.start, 1, x.size, x.stride);
        const auto start = numbers->view().start;
        return exact_rns<Exec>{{start, 1, 0}, std::move(numbers)};
    } else if constexpr (run_time_format<T>) {
        return exact_digits{x.start, x.stride, 0};
    } else {
        return exact_terms<number_traits<T>::terms>{x.data(), 1, 0, x.start.plane_stride};
    }
}

/// Where numbers of a matrix or a vector are stored.
template <class Exec, class View>
auto exact_result([[maybe_unused]] const Exec& exec, const View& c)
{
    if constexpr (std::same_as<typename View::value_type, rns>) {
        return exact_rns_result{set_on(exec, c.format), c.start};
    } else if constexpr (run_time_format<typename View::value_type>) {
        return exact_digits_result{c.start, c.format.bits()};
    } else {
        return exact_terms_result<View::terms>{c.data(), c.start.plane_stride};
    }
}

/// The distance from one number of a result to the next.
template <class View>
index_t stride_of(const View& y)
{
    if constexpr (run_time_format<typename View::value_type>) {
        return y.stride;
    } else {
        return 1;
    }
}

/// throws  dimension_error "op: ..." if bits < 0
inline void require_options(std::string_view op, const exact_options& options)
{
    if (options.bits < 0) {
        throw dimension_error(std::string(op) + ": " + std::to_string(options.bits) + " bits; 0 is for all of them");
    }
}

/// throws  dimension_error if C <- A B is not possible, or bits < 0
template <class A, class B, class C>
void require_gemm_exact(const A& a, const B& b, const C& c, const exact_options& options)
{
    require_equal("gemm_exact", "rows of A and C", a.rows, c.rows);
    require_equal("gemm_exact", "columns of B and C", b.cols, c.cols);
    require_equal("gemm_exact", "columns of A and rows of B", a.cols, b.rows);
    require_options("gemm_exact", options);
}

/// The most bits that a sum may have.
inline constexpr std::int64_t most_sum_bits = 65536;

/// throws  unsupported_error if a sum takes more than `most` bits; the message has the bits of the numbers of A and B
inline void require_bits(std::string_view op, std::int64_t of_a, std::int64_t of_b, std::int64_t sum, std::int64_t most)
{
    if (sum > most) {
        throw unsupported_error(std::string(op) + ": numbers of " + std::to_string(of_a) + " and " +
                                std::to_string(of_b) + " bits, from the largest of a vector to the last, make " +
                                std::to_string(sum) + " bits of sums, above " + std::to_string(most) +
                                "; give bits, how many to keep of each");
    }
}

}  // namespace residua::blas::detail
