#include <array>

#include "tests/arith/complex/complex_oracle.hpp"

namespace residua::testing {
namespace {

template <class T>
class complex_operations : public ::testing::Test {
protected:
    using kind = part_kind<T>;
    using number = complex_number<T>;
    static constexpr complex_bounds bounds = bounds_of_complex(complex_part<T>::bounds);
    static constexpr part_bounds parts = complex_part<T>::bounds;

    static real power(long e) { return ldexp(real(1.0), e); }

    /// What terms below the range of binary64 add to a bound: `count` times the least number.
    static real lost(double count) { return kind::in_range_of_binary64 ? ldexp(real(count), -1074) : real(0.0); }
    static real lost_products() { return lost(kind::is_binary64 ? 0.0 : 4.0 * kind::terms() * kind::terms()); }
    static real lost_terms() { return lost(kind::terms()); }
    /// What parts far below the other one add to a bound relative to the whole.
    static real lost_of_whole() { return kind::in_range_of_binary64 ? power(-1300) : real(0.0); }
    /// Whether a product may leave the range on its way.
    static bool overflows(const real& product) { return kind::in_range_of_binary64 && product >= power(900); }
    /// Whether products through digits, from 7 terms on, do not take the factor.
    static bool is_refused(const real& factor)
    {
        return kind::in_range_of_binary64 && kind::terms() >= 7 && abs(factor) >= power(1012);
    }

    static long exponent_of(const number& z)
    {
        const T zero = kind::make(real(0.0));
        const long re = z.real() == zero ? -(1L << 40) : exponent(to_real(z.real()));
        const long im = z.imag() == zero ? -(1L << 40) : exponent(to_real(z.imag()));
        return z == zero ? 0 : std::max(re, im);
    }

    static real_pair scaled(const real_pair& z, long k) { return {ldexp(z.re, k), ldexp(z.im, k)}; }

    /// a b + c d
    void check_sum_of_products(const char* what, const T& result, const real& a, const real& b, const real& c,
                               const real& d)
    {
        if (is_refused(a) || is_refused(b) || is_refused(c) || is_refused(d)) {
            return;
        }
        const real size = abs(a * b) + abs(c * d);
        const real exact = a * b + c * d;
        real bound = (parts.cancels ? size : abs(exact)) * real(bounds.product) * unit<T>() + lost_products();
        const real smaller = min(abs(a * b), abs(c * d));
        if (kind::is_binary64 && smaller < power(-960)) {
            bound = abs(exact) * real(3.0) * unit<T>() + power(-1070);
        }
        expect_within(what, to_real(result), exact, bound, overflows(size));
    }

    void check_product(const number& z, const number& w)
    {
        const real_pair a = in_full(z);
        const real_pair b = in_full(w);
        const number r = z * w;
        ASSERT_TRUE(!kind::is_binary64 || !is_finite(r) || r == w * z);
        SCOPED_TRACE(to_string(z) + " * " + to_string(w));
        check_sum_of_products("re(z w)", r.real(), a.re, b.re, -a.im, b.im);
        check_sum_of_products("im(z w)", r.imag(), a.re, b.im, a.im, b.re);
        check_sum_of_products("norm(z)", norm(z), a.re, a.re, a.im, a.im);
        if (is_finite(r) && !kind::in_range_of_binary64) {
            const real_pair exact = exact_product(a, b);
            const real_pair rounded = in_full(r);
            const real whole = exact_abs(exact);
            expect_within("|z w - exact|", exact_abs({rounded.re - exact.re, rounded.im - exact.im}), real(0.0),
                          whole * real(bounds.product_normwise) * unit<T>());
        }
    }

    /// Of operands scaled to about 1, so that MPFR's own range is enough.
    void check_quotient(const number& z, const number& w)
    {
        const long of_z = exponent_of(z);
        const long of_w = exponent_of(w);
        const real_pair a = scaled(in_full(z), -of_z);
        const real_pair b = scaled(in_full(w), -of_w);
        const long of_quotient = of_z - of_w;
        const number q = z / w;
        const real_pair rounded = scaled(in_full(q), -of_quotient);
        const real_pair exact = exact_quotient(a, b);
        const real whole = exact_abs(exact);
        const real cancelled = real(bounds.quotient_cancelled) / exact_norm(b);
        const real common = lost_of_whole() * whole + ldexp(lost_terms(), -of_quotient);
        const bool overflow = kind::in_range_of_binary64 && of_quotient >= 1020;
        SCOPED_TRACE(to_string(z) + " / " + to_string(w));
        const real of_re = cancelled * (abs(a.re * b.re) + abs(a.im * b.im));
        const real of_im = cancelled * (abs(a.im * b.re) + abs(a.re * b.im));
        expect_within("re(z / w)", rounded.re, exact.re,
                      (real(bounds.quotient) * abs(exact.re) + of_re) * unit<T>() + common, overflow);
        expect_within("im(z / w)", rounded.im, exact.im,
                      (real(bounds.quotient) * abs(exact.im) + of_im) * unit<T>() + common, overflow);
        if (is_finite(q)) {
            expect_within("|z / w - exact|", exact_abs({rounded.re - exact.re, rounded.im - exact.im}), real(0.0),
                          whole * real(bounds.quotient_normwise) * unit<T>() + real(2.0) * common);
        }
    }

