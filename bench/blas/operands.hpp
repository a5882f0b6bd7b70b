#pragma once

#include <functional>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/coo.hpp>

#include <apps/residua/bench/operands.hpp>

namespace residua::bench {

inline constexpr int cg_iterations = 10;

std::string name(operation op);

/// What an operation works on, for every library the same numbers: those of an operand_pool.
struct operands {
    operation op;
    long bits;
    index_t size;  ///< rows of dense arrays, points along each side of Poisson's grid
    operand_pool pool;

    /// Of Poisson's matrix the rows are a square.
    operands(operation op, long bits, index_t rows, std::uint64_t seed);

    index_t rows() const { return is_sparse() ? size * size : size; }
    bool is_sparse() const { return op == operation::spmv || op == operation::cg; }
    real alpha() const { return pool.at(operand::alpha, 0); }
    std::vector<real> vector(operand of) const { return numbers(of, rows()); }

    /// By columns; of gemv_binary64 rounded to binary64.
    std::vector<real> matrix(operand of) const;

    io::coo<double> sparse() const { return poisson_matrix(size); }

private:
    std::vector<real> numbers(operand of, index_t count) const;
};

/// One library's way to do the operation. run() may be called any number of times; of axpy each goes on from the last.
struct candidate {
    std::string library;
    std::function<void()> run;
    std::function<std::vector<real>()> result;  ///< of the first run: one number, or all of y
    std::function<real()> error = {};  ///< its largest_error(), of a library that says so itself; it has no result
};

std::vector<candidate> expansions(const operands& o);
std::vector<candidate> multidigits(const operands& o);
std::vector<candidate> exact_multidigits(const operands& o);  // every element of the result rounded once
std::vector<candidate> mpfr(const operands& o);
std::vector<candidate> arb(const operands& o);
std::vector<candidate> qd(const operands& o);      // none for formats that QD has not
std::vector<candidate> nfloat(const operands& o);  // none without RESIDUA_NFLOAT_LIBRARY

}  // namespace residua::bench
