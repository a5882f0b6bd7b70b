// Solves by fronts on a device beside those of the host: the same bits.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/vector.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/sparse_direct/device_fronts.hpp>
#include <residua/solvers/sparse_direct/solve_steps.hpp>

#include "tests/solvers/sparse_direct/matrices.hpp"
#include "tests/solvers/sparse_direct/multifrontal.hpp"
#include "tests/support/complex_symmetric.hpp"
#include "tests/support/sparse.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using binary64_fronts = device_fronts::factors;

using host_vector = vector<host_executor, double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

class device_fronts_cuda_test : public testing::Test {
public:
    void SetUp() override
    {
        if (cuda_devices().empty()) {
            GTEST_SKIP() << why_no_cuda_device();
        }
        device = make_cuda_executor();
    }

    cuda_executor device;
    std::mt19937_64 any{643};

    static std::unique_ptr<binary64_fronts> factorize(const sparse_matrix& a, sparse_analysis analysis)
    {
        auto f = std::make_unique<binary64_fronts>(host_space<double>{},
                                                   std::make_shared<const sparse_analysis>(std::move(analysis)), a);
        EXPECT_EQ(f->failure(), "");
        return f;
    }
    static std::unique_ptr<binary64_fronts> factorize(const sparse_matrix& a, factor_kind kind)
    {
        return factorize(a, analyze_for_factors(a, kind));
    }

    /// Numbers of all bits and of different sizes, zeros of both signs among them.
    host_vector numbers(index_t n)
    {
        std::uniform_real_distribution<double> value(-1.0, 1.0);
        host_vector x(n);
        for (index_t i = 0; i < n; ++i) {
            const double v = std::ldexp(value(any), static_cast<int>(any() % 41) - 20);
            x.set(i, any() % 11 == 0 ? std::copysign(0.0, v) : v);
        }
        return x;
    }

    void expect_same(const host_vector& x, const host_vector& y, const std::string& what)
    {
        ASSERT_EQ(x.size(), y.size()) << what;
        for (index_t i = 0; i < x.size(); ++i) {
            const double a = x.get(i), b = y.get(i);
            ASSERT_TRUE(std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
                        (std::isnan(a) && std::isnan(b)))
                << i << " of " << x.size() << ", " << what << ": " << a << " on the host, " << b << " on the device";
        }
    }

    void expect_the_same(const binary64_fronts& f, const device_fronts& there, const host_vector& b,
                         const std::string& what)
    {
        for (const bool transposed : {false, true}) {
            host_vector x = b;
            f.solve(x, transposed);
            auto y = to_device(device, b);
            there.solve(y, transposed);
            expect_same(x, to_host(device, y), what + (transposed ? ", transposed" : ""));
        }
    }

    /// Twice, so that the workspace of a solve serves the next one.
    void expect_the_same(const binary64_fronts& f, const std::string& what)
    {
        ASSERT_EQ(f.failure(), "") << what;
        const device_fronts there(device, f);
        EXPECT_EQ(there.size(), f.size());
        expect_the_same(f, there, numbers(f.size()), what);
        expect_the_same(f, there, numbers(f.size()), what + ", again");
    }

    void expect_all_kinds_the_same(const sparse_matrix& a, const std::string& what, bool definite = true)
    {
        expect_the_same(*factorize(a, factor_kind::lu), what + ", L U");
        expect_the_same(*factorize(a, factor_kind::ldl), what + ", L D L'");
        if (definite) {
            expect_the_same(*factorize(a, factor_kind::cholesky), what + ", L L'");
        }
    }

    static index_t largest(const binary64_fronts& f, bool pivots)
    {
        index_t most = 0;
        for (index_t k = 0; k < f.fronts(); ++k) {
            most = std::max(most, pivots ? f.factors_of(k).pivots : f.factors_of(k).columns.rows);
        }
        return most;
    }
};

/// A symmetric matrix with numbers everywhere, half of them zero on the diagonal.
sparse_matrix indefinite(std::size_t n, std::mt19937_64& random)
{
    sparse_matrix a = bordered_blocks(1, n, 0, true, random);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            if (a.column[p] == i) {
                a.values.own()[p] = random() % 2 == 0 ? 0.0 : a.values[p] / static_cast<double>(n);
            }
        }
    }
    return a;
}

}  // namespace

TEST_F(device_fronts_cuda_test, small_and_special_trees)
{
    expect_the_same(*factorize({.rows = 0, .cols = 0, .row_begin = {0}, .column = {}, .values = {}}, factor_kind::lu),
                    "n = 0");
    expect_all_kinds_the_same(diagonal(1), "n = 1");
    expect_all_kinds_the_same(diagonal(33), "diagonal");
    expect_all_kinds_the_same(diagonal(5000), "many roots");
    for (const std::size_t n : {2, 3, 4, 5, 7, 8, 9, 23, 31, 32, 33, 63, 64, 65}) {
        expect_all_kinds_the_same(bordered_blocks(1, n, 0, true, any), "one front of " + std::to_string(n), n > 30);
        expect_the_same(*factorize(bordered_blocks(1, n, 0, false, any), factor_kind::lu), "one front");
    }
}

