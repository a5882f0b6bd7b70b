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
    explicit wide_sum(const operand_pool& pool) : result_{real(0.0, pool.sum_bits()), real(0.0, pool.sum_bits())} {}

    void add(const real& x, const real& y)
    {
        result_.value = fma(x, y, result_.value);
        result_.magnitude = fma(abs(x), abs(y), result_.magnitude);
    }

    const exact_result& result() const { return result_; }

private:
    exact_result result_;
};

/// Whether a result is a long sum: how many products it has.
index_t products_of(formula f, index_t n)
{
    switch (f) {
        case formula::dot:
        case formula::asum:
        case formula::gemv:
        case formula::symv:
        case formula::trmv:
        case formula::axpy_dot:
        case formula::syrk:
        case formula::gemm:
            return n;
        case formula::trsm:
            return n * (n + 1) / 2;
        default:
            return 1;
    }
}

}  // namespace

operand_pool::operand_pool(long bits, std::uint64_t seed) : bits_(bits), sum_bits_(2 * bits + 128), seed_(seed)
{
    splitmix64 random{seed};
    numbers_.reserve(pool_size);
    for (std::size_t k = 0; k < pool_size; ++k) {
        numbers_.push_back(random_number(random, bits));
    }
}

operand_pool::operand_pool(const std::map<operand, std::vector<double>>& given, long sum_bits)
    : numbers_{real(1.0)}, bits_(real::double_bits), sum_bits_(sum_bits), is_given_(true)
{
    for (const auto& [of, numbers] : given) {
        ranges_[static_cast<std::size_t>(of)] = {numbers_.size(), numbers.size()};
        numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    }
}

std::size_t operand_pool::place(operand of, index_t i) const
{
    if (is_given_) {
        const range& numbers = ranges_[static_cast<std::size_t>(of)];
        return numbers.begin + static_cast<std::size_t>(i) % numbers.count;
    }
    splitmix64 mix{seed_ ^ (static_cast<std::uint64_t>(of) << 56) ^ static_cast<std::uint64_t>(i)};
    return mix() % pool_size;
}

namespace {

/// value(i, k) is entry k of row i.
template <class Value>
io::coo<double> grid_matrix(index_t side, const Value& value)
{
    io::coo<double> a{side * side, side * side, {}, {}, {}};
    const auto entries = static_cast<std::size_t>(poisson_entries(side));
    a.row.reserve(entries);
    a.col.reserve(entries);
    a.value.reserve(entries);
    for (index_t i = 0; i < side * side; ++i) {
        each_neighbour(side, i, [&](index_t k, index_t j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(value(i, k));
        });
    }
    return a;
}

double poisson_value(index_t, index_t k) { return k == 2 ? 4.0 : -1.0; }

double given_value(const operand_pool& pool, index_t i, index_t k)
{
    return pool.is_given() ? to_double(pool.at(operand::a, 5 * i + k)) : poisson_value(i, k);
}

}  // namespace

io::coo<double> poisson_matrix(index_t side) { return grid_matrix(side, poisson_value); }

double poisson_entries(index_t side)
{
    const auto n = static_cast<double>(side);
    return 5.0 * n * n - 4.0 * n;
}

io::coo<double> spmv_matrix(index_t side, const operand_pool& pool)
{
    return grid_matrix(side, [&](index_t i, index_t k) { return given_value(pool, i, k); });
}

index_t result_count(operation op, index_t n)
{
    switch (row_of(op).computes) {
        case formula::dot:
        case formula::asum:
        case formula::norm_inf:
        case formula::axpy_dot:
        case formula::ge_norm:
            return 1;
        case formula::ger:
        case formula::geadd:
        case formula::ge_acc:
        case formula::ge_scale:
        case formula::ge_lrscale:
        case formula::syr:
        case formula::syrk:
        case formula::trsm:
        case formula::gemm:
        case formula::spmv:
            return n * n;
        case formula::spmm:
            return spmm_columns * n * n;
        default:
            return n;
    }
}

namespace {

/// x_row of T x = b, b column `col` of B', T the lower triangle of A with dominant_diagonal(), and z_row of |T^-1| (|b| + |T| |x|) <= z, by the
/// comparison matrix of T [Higham02, Sec. 8.2].
exact_result solved(index_t n, const operand_pool& pool, index_t row, index_t col)
{
    const real diagonal = real(dominant_diagonal(n)).with_precision(pool.sum_bits());
    std::vector<exact_result> x;
    for (index_t i = 0; i <= row; ++i) {
        const real b = pool.at(operand::b, col + i * n).with_precision(pool.sum_bits());
        exact_result of{b, abs(b)};
        for (index_t k = 0; k < i; ++k) {
            const real& t = pool.at(operand::a, i + k * n);
            const exact_result& known = x[static_cast<std::size_t>(k)];
            of.value = fma(-t, known.value, of.value);
            of.magnitude = fma(abs(t), abs(known.value) + known.magnitude, of.magnitude);
        }
        of.value = of.value / diagonal;
        of.magnitude = of.magnitude / diagonal + abs(of.value);
        x.push_back(std::move(of));
    }
    return x.back();
}

}  // namespace

