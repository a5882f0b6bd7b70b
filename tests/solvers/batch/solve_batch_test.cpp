// Batches of small systems: what a verdict claims is true of x, by Eigen over MPFR.
#include "tests/solvers/batch/batch_systems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <residua/io/team.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/blas/level3/batches.hpp"
#include "tests/support/eigen_reference.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long reference_bits = 1500;

real value_of(const batch_solution& found, index_t s, index_t i)
{
    real sum(0.0, reference_bits);
    for (int k = 0; k < found.terms; ++k) {
        sum = sum + real(found.x[static_cast<std::size_t>((s * found.n + i) * found.terms + k)]);
    }
    return sum;
}

/// The claims of all verdicts; returns how many systems are solved.
template <class Value>
index_t expect_true_claims(const owned_batch<Value>& systems, const batch_solution& found, const std::string& what)
{
    index_t solved = 0;
    for (index_t s = 0; s < systems.count; ++s) {
        const batch_verdict& v = found.verdicts[static_cast<std::size_t>(s)];
        solved += v.status == batch_status::solved ? 1 : 0;
        if (v.digits == 0) {
            EXPECT_NE(v.status, batch_status::solved) << what << ", system " << s;
            continue;
        }
        const auto one = systems.at(s);
        const dense_view<Value> a{one.n, one.n, one.a, storage_order::row_major, 0};
        const std::vector<real> exact = eigen_reference(make_system(a, one.b), reference_bits);
        real error(0.0, reference_bits), size(0.0, reference_bits);
        for (index_t i = 0; i < one.n; ++i) {
            error = std::max(error, abs(value_of(found, s, i) - exact[static_cast<std::size_t>(i)]));
            size = std::max(size, abs(exact[static_cast<std::size_t>(i)]));
        }
        EXPECT_TRUE(error <= size * real(v.error))
            << what << ", system " << s << ": " << to_double(error / size) << " and " << v.error;
        EXPECT_TRUE(error <= size * pow(real(10.0, 256), -v.digits)) << what << ", system " << s << ": " << v.digits;
    }
    EXPECT_EQ(found.solved, solved) << what;
    EXPECT_EQ(found.solved + found.singular + found.failed, systems.count) << what;
    return solved;
}

template <class Value>
struct solve_batch_test : testing::Test {
    biased_random random;
};
TYPED_TEST_SUITE(solve_batch_test, batch_formats);

}  // namespace

TYPED_TEST(solve_batch_test, digits_that_are_claimed_are_true_and_those_asked_for_are_reached)
{
    using Value = TypeParam;
    constexpr int terms = number_traits<Value>::terms;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 2, 3, 8, 13}) {
        const auto systems = falling_systems<Value>(this->random, n, 41, n == 1 ? 30 : 50 * terms);
        for (const int digits : {0, 14, 15, 30, 46, 62}) {
            batch_options options;
            options.digits = digits;
            const batch_solution found = solve_batch(systems.view(), options);
            const std::string what = "n " + std::to_string(n) + ", digits " + std::to_string(digits);
            const index_t solved = expect_true_claims(systems, found, what);
            EXPECT_EQ(solved + found.singular, systems.count) << what;
            EXPECT_LE(found.singular, systems.count / 8) << what;
            for (const batch_verdict& v : found.verdicts) {
                EXPECT_TRUE(v.status != batch_status::solved || v.digits >= digits) << what;
            }
        }
    }
}

TYPED_TEST(solve_batch_test, a_given_precision_claims_what_it_has)
{
    using Value = TypeParam;
    constexpr int terms = number_traits<Value>::terms;
    SCOPED_TRACE(this->random.trace());
    for (int given = terms; given <= 4; ++given) {
        const auto systems = falling_systems<Value>(this->random, 6, 40, 55 * terms);
        batch_options options;
        options.precision_bits = 53 * given;
        options.one_by_one = false;
        const batch_solution found = solve_batch(systems.view(), options);
        EXPECT_EQ(found.terms, given);
        EXPECT_EQ(found.one_by_one, 0);
        expect_true_claims(systems, found, std::to_string(given) + " terms");
        EXPECT_EQ(found.verdicts[0].status, batch_status::solved);
        EXPECT_EQ(found.verdicts[0].factor_bits, 53 * given);
        for (const batch_verdict& v : found.verdicts) {
            EXPECT_TRUE(v.factor_bits == 53 * given || v.factor_bits == 0);
        }
    }
}

