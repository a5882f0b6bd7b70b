#include "operands.hpp"

#include <algorithm>

#include <residua/arith/base/random.hpp>

namespace residua {
namespace {

constexpr std::size_t pool_size = 4096;
constexpr int largest_exponent = 4;

/// A random odd integer of `bits` bits, scaled to [1/2, 1), times 2^e, -4 < e <= 4, with a random sign.
real random_number(splitmix64& random, long bits)
{
    constexpr long step = 32;
    real x(0.5, bits);
    real unit(0.5, bits);
    for (long have = 1; have < bits; have += step) {
        const long take = bits - have < step ? bits - have : step;
        std::uint64_t word = random() >> (64 - take);
        if (have + take == bits) {
            word |= 1;
        }
        unit = ldexp(unit, -take);
        x += unit * real(word);
    }
    const std::uint64_t rest = random();
    const long e = static_cast<long>(rest % (2 * largest_exponent)) - largest_exponent + 1;
    x = ldexp(x, e);
    return (rest >> 32) % 2 == 0 ? x : -x;
}

/// A sum of products in a given number of bits, and the sum of their magnitudes.
class wide_sum {
public:
    explicit wide_sum(long bits) : result_{real(0.0, bits), real(0.0, bits)} {}

    void add(const real& x, const real& y)
    {
        result_.value = fma(x, y, result_.value);
        result_.magnitude = fma(abs(x), abs(y), result_.magnitude);
    }

    const exact_result& result() const { return result_; }

private:
    exact_result result_;
};

}  // namespace

operand_pool::operand_pool(long bits, std::uint64_t seed) : bits_(bits), seed_(seed)
{
    splitmix64 random{seed};
    numbers_.reserve(pool_size);
    for (std::size_t k = 0; k < pool_size; ++k) {
        numbers_.push_back(random_number(random, bits));
    }
}

std::size_t operand_pool::place(operand of, index_t i) const
{
    splitmix64 mix{seed_ ^ (static_cast<std::uint64_t>(of) << 56) ^ static_cast<std::uint64_t>(i)};
    return mix() % pool_size;
}

io::coo<double> poisson_matrix(index_t side)
{
    io::coo<double> a{side * side, side * side, {}, {}, {}};
    const auto entries = static_cast<std::size_t>(poisson_entries(side));
    a.row.reserve(entries);
    a.col.reserve(entries);
    a.value.reserve(entries);
    for (index_t i = 0; i < side * side; ++i) {
        const auto add = [&](bool inside, index_t j, double value) {
            if (inside) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(value);
            }
        };
        add(i >= side, i - side, -1.0);
        add(i % side != 0, i - 1, -1.0);
        add(true, i, 4.0);
        add(i % side != side - 1, i + 1, -1.0);
        add(i + side < side * side, i + side, -1.0);
    }
    return a;
}

double poisson_entries(index_t side)
{
    const auto n = static_cast<double>(side);
    return 5.0 * n * n - 4.0 * n;
}

index_t result_count(operation op, index_t n)
{
    switch (op) {
        case operation::dot:
            return 1;
        case operation::gemm:
        case operation::gemm_exact:
        case operation::geadd:
        case operation::spmv:
        case operation::spmv_csr:
        case operation::cg:
            return n * n;
        default:
            return n;
    }
}

exact_result exact(operation op, index_t n, const operand_pool& pool, index_t i)
{
    const real one(1.0);
    wide_sum sum(2 * pool.bits() + 128);
    switch (op) {
        case operation::dot:
            for (index_t k = 0; k < n; ++k) {
                sum.add(pool.at(operand::x, k), pool.at(operand::y, k));
            }
            break;
        case operation::axpy:
            sum.add(pool.at(operand::alpha, 0), pool.at(operand::x, i));
            sum.add(one, pool.at(operand::y, i));
            break;
        case operation::add:
            sum.add(one, pool.at(operand::x, i));
            sum.add(one, pool.at(operand::y, i));
            break;
        case operation::mul:
            sum.add(pool.at(operand::x, i), pool.at(operand::y, i));
            break;
        case operation::gemv:
        case operation::gemv_exact:
            for (index_t k = 0; k < n; ++k) {
                sum.add(pool.at(operand::a, i + k * n), pool.at(operand::x, k));
            }
            break;
        case operation::gemv_binary64:
            for (index_t k = 0; k < n; ++k) {
                sum.add(to_double(pool.at(operand::a, i + k * n)), pool.at(operand::x, k));
            }
            break;
        case operation::gemm:
        case operation::gemm_exact:
            for (index_t k = 0; k < n; ++k) {
                sum.add(pool.at(operand::a, i % n + k * n), pool.at(operand::b, k + i / n * n));
            }
            break;
        case operation::geadd:
            sum.add(pool.at(operand::alpha, 0), pool.at(operand::a, i));
            sum.add(pool.at(operand::beta, 0), pool.at(operand::b, i));
            break;
        case operation::cg:
            throw unsupported_error("conjugate gradients have no exact result");
        case operation::spmv:
        case operation::spmv_csr: {
            const auto add = [&](bool inside, index_t k, double value) {
                if (inside) {
                    sum.add(value, pool.at(operand::x, k));
                }
            };
            add(true, i, 4.0);
            add(i >= n, i - n, -1.0);
            add(i % n != 0, i - 1, -1.0);
            add(i % n != n - 1, i + 1, -1.0);
            add(i + n < n * n, i + n, -1.0);
            break;
        }
    }
    return sum.result();
}

real largest_error(operation op, index_t n, const operand_pool& pool, const std::function<real(index_t)>& get)
{
    constexpr index_t products = 20000;
    constexpr index_t most_samples = 64;
    const auto is_any_of = [op](auto... each) { return ((op == each) || ...); };
    const bool sums = is_any_of(operation::dot, operation::gemv, operation::gemv_exact, operation::gemv_binary64,
                                operation::gemm, operation::gemm_exact);
    const index_t count = result_count(op, n);
    const index_t samples = std::max<index_t>(1, std::min({count, most_samples, products / (sums ? n : 1)}));
    real largest;
    for (index_t s = 0; s < samples; ++s) {
        const index_t i = samples == 1 ? 0 : s * (count - 1) / (samples - 1);
        const exact_result right = exact(op, n, pool, i);
        largest = max(largest, abs(get(i) - right.value) / right.magnitude);
    }
    return largest;
}

}  // namespace residua
