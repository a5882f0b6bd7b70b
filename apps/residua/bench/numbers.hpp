#pragma once

#include <algorithm>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/blas/rns/level1.hpp>

#include "operands.hpp"

namespace residua {

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

    /// The error bound of an operation, relative to exact_result::magnitude, from its contract in blas.
    real bound(operation op, index_t n) const
    {
        constexpr double product = terms == 1 ? 1.0 : product_error_bound<terms>();
        constexpr double element = terms == 1 ? 2.0 : accumulation_error_bound<terms>(1);
        constexpr double products_of_errors = 1.01;
        double units = element;
        switch (op) {
            case operation::dot:
                units = blas::long_sum_error_bound<terms>(n);
                break;
            case operation::add:
                units = product + element;
                break;
            case operation::gemv:
            case operation::gemv_binary64:
                units = blas::dense_row_error_bound<terms>(n) + element;
                break;
            case operation::spmv:
            case operation::spmv_csr:
                units = blas::sparse_row_error_bound<terms>(5) + element;
                break;
            default:
                break;
        }
        // Numbers of the pool are about 1, so the formats with the most terms lose the part below 2^-1074. A product
        // of two above 2^-8 loses 2^-1062 at most: docs/error_bounds.md, section 10.
        const real lost = one_term_a_lane<terms> ? ldexp(real(1.0), -1050) : real(0.0);
        return ldexp(real(products_of_errors * units), -bits()) + lost;
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

    real bound(operation op, index_t n) const
    {
        constexpr double products_of_errors = 1.01;
        const double sum = 1.0 + 0x1p-20 * static_cast<double>(n);  // n u / 2^20 of the largest product, of all at most
        double units = 1.0;                                         // add, axpy
        switch (op) {
            case operation::dot:
                units = sum;
                break;
            case operation::gemv:
            case operation::gemm:
            case operation::spmv:
            case operation::spmv_csr:
                units = sum + 1.0;
                break;
            default:
                break;
        }
        return ldexp(real(products_of_errors * units), -bits());
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

    real bound(operation op, index_t n) const
    {
        constexpr double products_of_errors = 1.01;
        const double terms = static_cast<double>(n);
        const double merges = blas::detail::ceil_log2(blas::rns_chunks(n));
        double units = 1.0;  // add, mul
        switch (op) {
            case operation::dot:
                units = 17.0 + merges;
                break;
            case operation::gemv:
                units = std::min(20.0 + merges, terms + 2.0);
                break;
            case operation::gemm:
                units = terms + 2.0;
                break;
            case operation::axpy:
            case operation::geadd:
                units = 2.0;
                break;
            case operation::spmv:
            case operation::spmv_csr:
                units = 5.0 + 3.0;
                break;
            case operation::gemm_exact:
                units = 0.25;  // rounded once, with rns_constants::width bits
                break;
            default:
                break;
        }
        return ldexp(real(products_of_errors * units), 1 - bits());  // u = 4 / sqrt(M) <= 2^(1 - bits)
    }
};

}  // namespace residua
