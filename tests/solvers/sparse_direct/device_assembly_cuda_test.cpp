// Factors by fronts that a device assembles and eliminates, or whose large products it computes, beside those of the
// host: the same bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/buffer.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/checkpoint/checkpoint.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

#include "tests/solvers/sparse_direct/matrices.hpp"
#include "tests/solvers/sparse_direct/multifrontal.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/symmetric_matrices.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <number T>
bool same(const T& x, const T& y)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        if (std::bit_cast<std::uint64_t>(term(x, k)) != std::bit_cast<std::uint64_t>(term(y, k))) {
            return false;
        }
    }
    return true;
}
bool same(const multidigit_number& x, const multidigit_number& y)
{
    const auto& a = x.value();
    const auto& b = y.value();
    return a.exponent == b.exponent && a.negative == b.negative && std::equal(a.d, a.d + a.digits, b.d);
}

/// Each entry with a last bit beyond binary64's.
std::vector<real> longer_entries(const sparse_matrix& a)
{
    std::vector<real> exact;
    for (index_t p = 0; p < a.row_begin[a.rows]; ++p) {
        exact.push_back(real(a.values[p], 128) + ldexp(real(1.0, 128), -90));
    }
    return exact;
}

sparse_matrix with_entry(sparse_matrix a, index_t row, index_t column, double value)
{
    for (index_t p = a.row_begin[row]; p < a.row_begin[row + 1]; ++p) {
        if (a.column[p] == column) {
            a.values.own()[p] = value;
        }
    }
    return a;
}

/// Blocks of random numbers with a border, symmetric and definite or neither.
sparse_matrix blocks_of(std::size_t blocks, std::size_t size, std::size_t border, bool definite)
{
    std::mt19937_64 random(701);
    sparse_matrix a = bordered_blocks(blocks, size, border, definite, random);
    for (index_t i = 0; definite && i < a.rows; ++i) {
        a = with_entry(std::move(a), i, i, 1000.0);
    }
    return a;
}

template <class Kind>
struct device_assembly_cuda_test : testing::Test {
    using space = typename Kind::space;
    using fronts = multifrontal<space>;
    using known_analysis = std::shared_ptr<const sparse_analysis>;
    const space on = Kind::make();
    cuda_executor device;

    void SetUp() override
    {
        if (cuda_devices().empty()) {
            GTEST_SKIP() << why_no_cuda_device();
        }
        device = make_cuda_executor();
    }

    static known_analysis analyze(const sparse_matrix& a, factor_kind kind)
    {
        return std::make_shared<const sparse_analysis>(analyze_for_factors(a, kind));
    }
    /// A front for each pivot, in the order of the matrix.
    static known_analysis single_pivots(const sparse_matrix& a)
    {
        std::vector<std::int32_t> order(static_cast<std::size_t>(a.rows));
        std::iota(order.begin(), order.end(), 0);
        sparse_analysis analysis = analysis_by_diagonal(a, order, true);
        analysis.kind = factor_kind::cholesky;
        return std::make_shared<const sparse_analysis>(std::move(analysis));
    }

    elimination_options there(double least_work, index_t panel = 0) const
    {
        return {.panel = panel, .products = {.device = device, .least_work = least_work}};
    }

    static void expect_the_same(const fronts& here, const fronts& there, const std::string& what)
    {
        EXPECT_EQ(here.fronts_on_device(), 0) << what;
        EXPECT_EQ(here.products_on_device(), 0) << what;
        ASSERT_EQ(here.failure(), there.failure()) << what;
        EXPECT_EQ(here.delayed(), there.delayed()) << what;
        for (index_t f = 0; here.failure().empty() && f < here.fronts(); ++f) {
            const auto x = here.factors_of(f), y = there.factors_of(f);
            ASSERT_EQ(x.pivots, y.pivots) << what;
            ASSERT_EQ(x.row, y.row) << what;
            ASSERT_EQ(x.column, y.column) << what;
            ASSERT_EQ(x.is_pair, y.is_pair) << what;
            const auto first_row = [&](index_t j) {
                const bool second = j > 0 && j <= x.pivots && here.kind() == factor_kind::ldl &&
                                    x.is_pair[static_cast<std::size_t>(j - 1)] != 0;
                return here.kind() == factor_kind::lu ? 0 : second ? j - 1 : j;
            };
            for (const auto& [mine, its] : {std::pair{x.columns, y.columns}, {x.right, y.right}}) {
                ASSERT_EQ(mine.rows, its.rows) << what;
                ASSERT_EQ(mine.cols, its.cols) << what;
                for (index_t j = 0; j < mine.cols; ++j) {
                    for (index_t i = first_row(j); i < mine.rows; ++i) {
                        ASSERT_TRUE(same(mine.column(j).load(i), its.column(j).load(i)))
                            << i << ", " << j << " of front " << f << ", " << what;
                    }
                }
            }
        }
    }

