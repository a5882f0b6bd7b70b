#pragma once

#include <algorithm>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/dense/trsm.hpp>
#include <residua/blas/rns/for_indices.hpp>

#include "operands.hpp"

namespace residua {

/// What a result may be off by: of_result times its own magnitude, and of_terms times exact_result::magnitude.
struct result_bound {
    real of_result;
    real of_terms;
};

/// For rounding errors that are multiplied or added up.
inline constexpr double products_of_errors = 1.01;

/// The properties of a format T, double or an expansion, that the bench needs.
template <class T>
struct bench_numbers {
    using scalar = T;
    static constexpr int terms = number_traits<T>::terms;

    long bits() const { return 53L * terms; }
    double bytes() const { return 8.0 * terms; }
    scalar make(const real& x) const { return from_real<T>(x); }
    vector<host_executor, T> make_vector(index_t n) const { return vector<host_executor, T>(n); }
    matrix<host_executor, T> make_matrix(index_t n) const { return matrix<host_executor, T>(n, n); }

    static void add(word_hash& hash, const T& x)
    {
        for (int k = 0; k < terms; ++k) {
            hash.add(to_bits(term(x, k)));
        }
    }

    /// The error bound of an operation, from its contract in blas.
    static result_bound bound(const bench_operation& op, index_t n)
    {
        const auto in_units = [](double units, int of_terms) { return ldexp(real(units), -53L * of_terms); };
        switch (op.by) {
            case way::twofold:
                return {in_units(1.0, 1), in_units(products_of_errors * units<2>(op.computes, n), 2)};
            case way::slices:
            case way::exact:
                return {in_units(1.0, terms), real(0.0)};
            default:
                return {real(0.0), in_units(products_of_errors * units<terms>(op.computes, n), terms)};
        }
    }

private:
    /// The error bound of sums in N words, in units of the last place of these.
    template <int N>
    static double units(formula computes, index_t n)
    {
        constexpr double product = N == 1 ? 1.0 : product_error_bound<N>();
        constexpr double element = N == 1 ? 2.0 : accumulation_error_bound<N>(1);
        switch (computes) {
            case formula::dot:
            case formula::asum:
                return blas::long_sum_error_bound<N>(n);
            case formula::axpy_dot:
                return blas::long_sum_error_bound<N>(n) + element;
            case formula::norm_inf:
                return 0.0;
            case formula::add:
            case formula::rot:
            case formula::geadd:
            case formula::ge_acc:
            case formula::syr:
                return product + element;
            case formula::mul:
            case formula::ge_scale:
                return product;
            case formula::ge_lrscale:
                return 2.0 * product;
            case formula::ge_norm:
            case formula::gemv:
            case formula::symv:
            case formula::trmv:
            case formula::syrk:
            case formula::gemm:
                return blas::dense_row_error_bound<N>(n) + element;
            case formula::trsm: {
                constexpr double quotient = N == 1 ? 1.0 : quotient_error_bound<N>();
                return blas::dense_row_error_bound<N>(n) + blas::detail::trsm_levels(n) * element +
                       2.0 * blas::sparse_row_error_bound<N>(blas::detail::trsm_block) + quotient;
            }
            case formula::spmv:
                return blas::sparse_row_error_bound<N>(5) + element;
            default:
                return element;
        }
    }
};

/// The properties of a format of run-time precision that the bench needs.
template <run_time_format T>
struct numbers_of_format {
    using scalar = typename array_traits<T>::number;

    typename array_traits<T>::format format;

    long bits() const { return format.precision_bits(); }
    double bytes() const { return format.bytes(); }
    scalar make(const real& x) const { return {format, x}; }
    vector<host_executor, T> make_vector(index_t n) const { return vector<host_executor, T>(format, n); }
    matrix<host_executor, T> make_matrix(index_t n) const { return {format, n, n}; }
};

template <>
struct bench_numbers<multidigit> : numbers_of_format<multidigit> {
    static void add(word_hash& hash, const multidigit_number& x)
    {
        for (const std::uint64_t digit : x.value().d) {
            hash.add(digit);
        }
        hash.add(x.value().exponent);
        hash.add(static_cast<unsigned char>(x.value().negative));
    }

    result_bound bound(const bench_operation& op, index_t n) const
    {
        double rounded = 1.0;  // add, axpy, what is exact
        double summed = 0.0;
        if (op.by == way::sums) {
            switch (op.computes) {
                case formula::norm_inf:
                    rounded = 0.0;
                    break;
                case formula::rot:
                case formula::geadd:
                case formula::ge_acc:
                case formula::ge_lrscale:
                case formula::syr:
                    summed = 1.0;  // a product is rounded before it is added to, or multiplied again
                    break;
                case formula::axpy_dot:
                    summed = 1.0 + 0x1p-20 * static_cast<double>(n);
                    break;
                case formula::trsm:
                    rounded = 0.0;
                    summed = 3.0 + 0x1p-15 + blas::detail::trsm_levels(n) + 0x1p-20 * static_cast<double>(n);
                    break;
                case formula::gemv:
                case formula::symv:
                case formula::trmv:
                case formula::ge_norm:
                case formula::syrk:
                case formula::gemm:
                case formula::spmv:
                    rounded = 2.0;
                    [[fallthrough]];
                case formula::dot:
                case formula::asum:
                    summed = 0x1p-20 * static_cast<double>(n);  // n u / 2^20 of the largest product, of all at most
                    break;
                default:
                    break;
            }
        }
        const real u = ldexp(real(products_of_errors), -bits());
        return {u * real(rounded), u * real(summed)};
    }
};

template <>
struct bench_numbers<rns> : numbers_of_format<rns> {
    static void add(word_hash& hash, const rns_number& x)
    {
        for (int k = 0; k < x.format().count(); ++k) {
            hash.add(x.value().digit[k]);
        }
        hash.add(x.value().exponent);
        hash.add(static_cast<unsigned char>(x.value().negative));
    }

    result_bound bound(const bench_operation& op, index_t n) const
    {
        const real u = ldexp(real(products_of_errors), 1 - bits());  // u = 4 / sqrt(M) <= 2^(1 - bits)
        if (op.by == way::exact) {
            return {u * real(0.25), real(0.0)};  // rounded once, with rns_constants::width bits
        }
        return {real(0.0), u * real(units(op.computes, n))};
    }

private:
    static double units(formula computes, index_t n)
    {
        const double terms = static_cast<double>(n);
        const double merges = blas::detail::ceil_log2(blas::rns_chunks(n));  // in rows of matrices
        switch (computes) {
            case formula::dot:
            case formula::asum:
                return std::min(blas::long_sum_depth(n), terms);
            case formula::axpy_dot:
                return std::min(blas::long_sum_depth(n), terms) + 2.0;
            case formula::ge_norm:
                return 16.0 + merges;
            case formula::norm_inf:
                return 0.0;
            case formula::gemv:
            case formula::symv:
            case formula::trmv:
                return std::min(18.0 + merges, terms + 2.0);
            case formula::syrk:
            case formula::gemm:
                return terms + 2.0;
            case formula::trsm:
                return terms + 2.0 + 2.0 * blas::detail::trsm_levels(n) + 33.0;
            case formula::axpy:
            case formula::rot:
            case formula::geadd:
            case formula::ge_acc:
            case formula::ge_lrscale:
                return 2.0;
            case formula::ger:
            case formula::syr:
                return 3.0;
            case formula::spmv:
                return 5.0 + 3.0;
            default:
                return 1.0;  // add, mul, ge_scale
        }
    }
};

}  // namespace residua
