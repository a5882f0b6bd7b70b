#pragma once

#include <Eigen/Core>

#include <residua/arith/complex/complex.hpp>
#include <residua/arith/numbers/eigen.hpp>

namespace Eigen {

/// A complex number as the scalar of Eigen's matrices and decompositions, for reference solutions; of parts that are
/// scalars of Eigen themselves: double, expansions, multi-digit floats and real.
template <class T>
struct NumTraits<residua::complex_number<T>> : GenericNumTraits<residua::complex_number<T>> {
    using Real = T;

    enum {
        IsInteger = 0,
        IsSigned = 1,
        IsComplex = 1,
        RequireInitialization = NumTraits<T>::RequireInitialization,
        ReadCost = 2 * NumTraits<T>::ReadCost,
        AddCost = 2 * NumTraits<T>::AddCost,
        MulCost = 4 * NumTraits<T>::MulCost + 2 * NumTraits<T>::AddCost
    };

    static Real epsilon() { return NumTraits<T>::epsilon(); }
    static Real dummy_precision() { return NumTraits<T>::dummy_precision(); }
    static int digits10() { return NumTraits<T>::digits10(); }
};

}  // namespace Eigen

/// Eigen's names for the members.
template <class T>
struct Eigen::internal::real_impl<residua::complex_number<T>> {
    static T run(const residua::complex_number<T>& z) { return z.real(); }
};

template <class T>
struct Eigen::internal::imag_impl<residua::complex_number<T>> {
    static T run(const residua::complex_number<T>& z) { return z.imag(); }
};