    /// With all fronts on the device that can go there, or those from a work on.
    void expect_the_same(const sparse_matrix& a, const known_analysis& analysis, const std::string& what,
                         const std::vector<real>& exact = {}, index_t panel = 0)
    {
        const fronts here(on, analysis, a, exact, {.panel = panel});
        const fronts all(on, analysis, a, exact, there(0.0, panel));
        expect_the_same(here, all, what);
        if (here.failure().empty() && here.delayed() == 0) {
            EXPECT_EQ(all.fronts_on_device(), all.fronts()) << what;
        }
        index_t on_device = all.fronts_on_device();
        for (double least_work = 0x1p8; on_device > 0; least_work *= 8.0) {
            const fronts some(on, analysis, a, exact, there(least_work, panel));
            expect_the_same(here, some, what + ", from work " + std::to_string(least_work) + " on");
            EXPECT_LE(some.fronts_on_device(), on_device) << what;
            on_device = some.fronts_on_device();
        }
    }
};

using device_kinds =
    testing::Types<kind<host_space<expansion<double, 2>>, 106>, kind<host_space<expansion<double, 4>>, 212>,
                   kind<host_space<expansion<double, 8>>, 424>, kind<multidigit_space<host_executor>, 64>,
                   kind<multidigit_space<host_executor>, 424>, kind<multidigit_space<host_executor>, 848>>;
TYPED_TEST_SUITE(device_assembly_cuda_test, device_kinds);

}  // namespace

TYPED_TEST(device_assembly_cuda_test, three_fronts_of_integers)
{
    // [4 2 0; 2 5 6; 0 6 13] = L L' with L = [2 0 0; 1 2 0; 0 3 2]
    const sparse_matrix a{.rows = 3,
                          .cols = 3,
                          .row_begin = {0, 2, 5, 7},
                          .column = {0, 1, 0, 1, 2, 1, 2},
                          .values = {4.0, 2.0, 2.0, 5.0, 6.0, 6.0, 13.0}};

    const multifrontal<typename TestFixture::space> f(this->on, this->single_pivots(a), a, {}, this->there(0.0));

    ASSERT_EQ(f.failure(), "");
    EXPECT_EQ(f.fronts_on_device(), 3);
    const std::vector<double> expected[]{{2.0, 1.0}, {2.0, 3.0}, {2.0}};
    for (index_t k = 0; k < 3; ++k) {
        const auto columns = f.factors_of(k).columns;
        ASSERT_EQ(columns.rows, static_cast<index_t>(expected[k].size()));
        for (index_t i = 0; i < columns.rows; ++i) {
            EXPECT_TRUE(same(columns.column(0).load(i), this->on.make_scalar(expected[k][i]))) << k << " " << i;
        }
    }
}

TYPED_TEST(device_assembly_cuda_test, grids)
{
    for (const int threads : {1, 4}) {
        const io::thread_limit limit(threads);
        for (const index_t panel : {0, 7}) {
            const std::string with = ", panel " + std::to_string(panel) + ", threads " + std::to_string(threads);
            for (const sparse_matrix& a : {grid(1, 1), grid(23, 19), grid(7, 6, 5)}) {
                this->expect_the_same(a, this->analyze(a, factor_kind::cholesky),
                                      std::to_string(a.rows) + " unknowns" + with, longer_entries(a), panel);
            }
        }
    }
    const sparse_matrix a = grid(8, 9);
    this->expect_the_same(a, this->single_pivots(a), "a front for each unknown");
}

TYPED_TEST(device_assembly_cuda_test, large_fronts)
{
    const sparse_matrix a = blocks_of(3, 150, 210, true);
    const auto analysis = this->analyze(a, factor_kind::cholesky);
    const multifrontal<typename TestFixture::space> here(this->on, analysis, a),
        there(this->on, analysis, a, {}, this->there(0x1p26));
    ASSERT_EQ(here.failure(), "");
    EXPECT_GT(there.fronts_on_device(), 0);
    this->expect_the_same(here, there, "blocks");
}

