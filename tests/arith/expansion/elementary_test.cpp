#include "tests/arith/expansion/elementary_oracle.hpp"

namespace residua::testing {
namespace {

template <class Terms>
struct expansion_elementary_test : ::testing::Test {
    static constexpr int n = Terms::value;
    using number = expansion<double, n>;

    argument_source<n> source;
    const std::int64_t count = support::scaled(5000);

    support::biased_random& random() { return source.random(); }

    /// The documented bounds, in docs/elementary-functions.md too.
    static double bound(double two, double three, double four) { return n == 2 ? two : n == 3 ? three : four; }

    void check(const char* what, double limit, const std::function<number()>& draw, number (*f)(const number&),
               mpfr_function exact)
    {
        SCOPED_TRACE(source.trace());
        measure<n>(what, limit, count, draw, f, [exact](const number& x) { return exact_value(exact, x); });
    }

    /// k times a constant of MPFR to enough bits for any argument.
    static real multiple(int (*constant)(mpfr_ptr, mpfr_rnd_t), const real& k)
    {
        real x(0.0, 53 * n + 200);
        constant(x.mpfr(), MPFR_RNDN);
        return x * k;
    }

    /// Of every size below 2^52, near multiples of pi/4 of every size, and small.
    number angle()
    {
        switch (random().integer(0, 4)) {
            case 0:
                return source.of_size(-1060, 50);
            case 1:
                return source.between(-10.0, 10.0);
            case 2: {
                const int size = random().integer(0, 50);
                const real k(std::floor(random().full(size, size)));
                const number x = source.near(ldexp(multiple(mpfr_const_pi, k), -1));
                return std::fabs(x.t[0]) < trigonometric_limit ? x : ldexp(x, -1);
            }
            case 3: {
                const real k(static_cast<double>(random().integer(-40, 40)));
                return source.near(ldexp(multiple(mpfr_const_pi, k), -2));
            }
            default:
                return source.of_size(-30, 6);
        }
    }
};
using elementary_terms = ::testing::Types<terms<2>, terms<3>, terms<4>>;
TYPED_TEST_SUITE(expansion_elementary_test, elementary_terms);

TYPED_TEST(expansion_elementary_test, exp_meets_the_bound)
{
    const auto draw = [this] {
        switch (this->random().integer(0, 4)) {
            case 0:
                return this->source.between(-745.2, 709.9);
            case 1:
                return this->source.of_size(-1060, 8);
            case 2: {
                const real k(static_cast<double>(this->random().integer(-1074, 1024)));
                return this->source.near(this->multiple(mpfr_const_log2, ldexp(k, -1)));
            }
            case 3:
                return this->source.between(-746.5, -700.0);
            default:
                return this->source.of_size(-12, 2);
        }
    };
    this->check("exp", this->bound(1.4, 0.9, 0.9), draw, exp, mpfr_exp);
}

TYPED_TEST(expansion_elementary_test, log_meets_the_bound)
{
    const auto draw = [this] {
        switch (this->random().integer(0, 3)) {
            case 0:
                return abs(this->source.of_size(-1074, 1023));
            case 1:
                return this->source.of_size(-60 * this->n, -2) + 1.0;
            case 2: {
                const int k = this->random().integer(-20, 20);
                return this->source.near(sqrt(ldexp(real(1.0, 1000), k)));
            }
            default:
                return abs(this->source.of_size(-3, 3));
        }
    };
    this->check("log", this->bound(1.9, 0.8, 0.7), draw, log, mpfr_log);
}

TYPED_TEST(expansion_elementary_test, sin_meets_the_bound)
{
    this->check(
        "sin", this->bound(2.7, 2.1, 1.8), [this] { return this->angle(); }, sin, mpfr_sin);
}

TYPED_TEST(expansion_elementary_test, cos_meets_the_bound)
{
    this->check(
        "cos", this->bound(2.6, 1.7, 1.7), [this] { return this->angle(); }, cos, mpfr_cos);
}

TYPED_TEST(expansion_elementary_test, tan_meets_the_bound)
{
    this->check(
        "tan", this->bound(3.4, 2.6, 2.4), [this] { return this->angle(); }, tan, mpfr_tan);
}

TYPED_TEST(expansion_elementary_test, atan_meets_the_bound)
{
    const auto draw = [this] {
        switch (this->random().integer(0, 3)) {
            case 0:
                return this->source.of_size(-1060, 1023);
            case 1:
                return this->source.between(-3.0, 3.0);
            case 2:
                return this->source.near(real(this->random().sign()));
            default:
                return this->source.of_size(-40, 40);
        }
    };
    this->check("atan", this->bound(1.9, 1.1, 0.8), draw, atan, mpfr_atan);
}

TYPED_TEST(expansion_elementary_test, reciprocal_meets_the_bound)
{
    const auto draw = [this] { return this->source.of_size(-1074, 1023); };
    const auto exact = [](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t mode) { return mpfr_ui_div(y, 1, x, mode); };
    this->check("1/x", this->bound(1.2, 1.5, 1.5), draw, reciprocal, exact);
}

TYPED_TEST(expansion_elementary_test, pow_meets_the_bound)
{
    constexpr int terms = TypeParam::value;
    using value = expansion<double, terms>;
    SCOPED_TRACE(this->source.trace());
    const double bound = this->bound(0.9, 0.9, 0.9);
    double worst = 0.0;
    for (std::int64_t i = 0; i < this->count; ++i) {
        // x^k = 2^+-1100 at most but once in four: the greater k, the nearer is x to 1.
        const int size = this->random().integer(0, 30);
        const int k = static_cast<int>(this->random().full(size, size));
        const value x = this->random().one_in(4) ? this->source.of_size(-1074, 1023)
                        : size < 8               ? this->source.of_size(-2, 2)
                                                 : this->source.of_size(-60, 9 - size) + 1.0;

        const value r = pow(x, k);

        real exact(0.0, 53 * terms + 64);
        mpfr_pow_si(exact.mpfr(), to_real(x).mpfr(), k, MPFR_RNDN);
        const double error = units_of_result(r, exact);
        worst = std::fmax(worst, error);
        ASSERT_TRUE(error <= bound && (!is_finite(r) || is_nonoverlapping(r)))
            << "x^" << k << ": error " << error << "\nx       " << show(x) << "\nresult  " << show(r);
    }
    this->RecordProperty("worst", std::to_string(worst));
    std::printf("    pow, N = %d: worst %.3g, bound %.3g units of u^N\n", terms, worst, bound);
}

}  // namespace
}  // namespace residua::testing