exact_result exact(operation op, index_t n, const operand_pool& pool, index_t i)
{
    const real one(1.0);
    const auto at = [&](operand of, index_t k) -> const real& { return pool.at(of, k); };
    const real& alpha = at(operand::alpha, 0);
    const real& beta = at(operand::beta, 0);
    const index_t row = i % n;
    const index_t col = i / n;
    wide_sum sum(pool);
    switch (row_of(op).computes) {
        case formula::dot:
            for (index_t k = 0; k < n; ++k) {
                sum.add(at(operand::x, k), at(operand::y, k));
            }
            break;
        case formula::asum:
            for (index_t k = 0; k < n; ++k) {
                sum.add(one, abs(at(operand::x, k)));
            }
            break;
        case formula::norm_inf: {
            real largest;
            for (index_t k = 0; k < n; ++k) {
                largest = max(largest, abs(at(operand::x, k)));
            }
            return {largest, largest};
        }
        case formula::axpy:
            sum.add(alpha, at(operand::x, i));
            sum.add(one, at(operand::y, i));
            break;
        case formula::axpy_dot:
            for (index_t k = 0; k < n; ++k) {
                sum.add(at(operand::x, k), at(operand::y, k));
                sum.add(alpha * at(operand::x, k).with_precision(pool.sum_bits()), at(operand::x, k));
            }
            break;
        case formula::add:
            sum.add(one, at(operand::x, i));
            sum.add(one, at(operand::y, i));
            break;
        case formula::mul:
            sum.add(at(operand::x, i), at(operand::y, i));
            break;
        case formula::rot:
            sum.add(alpha, at(operand::x, i));
            sum.add(beta, at(operand::y, i));
            break;
        case formula::gemv:
            for (index_t k = 0; k < n; ++k) {
                const real& entry = at(operand::a, i + k * n);
                sum.add(op == operation::gemv_binary64 ? real(to_double(entry)) : entry, at(operand::x, k));
            }
            break;
        case formula::symv:
            for (index_t k = 0; k < n; ++k) {
                sum.add(at(operand::a, i > k ? i + k * n : k + i * n), at(operand::x, k));
            }
            break;
        case formula::trmv:
            for (index_t k = 0; k <= i; ++k) {
                sum.add(at(operand::a, i + k * n), at(operand::y, k));
            }
            break;
        case formula::syr:
            sum.add(one, at(operand::a, i));
            if (row >= col) {
                sum.add(alpha * at(operand::x, row).with_precision(pool.sum_bits()), at(operand::x, col));
            }
            break;
        case formula::syrk:
            for (index_t k = 0; k < n && row >= col; ++k) {
                sum.add(at(operand::a, row + k * n), at(operand::a, col + k * n));
            }
            if (row < col) {
                sum.add(one, at(operand::b, i));
            }
            break;
        case formula::trsm:
            return solved(n, pool, row, col);
        case formula::gemm:
            for (index_t k = 0; k < n; ++k) {
                sum.add(at(operand::a, row + k * n), at(operand::b, k + col * n));
            }
            break;
        case formula::ger:
            sum.add(alpha * at(operand::x, row).with_precision(pool.sum_bits()), at(operand::y, col));
            sum.add(one, at(operand::a, i));
            break;
        case formula::geadd:
        case formula::ge_acc:
            sum.add(alpha, at(operand::a, row_of(op).computes == formula::geadd ? i : col + row * n));
            sum.add(beta, at(operand::b, i));
            break;
        case formula::ge_scale:
            sum.add(at(operand::b, i), at(operand::x, col));
            break;
        case formula::ge_lrscale:
            sum.add(at(operand::x, row).with_precision(pool.sum_bits()) * at(operand::b, i), at(operand::y, col));
            break;
        case formula::ge_norm: {
            exact_result largest{real(0.0), real(0.0)};
            for (index_t k = 0; k < n; ++k) {
                wide_sum of_row(pool);
                for (index_t l = 0; l < n; ++l) {
                    of_row.add(one, abs(at(operand::a, k + l * n)));
                }
                largest = largest.value < of_row.result().value ? of_row.result() : largest;
            }
            return largest;
        }
        case formula::spmv:
            each_neighbour(n, i, [&](index_t k, index_t j) { sum.add(given_value(pool, i, k), at(operand::x, j)); });
            break;
        case formula::spmm: {
            const index_t rows = n * n;
            each_neighbour(n, i % rows, [&](index_t k, index_t j) {
                sum.add(given_value(pool, i % rows, k), at(operand::b, j + i / rows * rows));
            });
            break;
        }
    }
    return sum.result();
}

void each_sample(operation op, index_t n, const std::function<void(index_t)>& f)
{
    constexpr index_t products = 20000;
    constexpr index_t most_samples = 64;
    const index_t count = result_count(op, n);
    const index_t samples =
        std::max<index_t>(1, std::min({count, most_samples, products / products_of(row_of(op).computes, n)}));
    for (index_t s = 0; s < samples; ++s) {
        f(samples == 1 ? 0 : s * (count - 1) / (samples - 1));
    }
}

real largest_error(operation op, index_t n, const operand_pool& pool, const std::function<real(index_t)>& get)
{
    real largest;
    each_sample(op, n, [&](index_t i) {
        const exact_result right = exact(op, n, pool, i);
        largest = max(largest, abs(get(i) - right.value) / right.magnitude);
    });
    return largest;
}

}  // namespace residua