TYPED_TEST(device_assembly_cuda_test, fronts_of_many_threads)
{
    const io::thread_limit limit(8);
    for (const bool definite : {true, false}) {
        const sparse_matrix a = blocks_of(90, 40, 15, definite);
        const auto analysis = this->analyze(a, definite ? factor_kind::cholesky : factor_kind::lu);
        const multifrontal<typename TestFixture::space> here(this->on, analysis, a, {}, {.panel = 7});
        for (int again = 0; again < 2; ++again) {
            const multifrontal<typename TestFixture::space> all(this->on, analysis, a, {}, this->there(0.0, 7));
            this->expect_the_same(here, all, "blocks");
            EXPECT_EQ(all.fronts_on_device(), all.fronts());
        }
    }
}

TYPED_TEST(device_assembly_cuda_test, many_roots)
{
    const sparse_matrix a = diagonal(40);
    this->expect_the_same(a, this->analyze(a, factor_kind::cholesky), "diagonal");
}

TYPED_TEST(device_assembly_cuda_test, factors_that_are_not_definite_have_the_bits_of_the_host)
{
    sparse_matrix a = grid(7, 6, 5, 0.5);
    for (const int threads : {1, 4}) {
        const io::thread_limit limit(threads);
        this->expect_the_same(a, this->analyze(a, factor_kind::lu), "not symmetric", longer_entries(a), 7);
    }
    a = blocks_of(2, 130, 230, false);
    this->expect_the_same(a, this->analyze(a, factor_kind::lu), "large fronts");
}

TYPED_TEST(device_assembly_cuda_test, symmetric_indefinite_factors_have_the_bits_of_the_host)
{
    index_t delayed = 0, pairs = 0;
    const auto expect_ldl = [&](const sparse_matrix& a, const std::string& what, index_t panel) {
        const auto analysis = this->analyze(a, factor_kind::ldl);
        this->expect_the_same(a, analysis, what, longer_entries(a), panel);
        const multifrontal<typename TestFixture::space> f(this->on, analysis, a, {}, this->there(0.0, panel));
        delayed += f.delayed();
        for (index_t k = 0; k < f.fronts(); ++k) {
            const auto& is_pair = f.factors_of(k).is_pair;
            pairs += std::count(is_pair.begin(), is_pair.end(), char{1});
        }
    };
    for (const int threads : {1, 4}) {
        const io::thread_limit limit(threads);
        const index_t panel = threads == 1 ? 0 : 7;
        expect_ldl(shifted_grid(11, 9, 1.9), "a shifted grid", panel);
        expect_ldl(saddle_point(9, 20, 2), "a saddle point", panel);
        expect_ldl(zero_diagonal(40, 5), "pairs", panel);
    }
    for (unsigned seed = 1; seed <= 5; ++seed) {
        expect_ldl(any_indefinite(60, seed % 2 == 0 ? 0.05 : 0.5, 0, seed), "seed " + std::to_string(seed), 7);
    }
    EXPECT_GT(delayed, 10);
    EXPECT_GT(pairs, 100);
}

TYPED_TEST(device_assembly_cuda_test, large_fronts_of_symmetric_indefinite_matrices)
{
    sparse_matrix a = blocks_of(3, 150, 210, true);
    for (index_t i = 0; i < a.rows; ++i) {
        a = with_entry(std::move(a), i, i, i % 3 == 0 ? 0.0 : i % 3 == 1 ? -30.0 : 1.0);
    }
    const auto analysis = this->analyze(a, factor_kind::ldl);
    const multifrontal<typename TestFixture::space> here(this->on, analysis, a),
        there(this->on, analysis, a, {}, this->there(0x1p26));
    ASSERT_EQ(here.failure(), "");
    EXPECT_GT(there.fronts_on_device(), 0);
    this->expect_the_same(here, there, "blocks");
}

TYPED_TEST(device_assembly_cuda_test, pivots_that_wait)
{
    index_t on_device = 0, delayed = 0;
    for (std::uint32_t seed = 671; seed < 676; ++seed) {
        const sparse_matrix a = with_zeros(40, seed);
        const auto analysis = std::make_shared<const sparse_analysis>(
            analysis_by_diagonal(a, find_order(pattern_of(a), ordering::minimum_degree), true));
        this->expect_the_same(a, analysis, "seed " + std::to_string(seed));
        const multifrontal<typename TestFixture::space> f(this->on, analysis, a, {}, this->there(0.0));
        on_device += f.fronts_on_device();
        delayed += f.delayed();
    }
    EXPECT_GT(on_device, 20);
    EXPECT_GT(delayed, 20);
}