TYPED_TEST(solve_batch_test, a_system_has_the_same_bits_wherever_it_lies_and_for_any_number_of_threads)
{
    using Value = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const index_t n = 5, count = 70;
    const auto systems = falling_systems<Value>(this->random, n, count, 52 * number_traits<Value>::terms);
    batch_options options;
    options.digits = 15 * number_traits<Value>::terms;
    options.threads = 4;
    const batch_solution found = solve_batch(systems.view(), options);
    options.threads = 1;
    for (const index_t s : {0, 1, 9, 33, 61, 69}) {
        const auto one = systems.at(s);
        expect_same(found, s, solve_batch(one.view(), options), 0, "system " + std::to_string(s));
    }
    owned_batch<Value> by_columns = systems;
    for (index_t s = 0; s < count; ++s) {
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < i; ++j) {
                std::swap(by_columns.entry(s, i, j), by_columns.entry(s, j, i));
            }
        }
    }
    const batch_solution other = solve_batch(by_columns.view(storage_order::column_major), options);
    for (index_t s = 0; s < count; ++s) {
        expect_same(found, s, other, s, "by columns, system " + std::to_string(s));
    }
}

TYPED_TEST(solve_batch_test, what_has_no_solution_is_said_by_system_and_disturbs_no_other)
{
    using Value = TypeParam;
    SCOPED_TRACE(this->random.trace());
    auto systems = falling_systems<Value>(this->random, 4, 12, 10);
    for (index_t j = 0; j < 4; ++j) {
        systems.entry(3, 2, j) = systems.entry(3, 0, j);  // two equal rows
        systems.entry(5, 1, j) = Value{0.0};              // a row of zeros
    }
    systems.entry(7, 1, 1) = Value{std::numeric_limits<double>::quiet_NaN()};
    systems.b[8 * 4 + 3] = Value{std::numeric_limits<double>::infinity()};
    for (index_t i = 0; i < 4; ++i) {
        systems.b[static_cast<std::size_t>(9 * 4 + i)] = Value{0.0};
        for (index_t j = 0; j < 4; ++j) {  // rows of all sizes; binary64 has 2^1023 and 2^-1022
            systems.entry(10, i, j) = Value{residua::ldexp(systems.entry(10, i, j), i == 0 ? 1000 : i == 1 ? -800 : 0)};
        }
        systems.b[static_cast<std::size_t>(11 * 4 + i)] = Value{residua::ldexp(Value{1.0}, -1010)};
    }
    systems.entry(11, 0, 0) = systems.entry(11, 0, 0) + Value{4.0};
    const batch_solution found = solve_batch(systems.view(), {});

    const auto status = [&](std::size_t s) { return found.verdicts[s].status; };
    EXPECT_EQ(status(3), batch_status::singular);
    EXPECT_EQ(status(5), batch_status::singular);
    EXPECT_EQ(status(7), batch_status::failed);
    EXPECT_EQ(status(8), batch_status::failed);
    EXPECT_EQ(status(11), batch_status::failed);  // no room for the last terms of x
    for (const std::size_t s : {0, 1, 2, 4, 6, 9, 10}) {
        EXPECT_EQ(status(s), batch_status::solved) << s;
    }
    for (const index_t s : {3, 5, 7, 8}) {
        EXPECT_TRUE(std::isnan(found.x[static_cast<std::size_t>(s * 4 * found.terms)])) << s;
    }
    for (index_t i = 0; i < 4; ++i) {
        EXPECT_EQ(found.x[static_cast<std::size_t>((9 * 4 + i) * found.terms)], 0.0);
    }
    EXPECT_EQ(found.verdicts[9].error, 0.0);
    systems.count = 7;  // what follows has no reference
    systems.a.resize(7 * 16);
    systems.b.resize(7 * 4);
    batch_solution first = found;
    first.solved = 5;
    first.singular = 2;
    first.failed = 0;
    expect_true_claims(systems, first, "the first");
}