TEST_F(device_fronts_cuda_test, grids)
{
    expect_all_kinds_the_same(grid(17, 19), "17 x 19");
    expect_all_kinds_the_same(grid(120, 110), "120 x 110");
    expect_all_kinds_the_same(grid(5, 6, 7), "5 x 6 x 7");
    expect_all_kinds_the_same(grid(18, 18, 18), "18 x 18 x 18");
    expect_the_same(*factorize(grid(40, 41, 1, 3.0), factor_kind::lu), "wind");
    expect_the_same(*factorize(grid(15, 14, 16, 0.5), factor_kind::lu), "wind in three dimensions");
}

// A front for each unknown of a chain: as many levels as fronts.
TEST_F(device_fronts_cuda_test, a_path)
{
    const sparse_matrix a = grid(300, 1, 1, 0.5);
    std::vector<std::int32_t> order(300);
    std::iota(order.begin(), order.end(), 0);
    const auto f = factorize(a, analysis_by_diagonal(a, order, true));
    ASSERT_EQ(f->fronts(), 300);
    expect_the_same(*f, "path");
}

TEST_F(device_fronts_cuda_test, pivots_that_wait)
{
    index_t delayed = 0, without = 0;
    for (const index_t n : {40, 150}) {
        for (std::uint32_t seed = 671; seed < 691; ++seed) {
            const sparse_matrix a = with_zeros(n, seed);
            if (!analyze_for_factors(a, factor_kind::lu).failure.empty()) {
                continue;
            }
            const binary64_fronts f(host_space<double>{},
                                    std::make_shared<const sparse_analysis>(analysis_by_diagonal(
                                        a, find_order(pattern_of(a), ordering::minimum_degree), true)),
                                    a);
            if (f.failure().empty()) {
                expect_the_same(f, "seed " + std::to_string(seed));
                delayed += f.delayed();
                for (index_t k = 0; k < f.fronts(); ++k) {
                    without += f.factors_of(k).pivots == 0 ? 1 : 0;
                }
            }
        }
    }
    EXPECT_GT(delayed, 20);
    EXPECT_GT(without, 5);
}

TEST_F(device_fronts_cuda_test, pivots_of_one_and_two_columns)
{
    for (const auto& [nx, ny] : {std::pair{9, 8}, {50, 60}}) {
        sparse_matrix a = grid(nx, ny);
        for (index_t i = 0; i < a.rows; ++i) {
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                a.values.own()[p] = a.column[p] == i && i % 2 == 0 ? 0.0 : a.values[p];
            }
        }
        expect_the_same(*factorize(a, factor_kind::ldl), "grid with zeros");
    }
    for (const std::size_t n : {30, 127, 128, 129, 300, 301}) {
        expect_the_same(*factorize(indefinite(n, any), factor_kind::ldl), "n = " + std::to_string(n));
    }
}

TEST_F(device_fronts_cuda_test, complex_symmetric_matrices)
{
    for (const complex_symmetric_entries& a : {absorbing_grid(9, 8, 0.7), absorbing_grid(50, 40, 0.7),
                                               imaginary_grid(30, 30, 0.0), any_complex_symmetric(60, 0.05, 60, 4)}) {
        const auto f = factorize(a.form(), factor_kind::ldl);
        EXPECT_TRUE(f->analysis().negates_odd_rows || f->analysis().row_of_column[0] == 1);
        expect_the_same(*f, "complex symmetric, " + std::to_string(a.n));
    }
}

// Fronts of several steps, whose strips are in blocks of their own, and of one that ends with any number of pivots.
TEST_F(device_fronts_cuda_test, large_fronts)
{
    for (const std::size_t n : {100, 127, 128, 129, 131, 132, 133, 136, 160, 255, 256, 257, 389, 1157}) {
        expect_all_kinds_the_same(bordered_blocks(1, n, 0, true, any), "one front of " + std::to_string(n));
        expect_the_same(*factorize(bordered_blocks(1, n, 0, false, any), factor_kind::lu),
                        "one front of " + std::to_string(n) + ", not symmetric");
    }
    const struct {
        std::size_t blocks, size, border;
    } shapes[]{{6, 5, 3}, {4, 60, 100}, {3, 40, 600}, {40, 7, 211}, {3, 130, 37}, {2, 300, 220}, {2, 600, 131}};
    for (const auto& [blocks, size, border] : shapes) {
        const std::string what = std::to_string(blocks) + " blocks of " + std::to_string(size);
        expect_all_kinds_the_same(bordered_blocks(blocks, size, border, true, any), what);
        const auto f = factorize(bordered_blocks(blocks, size, border, false, any), factor_kind::lu);
        EXPECT_GE(largest(*f, true), static_cast<index_t>(border));
        expect_the_same(*f, what + ", not symmetric");
    }
    const auto f = factorize(bordered_blocks(1, 2081, 0, true, any), factor_kind::cholesky);
    EXPECT_GT(largest(*f, true), 2 * columns_of_stretch);
    expect_the_same(*f, "stretches of steps");
}

