#pragma once

#include <residua/blas/multidigit/array.hpp>

/// Vector operations on multi-digit floats, for host_executor. Operands have one format; vectors of one size, with any strides but zero. A
/// result may be an operand, but not overlap one partly.
///
/// errors  u = 2^-p; an element is rounded to nearest even
/// order   elementwise, or that of reduction_order.hpp with a multidigit_sum for each lane: the same bits for any
///         number of threads
/// throws  dimension_error if sizes differ; error if formats do
namespace residua::blas {

/// y <- x
template <class Exec>
void copy(const Exec& exec, in_vector<Exec, multidigit> x, vector_view<Exec, multidigit> y);

/// y_i <- a
template <class Exec>
void fill(const Exec& exec, const multidigit_number& a, vector_view<Exec, multidigit> y);

/// y <- a y; correctly rounded
template <class Exec>
void scal(const Exec& exec, const multidigit_number& a, vector_view<Exec, multidigit> y);

/// y <- a x + y; correctly rounded
template <class Exec>
void axpy(const Exec& exec, const multidigit_number& a, in_vector<Exec, multidigit> x, vector_view<Exec, multidigit> y);

/// y <- x + a y; correctly rounded
template <class Exec>
void xpay(const Exec& exec, in_vector<Exec, multidigit> x, const multidigit_number& a, vector_view<Exec, multidigit> y);

/// w <- a x + b y: a x, and then the sum, correctly rounded
template <class Exec>
void waxpby(const Exec& exec, const multidigit_number& a, in_vector<Exec, multidigit> x, const multidigit_number& b,
            in_vector<Exec, multidigit> y, vector_view<Exec, multidigit> w);

/// x'y; errors  u |x'y| + 2^-20 n u max |x_i y_i|
template <class Exec>
multidigit_number dot(const Exec& exec, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y);

/// sum |x_i|; errors as dot
template <class Exec>
multidigit_number asum(const Exec& exec, in_vector<Exec, multidigit> x);

/// sqrt(x'x), of the dot product rounded; scaled where that is out of range
template <class Exec>
multidigit_number norm2(const Exec& exec, in_vector<Exec, multidigit> x);

/// max |x_i|, exactly; NaN if an element is
template <class Exec>
multidigit_number norm_inf(const Exec& exec, in_vector<Exec, multidigit> x);

}  // namespace residua::blas