    void check_functions(const number& z)
    {
        const long e = exponent_of(z) / 2 * 2;
        const real_pair a = scaled(in_full(z), -e);
        const real size = exact_abs(a);
        SCOPED_TRACE(to_string(z));
        expect_within("|z|", ldexp(to_real(abs(z)), -e), size,
                      (real(bounds.abs) * unit<T>() + lost_of_whole()) * size + ldexp(lost_terms(), -e),
                      kind::in_range_of_binary64 && e >= 1020);
        const real_pair exact = exact_root(a);
        const real_pair r = scaled(in_full(sqrt(z)), -e / 2);
        const real relative = real(bounds.root) * unit<T>() + lost_of_whole();
        expect_within("re(sqrt(z))", r.re, exact.re, relative * abs(exact.re) + ldexp(lost_terms(), -e / 2));
        expect_within("im(sqrt(z))", r.im, exact.im, relative * abs(exact.im) + ldexp(lost_terms(), -e / 2));
    }

    void check_with_real(const number& z, const T& t)
    {
        const auto same = [](const number& r, const T& re, const T& im) { return r.real() == re && r.imag() == im; };
        ASSERT_TRUE(same(z + t, z.real() + t, z.imag()));
        ASSERT_TRUE(same(t + z, z.real() + t, z.imag()));
        ASSERT_TRUE(same(z - t, z.real() - t, z.imag()));
        ASSERT_TRUE(same(t - z, t - z.real(), -z.imag()));
        ASSERT_TRUE(same(z * t, z.real() * t, z.imag() * t));
        ASSERT_TRUE(same(t * z, t * z.real(), t * z.imag()));
        ASSERT_TRUE(same(z / t, z.real() / t, z.imag() / t));
        ASSERT_TRUE(t / z == number(t) / z);
    }

    static int cases() { return static_cast<int>(support::scaled(kind::bits <= 212 ? 600 : 150)); }

