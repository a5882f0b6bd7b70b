#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "apps/residua/bench/case.hpp"
#include "apps/residua/bench/ill_conditioned.hpp"

namespace residua {
namespace {

constexpr operation operations[] = {operation::dot, operation::gemv, operation::gemm, operation::spmv};

/// Element i of the result and the sum of its magnitudes, in so many bits that every product and sum of it is exact.
exact_result summed(operation op, index_t n, const operand_pool& p, index_t i)
{
    constexpr long all_bits = 6000;
    exact_result sum{real(0.0, all_bits), real(0.0, all_bits)};
    const auto add = [&](operand of, index_t k, operand with, index_t l) {
        sum.value = fma(p.at(of, k), p.at(with, l), sum.value);
        sum.magnitude = fma(abs(p.at(of, k)), abs(p.at(with, l)), sum.magnitude);
    };
    if (op == operation::spmv) {
        each_neighbour(n, i, [&](index_t k, index_t j) { add(operand::a, 5 * i + k, operand::x, j); });
        return sum;
    }
    for (index_t k = 0; k < n; ++k) {
        if (op == operation::dot) {
            add(operand::x, k, operand::y, k);
        } else if (op == operation::gemv) {
            add(operand::a, i + k * n, operand::x, k);
        } else {
            add(operand::a, i % n + k * n, operand::b, k + i / n * n);
        }
    }
    return sum;
}

class ill_conditioned_test : public testing::TestWithParam<operation> {
protected:
    formula computes = row_of(GetParam()).computes;
};

TEST_P(ill_conditioned_test, has_the_condition_that_was_asked_for_in_every_result)
{
    for (const index_t n : {2, 3, 7, 20}) {
        for (const double condition : {1.0, 100.0, 0x1p45, 1e20, 1e26, 1e60, 1e200}) {
            if (condition > most_condition(computes, n)) {
                continue;
            }
            const auto data = ill_conditioned(computes, n, condition, 3);
            for (index_t i = 0; i < result_count(GetParam(), n); ++i) {
                const exact_result right = summed(GetParam(), n, *data, i);
                const real ratio = right.magnitude / abs(right.value) / real(condition);
                ASSERT_GE(ratio, real(0.5)) << n << " " << condition << " " << i;
                ASSERT_LE(ratio, real(16.0)) << n << " " << condition << " " << i;
            }
        }
    }
}

TEST_P(ill_conditioned_test, has_results_that_are_known_exactly)
{
    const double condition = std::min(1e200, most_condition(computes, 12));
    const auto data = ill_conditioned(computes, 12, condition, 8);
    for (index_t i = 0; i < result_count(GetParam(), 12); ++i) {
        const exact_result known = exact(GetParam(), 12, *data, i);
        const exact_result right = summed(GetParam(), 12, *data, i);
        EXPECT_EQ(known.value, right.value);
        EXPECT_EQ(known.magnitude, right.magnitude);
    }
}

TEST_P(ill_conditioned_test, has_data_that_the_seed_decides)
{
    const auto numbers = [&](std::uint64_t seed) { return ill_conditioned(computes, 5, 1e10, seed)->numbers(); };
    EXPECT_EQ(numbers(1), numbers(1));
    EXPECT_NE(numbers(1), numbers(2));
}

TEST_P(ill_conditioned_test, has_ways_whose_errors_are_ordered_as_their_bounds_are)
{
    constexpr index_t n = 20;
    const auto data = ill_conditioned(computes, n, 1e20, 5);
    const auto error_of = [&](way by, bench_format format, long bits) {
        for (const bench_operation& op : bench_operations()) {
            if (op.computes == computes && op.by == by && has(op.id, format, bench_executor::host, bits)) {
                const bench_case c = make_bench_case(host_executor{}, {op.id, format, bits, n, 5, data});
                c.run();
                const bench_verdict verdict = c.judge();
                EXPECT_TRUE(verdict.is_right()) << op.name << " " << bits;
                EXPECT_LE(verdict.result_error, verdict.result_bound) << op.name << " " << bits;
                return verdict.result_error;
            }
        }
        ADD_FAILURE() << "no such way";
        return real(0.0);
    };
    const real plain = error_of(way::sums, bench_format::native, 53);
    const real twofold = error_of(way::twofold, bench_format::native, 53);
    const real exact_one = error_of(way::exact, bench_format::native, 53);
    const real u = ldexp(real(1.0), -53);
    EXPECT_GT(plain, real(1.0));  // no digit is right
    EXPECT_LT(twofold, real(1e-6));
    EXPECT_GT(twofold, u);
    EXPECT_LE(exact_one, u);
    if (computes == formula::gemm || computes == formula::spmv) {
        EXPECT_EQ(error_of(way::slices, bench_format::native, 53), exact_one);
    }
    for (const bench_format format : {bench_format::expansion, bench_format::multidigit, bench_format::rns}) {
        const real shorter = error_of(way::sums, format, 106);
        EXPECT_LT(shorter, real(1e-6));
        EXPECT_LT(error_of(way::sums, format, 212), real(1e-30));
        EXPECT_LE(error_of(way::exact, format, 106), ldexp(real(1.0), -104));
    }
}

INSTANTIATE_TEST_SUITE_P(all, ill_conditioned_test, testing::ValuesIn(operations),
                         [](const auto& each) { return std::string(row_of(each.param).name); });

TEST(ill_conditioned, refuses_what_it_cannot_make)
{
    EXPECT_THROW(ill_conditioned(formula::axpy, 10, 10.0, 1), unsupported_error);
    EXPECT_THROW(ill_conditioned(formula::dot, 1, 1.0, 1), unsupported_error);
    EXPECT_THROW(ill_conditioned(formula::dot, 10, 0.5, 1), unsupported_error);
    EXPECT_THROW(ill_conditioned(formula::dot, 10, std::nan(""), 1), unsupported_error);
    EXPECT_THROW(ill_conditioned(formula::dot, 3, 1e40, 1), unsupported_error);
    EXPECT_THROW(ill_conditioned(formula::spmv, 50, 1e40, 1), unsupported_error);
}

}  // namespace
}  // namespace residua
