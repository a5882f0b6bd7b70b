#pragma once

#include <residua/arith/multidigit/add.hpp>
#include <residua/arith/multidigit/mul.hpp>

namespace residua {

/// a b + c d
///
/// errors  correctly rounded to nearest even with p bits, once
/// cost    2 N^2 products of digits
template <class Digit, int N>
RESIDUA_HD_LONG inline multidigit_float<Digit, N> sum_of_products(const multidigit_float<Digit, N>& a,
                                                                  const multidigit_float<Digit, N>& b,
                                                                  const multidigit_float<Digit, N>& c,
                                                                  const multidigit_float<Digit, N>& d, int p)
{
    const bool regular = detail::is_regular(a.exponent) && detail::is_regular(b.exponent) &&
                         detail::is_regular(c.exponent) && detail::is_regular(d.exponent);
    if (!regular) {  // one product is zero or not finite
        return add(mul(a, b, p), mul(c, d, p), p);
    }
    return detail::rounded_sum<N>(detail::product_of<N, 1>(a, b), detail::product_of<N, 1>(c, d), p);
}

}  // namespace residua
