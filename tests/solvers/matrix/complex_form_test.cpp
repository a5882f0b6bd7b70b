// Real forms of complex matrices and vectors, entry by entry.
#include <residua/solvers/matrix/complex_form.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/complex/complex.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/matrix/structure.hpp>

using namespace residua;

namespace {

using z = std::complex<double>;
using rows_of_doubles = std::vector<std::vector<double>>;

rows_of_doubles dense(const linear_system& a)
{
    rows_of_doubles all(static_cast<std::size_t>(a.rows), std::vector<double>(static_cast<std::size_t>(a.cols)));
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            all[static_cast<std::size_t>(i)][static_cast<std::size_t>(a.column[k])] = a.values[k];
        }
    }
    return all;
}

/// [1 + 2i, -3; 0, 4i]
const std::vector<z> small{{1, 2}, {-3, 0}, {0, 0}, {0, 4}};
const rows_of_doubles form_of_small{{1, -2, -3, 0}, {2, 1, 0, -3}, {0, 0, 0, -4}, {0, 0, 4, 0}};

linear_system of_array(const std::vector<z>& values, index_t rows, index_t cols)
{
    return make_system(dense_view<z>{rows, cols, values});
}

template <class Call>
std::string refusal(const Call& call)
{
    try {
        call();
    } catch (const dimension_error& e) {
        return e.what();
    }
    return "no dimension_error was thrown";
}

}  // namespace

TEST(complex_form_test, a_matrix_becomes_blocks_without_parts_that_are_zero)
{
    const io::coo<double> re{2, 3, {0, 0, 1}, {0, 2, 1}, {1.0, 0.0, 0.0}};
    const auto is_zero_double = [](double x) { return x == 0.0; };

    const io::coo<double> form = real_form(re, {2.0, 5.0, 0.0}, is_zero_double);

    EXPECT_EQ(form.rows, 4);
    EXPECT_EQ(form.cols, 6);
    // 1 + 2i has four parts, 5i two, and 0 the two zeros of its real part
    EXPECT_EQ(form.row, (std::vector<index_t>{0, 0, 0, 1, 1, 1, 2, 3}));
    EXPECT_EQ(form.col, (std::vector<index_t>{0, 1, 5, 0, 1, 4, 2, 3}));
    EXPECT_EQ(form.value, (std::vector<double>{1.0, -2.0, -5.0, 2.0, 1.0, 5.0, 0.0, 0.0}));
    EXPECT_EQ(real_form(re, {}, is_zero_double).value, (std::vector<double>{1.0, 0.0, 1.0, 0.0, 0.0, 0.0}));
}

TEST(complex_form_test, columns_of_vectors_have_the_parts_one_below_the_other)
{
    const io::coo<double> re{2, 2, {0, 0, 1}, {0, 1, 1}, {1.0, 2.0, 3.0}};

    const io::coo<double> form = real_form_of_columns(re, std::vector<double>{4.0, 5.0, 6.0});

    EXPECT_EQ(form.rows, 4);
    EXPECT_EQ(form.cols, 2);
    EXPECT_EQ(form.row, (std::vector<index_t>{0, 0, 1, 1, 2, 3}));
    EXPECT_EQ(form.col, (std::vector<index_t>{0, 1, 0, 1, 1, 1}));
    EXPECT_EQ(form.value, (std::vector<double>{1.0, 2.0, 4.0, 5.0, 3.0, 6.0}));
}

TEST(complex_form_test, vectors_of_every_kind_of_complex_number)
{
    const std::vector<real> form{real(0.1), real(-2.0), real(0.0), real(3.0)};
    EXPECT_EQ(real_form(std::vector<z>{{0.1, -2.0}, {0.0, 3.0}}), form);
    EXPECT_EQ(real_form(std::vector<complex_number<real>>{{real(0.1), real(-2.0)}, {real(0.0), real(3.0)}}), form);
    using dd = expansion<double, 2>;
    EXPECT_EQ(real_form(std::vector<complex_number<dd>>{{dd(0.1), dd(-2.0)}, {dd(0.0), dd(3.0)}}), form);

    const std::vector<complex_number<real>> back = complex_numbers(form);
    ASSERT_EQ(back.size(), 2U);
    EXPECT_EQ(back[0].real(), real(0.1));
    EXPECT_EQ(back[1].imag(), real(3.0));
    EXPECT_EQ(with_zero_parts({real(1.0), real(2.0)}), (std::vector<real>{real(1.0), real(0.0), real(2.0), real(0.0)}));
    EXPECT_EQ(times_i(form), (std::vector<real>{real(2.0), real(0.1), real(-3.0), real(0.0)}));
    EXPECT_EQ(refusal([] { complex_numbers(std::vector<real>(3)); }),
              "complex_numbers: 3 numbers are no pairs of real and imaginary parts");
}

