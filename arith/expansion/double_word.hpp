#pragma once

#include <residua/arith/expansion/type.hpp>

/// Two terms: double-word arithmetic. Operands and results satisfy t[0] == RN(t[0] + t[1]).
/// Each bound is relative, u = 2^-53, and holds without overflow and underflow.
namespace residua::detail {

using double_word = expansion<double, 2>;

RESIDUA_HD double_word make_double_word(double high, double low)
{
    double_word r;
    r.t[0] = high;
    r.t[1] = low;
    return r;
}

RESIDUA_HD double_word fast_double_word(double a, double b)
{
    const rounded r = fast_two_sum(a, b);
    return make_double_word(r.value, r.error);
}

/// errors  3 u^2 + 13 u^3, also under cancellation
/// cost    20 flops
/// from    AccurateDWPlusDW, [JMP17, Alg. 6]; bound [MR22, Thm. 2.3]
RESIDUA_HD double_word sum(const double_word& x, const double_word& y)
{
    const rounded s = two_sum(x.t[0], y.t[0]);
    const rounded t = two_sum(x.t[1], y.t[1]);
    const rounded v = fast_two_sum(s.value, s.error + t.value);
    return fast_double_word(v.value, t.error + v.error);
}

/// errors  2 u^2, also under cancellation
/// cost    10 flops
/// from    DWPlusFP, [JMP17, Alg. 4, Thm. 2.2]
RESIDUA_HD double_word sum(const double_word& x, double y)
{
    const rounded s = two_sum(x.t[0], y);
    return fast_double_word(s.value, x.t[1] + s.error);
}

/// errors  4 u^2
/// cost    9 flops
/// from    DWTimesDW3, [JMP17, Alg. 12]; bound [MR22, Thm. 2.8]
RESIDUA_HD double_word product(const double_word& x, const double_word& y)
{
    const rounded c = two_prod(x.t[0], y.t[0]);
    const double low = std::fma(x.t[0], y.t[1], mul_rn(x.t[1], y.t[1]));
    return fast_double_word(c.value, c.error + std::fma(x.t[1], y.t[0], low));
}

/// errors  2 u^2
/// cost    6 flops
/// from    DWTimesFP3, [JMP17, Alg. 9, Thm. 4.4]
RESIDUA_HD double_word product(const double_word& x, double y)
{
    const rounded c = two_prod(x.t[0], y);
    return fast_double_word(c.value, std::fma(x.t[1], y, c.error));
}

/// y is scaled, so that neither 1 / y nor its corrections leave the range.
///
/// errors  9.8 u^2
/// cost    35 flops
/// from    DWDivDW3, [JMP17, Alg. 18, Thm. 7.3], the last product by DWTimesDW3
RESIDUA_HD double_word quotient(const double_word& x, const double_word& y)
{
    const double size = std::fabs(y.t[0]);
    const double scale = size > 0x1p800 ? 0x1p-300 : size < 0x1p-800 ? 0x1p300 : 1.0;
    const double high = mul_rn(y.t[0], scale);
    const double low = mul_rn(y.t[1], scale);
    const double t = 1.0 / high;
    const double r = std::fma(-high, t, 1.0);
    const double_word e = fast_double_word(r, -mul_rn(low, t));
    const double_word reciprocal = sum(product(e, t), t);
    const double_word q = product(x, reciprocal);
    return make_double_word(mul_rn(q.t[0], scale), mul_rn(q.t[1], scale));
}

/// errors  3 u^2
/// cost    10 flops
/// from    DWDivFP3, [JMP17, Alg. 15, Thm. 6.2]
RESIDUA_HD double_word quotient(const double_word& x, double y)
{
    const double q = x.t[0] / y;
    const rounded p = two_prod(q, y);
    const double d = ((x.t[0] - p.value) - p.error) + x.t[1];
    return fast_double_word(q, d / y);
}

/// x > 0.
///
/// errors  25/8 u^2
/// cost    8 flops
/// from    SQRTDWtoDW, [LLMPR23, Alg. 7]
RESIDUA_HD double_word root(const double_word& x)
{
    const double s = std::sqrt(x.t[0]);
    const double r = std::fma(-s, s, x.t[0]);
    return fast_double_word(s, (x.t[1] + r) / (2.0 * s));
}

}  // namespace residua::detail
