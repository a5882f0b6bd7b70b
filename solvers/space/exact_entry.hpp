#pragma once

#include <cmath>
#include <cstddef>

#include <residua/blas/base/view.hpp>
#include <residua/solvers/matrix/exact_entries.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Entry k as a number of the space: what space.make_scalar() makes of it in reading_bits_of(space).
///
/// A decimal is first read in 64 bits more than the space has, rounded to odd. Let g be the last place of what is read, and the
/// last term of what make_scalar() rounds it to be normal, with a last place of 8 g or more. The terms are multiples of 8 g, so
/// what each was rounded from is an odd multiple of g, or the decimal is read exactly. Where roundings change, between terms and
/// beside a power of two too, are multiples of 2 g. The decimal is within g of what is read, on the same side of all of them, and
/// so has the same terms.
///
/// room  for numbers on the way
template <class S>
auto exact_entry(const S& space, const exact_entries& exact, std::size_t k, real& room)
{
    if constexpr (number<typename S::element>) {
        using scalar = typename S::element;
        if (exact.are_decimals()) {
            const long bits = precision_of(space) + 64;
            const bool rounded = exact.set_odd(room, k, bits);
            const scalar result = space.make_scalar(room);
            const auto last = static_cast<double>(term(result, number_traits<scalar>::terms - 1));
            if (!rounded || (std::isnormal(last) && std::ilogb(last) - 52 >= exponent(room) - bits + 3)) {
                return result;
            }
        }
    }
    bool rounded = false;
    return space.make_scalar(exact.at(k, reading_bits_of(space), room, rounded));
}

}  // namespace residua