// Rows and columns in other units: powers of two before and after.
TEST_F(device_fronts_cuda_test, scaled_matrices)
{
    for (const index_t n : {60, 500}) {
        io::coo<double> entries = any_matrix(n, 5.0 / static_cast<double>(n), 673);
        for (std::size_t k = 0; k < entries.value.size(); ++k) {
            entries.value[k] = std::ldexp(entries.value[k], static_cast<int>((entries.row[k] * 37) % 200) - 100 +
                                                                static_cast<int>((entries.col[k] * 53) % 100));
        }
        const sparse_matrix a = rows_of(entries);
        sparse_analysis analysis = analyze_for_factors(a, factor_kind::lu);
        if (analysis.failure.empty()) {
            EXPECT_TRUE(
                std::any_of(analysis.row_exponent.begin(), analysis.row_exponent.end(), [](int e) { return e != 0; }));
            expect_the_same(*factorize(a, std::move(analysis)), "n = " + std::to_string(n));
        }
    }
}

TEST_F(device_fronts_cuda_test, what_is_not_finite)
{
    for (const factor_kind kind : {factor_kind::lu, factor_kind::ldl, factor_kind::cholesky}) {
        const auto f = factorize(bordered_blocks(2, 150, 60, kind != factor_kind::lu, any), kind);
        const device_fronts there(device, *f);
        for (const double bad : {infinity, -infinity, not_a_number, std::numeric_limits<double>::max(), 5e-324}) {
            for (const index_t at : {0, 149, 170, 355}) {
                host_vector b = numbers(f->size());
                b.set(at, bad);
                expect_the_same(*f, there, b, std::to_string(bad) + " at " + std::to_string(at));
            }
        }
    }
}

TEST_F(device_fronts_cuda_test, calls_at_the_same_time)
{
    const auto f = factorize(bordered_blocks(3, 140, 150, false, any), factor_kind::lu);
    const device_fronts there(device, *f);
    std::vector<host_vector> found(8), expected;
    std::vector<vector<cuda_executor, double>> x;
    for (std::size_t k = 0; k < found.size(); ++k) {
        expected.push_back(numbers(f->size()));
        x.push_back(to_device(device, expected.back()));
        f->solve(expected.back(), k % 2 == 1);
    }
    std::vector<std::thread> callers;
    for (std::size_t k = 0; k < found.size(); ++k) {
        callers.emplace_back([&, k] { there.solve(x[k], k % 2 == 1); });
    }
    for (std::thread& each : callers) {
        each.join();
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
        expect_same(expected[k], to_host(device, x[k]), "call " + std::to_string(k));
    }
}

TEST_F(device_fronts_cuda_test, memory_is_predicted)
{
    const auto f = factorize(grid(70, 70, 1, 0.5), factor_kind::lu);
    const double before = static_cast<double>(free_device_memory(device));
    const device_fronts there(device, *f);
    const double taken = before - static_cast<double>(free_device_memory(device));
    const double page = 64.0 * 0x1p20;  // of the pool
    EXPECT_GT(device_fronts::bytes(*f), f->entries() * sizeof(double));
    EXPECT_LE(taken, device_fronts::bytes(*f) + page);
}

TEST_F(device_fronts_cuda_test, factors_and_their_transpose_share_a_copy_while_it_is_used)
{
    sparse_analyses analyses;
    const factorization factors = factorize_native(grid(30, 31, 1, 0.5), factor_kind::lu, analyses);
    const factorization transposed = factors.transposed();
    EXPECT_EQ(factors.on_device(device, 1000.0), nullptr);
    auto there = factors.on_device(device, infinity);
    ASSERT_NE(there, nullptr);
    const auto transposed_there = transposed.on_device(device, 0.0);
    EXPECT_EQ(there, transposed_there);
    const host_vector b = numbers(factors.size());
    for (const factorization* each : {&factors, &transposed}) {
        host_vector x = b;
        each->solve(x);
        auto y = to_device(device, b);
        each->on_device(device, 0.0)->solve(y, each->is_transposed());
        expect_same(x, to_host(device, y), each == &factors ? "factors" : "their transpose");
    }
    const std::weak_ptr<const device_fronts> copy = there;
    there.reset();
    EXPECT_FALSE(copy.expired());
}

TEST_F(device_fronts_cuda_test, a_wrong_size_is_refused)
{
    const auto f = factorize(grid(5, 6), factor_kind::lu);
    const device_fronts there(device, *f);
    vector<cuda_executor, double> x(29, device);
    EXPECT_THROW(there.solve(x), dimension_error);
}
