#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpfr.h>

#include <residua/arith/expansion/expansion.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/scale.hpp"

namespace residua::testing {

/// The number of terms as a type, for typed tests.
template <int N>
using terms = std::integral_constant<int, N>;

using all_terms = ::testing::Types<terms<2>, terms<3>, terms<4>, terms<5>, terms<6>, terms<8>, terms<12>, terms<16>,
                                   terms<24>, terms<32>, terms<39>>;
using three_terms_or_more = ::testing::Types<terms<3>, terms<4>, terms<5>, terms<6>, terms<8>, terms<12>, terms<16>,
                                             terms<24>, terms<32>, terms<39>>;

/// Random cases of one test: a million for N <= 4, fewer where a case costs more.
template <int N>
std::int64_t cases()
{
    return support::scaled(N <= 4 ? 1'000'000 : N <= 8 ? 200'000 : N <= 16 ? 20'000 : 1'000);
}

/// Exponents of operands. 39 terms fill the range of binary64, so the leading one must be large; products of lanes
/// need some room above it.
template <int N>
inline constexpr int low_exponent = one_term_a_lane<N> ? 960
                                    : N > 16           ? 1000
                                                       : -40;
template <int N>
inline constexpr int high_exponent = one_term_a_lane<N> ? 968
                                     : N > 16           ? 1008
                                                        : 40;

/// Exponents of a second factor.
template <int N>
inline constexpr int low_factor = N > 16 ? 0 : -20;
template <int N>
inline constexpr int high_factor = N > 16 ? 3 : 20;

/// A sum of doubles and products of doubles, exact until it is asked for.
class exact_sum_of {
public:
    template <int N>
    exact_sum_of& add(const expansion<double, N>& x, double sign = 1.0)
    {
        for (double t : x.t) {
            addends_.push_back(sign * t);
        }
        return *this;
    }

    exact_sum_of& add(double x)
    {
        addends_.push_back(x);
        return *this;
    }

    /// The product must not underflow: its error term is a double.
    exact_sum_of& add_product(double x, double y)
    {
        const double p = x * y;
        addends_.push_back(p);
        addends_.push_back(std::fma(x, y, -p));
        return *this;
    }

    template <int N>
    exact_sum_of& add_product(const expansion<double, N>& x, double y)
    {
        for (double t : x.t) {
            add_product(t, y);
        }
        return *this;
    }

    template <int N>
    exact_sum_of& add_product(const expansion<double, N>& x, const expansion<double, N>& y, double sign = 1.0)
    {
        for (double t : y.t) {
            add_product(x, sign * t);
        }
        return *this;
    }

    /// The sum, correctly rounded to 64 bits, as m 2^e with 1/2 <= |m| < 1.
    std::pair<double, long> value() const
    {
        std::vector<__mpfr_struct> numbers(addends_.size());
        std::vector<mpfr_ptr> pointers(addends_.size());
        std::vector<mp_limb_t> limbs(addends_.size());
        for (std::size_t i = 0; i < addends_.size(); ++i) {
            mpfr_custom_init_set(&numbers[i], MPFR_ZERO_KIND, 0, 53, &limbs[i]);
            mpfr_set_d(&numbers[i], addends_[i], MPFR_RNDN);
            pointers[i] = &numbers[i];
        }
        mpfr_t sum;
        mpfr_init2(sum, 64);
        mpfr_sum(sum, pointers.data(), pointers.size(), MPFR_RNDN);
        long exponent = 0;
        const double mantissa = mpfr_get_d_2exp(&exponent, sum, MPFR_RNDN);
        mpfr_clear(sum);
        return {mantissa, exponent};
    }

private:
    std::vector<double> addends_;
};

/// |a / b| in units of u^n; 0 for a == 0, infinity for b == 0.
inline double units(const exact_sum_of& a, const exact_sum_of& b, int n)
{
    const auto [ma, ea] = a.value();
    const auto [mb, eb] = b.value();
    if (ma == 0.0) {
        return 0.0;
    }
    if (mb == 0.0 || std::isnan(ma) || std::isnan(mb)) {
        return std::numeric_limits<double>::infinity();
    }
    return std::ldexp(std::fabs(ma / mb), static_cast<int>(ea - eb) + 53 * n);
}

/// The invariant of the type.
template <int N>
bool is_nonoverlapping(const expansion<double, N>& x)
{
    for (int i = 0; i + 1 < N; ++i) {
        const bool below = std::fabs(x.t[i + 1]) <= (x.t[i] == 0.0 ? 0.0 : ulp(x.t[i]));
        if (!below || (N == 2 && x.t[0] + x.t[1] != x.t[0])) {
            return false;
        }
    }
    return is_finite(x);
}

template <int N>
std::string show(const expansion<double, N>& x)
{
    std::string s;
    for (double t : x.t) {
        char text[32];
        std::snprintf(text, sizeof text, "%a ", t);
        s += text;
    }
    return s;
}

/// Keeps the worst error of a test and reports it; fails at the first result beyond the bound.
class error_watch {
public:
    error_watch(const char* what, int n, double bound) : what_(what), n_(n), bound_(bound) {}

    ~error_watch()
    {
        ::testing::Test::RecordProperty(std::string(what_) + "_worst_units", std::to_string(worst_));
        std::printf("    %s, N = %d: worst %.3g u^N, bound %.3g u^N\n", what_, n_, worst_, bound_);
    }

    /// False, with a message, if the result r breaks the bound or the invariant.
    template <int N, class... Operands>
    bool accepts(double error, const expansion<double, N>& r, const Operands&... operands)
    {
        worst_ = std::fmax(worst_, error);
        if (error <= bound_ && is_nonoverlapping(r)) {
            return true;
        }
        ADD_FAILURE() << what_ << ": error " << error << " u^N, bound " << bound_ << "\nresult   " << show(r)
                      << (("\noperand  " + show(operands)) + ... + std::string());
        return false;
    }

private:
    const char* what_;
    int n_;
    double bound_;
    double worst_ = 0.0;
};

/// Pairs of operands: unrelated, near in exponent, cancelling, far apart, with zeros.
template <int N>
class operand_source {
public:
    std::string trace() const { return random_.trace(); }
    support::biased_random& random() { return random_; }

    expansion<double, N> number(int lo, int hi)
    {
        expansion<double, N> x;
        if (!random_.one_in(40)) {
            random_.fill_expansion(x.t, lo, hi, rule());
        }
        return x;
    }

    /// Not zero.
    expansion<double, N> nonzero(int lo, int hi)
    {
        expansion<double, N> x;
        random_.fill_expansion(x.t, lo, hi, rule());
        return x;
    }

    /// x from number(lo, hi), and y with a close relation to -x once in two.
    std::pair<expansion<double, N>, expansion<double, N>> pair(int lo, int hi)
    {
        const expansion<double, N> x = number(lo, hi);
        expansion<double, N> y = number(lo, hi);
        if (x.t[0] != 0.0) {
            switch (random_.integer(0, 5)) {
                case 0:
                case 1:
                    random_.fill_cancelling(x.t, y.t, rule());
                    break;
                case 2:
                    near(x, y);
                    break;
                default:
                    break;
            }
        }
        return {x, y};
    }

private:
    /// Two terms must be nearest; more may be ulp-nonoverlapping.
    support::nonoverlap rule()
    {
        return N > 2 && random_.one_in(2) ? support::nonoverlap::ulp : support::nonoverlap::nearest;
    }

    /// y: leading term a neighbour of -x_0, so that the difference sits in the later terms.
    void near(const expansion<double, N>& x, expansion<double, N>& y)
    {
        const int e = floor_log2(x.t[0]);
        random_.fill_expansion(y.t, e, e, support::nonoverlap::nearest);
        y.t[0] = support::biased_random::neighbour(-x.t[0], random_.integer(-2, 2));
        if (y.t[0] == 0.0 || std::fabs(y.t[1]) > 0.25 * ulp(y.t[0])) {
            y = expansion<double, N>{y.t[0]};
        }
    }

    support::biased_random random_;
};

}  // namespace residua::testing