TYPED_TEST(solve_batch_test, few_unknowns_have_the_bits_of_the_direct_method)
{
    using T = TypeParam;
    if constexpr (number_traits<T>::terms > 1) {  // of binary64 the factors are the machine's library's
        SCOPED_TRACE(this->random.trace());
        for (index_t n = 1; n <= 8; ++n) {
            const systems_of<T> x = random_systems<T>(this->random, n, 9, false);
            const host_results<T> found(x);
            for (index_t s = 0; s < 9; ++s) {
                matrix<host_executor, T> a(n, n);
                vector<host_executor, T> b(n);
                for (index_t i = 0; i < n; ++i) {
                    b.set(i, x.b.view()[s].load(i));
                    for (index_t j = 0; j < n; ++j) {
                        a.set(i, j, x.get(s, i, j));
                    }
                }
                const dense_factors<host_space<T>> one(host_space<T>{}, a, false);
                ASSERT_EQ(one.failure().empty(), found.info[static_cast<std::size_t>(s)] == 0);
                if (!one.failure().empty()) {
                    continue;
                }
                one.solve(b);
                for (index_t i = 0; i < n; ++i) {
                    EXPECT_EQ(one.pivots()[static_cast<std::size_t>(i)] + 1,
                              found.pivots[static_cast<std::size_t>(s * n + i)]);
                    for (int k = 0; k < number_traits<T>::terms; ++k) {
                        EXPECT_EQ(to_bits(b.get(i).t[k]), to_bits(found.factors.b.view()[s].load(i).t[k]))
                            << n << ' ' << s;
                        for (index_t j = 0; j < n; ++j) {
                            EXPECT_EQ(to_bits(one.factors().get(i, j).t[k]), to_bits(found.factors.get(s, i, j).t[k]))
                                << n << ' ' << s;
                        }
                    }
                }
            }
        }
    }
}

TEST(solve_batch, systems_that_no_batch_can_bound_go_to_solve)
{
    // system 1 has ones on its diagonal and -32 beside them: the norm of its inverse is about 2^(5 51)
    owned_batch<double> hard{52, 2, std::vector<double>(2 * 52 * 52), std::vector<double>(2 * 52, 1.0)};
    for (index_t i = 0; i < 52; ++i) {
        for (index_t j = 0; j < 52; ++j) {
            hard.entry(0, i, j) = i == j ? 2.0 : 1.0 / static_cast<double>(i + j + 2);
            hard.entry(1, i, j) = i == j ? 1.0 : j == i + 1 ? -32.0 : 0.0;
        }
    }
    batch_options options;
    options.digits = 20;
    const batch_solution found = solve_batch(hard.view(), options);
    EXPECT_EQ(found.one_by_one, 1);
    EXPECT_FALSE(found.verdicts[0].one_by_one);
    EXPECT_TRUE(found.verdicts[1].one_by_one);
    EXPECT_EQ(expect_true_claims(hard, found, "hard"), 2);
    options.one_by_one = false;
    const batch_solution without = solve_batch(hard.view(), options);
    EXPECT_EQ(without.one_by_one, 0);
    EXPECT_EQ(without.failed, 1);
}

TEST(solve_batch, refuses_what_it_cannot_serve)
{
    const std::vector<double> a(65 * 65, 1.0), b(65, 1.0);
    const std::span<const double> all(a), right(b);
    EXPECT_THROW(solve_batch(dense_batch<double>{65, 1, all, right}), unsupported_error);
    EXPECT_THROW(solve_batch(dense_batch<double>{2, 2, all.first(7), right.first(4)}), dimension_error);
    EXPECT_THROW(solve_batch(dense_batch<double>{2, 2, all.first(8), right.first(3)}), dimension_error);
    EXPECT_THROW(solve_batch(dense_batch<double>{0, 2, {}, {}}), dimension_error);
    const dense_batch<double> one{1, 1, all.first(1), right.first(1)};
    EXPECT_THROW(solve_batch(one, {.digits = 63}), unsupported_error);
    EXPECT_THROW(solve_batch(one, {.precision_bits = 100}), unsupported_error);
    EXPECT_THROW(solve_batch(one, {.precision_bits = 265}), unsupported_error);
    EXPECT_THROW(solve_batch(one, {.digits = 31, .precision_bits = 53}), unsupported_error);
    const std::vector<expansion<double, 3>> x{expansion<double, 3>{1.0}};
    EXPECT_THROW(solve_batch(dense_batch<expansion<double, 3>>{1, 1, x, x}, {.precision_bits = 106}),
                 unsupported_error);
    EXPECT_EQ(solve_batch(dense_batch<double>{3, 0, {}, {}}).verdicts.size(), 0u);
    if (cuda_devices().empty()) {
        EXPECT_THROW(solve_batch(one, {.executor = executor::cuda}), resource_error);
    }
    EXPECT_THROW((solve_batch(one).get<double>(0, 0)), dimension_error);
    EXPECT_EQ((solve_batch(one).get<expansion<double, 2>>(0, 0).t[0]), 1.0);
}