TEST(complex_form_test, every_view_of_a_complex_matrix_gives_the_same_system)
{
    const std::vector<z> values{{1, 2}, {-3, 0}, {0, 4}};
    const std::vector<z> by_columns{{1, 2}, {0, 0}, {-3, 0}, {0, 4}};
    const std::vector<std::int32_t> row{0, 0, 1}, column{0, 1, 1}, row_begin{0, 2, 3}, col_begin{0, 1, 3};
    const std::vector<std::int64_t> row_from_1{1, 1, 2}, column_from_1{1, 2, 2};
    const std::vector<z> b{{1, 0}, {2, -1}};

    for (const linear_system& a :
         {make_system(csr_view<std::int32_t, z>{2, 2, row_begin, column, values}, b),
          make_system(csc_view<std::int32_t, z>{2, 2, col_begin, row, values}, b),
          make_system(coo_view<std::int32_t, z>{2, 2, row, column, values}, b),
          make_system(coo_view<std::int64_t, z>{2, 2, row_from_1, column_from_1, values, 1}, b),
          make_system(dense_view<z>{2, 2, small}, b),
          make_system(dense_view<z>{2, 2, by_columns, storage_order::column_major}, b)}) {
        EXPECT_TRUE(a.complex);
        EXPECT_EQ(dense(a), form_of_small);
        EXPECT_EQ(a.b, (std::vector<real>{real(1.0), real(0.0), real(2.0), real(-1.0)}));
        EXPECT_EQ(equations(a), 2);
        EXPECT_EQ(unknowns(a), 2);
        EXPECT_NO_THROW(require_valid(a));
    }
    const linear_system with_real_b = make_system(dense_view<z>{2, 2, small}, std::vector<int>{5, 6});
    EXPECT_EQ(with_real_b.b, (std::vector<real>{real(5.0), real(0.0), real(6.0), real(0.0)}));
    EXPECT_TRUE(make_system(dense_view<z>{2, 2, small}).b.empty());
}

TEST(complex_form_test, entries_of_long_formats_stay_exact)
{
    using qd = expansion<double, 4>;
    const qd third = qd(1.0) / qd(3.0);
    const std::vector<complex_number<qd>> of_expansions{{third, -third}};
    const std::vector<complex_number<real>> of_reals{{to_real(third), -to_real(third)}};
    for (const linear_system& a : {make_system(dense_view<complex_number<qd>>{1, 1, of_expansions}),
                                   make_system(dense_view<complex_number<real>>{1, 1, of_reals})}) {
        ASSERT_EQ(a.nonzeros(), 4);
        EXPECT_EQ(entry(a, 0, 4000), to_real(third));
        EXPECT_EQ(entry(a, 1, 4000), to_real(third));
        EXPECT_EQ(entry(a, 2, 4000), -to_real(third));
        EXPECT_EQ(entry(a, 3, 4000), to_real(third));
        EXPECT_TRUE(is_zero(a.reading_error));
    }
}

TEST(complex_form_test, entries_in_one_place_are_added_part_by_part)
{
    const std::vector<z> values{{1, 2}, {3, -2}, {1, 0x1p-60}, {-1, 1}};
    const std::vector<std::int32_t> row{0, 0, 1, 1}, column{0, 0, 1, 1};

    const linear_system a = make_system(coo_view<std::int32_t, z>{2, 2, row, column, values});

    EXPECT_EQ(complex_entries(a), 2);
    EXPECT_EQ(a.nonzeros(), 4);  // 4, twice, and i (1 + 2^-60), twice
    EXPECT_EQ(entry(a, 0, 200), real(4.0));
    EXPECT_EQ(entry(a, 3, 200), real(1.0, 100) + ldexp(real(1.0, 100), -60));
}

TEST(complex_form_test, a_real_system_becomes_a_complex_one)
{
    const std::vector<double> values{1, 2, 0, 4};
    const linear_system real_one = make_system(dense_view<double>{2, 2, values}, std::vector<double>{5, 6});

    const linear_system a = as_complex(real_one);

    EXPECT_TRUE(a.complex);
    EXPECT_EQ(dense(a), (rows_of_doubles{{1, 0, 2, 0}, {0, 1, 0, 2}, {0, 0, 4, 0}, {0, 0, 0, 4}}));
    EXPECT_EQ(a.b, (std::vector<real>{real(5.0), real(0.0), real(6.0), real(0.0)}));
    EXPECT_EQ(complex_entries(a), 4);

    const std::vector<std::string> words{"0.1", "1e-400"};
    linear_system decimals = make_system(dense_view<std::string>{1, 2, words});
    decimals.other_reading = 0.25;
    const linear_system kept = as_complex(decimals);
    EXPECT_TRUE(kept.exact.are_decimals());
    EXPECT_EQ(entry(kept, 3, 4000), real("1e-400", 4000));
    EXPECT_EQ(kept.other_reading, 0.25);
}

