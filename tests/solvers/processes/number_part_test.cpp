#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/matrix_storage.hpp>
#include <residua/solvers/processes/matrix_part.hpp>
#include <residua/solvers/processes/number_part.hpp>
#include <residua/solvers/processes/row_pieces.hpp>
#include <residua/solvers/space/exact_residual.hpp>
#include <residua/solvers/space/long_vector.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/support/thread_processes.hpp"

// Numbers in pieces: each number and each norm has the bits that the whole vector has on one process.
namespace residua {
namespace {

using namespace support;
using numbers = number_part::numbers;

/// n numbers of some 60 more bits than binary64 has, a few of them zeros or far from the others.
std::vector<real> random_numbers(biased_random& random, index_t n)
{
    std::vector<real> v;
    for (index_t i = 0; i < n; ++i) {
        const int size = random.one_in(20) ? 800 : 30;
        v.push_back(i > 0 && random.one_in(15)
                        ? real(0.0)
                        : real(random.full(-size, size), 200) * (real(1.0, 200) + real(random.full(-70, -60))));
    }
    return v;
}

/// The whole vector on the host.
const numbers& whole_of(long_vector& v) { return *v.on(host_executor{}); }

void expect_same(const number_part& found, long_vector expected)
{
    const numbers& whole = whole_of(expected);
    ASSERT_EQ(found.own().format().bits(), whole.format().bits());
    ASSERT_EQ(found.rows().n(), whole.size());
    const partition& rows = found.rows();
    for (index_t rank = 0; rank < rows.count(); ++rank) {
        for (index_t first = rows.first(rank); first < rows.last(rank); first += 64) {
            const numbers some = found.between(first, std::min<index_t>(first + 64, rows.last(rank)));
            for (index_t i = 0; i < some.size(); ++i) {
                EXPECT_TRUE(some.get(i) == whole.get(first + i)) << first + i;
            }
        }
    }
    for (index_t i = 0; i < found.own().size(); ++i) {
        const index_t row = found.first() + i;
        EXPECT_TRUE(found.own().get(i) == whole.get(row)) << row;
    }
}

/// f(all, rows) on each of so many processes, for rows that are cut at random; some pieces are empty.
template <class F>
void run_with_cuts(biased_random& random, index_t n, const F& f)
{
    for (const index_t count : {1, 2, 3, 4, 7}) {
        SCOPED_TRACE(std::to_string(n) + " numbers on " + std::to_string(count));
        const partition rows = random_partition(random, n, blas::block_of_sum<multidigit>(n), count);
        run_processes(count, [&](thread_process& all) { f(all, rows); });
    }
}

}  // namespace

TEST(number_part, has_the_bits_of_the_whole_vector)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t n : {1, 31, 500, 3000}) {
        long_vector x = long_vector::exactly(random_numbers(random, n));
        long_vector d = long_vector::exactly(random_numbers(random, n));
        ASSERT_FALSE(x.in_mpfr() || d.in_mpfr());
        d = d.rounded(106);
        run_with_cuts(random, n, [&](thread_process& all, const partition& rows) {
            const bool leads = all.rank() == 0;
            long_vector own_copy = x;  // of this thread
            long_vector own_d = d;
            const number_part part = number_part::hand_out(all, rows, leads ? &whole_of(own_copy) : nullptr);
            const number_part term = number_part::hand_out(all, rows, leads ? &whole_of(own_d) : nullptr);
            expect_same(part, own_copy);
            for (const long bits : {53L, 64L, 106L, 424L}) {
                const std::optional<number_part> rounded = part.rounded(bits);
                ASSERT_TRUE(rounded);
                long_vector expected = own_copy.rounded(bits);
                if (bits > own_copy.bits()) {
                    expected.hold_in(bits);
                }
                expect_same(*rounded, expected);
            }
            for (const long bits : {64L, 220L, 856L}) {
                expect_same(part.plus(term, bits), own_copy.plus(own_d, bits));
            }
            EXPECT_TRUE(to_real(part.norm2()).with_precision(64) == own_copy.norm2());
            EXPECT_TRUE(to_real(part.norm_inf()).with_precision(64) == own_copy.norm_inf());
            const number_part zeros = number_part::hand_out(all, rows, nullptr);
            expect_same(zeros, long_vector::zeros(n));
        });
    }
}

TEST(number_part, is_not_rounded_to_binary64_where_one_exponent_of_any_piece_is_beyond)
{
    std::vector<real> v(2000, real(1.0, 100));
    v[1900] = ldexp(real(1.0, 100), 1000);
    long_vector x = long_vector::exactly(v);
    biased_random random;
    run_with_cuts(random, 2000, [&](thread_process& all, const partition& rows) {
        long_vector own_copy = x;
        number_part part = number_part::hand_out(all, rows, all.rank() == 0 ? &whole_of(own_copy) : nullptr);
        numbers far = part.own();
        for (index_t i = 0; i < far.size(); ++i) {  // 2^1000 to the power of 2048
            for (int k = 0; k < 11; ++k) {
                far.set(i, far.get(i) * far.get(i));
            }
        }
        const number_part beyond(all, rows, std::move(far));
        EXPECT_TRUE(part.rounded(53));
        EXPECT_FALSE(beyond.rounded(53));
        EXPECT_TRUE(beyond.rounded(64));
    });
}

TEST(number_part, residuals_and_their_ratios_have_the_bits_of_the_whole_matrix)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t n : {1, 40, 3000}) {
        linear_system a;
        static_cast<sparse_matrix&>(a) = random_matrix(random, n, false);
        matrix_storage storage(a);
        residual_matrix exact = *residual_matrix::of(a, storage);
        long_vector b = long_vector::exactly(random_numbers(random, n));
        long_vector x = long_vector::exactly(random_numbers(random, n)).rounded(220);
        b.hold_in(220);
        x.hold_in(220);
        const residual_evaluation expected = evaluate_exactly(exact, b, x);
        const scaled_double ratio = largest_ratio(expected.r.leading(), residual_sizes(a, b.leading(), x.leading()));
        run_with_cuts(random, n, [&](thread_process& all, const partition& rows) {
            const bool leads = all.rank() == 0;
            const matrix_part part = matrix_part::hand_out(all, rows, leads ? &a : nullptr);
            long_vector own_b = b, own_x = x;
            const number_part b_part = number_part::hand_out(all, rows, leads ? &whole_of(own_b) : nullptr);
            const number_part x_part = number_part::hand_out(all, rows, leads ? &whole_of(own_x) : nullptr);
            const number_part r = part.residual(b_part, x_part);
            expect_same(r, expected.r);
            EXPECT_TRUE(to_real(part.largest_ratio(r, b_part, x_part)) == to_real(ratio));
        });
    }
}

}  // namespace residua
