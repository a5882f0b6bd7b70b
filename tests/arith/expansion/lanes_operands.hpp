#pragma once

#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "tests/arith/expansion/expansion_oracle.hpp"

namespace residua::testing {

/// Operands of which one leaves an algorithm nothing to do and the next keeps it busy: neighbours for tiles in step.
template <int N>
class uneven_operands {
public:
    using number = expansion<double, N>;

    std::string trace() const { return source_.trace(); }

    std::pair<number, number> next()
    {
        constexpr int top = N > 8 ? 480 : 40;
        auto& random = source_.random();
        number x, y;
        switch (random.integer(0, 9)) {
            case 0:
                fill(x, [&](int) { return random.sign() * 0.0; });
                fill(y, [&](int) { return random.sign() * 0.0; });
                break;
            case 1:
                x.t[0] = random.value(-20, 20);
                y.t[0] = random.one_in(2) ? -x.t[0] : random.value(-20, 20);
                break;
            case 2:  // the last ones have to come up through all lanes
                x.t[N - 1] = random.value(-20, 20);
                y.t[N - 1] = random.partner(x.t[N - 1]);
                y.t[0] = -0.0;
                break;
            case 3:  // the least first
                fill(x, [&](int i) { return random.value(20 * i - 400, 20 * i - 380); });
                fill(y, [&](int i) { return random.partner(x.t[i]); });
                break;
            case 4:
                fill(x, [&](int) { return random.value(-60, 60); });
                fill(y, [&](int i) { return random.partner(x.t[random.integer(0, i)]); });
                break;
            case 5:
                fill(x, [&](int) { return random.any(); });
                fill(y, [&](int) { return random.any(); });
                break;
            case 6:
                std::tie(x, y) = source_.pair(top - 40, top);
                (random.one_in(2) ? x : y).t[random.integer(0, N - 1)] = not_finite();
                break;
            default:
                std::tie(x, y) = source_.pair(top - 40, top);
        }
        return {x, y};
    }

private:
    template <class F>
    static void fill(number& x, const F& term)
    {
        for (int i = 0; i < N; ++i) {
            x.t[i] = term(i);
        }
    }

    double not_finite()
    {
        const double infinite = std::numeric_limits<double>::infinity();
        auto& random = source_.random();
        return random.one_in(2) ? random.sign() * infinite : std::numeric_limits<double>::quiet_NaN();
    }

    operand_source<N> source_;
};

/// The same bits, or both NaN: of NaN host and device have different ones.
inline bool same_bits(double a, double b) { return to_bits(a) == to_bits(b) || (a != a && b != b); }

}  // namespace residua::testing
