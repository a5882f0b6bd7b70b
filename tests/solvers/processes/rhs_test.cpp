#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>
#include <residua/arith/multidigit/real.hpp>
#include <residua/solvers/matrix/named_rhs.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/processes/matrix_part.hpp>
#include <residua/solvers/serve.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/long_vector.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/solvers/processes/shared_solves.hpp"

// Right-hand sides that processes have in pieces: each number has the bits that one process gives it, and so have x and the
// figures of a solve.
namespace residua {
namespace {

using namespace support;
using kind = named_rhs::kind;

const std::vector<named_rhs> names{
    {kind::row_sums}, {kind::ones}, {kind::random, 7}, {kind::unit, 0}, {kind::unit, 2400}};

std::vector<real> whole_of(const linear_system& a, const named_rhs& rhs)
{
    return rhs.what == kind::row_sums ? row_sums(a) : numbers_of(rhs, 0, a.rows);
}

/// A matrix whose rows have sums of 100 bits and less.
linear_system with_long_sums(index_t side)
{
    linear_system a = system_of(convection(side));
    for (std::size_t k = 0; k < a.values.size(); k += 7) {
        a.values.own()[k] += 0x1p-30 / 3.0;
    }
    return a;
}

std::vector<real> numbers_of_lengths(index_t n)
{
    std::vector<real> v;
    for (index_t i = 0; i < n; ++i) {
        v.push_back(real(static_cast<double>(i % 17) - 8.0, 60 + i) / real(7.0, 60 + i));
    }
    return v;
}

void expect_same(const number_part& found, const std::vector<real>& expected)
{
    const long_vector whole = long_vector::exactly(expected);
    EXPECT_EQ(found.own().format().bits(), whole.bits());
    for (index_t i = 0; i < found.own().size(); ++i) {
        EXPECT_TRUE(to_real(found.own().get(i)) == expected[static_cast<std::size_t>(found.first() + i)]) << i;
    }
}

/// The result of a solve that leaves x in pieces, with x here.
solve_result with_x_here(solve_result result)
{
    EXPECT_TRUE(result.x.empty());
    EXPECT_TRUE(result.x_in_pieces != nullptr);
    result.x = result.x_in_pieces->numbers();
    return result;
}

void expect_same_precision(const std::vector<real>& found, const std::vector<real>& expected)
{
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                           [](const real& a, const real& b) { return a.precision() == b.precision(); }));
}

}  // namespace

TEST(named_rhs, has_in_each_row_the_number_that_comes_in_its_order)
{
    splitmix64 random{41};
    std::vector<double> drawn(300);
    std::generate(drawn.begin(), drawn.end(), [&] { return uniform(random); });
    for (const index_t first : {0, 1, 77, 299, 300}) {
        const std::vector<real> found = numbers_of({kind::random, 41}, first, 300 - first);
        const std::vector<real> unit = numbers_of({kind::unit, 77}, first, 300 - first);
        ASSERT_EQ(found.size(), static_cast<std::size_t>(300 - first));
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_TRUE(found[i] == real(drawn[static_cast<std::size_t>(first) + i])) << first + i;
            EXPECT_TRUE(unit[i] == real(static_cast<std::size_t>(first) + i == 77 ? 1.0 : 0.0)) << first + i;
        }
    }
}

TEST(number_part, exactly_has_the_numbers_and_the_bits_of_the_whole)
{
    const index_t n = 700;
    const std::vector<real> all_numbers = numbers_of_lengths(n);
    std::vector<real> far = all_numbers;
    far[100] = ldexp(real(1.0), 1L << 21);  // multi-digit floats do not hold it
    for (const index_t count : {1, 2, 3, 7}) {
        const partition rows = partition::even(n, 32, count);
        run_processes(count, [&](thread_process& all) {
            const auto own = [&](const std::vector<real>& of) {
                return std::vector<real>(of.begin() + rows.first(all.rank()), of.begin() + rows.last(all.rank()));
            };
            const std::optional<number_part> found = number_part::exactly(all, rows, own(all_numbers));
            ASSERT_TRUE(found);
            expect_same(*found, all_numbers);
            EXPECT_FALSE(number_part::exactly(all, rows, own(far)));
        });
    }
}

