#pragma once

#include <Eigen/Core>

#include <residua/arith/numbers/limits.hpp>
#include <residua/arith/real/real.hpp>

namespace Eigen {

/// real as the scalar of Eigen's matrices and decompositions, for reference solutions.
///
/// The precision of a computation is that of its entries: results take the greatest precision
/// among the operands, and the constants inside Eigen are short. So all entries of a matrix
/// should be made with the precision that is wanted.
///
/// Eigen asks a type, not a number, for its epsilon: numeric_limits<real> answers, for the bits of the
/// limits_precision that is alive. Decompositions that decide by it (SVD, eigenvalues, FullPivLU and
/// ColPivHouseholderQR) need one with the precision of the entries; PartialPivLU and LLT do not ask.
template <>
struct NumTraits<residua::real> : GenericNumTraits<residua::real> {
    enum {
        IsInteger = 0,
        IsSigned = 1,
        IsComplex = 0,
        RequireInitialization = 1,
        ReadCost = 10,
        AddCost = 50,
        MulCost = 50
    };

    /// Four times that of the limits, so that iterations which stop at a few of it do.
    static residua::real epsilon() { return ldexp(std::numeric_limits<residua::real>::epsilon(), 2); }
    static residua::real dummy_precision() { return ldexp(epsilon(), 10); }
    static residua::real highest() { return std::numeric_limits<residua::real>::max(); }
    static residua::real lowest() { return std::numeric_limits<residua::real>::lowest(); }
    static residua::real infinity() { return std::numeric_limits<residua::real>::infinity(); }
    static residua::real quiet_NaN() { return std::numeric_limits<residua::real>::quiet_NaN(); }
    static int digits10() { return static_cast<int>(0.301 * static_cast<double>(residua::limits_precision::bits())); }
};

}  // namespace Eigen
