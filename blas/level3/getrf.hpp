#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/io/error.hpp>

namespace residua::blas {

/// A square matrix of binary32 or binary64 in the memory of Exec, by columns as LAPACK has it: entry (i, j) is
/// data[j * ld + i].
template <class Exec, std::floating_point Real>
struct lapack_matrix {
    Real* data = nullptr;
    index_t n = 0;
    index_t ld = 0;
};

/// P A = L U with partial pivoting, in place: U becomes the upper triangle of A, L what is below it, without its
/// diagonal of ones
///
/// shapes   A (n x n); n pivots, in the memory of A: at step k row k was swapped with row pivots[k - 1], counted from 1
/// errors   |P A - L U| <= gamma_n |L| |U|, gamma_n = n u / (1 - n u), u = 2^-53 or 2^-24, barring underflow
/// special  a NaN or an infinity of A shows in the factors, on CUDA in all of them, and nowhere else
/// cost     n^3 / 3 multiply-adds; the host's by threads beyond order 1536, in panels of 256 columns
/// stops    between panels by io::ask_for_stop(), which then throws
/// order    as the machine's LAPACK and cuSOLVER have it: the host and a device, and other versions of these libraries,
///          give other bits within the bound. One library on one machine gives the same bits in every run
/// reports  0; or k, counted from 1, if pivot k is zero, the first such: A is singular to working precision then, and
///          the factors are of no use
/// throws   dimension_error unless ld >= n >= 0 and there are n pivots; unsupported_error on the host from n = 2^31 on
/// from     [Higham02, Thm 9.3]
template <std::floating_point Real>
index_t getrf(const host_executor& exec, lapack_matrix<host_executor, Real> a, std::span<std::int64_t> pivots);

/// getrf on a CUDA device, by cuSOLVER; waits for it. The pivots are addresses on the device.
///
/// memory  about as much as A takes, while it runs
/// throws  also resource_error; cuda_error where cuSOLVER is not installed, or fails
template <std::floating_point Real>
index_t getrf(const cuda_executor& exec, lapack_matrix<cuda_executor, Real> a, std::span<std::int64_t> pivots);

/// The rows of A in the order in which P A has them: row i of P A is row row_order[i] of A, counted from 0.
///
/// throws  error if there is a pivot that no factorisation of finite numbers gives
std::vector<index_t> row_order(std::span<const std::int64_t> pivots);

namespace detail {

/// throws  as getrf: the first function what getrf throws on every executor, the second what it throws on the host
void require_lapack_matrix(const char* op, index_t n, index_t ld, std::size_t pivots);
void require_lapack_matrix(const host_executor& exec, const char* op, index_t n, index_t ld, std::size_t pivots);

}  // namespace detail
}  // namespace residua::blas