TYPED_TEST(device_assembly_cuda_test, failures_are_those_of_the_host)
{
    for (const index_t at : {0, 100, 209}) {
        const sparse_matrix a = with_entry(grid(7, 6, 5), at, at, -1.0);
        const auto analysis = this->analyze(a, factor_kind::cholesky);
        const multifrontal<typename TestFixture::space> there(this->on, analysis, a, {}, this->there(0.0));
        EXPECT_NE(there.failure().find("not positive definite"), std::string::npos) << there.failure();
        this->expect_the_same(a, analysis, "a negative diagonal");
    }
    // L has entries of 2^600, whose squares only run-time formats have
    sparse_matrix a = grid(5, 4);
    for (double& each : a.values.own()) {
        each = each < 0.0 ? -0x1p1022 : 0x1p300;
    }
    this->expect_the_same(a, this->single_pivots(a), "out of range");
}

TYPED_TEST(device_assembly_cuda_test, without_device_memory_the_host_goes_on)
{
    const io::thread_limit one_thread(1);  // others would first load libraries, which need memory
    for (const factor_kind kind : {factor_kind::cholesky, factor_kind::lu}) {
        sparse_matrix a = blocks_of(5, 12, 30, kind == factor_kind::cholesky);
        auto analysis = this->analyze(a, kind);
        if (kind == factor_kind::lu) {  // rows are swapped before memory ends
            for (index_t i = 0; i < a.rows; ++i) {
                a = with_entry(std::move(a), i, i, 0.25);
            }
            analysis = std::make_shared<const sparse_analysis>(
                analysis_by_diagonal(a, find_order(pattern_of(a), ordering::minimum_degree), false));
        }
        const multifrontal<typename TestFixture::space> here(this->on, analysis, a, {}, {.panel = 7});
        const multifrontal<typename TestFixture::space> all(this->on, analysis, a, {}, this->there(0.0, 7));
        ASSERT_GT(all.fronts_on_device(), 2);  // and all kernels are loaded
        std::vector<buffer<cuda_executor, double>> taken;
        const auto take = [&](index_t words) {
            try {
                taken.emplace_back(words, this->device, uninitialized{});
            } catch (const resource_error&) {
                return false;
            }
            return true;
        };
        const auto half = static_cast<index_t>(free_device_memory(this->device) / (2 * sizeof(double)));
        for (index_t words = half; words > 0; words /= 2) {
            take(words);
        }
        for (index_t words = half; words > 0; words /= 2) {  // what is left
            while (take(words)) {
            }
        }
        while (!taken.empty()) {
            const multifrontal<typename TestFixture::space> some(this->on, analysis, a, {}, this->there(0.0, 7));
            this->expect_the_same(here, some, std::to_string(taken.size()) + " pieces of memory taken");
            EXPECT_LE(some.fronts_on_device(), all.fronts_on_device());
            taken.pop_back();  // the smallest is the last
        }
    }
}

TYPED_TEST(device_assembly_cuda_test, stops_when_asked_and_goes_on_from_a_checkpoint)
{
    const sparse_matrix a = grid(12, 11);
    const auto analysis = this->analyze(a, factor_kind::cholesky);
    const multifrontal<typename TestFixture::space> here(this->on, analysis, a);
    const std::string path = testing::TempDir() + "device_assembly";
    std::filesystem::remove(path);
    bool stopped = true;
    int runs = 0;
    for (; stopped && runs < 1000; ++runs) {
        checkpoint states(path, runs == 0 ? checkpoint::beginning::anew : checkpoint::beginning::resumed, {}, 0.0);
        const io::thread_limit threads(1 + runs % 3);
        elimination_options options = this->there(runs % 2 == 0 ? 0.0 : 0x1p14);
        options.keeper = &states;
        std::optional<multifrontal<typename TestFixture::space>> found;
        long left = 5 + runs * runs;
        stopped = is_stopped([&] { return left-- == 0; },
                             [&] { found.emplace(this->on, analysis, a, std::vector<real>{}, options); });
        if (!stopped) {
            this->expect_the_same(here, *found, "resumed");
        }
    }
    std::filesystem::remove(path);
    EXPECT_GT(runs, 2);
    EXPECT_FALSE(stopped);
}
