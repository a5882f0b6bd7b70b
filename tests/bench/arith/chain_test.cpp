#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <bench/arith/chain.hpp>

namespace residua {
namespace {

struct chain_kind {
    chain_function function;
    int terms;
};

std::vector<chain_kind> all_kinds()
{
    std::vector<chain_kind> all;
    for (const bool products : {false, true}) {
        for (const chain_function f : chain_functions(products)) {
            for (const int terms : chain_terms) {
                all.push_back({f, terms});
            }
        }
    }
    return all;
}

class bench_chain_test : public testing::TestWithParam<chain_kind> {
protected:
    chain_pool pool{is_product(GetParam().function), GetParam().terms, 1};
};

TEST_P(bench_chain_test, ends_within_its_bound_of_what_mpfr_has)
{
    const auto [f, terms] = GetParam();
    const int links = chain_links(terms);
    for (const index_t i : {index_t{0}, index_t{1}, index_t{chain_pool_size + 5}, index_t{1000000}}) {
        const chain_end end = run_chain(f, pool, i, links);

        const real error = abs(exact_sum(end.terms) - exact_chain(f, pool, i, links)) / real(chain_largest);
        EXPECT_LE(error, chain_error_bound(f, terms, links)) << "chain " << i;
        EXPECT_LE(error, ldexp(real(1.0), 12 - 50L * terms)) << "chain " << i;  // fast sums have no other bound
    }
}

TEST_P(bench_chain_test, keeps_its_size_and_nearly_all_terms)
{
    const auto [f, terms] = GetParam();
    for (const int links : {2, 4, chain_links(terms)}) {
        const chain_end end = run_chain(f, pool, 7, links);

        EXPECT_GT(end.terms.front(), chain_largest / 8.0);
        EXPECT_LT(end.terms.front(), chain_largest);
        EXPECT_LE(std::count(end.terms.begin(), end.terms.end(), 0.0), terms / 8);  // products of digits end earlier
    }
}

TEST_P(bench_chain_test, counts_what_a_link_costs)
{
    const auto [f, terms] = GetParam();
    const chain_end end = run_chain(f, pool, 3, chain_links(terms));

    EXPECT_GE(end.cost.flops, is_product(f) ? 4.0 * terms : 10.0 * terms);
    EXPECT_LE(end.cost.flops, 120.0 * terms * terms);
    EXPECT_EQ(is_on_lanes(f), end.cost.shuffles > 0.0);
    EXPECT_EQ(is_on_lanes(f) && (f != chain_function::fast_lane_sum || terms > 4), end.cost.votes > 0.0);
}

INSTANTIATE_TEST_SUITE_P(all, bench_chain_test, testing::ValuesIn(all_kinds()), [](const auto& each) {
    std::string name(to_string(each.param.function));
    std::replace(name.begin(), name.end(), ' ', '_');
    return (is_product(each.param.function) ? "product_" : "sum_") + name + "_" + std::to_string(each.param.terms);
});

TEST(bench_chain, takes_operands_in_changing_company)
{
    const chain_pool pool(false, 2, 1);
    const chain_end one = run_chain(chain_function::sum, pool, 0, 2);

    EXPECT_EQ(one.terms, run_chain(chain_function::sum, pool, 0, 2).terms);
    EXPECT_NE(one.terms, run_chain(chain_function::sum, pool, 1, 2).terms);
    EXPECT_NE(one.terms, run_chain(chain_function::sum, pool, chain_pool_size, 2).terms);
    EXPECT_NE(one.terms, run_chain(chain_function::sum, chain_pool(false, 2, 2), 0, 2).terms);
}

}  // namespace
}  // namespace residua
