#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <residua/blas/base/cusolver.cuh>
#include <residua/blas/level3/getrf.hpp>

namespace residua::blas::detail {

/// The options for cuSOLVER's algorithms. None is set, so that it takes its default algorithms.
class cusolver_parameters {
public:
    explicit cusolver_parameters(const char* op) { require_cusolver(op, cusolver(op).create_parameters(&get_)); }
    cusolver_parameters(const cusolver_parameters&) = delete;
    cusolver_parameters& operator=(const cusolver_parameters&) = delete;
    ~cusolver_parameters() { (void)cusolver("").destroy_parameters(get_); }

    cusolverDnParams_t get() const { return get_; }

private:
    cusolverDnParams_t get_ = nullptr;
};

/// Whether there is a NaN or an infinity in A: cuSOLVER ignores a NaN and returns finite factors of another matrix. The
/// host waits.
///
/// throws  cuda_error
template <std::floating_point Real>
bool has_not_finite(const char* op, const cuda_executor& exec, const lapack_matrix<cuda_executor, Real>& a);

/// Sets all factors to NaN, and the pivots such that they swap nothing.
///
/// throws  cuda_error
template <std::floating_point Real>
void make_nan(const char* op, const cuda_executor& exec, const lapack_matrix<cuda_executor, Real>& a,
              std::span<std::int64_t> pivots);

}  // namespace residua::blas::detail