TEST(matrix_part, makes_right_hand_sides_where_the_rows_are)
{
    const linear_system a = with_long_sums(50);
    for (const index_t count : {1, 2, 3, 7}) {
        run_processes(count, [&](thread_process& all) {
            const matrix_part part =
                matrix_part::hand_out(all, partition::even(a.rows, 32, count), all.rank() == 0 ? &a : nullptr);
            for (const named_rhs& each : names) {
                const std::optional<number_part> found = part.named(each);
                ASSERT_TRUE(found);
                expect_same(*found, whole_of(a, each));
            }
        });
    }
}

TEST(solve_in_pieces, has_the_bits_and_the_figures_of_one_process)
{
    linear_system a = with_long_sums(50);
    for (const named_rhs& each : names) {
        a.b = whole_of(a, each);
        solve_options options = options_of(method::bicgstab, preconditioner::jacobi, 106, 60);
        const solve_result expected = solve(a, options);
        for (const index_t count : {2, 3}) {
            SCOPED_TRACE(std::to_string(static_cast<int>(each.what)) + " on " + std::to_string(count));
            run_with(count, [&](processes& all) {
                options.processes = &all;
                linear_system shared = share_rows(all, a);
                EXPECT_TRUE(make_rhs(shared, each));
                EXPECT_TRUE(shared.b.empty());
                EXPECT_TRUE(norm2_in_order(*shared.b_in_pieces) == norm2(a.b));
                const solve_result found = with_x_here(solve(shared, options));
                expect_equal(found, expected);
                expect_same_precision(found.x, expected.x);
                EXPECT_TRUE(found.report.rhs_norm == expected.report.rhs_norm);
                EXPECT_TRUE(found.report.componentwise_backward_error == expected.report.componentwise_backward_error);
                return code;
            });
        }
    }
}

TEST(solve_in_pieces, takes_a_right_hand_side_that_is_handed_out)
{
    linear_system a = system_of(poisson_2d(60));
    std::vector<real> far(static_cast<std::size_t>(a.rows), real(1.0));
    far.back() = ldexp(real(1.0), 1L << 21);
    solve_options digits = options_of(method::cg, preconditioner::jacobi, 0);
    digits.digits = 30;  // factors need the whole
    for (const auto& [b, options] :
         {std::pair(numbers_of_lengths(a.rows), options_of(method::cg, preconditioner::jacobi, 106)),
          std::pair(far, options_of(method::cg, preconditioner::jacobi, 106, 20)),
          std::pair(numbers_of_lengths(a.rows), digits)}) {
        a.b = b;
        const solve_result expected = solve(a, options);
        run_with(3, [&, b = b, with = options](processes& all) mutable {
            with.processes = &all;
            linear_system shared = share_rows(all, a);
            share_rhs(shared);
            EXPECT_EQ(shared.b.empty(), b.back() < real(100.0));
            const solve_result found = solve(shared, with);
            EXPECT_EQ(found.x.empty(), shared.b.empty() && with.digits == 0);
            expect_equal(found.x.empty() ? with_x_here(found) : found, expected);
            return code;
        });
    }
}

TEST(solve_in_pieces, takes_a_guess_that_is_handed_out)
{
    linear_system a = system_of(poisson_2d(60));
    a.b = numbers_of_lengths(a.rows);
    std::vector<real> guess = numbers_of_lengths(a.rows), far = guess;
    std::reverse(guess.begin(), guess.end());
    far.back() = ldexp(real(1.0), 1L << 21);
    solve_options digits = options_of(method::cg, preconditioner::jacobi, 0);
    digits.digits = 30;  // factors need the whole
    for (const auto& [options, waits] :
         {std::pair(options_of(method::cg, preconditioner::jacobi, 106), true),
          std::pair(options_of(method::bicgstab, preconditioner::none, 424, 5), true), std::pair(digits, false)}) {
        solve_options whole = options;
        whole.initial_guess = guess;
        const solve_result expected = solve(a, whole);
        for (const index_t count : {2, 3}) {
            run_with(count, [&, with = options, stays = waits](processes& all) {
                solve_options given = with;
                given.processes = &all;
                linear_system shared = share_rows(all, a);
                EXPECT_EQ(share_numbers(shared, far), nullptr);
                given.guess_in_pieces = {share_numbers(shared, guess)};
                EXPECT_TRUE(given.guess_in_pieces.front()->numbers() == long_vector::exactly(guess).numbers());
                EXPECT_TRUE(given.has_guess());
                expect_equal(solve(shared, given), expected);  // b is whole
                share_rhs(shared);
                const solve_result found = solve(shared, given);
                EXPECT_EQ(found.x.empty(), stays);
                expect_equal(found.x.empty() ? with_x_here(found) : found, expected);
                solver by(share_rows(all, a), given);
                EXPECT_THROW((void)by.solve(std::vector<std::vector<real>>{a.b, a.b}), dimension_error);
                given.initial_guess = guess;
                EXPECT_THROW((void)solve(shared, given), unsupported_error);
                given.initial_guess.clear();
                solve_options ended = given;
                ended.interrupted = [] { return true; };
                const solve_result kept = solve(shared, ended);
                EXPECT_EQ(kept.report.status, solve_status::interrupted);
                EXPECT_TRUE((kept.x_in_pieces != nullptr ? kept.x_in_pieces->numbers() : kept.x) == guess);
                const linear_system other = share_rows(all, system_of(poisson_2d(50)));
                EXPECT_THROW((void)solve(other, given), dimension_error);
                return code;
            });
        }
    }
}

