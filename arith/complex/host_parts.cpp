#include <residua/arith/complex/host_parts.hpp>

#include <residua/arith/multidigit/sizes.hpp>
#include <residua/io/error.hpp>

namespace residua {
namespace {

using digit = std::uint64_t;

/// The first N digits of x, followed by zeros if x has fewer.
template <int N, int M>
multidigit_float<digit, N> resized(const multidigit_float<digit, M>& x)
{
    multidigit_float<digit, N> r{{}, x.exponent, x.negative};
    std::copy_n(x.d + M - std::min(N, M), std::min(N, M), r.d + N - std::min(N, M));
    return r;
}

}  // namespace

multidigit_number complex_part<multidigit_number>::sum_of_products(const multidigit_number& a,
                                                                   const multidigit_number& b,
                                                                   const multidigit_number& c,
                                                                   const multidigit_number& d)
{
    const int p = a.format().bits();
    for (const multidigit_number* x : {&b, &c, &d}) {
        if (x->format().bits() != p) {
            throw error("multi-digit numbers of " + std::to_string(p) + " and " + std::to_string(x->format().bits()) +
                        " bits do not mix");
        }
    }
    return {a.format(), with_multidigit_size<digit>(multidigit_count<digit>(p), [&]<int N>() {
                return resized<multidigit_number::value_type::digits>(residua::sum_of_products(
                    resized<N>(a.value()), resized<N>(b.value()), resized<N>(c.value()), resized<N>(d.value()), p));
            })};
}

}  // namespace residua
