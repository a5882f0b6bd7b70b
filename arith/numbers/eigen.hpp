#pragma once

#include <Eigen/Core>

#include <residua/arith/numbers.hpp>
#include <residua/arith/real/eigen.hpp>

namespace Eigen {

/// An expansion as the scalar of Eigen's matrices and decompositions.
///
/// epsilon() is 2^6 u^N: the bounds of the operations are below it, so that iterations which stop at a few of it do.
template <int N>
struct NumTraits<residua::expansion<double, N>> : GenericNumTraits<residua::expansion<double, N>> {
    using number = residua::expansion<double, N>;

    enum {
        IsInteger = 0,
        IsSigned = 1,
        IsComplex = 0,
        RequireInitialization = 0,
        ReadCost = N,
        AddCost = 20 * N,
        MulCost = 15 * N
    };

    static number epsilon() { return residua::pow2(6 - 53 * N); }
    static number dummy_precision() { return residua::pow2(13 - 53 * N); }
};

/// A multi-digit float as such a scalar. epsilon() is four times that of the limits, as of a real.
template <int Bits>
struct NumTraits<residua::multidigit_fixed<Bits>> : GenericNumTraits<residua::multidigit_fixed<Bits>> {
    using number = residua::multidigit_fixed<Bits>;

    enum {
        IsInteger = 0,
        IsSigned = 1,
        IsComplex = 0,
        RequireInitialization = 1,
        ReadCost = Bits / 64 + 2,
        AddCost = 30 + Bits / 16,
        MulCost = 30 + Bits / 16
    };

    static number epsilon() { return ldexp(std::numeric_limits<number>::epsilon(), 2); }
    static number dummy_precision() { return ldexp(epsilon(), 10); }
};

}  // namespace Eigen
