#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/solver.hpp>

using namespace residua;

namespace {

using qd = expansion<double, 4>;
constexpr double nan_of_binary64 = std::numeric_limits<double>::quiet_NaN();

/// Entry by entry, as rationals would have it: reals whose precision suffices.
void expect_same(const linear_system& a, const linear_system& b)
{
    ASSERT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.cols, b.cols);
    ASSERT_EQ(a.row_begin, b.row_begin);
    ASSERT_EQ(a.column, b.column);
    ASSERT_EQ(a.b, b.b);
    for (index_t k = 0; k < a.nonzeros(); ++k) {
        EXPECT_EQ(entry(a, k, 4000), entry(b, k, 4000)) << k;
    }
    EXPECT_NO_THROW(require_valid(a));
}

template <class Call>
std::string refusal(const Call& call)
{
    try {
        call();
    } catch (const error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

/// [4 1 0; 0 0 0; 2 0 5]
struct small_matrix {
    std::vector<std::int32_t> begin{0, 2, 2, 4};
    std::vector<std::int32_t> column{0, 1, 0, 2};
    std::vector<double> value{4, 1, 2, 5};

    csr_view<std::int32_t, double> view() const { return {3, 3, begin, column, value}; }
};

std::vector<std::int64_t> wide(const std::vector<std::int32_t>& from, std::int64_t more)
{
    std::vector<std::int64_t> to;
    for (const std::int32_t i : from) {
        to.push_back(i + more);
    }
    return to;
}

}  // namespace

TEST(make_system_test, takes_both_bases_and_both_widths_of_indices)
{
    const small_matrix m;
    const linear_system expected =
        make_system(io::coo<double>{3, 3, {0, 0, 2, 2}, {0, 1, 0, 2}, {4, 1, 2, 5}}, {real(1.0), real(2.0), real(3.0)});
    const std::vector<double> b{1, 2, 3};
    const std::vector<std::int64_t> begin = wide(m.begin, 1);
    const std::vector<std::int64_t> column = wide(m.column, 1);

    expect_same(make_system(m.view(), b), expected);
    expect_same(make_system(m.view(), std::vector<int>{1, 2, 3}), expected);
    expect_same(make_system(csr_view<std::int64_t, double>{3, 3, begin, column, m.value, 1}, std::span(b)), expected);
    expect_same(make_system(csr_arrays<double>{3, 3, {0, 2, 2, 4}, {0, 1, 0, 2}, {4, 1, 2, 5}}, b), expected);
    expect_same(make_system(coo_view<std::int64_t, double>{3, 3, std::vector<std::int64_t>{3, 1, 3, 1},
                                                           std::vector<std::int64_t>{3, 2, 1, 1},
                                                           std::vector<double>{5, 1, 2, 4}, 1},
                            b),
                expected);
    EXPECT_TRUE(make_system(m.view()).b.empty());
}

TEST(make_system_test, moves_arrays_without_a_copy)
{
    csr_arrays<double> a{2, 2, {0, 1, 2}, {0, 1}, {1, 2}};
    const auto* const values = a.value.data();
    const auto* const columns = a.column.data();
    const auto* const begins = a.row_begin.data();

    const linear_system system = make_system(std::move(a));

    EXPECT_EQ(system.values.data(), values);
    EXPECT_EQ(system.column.data(), columns);
    EXPECT_EQ(system.row_begin.data(), begins);

    csr_arrays<qd> q{2, 2, {0, 1, 2}, {0, 1}, {qd(1.0) / qd(3.0), qd(2.0)}};
    const qd third = q.value[0];
    EXPECT_EQ(make_system(std::move(q)).exact.at(0, 53), to_real(third));
}

TEST(make_system_test, takes_dense_arrays_by_rows_and_by_columns)
{
    const std::vector<double> by_rows{1, 2, 0, 3, 4, 5};
    const std::vector<double> by_columns{1, 3, -9, 2, 4, -9, 0, 5};  // with a gap of one
    const linear_system expected =
        make_system(io::coo<double>{2, 3, {0, 0, 0, 1, 1, 1}, {0, 1, 2, 0, 1, 2}, {1, 2, 0, 3, 4, 5}}, {});

    expect_same(make_system(dense_view<double>{2, 3, by_rows}), expected);
    expect_same(make_system(dense_view<double>{2, 3, by_columns, storage_order::column_major, 3}), expected);
    EXPECT_EQ(make_system(dense_view<double>{0, 3, {}}).nonzeros(), 0);
}

TEST(make_system_test, adds_entries_in_one_place_exactly)
{
    const std::vector<std::int32_t> row{1, 0, 1, 1, 0};
    const std::vector<std::int32_t> column{1, 0, 0, 1, 0};
    const auto with = [&](std::vector<double> value) {
        return make_system(coo_view<std::int32_t, double>{2, 2, row, column, value});
    };

    const linear_system doubles = with({0.5, 1.0, 7.0, 0.25, -1.0});
    EXPECT_TRUE(doubles.exact.empty());
    EXPECT_EQ(doubles.values, (std::vector<double>{0.0, 7.0, 0.75}));
    EXPECT_EQ(doubles.row_begin, (std::vector<index_t>{0, 1, 3}));
    EXPECT_EQ(doubles.column, (std::vector<std::int32_t>{0, 0, 1}));

    const linear_system longer = with({0x1p300, 1.0, 7.0, 1.0, 0x1p-300});
    ASSERT_EQ(longer.exact.size(), 3u);
    EXPECT_EQ(longer.exact.at(2, 53), ldexp(real(1.0, 400), 300) + real(1.0));
    EXPECT_EQ(longer.exact.at(0, 53), real(1.0, 400) + ldexp(real(1.0), -300));

    const std::vector<real> reals{real("1e100", 400), real("0.1", 300), real(2.0), real("-1e100", 400),
                                  real("0.2", 500)};
    const linear_system sums = make_system(coo_view<std::int32_t, real>{2, 2, row, column, reals});
    EXPECT_TRUE(is_zero(sums.exact.at(2, 53)));
    EXPECT_EQ(sums.exact.at(0, 53), real("0.1", 300).with_precision(600) + real("0.2", 500));

    const std::vector<qd> expansions{qd(1.0) / qd(3.0), qd(1.0), qd(0.0), qd(0x1p-500), qd(1.0)};
    const linear_system four = make_system(coo_view<std::int32_t, qd>{2, 2, row, column, expansions});
    EXPECT_EQ(four.exact.at(2, 53), to_real(expansions[0]).with_precision(900) + ldexp(real(1.0), -500));

    const std::vector<real> far{real("1e-400000", 60), real(1.0), real(1.0), real("1e400000", 60), real(1.0)};
    EXPECT_NE(refusal([&] {
                  make_system(coo_view<std::int32_t, real>{2, 2, row, column, far});
              }).find("the exact sum of entries in one place has"),
              std::string::npos);
}

TEST(make_system_test, sorts_rows_as_coordinates_are_sorted)
{
    std::mt19937 random(7);
    for (int turn = 0; turn < 20; ++turn) {
        io::coo<double> a{40, 30, {}, {}, {}};
        for (int k = 0; k < 900; ++k) {
            a.row.push_back(static_cast<index_t>(random() % 40));
            a.col.push_back(static_cast<index_t>(random() % 30));
            a.value.push_back(static_cast<double>(random() % 1000));
        }
        io::coo<double> sorted = a;
        io::sort_and_sum(sorted);

        const linear_system system = make_system(a, {});

        ASSERT_EQ(system.values, sorted.value);  // sums of small integers
        for (index_t i = 0, k = 0; i < 40; ++i) {
            for (index_t p = system.row_begin[i]; p < system.row_begin[i + 1]; ++p, ++k) {
                ASSERT_EQ(sorted.row[k], i);
                ASSERT_EQ(sorted.col[k], system.column[p]);
            }
        }
    }
}

TEST(make_system_test, keeps_expansions_exactly_and_rounds_them_correctly)
{
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    std::vector<qd> value;
    for (int k = 0; k < 2000; ++k) {
        qd x;
        const int style = k % 5;
        for (int t = 0; t < 4; ++t) {
            x[t] = std::ldexp(unit(random), -53 * t + static_cast<int>(random() % 3));
        }
        if (style == 1) {  // halfway between two numbers, but for the last term
            x = qd();
            x[0] = 1.0 + std::ldexp(static_cast<double>(random() % 1024), -52);
            x[1] = random() % 2 == 0 ? 0x1p-53 : -0x1p-53;
            x[2] = random() % 3 == 0 ? 0.0 : std::ldexp(unit(random), -120);
        }
        if (style == 2) {  // terms in no order
            std::swap(x[0], x[3]);
        }
        if (style == 3) {  // cancels
            x[1] = -x[0];
        }
        if (style == 4) {
            x[0] = std::ldexp(x[0], 1000);
            x[3] = 0x1p-1074;
        }
        value.push_back(x);
    }
    std::vector<std::int32_t> column(value.size());
    for (std::size_t k = 0; k < column.size(); ++k) {
        column[k] = static_cast<std::int32_t>(k);
    }
    const std::vector<std::int32_t> begin{0, static_cast<std::int32_t>(value.size())};

    const linear_system system =
        make_system(csr_view<std::int32_t, qd>{1, static_cast<index_t>(value.size()), begin, column, value});

    ASSERT_EQ(system.exact.size(), value.size());
    EXPECT_FALSE(system.exact.are_decimals());
    EXPECT_TRUE(system.exact.are_finite());
    std::vector<int> up(value.size());
    std::vector<index_t> backwards(value.size());
    real sum(0.0, 4000);
    for (std::size_t k = 0; k < value.size(); ++k) {
        const real exact = exact_sum(value[k].t);
        ASSERT_EQ(system.exact.at(k, 53), exact) << k;
        ASSERT_EQ(system.values[k], to_double(exact)) << k;
        ASSERT_EQ(system.exact.sign(k), sign(exact));
        ASSERT_TRUE(system.exact.equal(k, k));
        ASSERT_EQ(system.exact.opposite(k, k), is_zero(exact));
        up[k] = static_cast<int>(k % 7) - 3;
        backwards[k] = static_cast<index_t>(value.size() - 1 - k);
        sum += exact;
    }
    EXPECT_EQ(system.exact.sum(
                  0, value.size(), [](std::size_t) { return 1; }, 300),
              sum.with_precision(300));
    const exact_entries scaled = system.exact.scaled(up);
    const exact_entries reversed = scaled.gathered(backwards);
    for (std::size_t k = 0; k < value.size(); k += 17) {
        ASSERT_EQ(scaled.at(k, 53), ldexp(exact_sum(value[k].t), up[k]));
        ASSERT_EQ(reversed.at(value.size() - 1 - k, 53), scaled.at(k, 53));
    }
    EXPECT_EQ(system.exact.bytes_each(), 32.0);
}

TEST(make_system_test, expansions_that_are_binary64_are_kept_as_such)
{
    const std::vector<qd> value{qd(4.0), qd(1.0), qd(2.0), qd(5.0)};
    const small_matrix m;
    const linear_system system = make_system(csr_view<std::int32_t, qd>{3, 3, m.begin, m.column, value});

    EXPECT_TRUE(system.exact.empty());
    EXPECT_EQ(system.values, m.value);
}

TEST(make_system_test, expansions_solve_as_the_reals_that_they_are)
{
    const index_t n = 12;  // a Hilbert matrix, of condition 1e16
    std::vector<qd> value;
    std::vector<real> exact;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            value.push_back(qd(1.0) / qd(static_cast<double>(i + j + 1)));
            exact.push_back(to_real(value.back()));
        }
    }
    const std::vector<double> b(n, 1.0);
    solve_options options;
    options.digits = 30;

    const solve_result by_terms = solve(make_system(dense_view<qd>{n, n, value}, b), options);
    const solve_result by_reals = solve(make_system(dense_view<real>{n, n, exact}, b), options);

    EXPECT_GE(by_terms.report.digits, 30);
    EXPECT_EQ(by_terms.x, by_reals.x);
    solver kept(make_system(dense_view<qd>{n, n, value}), options);
    EXPECT_EQ(kept.solve(b).x, by_reals.x);
    EXPECT_EQ(kept.solve_transposed(std::span<const double>(b)).x, kept.solve_transposed(reals(b)).x);
}

