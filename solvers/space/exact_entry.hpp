#pragma once

#include <cstddef>

#include <residua/blas/base/view.hpp>
#include <residua/solvers/space/vector_space.hpp>
#include <residua/solvers/system/exact_entries.hpp>

namespace residua {

/// Entry k as a number of the space: what space.make_scalar() makes of it in reading_bits_of(space). A decimal is read in 64 bits
/// more than the space has first, and in all of these only where the neighbours of what was read are other numbers: from_real()
/// is monotone, so that where they are not, no number between them is.
///
/// room  for numbers on the way
template <class S>
auto exact_entry(const S& space, const exact_entries& exact, std::size_t k, real& room)
{
    bool rounded = false;
    if constexpr (number<typename S::element>) {
        using scalar = typename S::element;
        const auto are_the_same = [](const scalar& a, const scalar& b) {
            bool same = true;
            for (int t = 0; t < number_traits<scalar>::terms; ++t) {
                same = same && term(a, t) == term(b, t);
            }
            return same;
        };
        if (exact.are_decimals()) {
            const real& near = exact.at(k, precision_of(space) + 64, room, rounded);
            const scalar result = space.make_scalar(near);
            real below = near, above = near;
            mpfr_nextbelow(below.mpfr());
            mpfr_nextabove(above.mpfr());
            if (!rounded ||
                (are_the_same(space.make_scalar(below), result) && are_the_same(space.make_scalar(above), result))) {
                return result;
            }
        }
    }
    return space.make_scalar(exact.at(k, reading_bits_of(space), room, rounded));
}

}  // namespace residua
