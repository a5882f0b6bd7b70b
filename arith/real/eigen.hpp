#pragma once

#include <limits>

#include <Eigen/Core>

#include <residua/arith/real/real.hpp>

namespace Eigen {

/// real as the scalar of Eigen's matrices and decompositions, for reference solutions.
///
/// The precision of a computation is that of its entries: results take the greatest precision
/// among the operands, and the constants inside Eigen are short. So all entries of a matrix
/// should be made with the precision that is wanted.
///
/// Eigen asks a type, not a number, for its epsilon, so the answer here is that of 53 bits.
/// Decompositions that decide by it (FullPivLU, ColPivHouseholderQR, SVD: rank and threshold)
/// need setThreshold(); PartialPivLU and LLT do not ask.
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

    static residua::real epsilon() { return std::numeric_limits<double>::epsilon(); }
    static residua::real dummy_precision() { return 1e-12; }
    static residua::real highest() { return std::numeric_limits<double>::max(); }
    static residua::real lowest() { return std::numeric_limits<double>::lowest(); }
    static residua::real infinity() { return std::numeric_limits<double>::infinity(); }
    static residua::real quiet_NaN() { return std::numeric_limits<double>::quiet_NaN(); }
    static int digits10() { return std::numeric_limits<double>::digits10; }
};

}  // namespace Eigen