TEST(solve_in_pieces, takes_several_right_hand_sides_and_their_guesses)
{
    linear_system a = system_of(poisson_2d(60));
    std::vector<std::vector<real>> columns{numbers_of_lengths(a.rows), numbers_of({kind::random, 5}, 0, a.rows),
                                           std::vector<real>(static_cast<std::size_t>(a.rows), real(0.0)), row_sums(a)};
    std::vector<std::vector<real>> guesses(columns.rbegin(), columns.rend());
    solve_options digits = options_of(method::cg, preconditioner::jacobi, 0);
    digits.digits = 30;  // factors need the whole
    for (const auto& [options, stays] :
         {std::pair(options_of(method::cg, preconditioner::jacobi, 106), true),
          std::pair(options_of(method::bicgstab, preconditioner::none, 424, 5), true), std::pair(digits, false)}) {
        for (const bool guessed : {false, true}) {
            solve_options whole = options;
            for (const std::vector<real>& each : guessed ? guesses : std::vector<std::vector<real>>()) {
                whole.initial_guess.insert(whole.initial_guess.end(), each.begin(), each.end());
            }
            const std::vector<solve_result> expected = solver(a, whole).solve(columns);
            for (const index_t count : {1, 2, 3, 4, 7}) {
                SCOPED_TRACE(std::to_string(guessed) + " on " + std::to_string(count));
                run_with(count, [&, asked = options, in_pieces = stays && count > 1](processes& all) {
                    solve_options with = asked;
                    with.processes = &all;
                    const linear_system shared = share_rows(all, a);
                    std::vector<std::shared_ptr<const long_vector>> given;
                    for (std::size_t j = 0; j < columns.size(); ++j) {
                        given.push_back(share_numbers(shared, columns[j]));
                        if (guessed) {
                            with.guess_in_pieces.push_back(share_numbers(shared, guesses[j]));
                        }
                    }
                    solver by(shared, with);
                    const std::vector<solve_result> found = by.solve_in_pieces(given);
                    EXPECT_EQ(found.size(), expected.size());
                    for (std::size_t j = 0; j < std::min(found.size(), expected.size()); ++j) {
                        expect_equal(in_pieces ? with_x_here(found[j]) : found[j], expected[j]);
                    }
                    return code;
                });
            }
        }
    }
}

TEST(solve_in_pieces, refuses_columns_and_guesses_that_are_not_there)
{
    const linear_system a = system_of(poisson_2d(60));
    const std::vector<real> b = numbers_of_lengths(a.rows);
    run_with(2, [&](processes& all) {
        const linear_system shared = share_rows(all, a), other = share_rows(all, system_of(poisson_2d(50)));
        solve_options options = options_of(method::cg, preconditioner::jacobi, 106, 3);
        options.processes = &all;
        const std::shared_ptr<const long_vector> held = share_numbers(shared, b);
        EXPECT_THROW((void)share_numbers(other, b), dimension_error);
        EXPECT_TRUE(solver(shared, options).solve_in_pieces({}).empty());
        EXPECT_THROW((void)solver(shared, options).solve_in_pieces({held, nullptr}), dimension_error);
        EXPECT_THROW((void)solver(other, options).solve_in_pieces({held}), dimension_error);
        for (const auto& guess :
             {held, std::shared_ptr<const long_vector>(), share_numbers(other, {b.begin(), b.begin() + 2500})}) {
            options.guess_in_pieces = {held, guess};
            EXPECT_THROW((void)solver(shared, options).solve_in_pieces({held}), dimension_error);
            if (guess != held) {
                EXPECT_THROW((void)solver(shared, options).solve_in_pieces({held, held}), dimension_error);
            }
        }
        options.guess_in_pieces = {held, share_numbers(shared, numbers_of({kind::ones}, 0, a.rows))};
        options.interrupted = [] { return true; };  // then x is the guess
        const std::vector<solve_result> found = solver(shared, options).solve_in_pieces({held, held});
        EXPECT_EQ(found.back().report.status, solve_status::interrupted);
        EXPECT_TRUE(with_x_here(found.front()).x == held->numbers());
        EXPECT_TRUE(with_x_here(found.back()).x == numbers_of({kind::ones}, 0, a.rows));
        return code;
    });
}

