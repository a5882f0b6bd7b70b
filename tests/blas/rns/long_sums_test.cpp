// Long sums of RNS floats where their order decides whether they hold their bounds.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/dense/ge_norm.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/rns/for_indices.hpp>

#include "tests/blas/rns/bounds.hpp"
#include "tests/support/biased_random.hpp"

namespace residua::support {
namespace {

const host_executor exec;

class rns_long_sums_test : public testing::TestWithParam<long> {};
INSTANTIATE_TEST_SUITE_P(bits, rns_long_sums_test, testing::Values(53, 106, 159, 424, 1734));

/// A number next to 1 and many that one rounding of it loses: from left to right nearly all of them would be lost, which is
/// some seventy times what the order of a long sum allows.
TEST_P(rns_long_sums_test, keep_their_bounds_where_sums_from_left_to_right_do_not)
{
    const rns_format format(GetParam());
    const index_t n = 4000;
    const real small = ldexp(real(0.45, 64), -format.precision_bits());
    const real sum = real(1.0, 8192) + small * real(static_cast<double>(n - 1));
    const real bound = gamma(roundings_of_sum(n), format) * sum;
    ASSERT_LT(bound, sum - real(1.0)) << "the test could not fail";

    vector<host_executor, rns> x(format, n), ones(format, n), y(format, 1);
    matrix<host_executor, rns> row(format, 1, n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, i == 0 ? rns_number(format, 1.0) : rns_number(format, small));
        ones.set(i, rns_number(format, 1.0));
        row.set(0, i, x.get(i));
    }

    const auto error = [&](const rns_number& computed) { return abs(to_real(computed) - sum); };
    EXPECT_LE(error(blas::dot<rns>(exec, x, ones)), bound);
    EXPECT_LE(error(blas::asum<rns>(exec, x)), bound);
    EXPECT_LE(error(blas::ge_norm<rns>(exec, blas::matrix_norm::infinity, row)),
              gamma(roundings_of_norm(n), format) * sum);
    blas::gemv<rns>(exec, blas::trans::no, rns_number(format, 1.0), row, ones, rns_number(format), y);
    EXPECT_LE(error(y.get(0)), gamma(roundings_of_row(n), format) * sum);
}

/// The sum of neighbours merged in pairs, an odd last one moving up unchanged.
rns_number merged_in_pairs(std::vector<rns_number> sums)
{
    while (sums.size() > 1) {
        std::vector<rns_number> next;
        for (std::size_t i = 0; i + 1 < sums.size(); i += 2) {
            next.push_back(sums[i] + sums[i + 1]);
        }
        if (sums.size() % 2 == 1) {
            next.push_back(sums.back());
        }
        sums = next;
    }
    return sums[0];
}

/// The order of reduction_order.hpp, written down in the plainest way.
rns_number plain_long_sum(const rns_format& format, const std::vector<rns_number>& terms)
{
    const std::size_t n = terms.size();
    const std::size_t count = n <= 16 ? 1 : n <= 32 ? 2 : n <= 64 ? 4 : n <= 128 ? 8 : n <= 256 ? 16 : 32;
    std::vector<rns_number> blocks;
    for (std::size_t begin = 0; begin < n; begin += reduction_block) {
        const std::size_t end = std::min<std::size_t>(n, begin + reduction_block);
        std::vector<rns_number> lanes(count, rns_number(format));
        for (std::size_t i = begin; i < end; ++i) {
            rns_number& lane = lanes[(i - begin) % count];
            lane = lane + terms[i];
        }
        for (std::size_t half = count / 2; half > 0; half /= 2) {
            for (std::size_t l = 0; l < half; ++l) {
                lanes[l] = lanes[l] + lanes[l + half];
            }
        }
        blocks.push_back(lanes[0]);
    }
    return blocks.empty() ? rns_number(format) : merged_in_pairs(blocks);
}

/// A row sum of a matrix: chunks from left to right, merged in pairs.
rns_number plain_row_sum(const rns_format& format, const std::vector<rns_number>& terms)
{
    std::vector<rns_number> chunks;
    for (std::size_t begin = 0; begin < terms.size(); begin += blas::rns_chunk) {
        const std::size_t end = std::min<std::size_t>(terms.size(), begin + blas::rns_chunk);
        rns_number sum(format);
        for (std::size_t i = begin; i < end; ++i) {
            sum = sum + terms[i];
        }
        chunks.push_back(sum);
    }
    return chunks.empty() ? rns_number(format) : merged_in_pairs(chunks);
}

TEST_P(rns_long_sums_test, add_in_the_order_that_their_contracts_say)
{
    const rns_format format(GetParam());
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t n : {0, 1, 2, 3, 16, 17, 32, 33, 64, 65, 100, 129, 256, 257, 511, 512, 513, 1500, 2600}) {
        if (n > 600 && GetParam() > 500) {
            continue;
        }
        vector<host_executor, rns> x(format, n), y(format, n), sums(format, 1);
        matrix<host_executor, rns> column(format, n, 1), row(format, 1, n);
        std::vector<rns_number> products, magnitudes;
        for (index_t i = 0; i < n; ++i) {
            const rns_number third = rns_number(format, 1.0) / rns_number(format, 3.0);
            x.set(i, rns_number(format, random.value(-20, 20)) * third);
            y.set(i, i % 5 == 4 ? y.get(i - 1) : rns_number(format, random.value(-20, 20)) * third);
            products.push_back(x.get(i) * y.get(i));
            magnitudes.push_back(abs(x.get(i)));
            row.set(0, i, x.get(i));
            column.set(i, 0, x.get(i));
        }
        const rns_number one(format, 1.0), zero(format);

        EXPECT_EQ(to_real(blas::dot<rns>(exec, x, y)), to_real(plain_long_sum(format, products))) << n;
        EXPECT_EQ(to_real(blas::asum<rns>(exec, x)), to_real(plain_long_sum(format, magnitudes))) << n;
        blas::gemv<rns>(exec, blas::trans::no, one, row, y, zero, sums);
        EXPECT_EQ(to_real(sums.get(0)), to_real(plain_row_sum(format, products))) << n;
        blas::gemv<rns>(exec, blas::trans::yes, one, column, y, zero, sums);
        EXPECT_EQ(to_real(sums.get(0)), to_real(plain_row_sum(format, products))) << n;
        EXPECT_EQ(to_real(blas::ge_norm<rns>(exec, blas::matrix_norm::one, column)),
                  to_real(plain_row_sum(format, magnitudes)))
            << n;
    }
}

}  // namespace
}  // namespace residua::support
