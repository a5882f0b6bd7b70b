#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmp.h>
#include <mpfr.h>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/dense.hpp>

#include "errors.hpp"
#include "handles.hpp"
#include "numbers.hpp"
#include "residua_dense.h"

namespace residua::capi {
namespace {

namespace dense = residua::dense;

/// Which of two values of an enumeration is meant.
template <class To>
To one_of(int value, To first, To second, const char* name)
{
    if (value != 0 && value != 1) {
        throw invalid_argument(std::string(name) + " is " + std::to_string(value) + ", neither 0 nor 1");
    }
    return value == 0 ? first : second;
}

dense::uplo triangle_of(residua_triangle triangle)
{
    return one_of(triangle, dense::uplo::lower, dense::uplo::upper, "triangle");
}

dense::op op_of(int transposed) { return transposed == 0 ? dense::op::plain : dense::op::transposed; }

const dense::dense_matrix& numbers_in(const residua_matrix* matrix, const char* name)
{
    return handle(matrix, name).numbers;
}

dense::dense_matrix& numbers_in(residua_matrix* matrix, const char* name) { return handle(matrix, name).numbers; }

/// One number of the caller's.
real number_of(const residua_numbers& from, const char* name) { return numbers_of(from, 1, name).front(); }

/// Takes numbers of a form that only `real` reads: sums of doubles, decimals and what the library holds.
void set_reals(dense::dense_matrix& to, const residua_numbers& x, std::int64_t stride)
{
    const std::int64_t rows = to.rows(), distance = stride == 0 ? rows : stride;
    constexpr std::int64_t most = std::int64_t{1} << 44;
    if (distance < rows || (to.cols() > 0 && distance > most / to.cols())) {
        throw invalid_argument("columns of " + std::to_string(rows) + " numbers do not begin " +
                               std::to_string(distance) + " numbers apart");
    }
    std::vector<real> reals;
    std::vector<__mpfr_struct> array;  // the same numbers, whose limbs the reals own
    for (std::int64_t j = 0; j < to.cols(); ++j) {
        for (std::int64_t i = 0; i < rows; ++i) {
            const std::int64_t k = j * distance + i;
            reals.push_back(number_at(x, k, {.array = "x", .number = k}));
        }
    }
    for (const real& number : reals) {
        array.push_back(*number.mpfr());
    }
    to.set(static_cast<mpfr_srcptr>(array.data()));
}

void require_pivots(const dense::dense_matrix& factors, const int64_t* pivot)
{
    if (factors.rows() > 0) {
        require_pointer(pivot, "pivot");
    }
}

/// f(A, pivots) returns info.
template <class F>
void factorize_with_pivots(residua_matrix* a, int64_t* pivot, int64_t* info, const F& f)
{
    dense::dense_matrix& factors = numbers_in(a, "a");
    require_pointer(info, "info");
    require_pivots(factors, pivot);
    std::vector<std::int64_t> pivots;
    *info = f(factors, pivots);
    std::copy(pivots.begin(), pivots.end(), pivot);
}

}  // namespace
}  // namespace residua::capi

using namespace residua::capi;

int residua_matrix_new(int64_t rows, int64_t cols, int64_t bits, residua_place place, residua_matrix** matrix)
{
    return guarded_making(__func__, matrix, "matrix", [&] {
        std::optional<residua::cuda_executor> device;
        if (one_of(place, false, true, "place")) {
            device = residua::make_cuda_executor();
        }
        return std::make_unique<residua_matrix>(
            residua_matrix{.numbers = residua::dense::dense_matrix(rows, cols, bits, device)});
    });
}

int residua_matrix_size(const residua_matrix* matrix, int64_t* rows, int64_t* cols, int64_t* bits)
{
    return guarded(__func__, [&] {
        const dense::dense_matrix& m = numbers_in(matrix, "matrix");
        put(rows, m.rows());
        put(cols, m.cols());
        put(bits, m.bits());
    });
}

int residua_matrix_set(residua_matrix* matrix, residua_numbers x, int64_t stride)
{
    return guarded(__func__, [&] {
        dense::dense_matrix& to = numbers_in(matrix, "matrix");
        require_numbers(x, to.rows() > 0 && to.cols() > 0, "x");
        switch (x.kind) {
            case RESIDUA_DOUBLES:
                return to.set(static_cast<const double*>(x.at), stride);
            case RESIDUA_MPF:
                return to.set(static_cast<mpf_srcptr>(x.at), stride);
            case RESIDUA_MPFR:
                return to.set(static_cast<mpfr_srcptr>(x.at), stride);
            case RESIDUA_LIMBS:
                return to.set(dense::limb_array{x.sign, x.exponent, static_cast<const std::uint64_t*>(x.at), x.each},
                              stride);
            default:
                return set_reals(to, x, stride);
        }
    });
}