    complex_source<T> source;
};

using formats = ::testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                                 expansion<double, 8>, expansion<double, 26>, multidigit_fixed<64>,
                                 multidigit_fixed<200>, multidigit_fixed<1000>, multidigit_number, rns_number, real>;
TYPED_TEST_SUITE(complex_operations, formats);

TYPED_TEST(complex_operations, keep_their_bounds)
{
    SCOPED_TRACE(this->source.trace());
    for (int i = 0; i < this->cases() && !this->HasFatalFailure(); ++i) {
        const auto z = this->source.number(-40, 40);
        const auto w = this->source.number(-40, 40);
        this->check_product(z, w);
        this->check_quotient(z, w);
        this->check_functions(z);
        this->check_with_real(z, this->source.part(-40, 40));
    }
}

TYPED_TEST(complex_operations, keep_their_bounds_where_parts_cancel)
{
    SCOPED_TRACE(this->source.trace());
    for (int i = 0; i < this->cases() && !this->HasFatalFailure(); ++i) {
        const auto z = this->source.number(-20, 20);
        const auto w = this->source.partner(z, -20, 20);
        this->check_product(z, w);
        if (!(w == part_kind<TypeParam>::make(real(0.0)))) {
            this->check_quotient(z, w);
        }
        this->check_functions(z * w);
    }
}

TYPED_TEST(complex_operations, need_no_more_range_than_their_results)
{
    using K = typename TestFixture::kind;
    SCOPED_TRACE(this->source.trace());
    std::array<std::array<long, 2>, 4> ranges{{{-1070, -1000}, {960, 1022}, {-600, -500}, {-40, 40}}};
    if constexpr (!K::in_range_of_binary64) {
        ranges = {{{-900'000'000, -899'999'000}, {900'000'000, 900'000'100}, {-100, 100}, {-5'000, -4'000}}};
    }
    const auto range = [&] { return ranges[static_cast<std::size_t>(this->source.random().integer(0, 3))]; };
    const auto part = [&] {
        const auto [lo, hi] = range();
        return this->source.part(lo, hi);
    };
    for (int i = 0; i < this->cases() && !this->HasFatalFailure(); ++i) {
        const auto [lo, hi] = range();
        const auto z = this->source.number(lo, hi);
        const auto [other_lo, other_hi] = range();
        const auto w = this->source.number(other_lo, other_hi);
        const auto re = part();
        const typename TestFixture::number mixed(re, part());
        this->check_functions(z);
        this->check_functions(mixed);
        if constexpr (K::in_range_of_binary64) {
            this->check_quotient(z, w);
            this->check_quotient(mixed, w);
            this->check_quotient(z, mixed);
            this->check_product(z, w);
        } else if (other_lo != ranges[lo > 0 ? 0 : 1][0]) {  // else MPFR's own range is too small for the quotient
            this->check_quotient(z, w);
        }
    }
}

TYPED_TEST(complex_operations, are_not_finite_with_operands_that_are_not)
{
    using K = typename TestFixture::kind;
    using Z = typename TestFixture::number;
    const auto make = [](double x) { return K::make(real(x)); };
    const double inf = std::numeric_limits<double>::infinity();
    for (const double special : {inf, -inf, std::numeric_limits<double>::quiet_NaN()}) {
        for (const double x : {0.0, -0.0, 1.5, -3.0, inf}) {
            for (const Z& z : {Z(make(special), make(x)), Z(make(x), make(special))}) {
                for (const Z& w :
                     {Z(make(1.0), make(2.0)), Z(make(0.0), make(-1.0)), Z(make(0.0)), Z(make(-2.0), make(0.0))}) {
                    EXPECT_FALSE(is_finite(z * w)) << special << " " << x << w;
                    EXPECT_FALSE(is_finite(w * z)) << special << " " << x << w;
                    EXPECT_FALSE(is_finite(z / w)) << special << " " << x << w;
                    EXPECT_FALSE(is_finite(w / z)) << special << " " << x << w;
                    EXPECT_FALSE(is_finite(z + w));
                    EXPECT_FALSE(is_finite(z - w));
                }
                EXPECT_FALSE(is_finite(abs(z)));
                EXPECT_FALSE(is_finite(norm(z)));
                EXPECT_FALSE(is_finite(sqrt(z)));
                EXPECT_FALSE(is_finite(conj(z)));
            }
        }
    }
    const Z zero(make(0.0));
    EXPECT_FALSE(is_finite(zero / zero));
    EXPECT_FALSE(is_finite(Z(make(1.0), make(2.0)) / zero));
    EXPECT_FALSE(is_finite(Z(make(1.0), make(2.0)) / make(0.0)));
    EXPECT_FALSE(Z(make(0.0), make(inf)) == Z(make(1.0)));
}

TYPED_TEST(complex_operations, of_zeros_are_exact)
{
    using K = typename TestFixture::kind;
    using Z = typename TestFixture::number;
    const auto make = [](double x) { return K::make(real(x)); };
    const Z zero(make(0.0));
    const Z z(make(3.0), make(-4.0));
    EXPECT_TRUE(z + zero == z);
    EXPECT_TRUE(z - z == zero);
    EXPECT_TRUE(z * zero == zero);
    EXPECT_TRUE(zero / z == zero);
    EXPECT_TRUE(abs(zero) == make(0.0));
    EXPECT_TRUE(norm(zero) == make(0.0));
    EXPECT_TRUE(sqrt(zero) == zero);
    EXPECT_TRUE(abs(z) == make(5.0));
    EXPECT_TRUE(norm(z) == make(25.0));
    EXPECT_TRUE((z * conj(z)) == make(25.0));
    EXPECT_TRUE(sqrt(z) == Z(make(2.0), make(-1.0)));
    EXPECT_TRUE(z / z == make(1.0));
    Z w = z;
    w += z;
    w -= make(1.0);
    w *= z;
    w /= z;
    EXPECT_TRUE(w == Z(make(5.0), make(-8.0)));
    EXPECT_TRUE(-w == Z(make(-5.0), make(8.0)));
    EXPECT_FALSE(w == z);
}

TYPED_TEST(complex_operations, has_the_principal_branch_of_the_root)
{
    using K = typename TestFixture::kind;
    using Z = typename TestFixture::number;
    const auto make = [](double x) { return complex_part<TypeParam>::like(K::make(real(0.0)), x); };
    const bool has_signs = complex_part<TypeParam>::is_negative(make(-0.0));
    EXPECT_TRUE(sqrt(Z(make(-4.0), make(0.0))) == Z(make(0.0), make(2.0)));
    EXPECT_TRUE(sqrt(Z(make(-4.0), make(-0.0))) == Z(make(0.0), make(has_signs ? -2.0 : 2.0)));
    EXPECT_TRUE(sqrt(Z(make(0.0), make(-8.0))) == Z(make(2.0), make(-2.0)));
    const Z zero = sqrt(Z(make(-0.0), make(-0.0)));
    EXPECT_FALSE(complex_part<TypeParam>::is_negative(zero.real()));
    EXPECT_EQ(complex_part<TypeParam>::is_negative(zero.imag()), has_signs);
    const Z above = sqrt(Z(make(4.0), make(-0.0)));
    EXPECT_TRUE(above == make(2.0));
    EXPECT_EQ(complex_part<TypeParam>::is_negative(above.imag()), has_signs);
}

}  // namespace
}  // namespace residua::testing
