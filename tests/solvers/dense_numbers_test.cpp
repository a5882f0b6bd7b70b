// Arrays of the caller into dense matrices of limbs and back, and what is refused.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/io/error.hpp>
#include <residua/solvers/dense.hpp>

#include "tests/support/dense_matrices.hpp"

using namespace residua;
using namespace residua::support;
using dense::dense_matrix;

namespace {

/// An array of mpf_t.
class mpf_array {
public:
    mpf_array(index_t size, unsigned long bits) : all_(static_cast<std::size_t>(size))
    {
        for (__mpf_struct& x : all_) {
            mpf_init2(&x, bits);
        }
    }
    mpf_array(const mpf_array&) = delete;
    mpf_array& operator=(const mpf_array&) = delete;
    ~mpf_array()
    {
        for (__mpf_struct& x : all_) {
            mpf_clear(&x);
        }
    }
    mpf_ptr data() { return all_.data(); }
    mpf_ptr at(index_t k) { return &all_[static_cast<std::size_t>(k)]; }

private:
    std::vector<__mpf_struct> all_;
};

/// What f throws, in words.
template <class Error = error, class F>
std::string refusal(const F& f)
{
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
}

class dense_numbers : public testing::Test {
public:
    std::mt19937_64 random{51};
};

}  // namespace

TEST_F(dense_numbers, a_matrix_says_what_bits_it_has)
{
    EXPECT_EQ(dense_matrix(2, 3, 53).bits(), 64);
    EXPECT_EQ(dense_matrix(2, 3, 200).bits(), 200);
    EXPECT_EQ(dense_matrix(2, 3, 4096).bits(), 4096);
    EXPECT_EQ(dense_matrix(2, 3, 64).rows(), 2);
    EXPECT_EQ(dense_matrix(2, 3, 64).cols(), 3);
    EXPECT_THROW(dense_matrix(2, 3, 52), unsupported_error);
    EXPECT_THROW(dense_matrix(2, 3, 4097), unsupported_error);
    EXPECT_THROW(dense_matrix(-1, 3, 100), dimension_error);
    EXPECT_THROW(dense_matrix(index_t{1} << 40, index_t{1} << 40, 100), resource_error);
}

TEST_F(dense_numbers, doubles_come_back_and_gaps_stay)
{
    const std::vector<double> in{1.5, -0.1, 77, 0, 0x1p-1074, 77, 0x1p1000, -3, 77};
    dense_matrix a(2, 3, 53);
    a.set(in.data(), 3);
    std::vector<double> out(9, 55);
    a.get(out.data(), 3);
    EXPECT_EQ(out, (std::vector<double>{1.5, -0.1, 55, 0, 0x1p-1074, 55, 0x1p1000, -3, 55}));
}

TEST_F(dense_numbers, mpf_of_any_size_comes_back)
{
    mpf_array in(12, 320), out(12, 320);
    for (const index_t k : {0, 1, 2, 4, 5, 6, 8, 9, 10}) {  // columns of 3, 4 apart
        mpf_set_si(in.at(k), k - 5);
        for (index_t i = 0; i < k; ++i) {  // 1 to 6 limbs
            mpf_div_ui(in.at(k), in.at(k), 3);
        }
    }
    mpf_set_d(out.at(3), 0.25);
    dense_matrix a(3, 3, 64 * 7);
    a.set(static_cast<mpf_srcptr>(in.data()), 4);
    a.get(out.data(), 4);
    for (const index_t k : {0, 1, 2, 4, 5, 6, 8, 9, 10}) {
        EXPECT_EQ(mpf_cmp(in.at(k), out.at(k)), 0) << k;
    }
    EXPECT_EQ(mpf_get_d(out.at(3)), 0.25);
    real_columns as_reals = to_reals(a);
    EXPECT_EQ(as_reals(1, 1), real(0.0));  // 5 - 5
    EXPECT_TRUE(as_reals(0, 0) == real(-5.0));
}

