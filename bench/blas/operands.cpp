#include "operands.hpp"

#include <cmath>
#include <random>

#include <residua/arith/base/bits.hpp>

namespace residua::bench {
namespace {

int leading_exponent(int terms) { return terms > most_terms_in_range ? half_range : 0; }

/// count numbers in [1/2, 1) with random signs, every term with all of its 53 bits random and
/// below half a unit of the one before: what rounding to the format leaves. Times 2^leading_exponent.
std::vector<double> random_planes(std::mt19937_64& random, int terms, index_t count)
{
    std::vector<double> planes(static_cast<std::size_t>(terms * count));
    for (index_t i = 0; i < count; ++i) {
        for (int k = 0; k < terms; ++k) {
            const double fraction = 0.5 + std::ldexp(static_cast<double>(random() >> 12), -53);
            const double sign = random() % 2 == 0 ? 1.0 : -1.0;
            const int exponent = leading_exponent(terms) - 54 * k;
            planes[static_cast<std::size_t>(k * count + i)] = sign * std::ldexp(fraction, exponent);
        }
    }
    return planes;
}

/// The five-point Laplacian on a grid of side x side.
io::coo<double> poisson(index_t side)
{
    io::coo<double> a{side * side, side * side, {}, {}, {}};
    for (index_t i = 0; i < side * side; ++i) {
        const auto add = [&](index_t j, double value) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(value);
        };
        if (i >= side) {
            add(i - side, -1.0);
        }
        if (i % side != 0) {
            add(i - 1, -1.0);
        }
        add(i, 4.0);
        if (i % side != side - 1) {
            add(i + 1, -1.0);
        }
        if (i + side < side * side) {
            add(i + side, -1.0);
        }
    }
    return a;
}

}  // namespace

std::string name(operation op)
{
    switch (op) {
        case operation::dot:
            return "dot";
        case operation::axpy:
            return "axpy";
        case operation::gemv:
            return "gemv";
        case operation::gemv_binary64:
            return "gemv, binary64 matrix";
        case operation::spmv:
            return "spmv, binary64 matrix";
        case operation::cg_iteration:
            return "cg iteration";
        case operation::gemm:
            return "gemm";
    }
    return "";
}

operands make_operands(operation op, int terms, index_t n, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    operands o;
    o.op = op;
    o.terms = terms;
    o.bits = 53L * terms;
    o.n = o.m = n;
    if (op == operation::spmv || op == operation::cg_iteration) {
        o.sparse = poisson(std::lround(std::sqrt(static_cast<double>(n))));
    }
    o.alpha = random_planes(random, terms, 1);
    o.x = random_planes(random, terms, o.m);
    o.y = random_planes(random, terms, o.n);
    if (op == operation::gemv || op == operation::gemm) {
        o.dense = random_planes(random, terms, o.n * o.m);
    } else if (op == operation::gemv_binary64) {
        o.dense = random_planes(random, 1, o.n * o.m);
    }
    if (op == operation::gemm) {
        o.right = random_planes(random, terms, o.m * o.n);
    }
    return o;
}

real element(const std::vector<double>& planes, int terms, index_t i, long bits)
{
    const index_t count = static_cast<index_t>(planes.size()) / terms;
    real sum(0.0, bits);
    for (int k = 0; k < terms; ++k) {
        sum += real(planes[static_cast<std::size_t>(k * count + i)]);
    }
    return ldexp(sum, -leading_exponent(terms));
}

}  // namespace residua::bench