TEST(make_system_test, keeps_text_as_it_is_written)
{
    const small_matrix m;
    const std::vector<const char*> value{"0.1", "1", "-2e-400", "1e400"};
    const linear_system system = make_system(csr_view<std::int32_t, const char*>{3, 3, m.begin, m.column, value});

    ASSERT_TRUE(system.exact.are_decimals());
    EXPECT_EQ(system.values[0], 0.1);
    EXPECT_EQ(system.exact.at(0, 500), real("0.1", 500));
    EXPECT_EQ(system.exact.at(2, 500), real("-2e-400", 500));
    EXPECT_EQ(system.exact.at(3, 500), real("1e400", 500));
    const std::vector<std::string> halves{"0.5", "1.5e1", "-2", "0.25"};
    EXPECT_TRUE(make_system(csr_view<std::int32_t, std::string>{3, 3, m.begin, m.column, halves}).exact.empty());
    const std::vector<std::string_view> unsorted{"1.1", "2.2"};
    const std::vector<int> row{0, 0};
    const std::vector<int> column{1, 0};
    EXPECT_EQ(make_system(coo_view<int, std::string_view>{1, 2, row, column, unsorted}).exact.at(0, 200),
              real("2.2", 200));
}

TEST(make_system_test, takes_numbers_of_a_precision_chosen_at_run_time)
{
    const multidigit_format format(300);
    const std::vector<multidigit_number> value{multidigit_number(format, real("0.1", 400))};
    const linear_system system = make_system(dense_view<multidigit_number>{1, 1, value});

    EXPECT_EQ(system.exact.at(0, 53), real("0.1", 300));
}

