#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include <gmp.h>
#include <mpfr.h>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/io/error.hpp>

/// Dense linear algebra for programs that hold their numbers as limbs: GMP's, MPFR's, or arrays. Names, triangles and
/// `info` are those of the BLAS and of LAPACK; indices are counted from 0, `info` from 1.
///
/// A matrix consists of multi-digit floats with u = 2^-bits, in the memory of the host or of one device. Operands of an
/// operation have the same bits and lie in the same memory. They may be one matrix, unless a contract says otherwise.
///
/// order    the same bits for any number of threads, on the host and on a device
/// throws   dimension_error if shapes do not fit; error if bits or memories differ; unsupported_error where a sum of
///          products takes more bits than gemm_exact has, 65536 on the host and 18000 on a device: its numbers are then
///          as far apart as 2^7000; resource_error, and cuda_error if a device fails
namespace residua::dense {

using blas::diag;
using blas::uplo;

enum class op { plain, transposed };
enum class side { left, right };

/// Number k is (-1)^(sign[k] < 0) (limb[limbs k] + limb[limbs k + 1] 2^64 + ...) 2^exponent[k], zero if sign[k] is.
template <class Sign, class Exponent, class Limb>
struct limb_columns {
    Sign* sign = nullptr;
    Exponent* exponent = nullptr;
    Limb* limb = nullptr;
    int limbs = 1;
};
using limb_array = limb_columns<const std::int32_t, const std::int64_t, const std::uint64_t>;
using limb_room = limb_columns<std::int32_t, std::int64_t, std::uint64_t>;

/// A dense matrix of multi-digit floats. Copies are deep.
class dense_matrix {
public:
    /// m x n zeros, on the host unless there is a device.
    ///
    /// throws  unsupported_error unless 53 <= bits <= 4096; dimension_error if a size is negative; resource_error
    dense_matrix(index_t rows, index_t cols, long bits, const std::optional<cuda_executor>& device = {});

    index_t rows() const;
    index_t cols() const;
    long bits() const;  ///< those that were asked for, or 64 if these are fewer
    const std::optional<cuda_executor>& device() const { return device_; }

    /// Takes the numbers of the caller's array, column by column: (i, j) is number j ld + i. With ld = 0 columns follow
    /// each other without gaps. Of arrays of mpf_t, mpf_class or mpfr_t it takes the address of the first structure.
    ///
    /// errors  rounded to nearest even; exact where bits() suffice
    /// cost    one pass of all threads over columns, and a copy to the device
    /// throws  dimension_error if ld is less than rows(); error "number (i, j) is ..." for one that is not finite, or
    ///         beyond the range of exponents, and if an address is null. The matrix keeps its numbers then
    void set(mpf_srcptr x, index_t ld = 0);
    void set(mpfr_srcptr x, index_t ld = 0);
    void set(const limb_array& x, index_t ld = 0);
    void set(const double* x, index_t ld = 0);

    /// Writes the numbers into the caller's array. What lies in gaps is left alone.
    ///
    /// errors  rounded to nearest even: to the limbs that an mpf_t has room for; to the precision of an mpfr_t, which
    ///         is infinite or zero beyond its range; to 64 limbs bits, of which numbers other than zero have the
    ///         highest one set; and to binary64
    /// throws  as set(); error for an infinity or NaN in mpf_t or limbs: some of x is written then
    void get(mpf_ptr x, index_t ld = 0) const;
    void get(mpfr_ptr x, index_t ld = 0) const;
    void get(const limb_room& x, index_t ld = 0) const;
    void get(double* x, index_t ld = 0) const;

    /// The matrix of blas, for operations of one's own; Exec is host_executor unless there is a device.
    template <class Exec>
    residua::matrix<Exec, multidigit>& numbers()
    {
        return std::get<residua::matrix<Exec, multidigit>>(numbers_);
    }
    template <class Exec>
    const residua::matrix<Exec, multidigit>& numbers() const
    {
        return std::get<residua::matrix<Exec, multidigit>>(numbers_);
    }

private:
    template <class Source>
    void set_numbers(const Source& source);
    template <class Sink>
    void get_numbers(const Sink& sink) const;