TEST(solve_in_pieces, gives_x_in_the_bits_of_any_precision)
{
    linear_system a = system_of(poisson_2d(50));
    a.b = row_sums(a);
    for (const long bits : {53L, 106L, 848L}) {
        for (const index_t iterations : {index_t{0}, index_t{5}}) {
            solve_options options = options_of(method::cg, preconditioner::jacobi, bits, iterations);
            const solve_result expected = solve(a, options);
            run_with(2, [&](processes& all) {
                options.processes = &all;
                linear_system shared = share_rows(all, a);
                share_rhs(shared);
                const solve_result found = with_x_here(solve(shared, options));
                expect_equal(found, expected);
                expect_same_precision(found.x, expected.x);
                return code;
            });
        }
    }
}

TEST(numbers_elsewhere, come_and_are_replaced_some_at_a_time)
{
    const linear_system a = system_of(poisson_2d(400));  // more rows of a process than come at a time
    const std::vector<real> expected = numbers_of({kind::random, 3}, 0, a.rows);
    run_with(2, [&](processes& all) {
        linear_system shared = share_rows(all, a);
        EXPECT_TRUE(make_rhs(shared, {kind::random, 3}));
        const long_vector& b = *shared.b_in_pieces;
        EXPECT_TRUE(b.numbers() == expected);
        index_t parts = 0, next = 0;
        b.for_each_part([&](index_t first, const std::vector<real>& part) {
            EXPECT_EQ(first, next);
            next += static_cast<index_t>(part.size());
            ++parts;
        });
        EXPECT_EQ(next, a.rows);
        EXPECT_GT(parts, 2);
        const auto doubled = b.elsewhere()->mapped(150, [](const numbers_elsewhere::numbers& piece) {
            std::vector<real> part = long_vector(host_executor{}, piece, 64).numbers();
            for (real& each : part) {
                each = ldexp(each, 1) + real(0x1p-100, 150);
            }
            long_vector result = long_vector::exactly(part);
            result.hold_in(150);
            return *result.on(host_executor{});
        });
        const std::vector<real> found = long_vector(doubled, 150).numbers();
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_TRUE(found[i] == ldexp(expected[i], 1).with_precision(150) + real(0x1p-100, 150)) << i;
        }
        EXPECT_THROW((void)b.elsewhere()->mapped(150, [](numbers_elsewhere::numbers piece) { return piece; }),
                     dimension_error);  // of another format
        return code;
    });
}

TEST(numbers_elsewhere, others_go_on_where_a_function_of_the_caller_throws)
{
    const linear_system a = system_of(poisson_2d(60));
    run_with(3, [&](processes& all) {
        linear_system shared = share_rows(all, a);
        EXPECT_TRUE(make_rhs(shared, {kind::ones}));
        const long_vector& b = *shared.b_in_pieces;
        int parts = 0;
        const auto fail = [&](index_t, const std::vector<real>&) {
            if (++parts == 2) {
                throw std::runtime_error("no more");
            }
        };
        EXPECT_THROW(b.for_each_part(fail), std::runtime_error);
        EXPECT_THROW((void)b.elsewhere()->mapped(64,
                                                 [](const numbers_elsewhere::numbers&) -> numbers_elsewhere::numbers {
                                                     throw std::runtime_error("no");
                                                 }),
                     std::runtime_error);
        EXPECT_TRUE(b.numbers() == numbers_of({kind::ones}, 0, a.rows));
        return code;
    });
}

}  // namespace residua
