#include <algorithm>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "apps/residua/bench/case.hpp"
#include "apps/residua/bench/operands.hpp"

namespace residua {
namespace {

std::vector<bench_request> all_requests()
{
    std::vector<bench_request> all;
    for (const bench_operation& op : bench_operations()) {
        for (const bench_format format : bench_formats()) {
            for (const long bits : {24L, 106L, 159L, 212L, 424L, 848L, 1000L, 3000L}) {
                if (has(op.id, format, bench_executor::host, bits)) {
                    all.push_back({op.id, format, bits, 9, 7});
                }
            }
        }
    }
    return all;
}

class bench_case_test : public testing::TestWithParam<bench_request> {};

TEST_P(bench_case_test, is_wrong_before_its_run_and_right_after)
{
    const bench_case c = make_bench_case(host_executor{}, GetParam());

    const bench_verdict before = c.judge();
    c.run();
    const bench_verdict after = c.judge();

    EXPECT_FALSE(before.is_right());
    EXPECT_TRUE(after.is_right()) << after.relative_error << " > " << after.error_bound;
    EXPECT_NE(before.hash, after.hash);
    EXPECT_GE(c.precision_bits, GetParam().bits);
}

TEST_P(bench_case_test, has_results_that_its_seed_decides)
{
    bench_request request = GetParam();
    const auto hash = [&] {
        const bench_case c = make_bench_case(host_executor{}, request);
        c.run();
        return c.judge().hash;
    };
    const std::uint64_t first = hash();
    EXPECT_EQ(first, hash());
    ++request.seed;
    EXPECT_NE(first, hash());
}

INSTANTIATE_TEST_SUITE_P(all, bench_case_test, testing::ValuesIn(all_requests()), [](const auto& each) {
    const bench_request& r = each.param;
    return std::string(row_of(r.op).name) + "_" + std::string(to_string(r.format)) + "_" + std::to_string(r.bits);
});

/// Operations that blas has on a device alone.
constexpr operation on_cuda_only[] = {operation::dot_split,   operation::axpy_split, operation::axpy_basic,
                                      operation::gemv_split,  operation::gemv_basic, operation::ger_split,
                                      operation::geadd_split, operation::geadd_basic};

TEST(bench_table, has_each_operation_once_and_where_it_is_there)
{
    std::set<operation> ids;
    std::set<std::string_view> names;
    for (const bench_operation& op : bench_operations()) {
        EXPECT_TRUE(ids.insert(op.id).second) << op.name;
        EXPECT_TRUE(names.insert(op.name).second) << op.name;
        EXPECT_EQ(row_of(op.id).name, op.name);
        EXPECT_FALSE(op.sizes.empty());
        const bool on_cuda =
            std::find(std::begin(on_cuda_only), std::end(on_cuda_only), op.id) != std::end(on_cuda_only);
        int formats = 0;
        for (const bench_format format : bench_formats()) {
            const bool there = has(op.id, format, bench_executor::cuda);
            EXPECT_EQ(has(op.id, format, bench_executor::host), there && !on_cuda) << op.name;
            formats += there ? 1 : 0;
        }
        EXPECT_GT(formats, 0) << op.name;
    }
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(operation::cg));
    EXPECT_THROW(row_of(operation::cg), unsupported_error);
    EXPECT_TRUE(has(operation::gemm, bench_format::expansion, bench_executor::host, 106));
    EXPECT_FALSE(has(operation::dot2, bench_format::expansion, bench_executor::host));
    EXPECT_FALSE(has(operation::gemv_binary64, bench_format::native, bench_executor::host));
}

TEST(bench_table, refuses_a_case_of_what_is_not_there)
{
    const bench_request request{operation::dot2, bench_format::rns, 106, 5, 1};
    EXPECT_THROW(make_bench_case(host_executor{}, request), unsupported_error);
}

TEST(bench_table, has_precisions_that_an_operation_takes)
{
    EXPECT_EQ(default_precisions(row_of(operation::dot)), (std::vector<long>{106, 212, 424}));
    EXPECT_EQ(default_precisions(row_of(operation::dot2)), std::vector<long>{53});
    EXPECT_EQ(default_precisions(row_of(operation::axpy_split)), (std::vector<long>{106, 212, 424}));
}

TEST(operand_pool, has_numbers_of_all_bits_and_both_signs_in_the_range)
{
    for (const long bits : {2L, 33L, 53L, 106L, 215L}) {
        const operand_pool pool(bits, 1);
        int negative = 0;
        for (const real& x : pool.numbers()) {
            negative += sign(x) < 0 ? 1 : 0;
            EXPECT_LT(abs(x), real(16.0));
            EXPECT_GE(abs(x), real(0.0625));
            EXPECT_EQ(x.with_precision(bits), x);
            EXPECT_NE(x.with_precision(bits - 1), x);
        }
        EXPECT_GT(negative, 1500);
        EXPECT_LT(negative, 2500);
    }
}

TEST(exact, of_a_row_of_poisson_is_four_of_it_less_its_neighbours)
{
    const operand_pool pool(100, 3);
    const auto x = [&](index_t k) { return pool.at(operand::x, k).with_precision(400); };

    EXPECT_EQ(exact(operation::spmv, 3, pool, 4).value, real(4.0) * x(4) - x(1) - x(3) - x(5) - x(7));
    EXPECT_EQ(exact(operation::spmv, 3, pool, 0).value, real(4.0) * x(0) - x(1) - x(3));
    EXPECT_EQ(exact(operation::spmv, 3, pool, 8).value, real(4.0) * x(8) - x(5) - x(7));
    EXPECT_EQ(static_cast<double>(poisson_matrix(3).size()), poisson_entries(3));
}

TEST(largest_error, is_relative_to_the_magnitudes_of_a_sum)
{
    const operand_pool pool(100, 3);
    const real off = ldexp(real(1.0), -20);
    const auto get = [&](index_t i) {
        const exact_result right = exact(operation::gemv, 5, pool, i);
        return i == 4 ? right.value + off * right.magnitude : right.value;
    };

    EXPECT_LE(abs(largest_error(operation::gemv, 5, pool, get) / off - real(1.0)), real(1e-30));
    EXPECT_EQ(
        largest_error(operation::gemv, 4, pool, [&](index_t i) { return exact(operation::gemv, 4, pool, i).value; }),
        real(0.0));
}

TEST(word_hash, is_fnv_1a)
{
    word_hash hash;
    EXPECT_EQ(hash.value(), 0xcbf29ce484222325u);  // of nothing
    hash.add(static_cast<unsigned char>('a'));
    EXPECT_EQ(hash.value(), 0xaf63dc4c8601ec8cu);
}

}  // namespace
}  // namespace residua