TEST(complex_form_test, decimals_stay_decimals)
{
    const auto of = [](const char* word) {
        const std::vector<std::string_view> words{word};
        return make_system(dense_view<std::string_view>{1, 1, words});
    };
    const auto of_double = [](double x) { return make_system(dense_view<double>{1, 1, std::span(&x, 1)}); };
    const auto expect = [](const linear_system& a, const real& re, const real& im) {
        ASSERT_EQ(a.nonzeros(), 4);
        EXPECT_TRUE(is_zero(a.reading_error));
        EXPECT_TRUE(a.exact.are_decimals());
        for (const auto& [k, exact] : {std::pair{0, re}, {1, -im}, {2, im}, {3, re}}) {
            EXPECT_EQ(entry(a, k, 20000), exact) << k;
        }
    };
    const real tenth("0.1", 20000), tiny("-3e-400", 20000);

    expect(make_complex(of("0.1"), of("-3e-400"), {}), tenth, tiny);
    for (const double x : {0x1p-1074, -0x1.fffffffffffffp-1022, 0.1, -3.0, 0x1.fffffffffffffp1023}) {
        expect(make_complex(of("0.1"), of_double(x), {}), tenth, real(x));
        expect(make_complex(of_double(x), of("-3e-400"), {}), real(x), tiny);
    }
    EXPECT_TRUE(make_complex(of("0.5"), of("0.25"), {}).exact.empty());
    const std::vector<real> third{real(1.0, 200) / real(3.0, 200)};
    EXPECT_THROW(make_complex(of("0.1"), make_system(dense_view<real>{1, 1, third}), {}), unsupported_error);
    linear_system rounded = of("0.1");
    rounded.reading_error = real(0.5);
    EXPECT_EQ(make_complex(of("0.1"), rounded, {}).reading_error, real(0.5));
}

TEST(complex_form_test, knows_complex_symmetric_from_hermitian)
{
    const linear_system symmetric = of_array({{1, 1}, {2, 3}, {2, 3}, {0, 4}}, 2, 2);
    const linear_system hermitian = of_array({{1, 0}, {2, 3}, {2, -3}, {4, 0}}, 2, 2);
    EXPECT_TRUE(inspect(symmetric).complex_symmetric);
    EXPECT_FALSE(inspect(hermitian).complex_symmetric);
    EXPECT_FALSE(inspect(of_array({{1, 1}, {2, 3}, {2, 3.5}, {4, 0}}, 2, 2)).complex_symmetric);
    EXPECT_FALSE(inspect(of_array({{1, 1}, {0, 0}}, 1, 2)).complex_symmetric);
    const std::vector<complex_number<real>> long_ones{{real("0.1", 300), real("0.2", 300)}};
    EXPECT_TRUE(inspect(make_system(dense_view<complex_number<real>>{1, 1, long_ones})).complex_symmetric);
    const std::vector<double> one{1.0};
    EXPECT_FALSE(inspect(make_system(dense_view<double>{1, 1, one})).complex_symmetric);
    const std::vector<std::string> words{"0.1", "0.2", "0.2", "0.3"};
    EXPECT_TRUE(inspect(as_complex(make_system(dense_view<std::string>{2, 2, words}))).complex_symmetric);
}

TEST(complex_form_test, sums_of_rows_are_those_of_complex_numbers)
{
    EXPECT_EQ(row_sums(of_array(small, 2, 2)), (std::vector<real>{real(-2.0), real(2.0), real(0.0), real(4.0)}));
    EXPECT_EQ(row_sums(of_array({{0x1p60, 1}, {1, 0x1p60}}, 1, 2)),
              (std::vector<real>{real(0x1p60, 100) + real(1.0), real(0x1p60, 100) + real(1.0)}));
    const std::vector<std::string> words{"0.1", "0.2"};
    const std::vector<real> sums = row_sums(as_complex(make_system(dense_view<std::string>{1, 2, words})));
    EXPECT_LT(abs(sums[0] - real("0.3", 400)), ldexp(real(1.0), -60));
    EXPECT_TRUE(is_zero(sums[1]));
}

TEST(complex_form_test, refuses_what_is_no_complex_system)
{
    const std::vector<double> one{1.0}, two{1.0, 2.0};
    EXPECT_EQ(
        refusal([&] {
            make_complex(make_system(dense_view<double>{1, 1, one}), make_system(dense_view<double>{1, 2, two}), {});
        }),
        "make_complex: the real and the imaginary parts of entries are not in the same places");
    EXPECT_THROW(make_system(dense_view<z>{2, 2, small}, std::vector<z>{{1, 2}}), dimension_error);
    EXPECT_THROW(make_system(dense_view<z>{2, 2, small}, std::vector<double>{1.0, 2.0, 3.0}), dimension_error);
    EXPECT_THROW(make_system(dense_view<z>{2, 2, std::span(small).first(3)}), dimension_error);
    const std::vector<std::int32_t> begin{0, 1}, first{0};
    EXPECT_THROW(as_complex(make_system(csr_view<std::int32_t, double>{1, index_t{1} << 30, begin, first, one})),
                 dimension_error);
    const std::vector<z> infinite{{1.0, HUGE_VAL}};
    EXPECT_THROW(make_system(dense_view<z>{1, 1, infinite}), unsupported_error);
}