TEST(make_system_test, refuses_what_cannot_be_right_with_place_and_values)
{
    const auto csr = [](auto&& spoil) {
        return refusal([&] {
            small_matrix m;
            csr_view<std::int32_t, double> v = m.view();
            spoil(m, v);
            make_system(v);
        });
    };
    EXPECT_EQ(csr([](auto&, auto&) {}), "nothing was thrown");
    EXPECT_EQ(csr([](auto&, auto& v) { v.base = 2; }), "make_system: base is 2; it is 0 or 1");
    EXPECT_EQ(csr([](auto&, auto& v) { v.rows = -1; }), "make_system: a matrix has no -1 x 3 entries");
    EXPECT_EQ(csr([](auto&, auto& v) { v.rows = 4; }), "make_system: row_begin has 4 positions; 4 rows need 5");
    EXPECT_EQ(csr([](auto&, auto& v) { v.cols = index_t{1} << 31; }),
              "make_system: 2147483648 columns; at most 2^31 - 1 are supported");
    EXPECT_EQ(csr([](auto& m, auto&) { m.begin[1] = 3, m.begin[2] = 1; }),
              "make_system: row_begin[2], from 0, is 1, but the position before it is 3");
    EXPECT_EQ(csr([](auto& m, auto&) { m.begin[0] = 1; }),
              "make_system: row_begin[0], from 0, is 1, but the first row begins at the first entry, which is 0");
    EXPECT_EQ(csr([](auto& m, auto&) { m.begin[3] = 3; }),
              "make_system: row_begin[3], from 0, is 3, but there are 4 entries");
    EXPECT_EQ(csr([](auto& m, auto&) { m.begin[3] = 9; }),
              "make_system: row_begin[3], from 0, is 9, but there are 4 entries");
    EXPECT_EQ(csr([](auto& m, auto&) { m.column[2] = 3; }),
              "make_system: column[2] is 3; a matrix of 3 columns has those from 0 to 2");
    EXPECT_EQ(csr([](auto& m, auto&) { m.column[1] = -1; }),
              "make_system: column[1] is -1; a matrix of 3 columns has those from 0 to 2");
    EXPECT_EQ(csr([](auto&, auto& v) { v.value = v.value.first(3); }),
              "make_system: there are 3 values; the matrix needs 4 values, one for each column number");
    EXPECT_EQ(csr([](auto& m, auto&) { m.value[2] = nan_of_binary64; }),
              "make_system: the entry in row 2, column 0 (from 0) is nan, not a finite number");
    EXPECT_EQ(csr([](auto& m, auto&) { m.value[1] = -HUGE_VAL; }),
              "make_system: the entry in row 0, column 1 (from 0) is -inf, not a finite number");

    const small_matrix m;
    EXPECT_EQ(refusal([&] { make_system(m.view(), std::vector{1.0}); }),
              "make_system: b has 1 numbers, the matrix 3 rows");
    EXPECT_EQ(refusal([&] {
                  make_system(m.view(), std::vector{1.0, nan_of_binary64, 0.0});
              }),
              "make_system: b[1] is nan, not a finite number");

    const std::vector<int> row{0, 3};
    const std::vector<int> column{0, 0};
    const std::vector<double> value{1, 1};
    EXPECT_EQ(refusal([&] {
                  make_system(coo_view<int, double>{3, 3, row, column, value});
              }),
              "make_system: row[1] is 3; a matrix of 3 rows has those from 0 to 2");
    EXPECT_EQ(refusal([&] {
                  make_system(coo_view<int, double>{3, 3, row, column, value, 1});
              }),
              "make_system: row[0] is 0; a matrix of 3 rows has those from 1 to 3");

    EXPECT_EQ(refusal([&] {
                  make_system(dense_view<double>{2, 2, value});
              }),
              "make_system: there are 2 values; the matrix needs 2 x 2 at a stride of 2");
    EXPECT_EQ(refusal([&] {
                  make_system(dense_view<double>{1, 2, value, storage_order::row_major, 1});
              }),
              "make_system: a stride of 1 is less than the 2 numbers of a row");
    const index_t huge = index_t{1} << 30;
    EXPECT_NE(refusal([&] { make_system(dense_view<double>{index_t{1} << 40, huge, value}); }), "nothing was thrown");

    const auto text = [&](std::vector<const char*> words) {
        return refusal([&] { make_system(csr_view<std::int32_t, const char*>{3, 3, m.begin, m.column, words}); });
    };
    EXPECT_EQ(text({"1", "2", "0.1x", "4"}),
              "make_system: the entry in row 2, column 0 (from 0) is \"0.1x\", not a decimal");
    EXPECT_EQ(text({"1", "2", "1e400000000", "4"}),
              "make_system: the entry in row 2, column 0 (from 0) is a decimal beyond 10^(+-300000000)");
    const std::vector<const char*> twice{"0.1", "0.2"};
    const std::vector<int> same{0, 0};
    EXPECT_EQ(refusal([&] {
                  make_system(coo_view<int, const char*>{1, 1, same, same, twice});
              }),
              "make_system: the entry in row 0, column 0 (from 0) is given more than once; decimals are not added");

    std::vector<qd> terms{qd(4.0), qd(1.0), qd(2.0), qd(5.0)};
    terms[3][2] = nan_of_binary64;
    EXPECT_EQ(refusal([&] {
                  make_system(csr_view<std::int32_t, qd>{3, 3, m.begin, m.column, terms});
              }),
              "make_system: the entry in row 2, column 2 (from 0) is a sum with the term nan, not a finite number");
}
