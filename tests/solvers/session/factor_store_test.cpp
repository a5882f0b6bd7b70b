// What a store keeps of factors, what it gives up, and what it says of the condition.
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/session/factor_store.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// A symmetric matrix and its factors.
class factored {
public:
    explicit factored(linear_system system) : system_(std::move(system)), matrix_(scale(system_, true)) {}

    void make_binary64()
    {
        store.keep_binary64(make_binary64_level(system_, matrix_, preconditioner::lu, true, analyses_));
    }
    const factor_level& make(long bits)
    {
        return store.keep(bits, make_long_level(system_, matrix_, factors_in(bits), {}));
    }
    std::optional<known_condition> condition_for_report() const { return store.condition_for_report(system_, matrix_); }
    const inverse_operator* inverse() { return store.trusted_inverse(matrix_); }

    factor_store store;

private:
    linear_system system_;
    scaled_matrix matrix_;
    sparse_analyses analyses_;
};

/// [1, 1; 1, 1 + 2^-100], of condition 2^102
linear_system nearly_singular()
{
    const real one(1.0, 200);
    return make_system(io::coo<real>{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {one, one, one, one + ldexp(one, -100)}}, {});
}

}  // namespace

TEST(factor_store_test, is_empty_at_first)
{
    factored a(system_of(scaled_hilbert(5)));
    EXPECT_FALSE(a.store.binary64().factors.exist());
    EXPECT_EQ(a.store.bits(), std::vector<long>());
    EXPECT_EQ(a.store.trusted_bits(), 0);
    EXPECT_EQ(a.store.condition(), nullptr);
    EXPECT_EQ(a.inverse(), nullptr);
    EXPECT_FALSE(a.condition_for_report().has_value());
    EXPECT_FALSE(a.store.release("nothing"));
}

TEST(factor_store_test, binary64_suffices_for_a_small_condition)
{
    factored a(system_of(scaled_hilbert(5)));  // 5e5
    a.make_binary64();
    EXPECT_TRUE(a.store.binary64().trusted());
    EXPECT_EQ(a.store.trusted_bits(), 53);
    EXPECT_NE(a.inverse(), nullptr);
    EXPECT_EQ(a.condition_for_report()->source, condition_source::factors);
}

TEST(factor_store_test, the_lowest_precision_that_suffices_is_trusted)
{
    factored a(system_of(scaled_hilbert(16)));  // 1e22
    a.make_binary64();
    EXPECT_TRUE(a.store.binary64().factors.exist());
    EXPECT_FALSE(a.store.binary64().trusted());
    EXPECT_EQ(a.condition_for_report()->source, condition_source::lower_bound);
    EXPECT_LE(a.condition_for_report()->value, real(1e20));

    EXPECT_TRUE(a.make(212).trusted());
    EXPECT_EQ(a.store.trusted_bits(), 212);
    EXPECT_TRUE(a.make(106).trusted());
    EXPECT_EQ(a.store.trusted_bits(), 106);
    EXPECT_EQ(a.store.bits(), (std::vector<long>{53, 106, 212}));
    EXPECT_EQ(a.store.condition(), &*a.store.find(106)->condition);
    EXPECT_EQ(a.inverse(), &*a.store.find(106)->inverse);
    EXPECT_EQ(a.condition_for_report()->source, condition_source::factors);
    EXPECT_GE(a.condition_for_report()->value, real(1e20));

    a.store.give_up_below(212);
    EXPECT_NE(a.store.find(106), nullptr) << "they suffice";
}

TEST(factor_store_test, factors_that_do_not_suffice_are_given_up_for_longer_ones)
{
    factored a(nearly_singular());
    EXPECT_FALSE(a.make(106).trusted());
    EXPECT_EQ(a.store.trusted_bits(), 0);
    EXPECT_EQ(a.store.condition(), nullptr);
    a.store.give_up_below(106);
    EXPECT_NE(a.store.find(106), nullptr);
    a.store.give_up_below(212);
    EXPECT_EQ(a.store.find(106), nullptr);
    EXPECT_EQ(a.store.bits(), std::vector<long>());
    EXPECT_TRUE(a.make(212).trusted());

    condition_estimate by_solves;
    by_solves.condition = real(5e30);
    a.store.set_condition(by_solves);
    EXPECT_EQ(a.condition_for_report()->source, condition_source::factors);
    ASSERT_TRUE(a.store.release("no room"));
    EXPECT_EQ(a.condition_for_report()->source, condition_source::solves);
    EXPECT_EQ(a.condition_for_report()->value, real(5e30));
}

TEST(factor_store_test, what_is_released_leaves_its_condition_and_a_reason)
{
    factored a(system_of(scaled_hilbert(5)));
    a.make_binary64();
    a.make(106);
    const real condition = a.store.condition()->condition;
    ASSERT_TRUE(a.store.release("no room"));
    EXPECT_EQ(a.store.bits(), std::vector<long>());
    EXPECT_EQ(a.store.trusted_bits(), 0);
    EXPECT_EQ(a.inverse(), nullptr);
    EXPECT_EQ(a.store.binary64().factors.failure(), "no room");
    EXPECT_EQ(a.store.facts().failure, "no room");
    EXPECT_FALSE(a.store.facts().available);
    ASSERT_NE(a.store.condition(), nullptr);
    EXPECT_EQ(a.store.condition()->condition, condition);
    EXPECT_FALSE(a.store.release("again"));
}

TEST(factor_store_test, the_transpose_shares_factors_and_has_its_own_condition)
{
    const linear_system a = system_of(from_rows({{1, 100, 0}, {0, 1, 0}, {2, 0, 1}}));
    const linear_system a_t = transpose(a);
    const scaled_matrix s = scale(a, false), s_t = scale_transposed(a_t, s);
    sparse_analyses analyses;
    factor_store store;
    store.keep_binary64(make_binary64_level(a, s, preconditioner::lu, true, analyses));
    const factor_store other = store.transposed(a_t, s_t);
    EXPECT_TRUE(other.binary64().trusted());
    EXPECT_TRUE(other.binary64().factors.is_transposed());
    EXPECT_EQ(other.binary64().factors.find_determinant(), store.binary64().factors.find_determinant());
    EXPECT_NE(other.condition()->condition, store.condition()->condition);  // of the 1-norm, and of the infinity norm
}
