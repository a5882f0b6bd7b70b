#pragma once

#include <algorithm>
#include <functional>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/elementary.hpp>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {

/// A function of MPFR: mpfr_exp and its like.
using mpfr_function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

/// f(x) to 64 bits more than N terms have, of the exact x.
template <int N>
real exact_value(mpfr_function f, const expansion<double, N>& x)
{
    real y(0.0, 53 * N + 64);
    f(y.mpfr(), to_real(x).mpfr(), MPFR_RNDN);
    return y;
}

/// |r - exact| in units of u^N |exact|, or of 2^-1074 if that is more. An infinity is right beyond
/// the greatest double, a zero for zero.
template <int N>
double units_of_result(const expansion<double, N>& r, const real& exact)
{
    if (!is_finite(r)) {
        const bool beyond = abs(exact) > real(std::numeric_limits<double>::max()) && r.t[0] == to_double(exact);
        return beyond ? 0.0 : std::numeric_limits<double>::infinity();
    }
    const real difference = abs(to_real(r).with_precision(4352) - exact);
    const real unit = max(ldexp(abs(exact), -53 * N), ldexp(real(1.0), -1074));
    return to_double(difference / unit);
}

/// Arguments of elementary functions.
template <int N>
class argument_source {
public:
    using number = expansion<double, N>;

    std::string trace() const { return operands_.trace(); }
    support::biased_random& random() { return operands_.random(); }

    /// |x| about 2^e, lo <= e <= hi; not zero.
    number of_size(int lo, int hi)
    {
        number x;
        while (x.t[0] == 0.0) {
            x = operands_.nonzero(lo, hi);
        }
        return x;
    }

    /// Uniform in lo..hi as far as the leading term goes.
    number between(double lo, double hi)
    {
        const double leading = lo + (hi - lo) * random().uniform();
        return number{leading} + of_size(-60, -54) * leading;
    }

    /// The nearest number to x, or the first terms of it, or a number a little beside it.
    number near(const real& x)
    {
        number r = from_real<number>(x);
        const int kept = random().integer(1, N);
        for (int i = kept; i < N; ++i) {
            r.t[i] = 0.0;
        }
        if (random().one_in(3)) {
            const int apart = random().integer(1, 53 * N - 1);
            r = r + ldexp(r, -apart) * random().full(0, 0);
        }
        return r;
    }

private:
    operand_source<N> operands_;
};

/// Compares f(x), x = draw(), with exact(x) as many times as is asked for.
template <int N>
void measure(const char* what, double bound, std::int64_t count, const std::function<expansion<double, N>()>& draw,
             const std::function<expansion<double, N>(const expansion<double, N>&)>& f,
             const std::function<real(const expansion<double, N>&)>& exact)
{
    double worst = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
        const expansion<double, N> x = draw();
        const expansion<double, N> r = f(x);
        const double error = units_of_result(r, exact(x));
        worst = std::fmax(worst, error);
        ASSERT_TRUE(error <= bound && (!is_finite(r) || is_nonoverlapping(r)))
            << what << ": error " << error << ", bound " << bound << "\nresult   " << show(r) << "\noperand  "
            << show(x);
    }
    ::testing::Test::RecordProperty("worst", std::to_string(worst));
    std::printf("    %s, N = %d: worst %.3g, bound %.3g units of u^N\n", what, N, worst, bound);
}

}  // namespace residua::testing
