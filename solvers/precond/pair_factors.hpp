#pragma once

#include <cmath>

namespace residua {

/// L U of a pivot of two columns [a, b; b, c], its rows exchanged if |a| < |b|: [1, 0; m, 1] [u_11, u_12; 0, u_22].
struct pair_factors {
    bool exchanged;
    double m, u_11, u_12, u_22;

    pair_factors(double a, double b, double c)
        : exchanged(std::abs(a) < std::abs(b)),
          m(exchanged ? a / b : b / a),
          u_11(exchanged ? b : a),
          u_12(exchanged ? c : b),
          u_22(exchanged ? b - m * c : c - m * b)
    {}
};

}  // namespace residua
