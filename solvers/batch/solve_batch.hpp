#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <residua/arith/expansion/type.hpp>
#include <residua/blas/base/batch.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/matrix/matrix_views.hpp>
#include <residua/solvers/options/solve_options.hpp>

/// Many small dense systems of one size at once.
namespace residua {

/// `count` systems A x = b of n unknowns over arrays of the caller, one after the other and without gaps: entry (i, j) of
/// system s is a[(s n + i) n + j] by rows, a[(s n + j) n + i] by columns; element i of its right-hand side is b[s n + i].
///
/// Value  double, or an expansion of 2, 3 or 4 terms
template <class Value>
struct dense_batch {
    index_t n = 0;
    index_t count = 0;
    std::span<const Value> a;
    std::span<const Value> b;
    storage_order order = storage_order::row_major;
};

struct batch_options {
    int digits = 0;  ///< wanted correct digits of x, up to 62; 0: one at least
    long precision_bits =
        0;  ///< bits of the factors: 53, 106, 159 or 212; 0: by the digits, and raised where they are missed
    residua::executor executor = residua::executor::automatic;  ///< automatic: the host
    int device = 0;                                             ///< which GPU, from 0
    int threads = 0;                                            ///< of the host; 0: as solve_options has it
    bool one_by_one = true;  ///< systems that miss their digits are solved by solve()
};

enum class batch_status {
    solved,    ///< with the digits that were asked for
    singular,  ///< a pivot vanished in the longest format that was tried, or solve() says so: no digit of x is known
    failed     ///< with fewer digits, or an entry is not finite, or x leaves the range of binary64
};
std::string_view to_string(batch_status value) noexcept;

/// What is known about one x.
struct batch_verdict {
    batch_status status = batch_status::failed;
    int digits = 0;  ///< correct digits that `error` backs
    /// bound of ||x - x*||_inf / ||x*||_inf, or the estimate of solve() where one_by_one is true; infinite: unknown
    double error = std::numeric_limits<double>::infinity();
    int factor_bits = 0;      ///< bits of the factors that gave x; 0: none
    bool corrected = false;   ///< x is a sum of a solution and a correction
    bool one_by_one = false;  ///< x comes from solve()
};

struct batch_solution {
    index_t n = 0;
    index_t count = 0;
    int terms = 1;  ///< terms of a number of x: by the precision asked for, or by the digits
    /// Term k of x_i of system s is x[(s n + i) terms + k]; NaN in all terms where nothing is known.
    std::vector<double> x;
    std::vector<batch_verdict> verdicts;
    index_t solved = 0, singular = 0, failed = 0;
    index_t one_by_one = 0;  ///< systems that went to solve(), whatever came of it
    residua::executor executor = residua::executor::host;
    std::string device;  ///< the GPU's name; empty on the host

    /// x_i of system s.
    ///
    /// throws  dimension_error if T has other terms than x
    template <class T>
    T get(index_t s, index_t i) const;
};

/// Solves many small dense systems together.
///
/// Each system is scaled by powers of two, which changes no digit, and solved by L U with partial pivoting in a format of 1 to 4
/// terms of binary64. r = b - A x is summed in twice as many terms. A bound of the norm of inverse(A), from factors of A
/// in binary64, or in the format itself where binary64 cannot bound it, then tells how far x may be off. A system that
/// misses its digits has one correction by its factors, next factors in more terms, up to 4, where the precision is not
/// given, and is then left to solve(). x, digits and error of a system do not depend on what else is in the batch.
///
/// shapes   A (n x n) with 1 <= n <= largest_batch_order, b (n), x (n) each
/// errors   ||x - x*||_inf <= error ||x*||_inf, barring underflow of the scaled numbers below 2^-1000
///          (docs/error_bounds.md, theorem 30); an estimate where solve() gave it
/// cost     of a system at first: n^3 / 3 multiply-adds of the format, n^2 of twice its terms, 2/3 n^3 of binary64
/// order    the same bits on host and device, for any number of threads
/// stops    between parts of the batch by io::ask_for_stop(), which then throws
/// reports  a verdict for each system, and how many of each kind there are
/// throws   dimension_error if sizes do not fit; unsupported_error for an order, precision or number of digits that no
///          format of a batch serves, or entries of more terms than the precision has; resource_error if a GPU is asked
///          for that is not there
/// from     refinement [Higham02, Sec. 12.1]; bounds by an approximate inverse [Rump10]
template <class Value>
batch_solution solve_batch(const dense_batch<Value>& systems, const batch_options& options = {});

template <class T>
T batch_solution::get(index_t s, index_t i) const
{
    if (number_traits<T>::terms != terms) {
        throw dimension_error("batch_solution: x has " + std::to_string(terms) + " terms, not " +
                              std::to_string(number_traits<T>::terms));
    }
    T found{0.0};
    for (int k = 0; k < terms; ++k) {
        term(found, k) = x[static_cast<std::size_t>((s * n + i) * terms + k)];
    }
    return found;
}

}  // namespace residua