    std::optional<cuda_executor> device_;
    std::variant<residua::matrix<host_executor, multidigit>, residua::matrix<cuda_executor, multidigit>> numbers_;
};

/// C <- alpha op(A) op(B) + beta C
///
/// shapes   op(A) (m x k), op(B) (k x n), C (m x n), which is not read if beta is zero
/// errors   every element p of op(A) op(B) is summed exactly and rounded once, and is the result if alpha = 1 and
///          beta = 0. Else beta c, and alpha p plus that, are rounded once each; alpha and beta are, too
/// cost     gemm_exact; a matrix like C, and copies of operands that are transposed
/// from     docs/error_bounds.md, theorem 22
void gemm(const real& alpha, op op_a, const dense_matrix& a, op op_b, const dense_matrix& b, const real& beta,
          dense_matrix& c);

/// C <- alpha A A' + beta C, or alpha A'A + beta C if op_a is transposed, symmetric: both triangles are written.
///
/// shapes   op(A) (n x k), C (n x n), of which `triangle` is read, unless beta is zero
/// errors   the bits of gemm
/// cost     half of gemm for large n, and n^2 copied numbers
void syrk(uplo triangle, op op_a, const real& alpha, const dense_matrix& a, const real& beta, dense_matrix& c);

/// B <- alpha inverse(op(T)) B, or alpha B inverse(op(T)), T a triangle of A
///
/// shapes   left: A (m x m), right: A (n x n); B (m x n), another matrix than A
/// errors   alpha b is rounded once if alpha is not 1. Then (op(T) + D) x = alpha b for each column x, from the right
///          for each row, with |D| <= gamma_(h + 3) |op(T)|, gamma_k = k u / (1 - k u), h = ceil(log2(order / 64)) or 0
/// cost     half of gemm; transposed blocks, and B transposed from the right
/// reports  a zero on the diagonal gives numbers that are not finite
/// from     [Higham02, Thm 8.5]; docs/error_bounds.md, theorem 32
void trsm(side where, uplo triangle, op op_a, diag diagonal, const real& alpha, const dense_matrix& a, dense_matrix& b);

/// A <- L of A = L L', or U of A = U'U, with zeros in the other triangle; of A `triangle` is read.
///
/// shapes   A (n x n)
/// errors   |A - L L'|_ij <= n (18 + 2 t) u sqrt(a_ii a_jj), t = ceil(log2(n / 8)), to first order
/// cost     n^3 / 6 multiply-adds, nearly all in products
/// reports  0, or info: the leading minor of this order is not positive definite, and A is lost
/// from     [Higham02, Thm 10.5]; docs/error_bounds.md, theorem 23
index_t potrf(uplo triangle, dense_matrix& a);

/// A <- L and U of P A = L U by partial pivoting, L below the diagonal without its ones. Row k was swapped with row
/// pivots[k] at step k.
///
/// shapes   A (n x n)
/// errors   |P A - L U|_ij <= n (18 + 2 t) u max_k |u_kj|, t = ceil(log2(n / 8)), to first order
/// cost     n^3 / 3 multiply-adds, nearly all in products
/// reports  0, or info: what is left of column info is zero or not finite, so that it has no pivot; A is lost
/// from     [Higham02, Thm 9.3]; docs/error_bounds.md, theorem 23
index_t getrf(dense_matrix& a, std::vector<index_t>& pivots);

/// A <- L and D of P A P' = L D L', L below the diagonal without its ones, D of pivots of one and of two rows: its
/// diagonal in that of A, and above it the number beside the diagonal of two rows. All else is zero. Of A `triangle` is
/// read. Rows and columns k were swapped with p at step k, where pivots[k] is p or, of two rows, -1 - p.
///
/// shapes   A (n x n)
/// errors   docs/error_bounds.md, theorem 28: L is bounded by 100
/// cost     n^3 / 6 multiply-adds, nearly all in products
/// reports  0, or info: what is left of column info is zero or not finite, so that it has no pivot; A is lost
/// from     [BK77], [AGL98]
index_t sytrf(uplo triangle, dense_matrix& a, std::vector<index_t>& pivots);

/// B <- inverse(A) B with the factors that potrf(triangle, A) made.
///
/// shapes   A (n x n), B (n x m), another matrix
/// errors   those of potrf() and of two calls of trsm()
void potrs(uplo triangle, const dense_matrix& a, dense_matrix& b);

/// B <- inverse(op(A)) B with the factors and pivots that getrf() made.
///
/// shapes   A (n x n), pivots (n), B (n x m), another matrix
/// errors   those of getrf() and of two calls of trsm()
/// throws   error if a pivot is none of the rows
void getrs(op op_a, const dense_matrix& a, const std::vector<index_t>& pivots, dense_matrix& b);

/// B <- inverse(A) B with the factors and pivots that sytrf() made.
///
/// shapes   A (n x n), pivots (n), B (n x m), another matrix
/// errors   those of sytrf() and of two calls of trsm(); each pivot of two rows adds six rounded operations
/// throws   error if a pivot is none of the rows, or a pivot of two rows is incomplete
void sytrs(const dense_matrix& a, const std::vector<index_t>& pivots, dense_matrix& b);

/// B <- inverse(A) B, A <- its factors: potrf() and potrs(), getrf() and getrs(), or sytrf() and sytrs(). Returns info; B
/// is what it was unless that is 0.
index_t posv(uplo triangle, dense_matrix& a, dense_matrix& b);
index_t sysv(uplo triangle, dense_matrix& a, dense_matrix& b);
index_t gesv(dense_matrix& a, dense_matrix& b);

}  // namespace residua::dense