TEST_F(dense_numbers, mpfr_of_other_precisions_is_rounded_to_nearest)
{
    for (const long bits : {64, 100, 256, 1000}) {
        for (const long other : {2, 53, 64, 100, 777, 2000}) {
            const real_columns in = any_columns(random, 7, 5, other, 500);
            const dense_matrix a = to_dense(in, bits);
            const real_columns held = to_reals(a);
            std::vector<real> out;
            std::vector<__mpfr_struct> array;
            for (int k = 0; k < 35; ++k) {
                out.emplace_back(0.0, other);
                array.push_back(*out.back().mpfr());
            }
            a.get(array.data());
            for (std::size_t k = 0; k < 35; ++k) {
                *out[k].mpfr() = array[k];
                ASSERT_EQ(held.numbers[k], in.numbers[k].with_precision(bits));
                ASSERT_EQ(out[k], held.numbers[k].with_precision(other));
            }
        }
    }
}

TEST_F(dense_numbers, limbs_of_every_count_come_back)
{
    for (int limbs = 1; limbs <= 20; ++limbs) {
        constexpr index_t rows = 4, cols = 3, ld = 5;
        const std::size_t size = ld * cols, each = static_cast<std::size_t>(limbs);
        std::vector<std::int32_t> sign(size), sign_out(size, 9);
        std::vector<std::int64_t> exponent(size), exponent_out(size, 9);
        std::vector<std::uint64_t> limb(size * each), limb_out(size * each, 9);
        for (std::size_t k = 0; k < size; ++k) {
            sign[k] = static_cast<std::int32_t>(random() % 3) - 1;
            exponent[k] = sign[k] == 0 ? 0 : static_cast<std::int64_t>(random() % 2000) - 1000;
            for (std::size_t l = 0; l < each; ++l) {
                limb[k * each + l] = sign[k] == 0 ? 0 : random();
            }
            limb[k * each + each - 1] |= sign[k] == 0 ? 0 : std::uint64_t{1} << 63;
            if (k % ld >= rows) {  // a gap
                sign[k] = 9;
                exponent[k] = 9;
                std::fill_n(limb.begin() + static_cast<std::ptrdiff_t>(k * each), each, 9);
            }
        }
        dense_matrix a(rows, cols, 64L * limbs);
        a.set(dense::limb_array{sign.data(), exponent.data(), limb.data(), limbs}, ld);
        a.get(dense::limb_room{sign_out.data(), exponent_out.data(), limb_out.data(), limbs}, ld);
        EXPECT_EQ(sign, sign_out);
        EXPECT_EQ(exponent, exponent_out);
        EXPECT_EQ(limb, limb_out) << limbs;
    }
}

TEST_F(dense_numbers, fewer_limbs_are_rounded_to_nearest)
{
    const std::int32_t sign = -1;
    const std::int64_t exponent = -64;
    const std::uint64_t limb[] = {std::uint64_t{1} << 63, ~std::uint64_t{0}};
    dense_matrix a(1, 1, 128);
    a.set(dense::limb_array{&sign, &exponent, limb, 2});
    std::int32_t sign_out = 0;
    std::int64_t exponent_out = 0;
    std::uint64_t limb_out = 0;
    a.get(dense::limb_room{&sign_out, &exponent_out, &limb_out, 1});
    EXPECT_EQ(sign_out, -1);
    EXPECT_EQ(limb_out, std::uint64_t{1} << 63);
    EXPECT_EQ(exponent_out, 1);
}

TEST_F(dense_numbers, empty_matrices_need_no_arrays)
{
    dense_matrix a(0, 3, 100), b(3, 0, 100), c(0, 0, 100);
    a.set(static_cast<const double*>(nullptr));
    b.get(static_cast<mpfr_ptr>(nullptr));
    std::vector<index_t> pivots;
    EXPECT_EQ(dense::potrf(dense::uplo::lower, c), 0);
    EXPECT_EQ(dense::getrf(c, pivots), 0);
    dense::trsm(dense::side::left, dense::uplo::lower, dense::op::plain, dense::diag::unit, 1.0, c, a);
    dense_matrix product(3, 3, 100);
    dense::gemm(1.0, dense::op::plain, b, dense::op::plain, a, 0.0, product);
    EXPECT_EQ(to_reals(product)(2, 2), real(0.0));
}