int residua_matrix_doubles(const residua_matrix* matrix, double* x, int64_t stride)
{
    return guarded(__func__, [&] { numbers_in(matrix, "matrix").get(x, stride); });
}

int residua_matrix_limbs(const residua_matrix* matrix, int limbs, int32_t* sign, int64_t* exponent, uint64_t* limb,
                         int64_t stride)
{
    return guarded(__func__, [&] {
        numbers_in(matrix, "matrix").get(dense::limb_room{sign, exponent, limb, limbs}, stride);
    });
}

int residua_matrix_mpfr(const residua_matrix* matrix, void* x, int64_t stride)
{
    return guarded(__func__, [&] { numbers_in(matrix, "matrix").get(static_cast<mpfr_ptr>(x), stride); });
}

int residua_matrix_mpf(const residua_matrix* matrix, void* x, int64_t stride)
{
    return guarded(__func__, [&] { numbers_in(matrix, "matrix").get(static_cast<mpf_ptr>(x), stride); });
}

int residua_gemm(residua_numbers alpha, const residua_matrix* a, int a_transposed, const residua_matrix* b,
                 int b_transposed, residua_numbers beta, residua_matrix* c)
{
    return guarded(__func__, [&] {
        dense::gemm(number_of(alpha, "alpha"), op_of(a_transposed), numbers_in(a, "a"), op_of(b_transposed),
                    numbers_in(b, "b"), number_of(beta, "beta"), numbers_in(c, "c"));
    });
}

int residua_syrk(residua_triangle triangle, residua_numbers alpha, const residua_matrix* a, int transposed,
                 residua_numbers beta, residua_matrix* c)
{
    return guarded(__func__, [&] {
        dense::syrk(triangle_of(triangle), op_of(transposed), number_of(alpha, "alpha"), numbers_in(a, "a"),
                    number_of(beta, "beta"), numbers_in(c, "c"));
    });
}

int residua_trsm(residua_side side, residua_triangle triangle, int transposed, int unit_diagonal, residua_numbers alpha,
                 const residua_matrix* a, residua_matrix* b)
{
    return guarded(__func__, [&] {
        dense::trsm(one_of(side, dense::side::left, dense::side::right, "side"), triangle_of(triangle),
                    op_of(transposed), unit_diagonal == 0 ? dense::diag::non_unit : dense::diag::unit,
                    number_of(alpha, "alpha"), numbers_in(a, "a"), numbers_in(b, "b"));
    });
}

int residua_potrf(residua_triangle triangle, residua_matrix* a, int64_t* info)
{
    return guarded(__func__, [&] {
        require_pointer(info, "info");
        *info = dense::potrf(triangle_of(triangle), numbers_in(a, "a"));
    });
}

int residua_getrf(residua_matrix* a, int64_t* pivot, int64_t* info)
{
    return guarded(__func__, [&] {
        factorize_with_pivots(a, pivot, info,
                              [](auto& factors, auto& pivots) { return dense::getrf(factors, pivots); });
    });
}

int residua_sytrf(residua_triangle triangle, residua_matrix* a, int64_t* pivot, int64_t* info)
{
    return guarded(__func__, [&] {
        const dense::uplo read = triangle_of(triangle);
        factorize_with_pivots(a, pivot, info,
                              [&](auto& factors, auto& pivots) { return dense::sytrf(read, factors, pivots); });
    });
}

int residua_potrs(residua_triangle triangle, const residua_matrix* a, residua_matrix* b)
{
    return guarded(__func__, [&] { dense::potrs(triangle_of(triangle), numbers_in(a, "a"), numbers_in(b, "b")); });
}

int residua_getrs(int transposed, const residua_matrix* a, const int64_t* pivot, residua_matrix* b)
{
    return guarded(__func__, [&] {
        const dense::dense_matrix& factors = numbers_in(a, "a");
        require_pivots(factors, pivot);
        dense::getrs(op_of(transposed), factors, {pivot, pivot + factors.rows()}, numbers_in(b, "b"));
    });
}

int residua_sytrs(const residua_matrix* a, const int64_t* pivot, residua_matrix* b)
{
    return guarded(__func__, [&] {
        const dense::dense_matrix& factors = numbers_in(a, "a");
        require_pivots(factors, pivot);
        dense::sytrs(factors, {pivot, pivot + factors.rows()}, numbers_in(b, "b"));
    });
}

void residua_matrix_free(residua_matrix* matrix) { delete matrix; }
