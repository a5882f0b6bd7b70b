#pragma once

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/matrix.hpp>

namespace residua::bench {

/// How the singular values of a matrix lie between 1 and 1 / kappa: of n all but one at 1, or each as far from the next in
/// proportion. The numbers are as in the test matrices of LAPACK and MATLAB.
enum class spread { one_small = 2, geometric = 3 };

/// A = U diag(sigma) V' with U and V products of six reflectors of random vectors each, in double-double: to about 2^-100, so
/// that kappa holds up to 1e28 or so.
///
/// order   the same numbers in every run and for any number of threads
/// from    [Higham02, Sec. 28.3]
matrix<host_executor, expansion<double, 2>> randsvd(index_t n, double kappa, spread mode);

}  // namespace residua::bench
