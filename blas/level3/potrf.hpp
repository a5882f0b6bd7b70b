#pragma once

#include <concepts>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/level3/getrf.hpp>

namespace residua::blas {

/// A = L L', A symmetric, in place: L becomes the lower triangle of A
///
/// shapes   A (n x n), both triangles; the upper one is overwritten with unspecified numbers
/// errors   |A - L L'| <= gamma_(n+1) |L| |L'|, gamma_n = n u / (1 - n u), u = 2^-53 or 2^-24, barring underflow; on CUDA
///          gamma_(n+3), as square roots are not correctly rounded there
/// special  with a NaN or an infinity A is not positive definite, on CUDA from the first pivot on, or it shows in L
/// cost     n^3 / 6 multiply-adds; the host's by threads beyond order 1536, in panels of 256 columns
/// stops    between panels by io::ask_for_stop(), which then throws
/// order    as the machine's LAPACK and cuSOLVER have it, with their bits, as for getrf
/// reports  0; or k, counted from 1, if the leading k x k matrix is the first that is not positive definite, to working
///          precision: the factor is of no use then
/// throws   dimension_error unless ld >= n >= 0; unsupported_error on the host from n = 2^31 on
/// from     [Higham02, Thm 10.3]
template <std::floating_point Real>
index_t potrf(const host_executor& exec, lapack_matrix<host_executor, Real> a);

/// potrf on a CUDA device, by cuSOLVER; waits for it.
///
/// memory  the workspace of cuSOLVER, while it runs
/// throws  also resource_error; cuda_error where cuSOLVER is not installed, or fails
template <std::floating_point Real>
index_t potrf(const cuda_executor& exec, lapack_matrix<cuda_executor, Real> a);

}  // namespace residua::blas