TEST_F(dense_numbers, numbers_that_are_not_finite_are_refused_and_change_nothing)
{
    real_columns in(2, 2);
    in.numbers = {real(1.0), real(2.0), real(3.0), real(4.0)};
    dense_matrix a = to_dense(in, 100);
    std::vector<__mpfr_struct> array;
    for (real& x : in.numbers) {
        array.push_back(*x.mpfr());
    }
    mpfr_set_nan(&array[2]);
    EXPECT_EQ(refusal([&] { a.set(static_cast<mpfr_srcptr>(array.data())); }),
              "number (0, 1) is nan, not a finite number");
    mpfr_set_inf(&array[2], -1);
    EXPECT_EQ(refusal([&] { a.set(static_cast<mpfr_srcptr>(array.data())); }),
              "number (0, 1) is -inf, not a finite number");
    const double doubles[] = {1, std::numeric_limits<double>::infinity(), 1, 1};
    EXPECT_EQ(refusal([&] { a.set(doubles); }), "number (1, 0) is inf, not a finite number");
    EXPECT_EQ(to_double(to_reals(a)(1, 1)), 4.0);
    EXPECT_EQ(to_double(to_reals(a)(0, 1)), 3.0);
    mpfr_set_d(&array[2], 3.0, MPFR_RNDN);
    in.numbers[2].mpfr()[0] = array[2];
}

TEST_F(dense_numbers, what_is_not_finite_leaves_as_mpfr_and_double_alone)
{
    dense_matrix a(1, 1, 100), zero(1, 1, 100);
    const double one = 1.0;
    a.set(&one);
    dense::trsm(dense::side::left, dense::uplo::lower, dense::op::plain, dense::diag::non_unit, 1.0, zero, a);
    double d = 0.0;
    a.get(&d);
    EXPECT_TRUE(std::isinf(d));
    real r(0.0, 64);
    a.get(r.mpfr());
    EXPECT_TRUE(mpfr_inf_p(r.mpfr()) != 0);
    mpf_array x(1, 64);
    EXPECT_EQ(refusal([&] { a.get(x.data()); }), "number (0, 0) is infinite or nan, which has no limbs");
}

TEST_F(dense_numbers, shapes_bits_and_arrays_that_do_not_fit_are_refused)
{
    using namespace residua::dense;
    dense_matrix a(3, 2, 100), b(2, 3, 100), c(3, 3, 100), longer(3, 3, 128), square(2, 2, 100);
    std::vector<double> x(100);
    std::vector<index_t> pivots;
    EXPECT_THROW(a.set(x.data(), 2), dimension_error);
    EXPECT_THROW(a.set(x.data(), -1), dimension_error);
    EXPECT_THROW(a.set(x.data(), std::numeric_limits<index_t>::max()), dimension_error);
    EXPECT_THROW(a.get(x.data(), index_t{1} << 44), dimension_error);
    EXPECT_EQ(refusal([&] { a.set(static_cast<const double*>(nullptr)); }), "the array of numbers is null");
    const limb_array no_limbs{nullptr, nullptr, nullptr, 0};
    EXPECT_THROW(a.set(no_limbs), dimension_error);
    EXPECT_THROW(gemm(1.0, op::plain, a, op::plain, a, 0.0, c), dimension_error);
    EXPECT_THROW(gemm(1.0, op::plain, a, op::plain, b, 0.0, square), dimension_error);
    EXPECT_THROW(syrk(uplo::lower, op::transposed, 1.0, a, 0.0, c), dimension_error);
    EXPECT_THROW(syrk(uplo::lower, op::plain, 1.0, a, 0.0, a), dimension_error);
    EXPECT_THROW(trsm(side::left, uplo::lower, op::plain, diag::unit, 1.0, square, a), dimension_error);
    EXPECT_THROW(trsm(side::right, uplo::lower, op::plain, diag::unit, 1.0, c, a), dimension_error);
    EXPECT_THROW(trsm(side::left, uplo::lower, op::plain, diag::unit, 1.0, c, c), error);
    EXPECT_THROW(potrf(uplo::lower, a), dimension_error);
    EXPECT_THROW(getrf(a, pivots), dimension_error);
    EXPECT_THROW(getrs(op::plain, c, {0, 1}, a), dimension_error);
    EXPECT_EQ(refusal([&] { getrs(op::plain, c, {0, 1, 3}, a); }), "getrs: there is no row 3 to swap among 3");
    EXPECT_THROW(gesv(c, b), dimension_error);
    EXPECT_THROW(posv(uplo::lower, c, c), error);
    EXPECT_EQ(refusal([&] { gemm(1.0, op::plain, a, op::plain, b, 0.0, longer); }),
              "gemm: matrices of 100 and 128 bits do not mix");
}
