#include "operands.hpp"

#include <cmath>

namespace residua::bench {

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
        case operation::cg:
            return "cg iteration";
        case operation::gemm:
            return "gemm";
        default:
            return "";
    }
}

operands::operands(operation which, long precision, index_t rows, std::uint64_t seed)
    : op(which),
      bits(precision),
      size(is_sparse() ? static_cast<index_t>(std::lround(std::sqrt(static_cast<double>(rows)))) : rows),
      pool(precision, seed)
{}

std::vector<real> operands::matrix(operand of) const
{
    std::vector<real> a = numbers(of, size * size);
    if (op == operation::gemv_binary64) {
        for (real& entry : a) {
            entry = entry.with_precision(real::double_bits);
        }
    }
    return a;
}

std::vector<real> operands::numbers(operand of, index_t count) const
{
    std::vector<real> all;
    all.reserve(static_cast<std::size_t>(count));
    for (index_t i = 0; i < count; ++i) {
        all.push_back(pool.at(of, i));
    }
    return all;
}

}  // namespace residua::bench
