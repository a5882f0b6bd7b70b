#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/coo.hpp>

namespace residua::bench {

enum class operation {
    dot,
    axpy,
    gemv,           // a matrix of the format
    gemv_binary64,  // a matrix of binary64
    spmv,           // Poisson, binary64
    cg_iteration,   // one of `cg_iterations` from x = 0
    gemm,           // square matrices of the format
};

inline constexpr int cg_iterations = 10;

std::string name(operation op);

inline constexpr int most_terms_in_range = 16;
inline constexpr int half_range = 864;

/// The operands of an operation, the same numbers for every library: random ones of full precision, as terms of
/// expansions, term k of element i at [k * n + i]. Expansions of more than `most_terms_in_range` terms are multiplied by
/// 2^half_range, so that the last terms are not zero.
struct operands {
    operation op;
    int terms = 0;              // of one number
    long bits = 0;              // 53 terms
    index_t n = 0;              // rows
    index_t m = 0;              // columns
    std::vector<double> alpha;  // terms
    std::vector<double> x;      // m
    std::vector<double> y;      // n
    std::vector<double> dense;  // n x m by columns, of `terms` terms or of one
    std::vector<double> right;  // m x n by columns, of gemm
    io::coo<double> sparse;     // n x n
};

/// n rows; a sparse matrix is Poisson's on a square grid, so n is a square there.
operands make_operands(operation op, int terms, index_t n, std::uint64_t seed);

/// Element i of planes as an MPFR number of `bits` bits, without the factor 2^half_range.
real element(const std::vector<double>& planes, int terms, index_t i, long bits);

/// One library's way to do the operation. run() may be called any number of times and does the same
/// every time; result() is what the last one left: one number, or all of y.
struct candidate {
    std::string library;
    std::function<void()> run;
    std::function<std::vector<real>()> result;
};

std::vector<candidate> expansions(const operands& o);
std::vector<candidate> multidigits(const operands& o);
std::vector<candidate> exact_multidigits(const operands& o);  // every element of the result rounded once
std::vector<candidate> eigen(const operands& o);
std::vector<candidate> mpfr(const operands& o);
std::vector<candidate> arb(const operands& o);
std::vector<candidate> qd(const operands& o);  // none for formats that QD has not

}  // namespace residua::bench
