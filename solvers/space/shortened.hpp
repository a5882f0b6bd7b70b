#pragma once

#include <concepts>
#include <utility>

#include <residua/solvers/space/convert.hpp>
#include <residua/solvers/space/vector_space.hpp>

/// Spaces whose precision may be lowered while a method is at work.
namespace residua {

/// A space that offers itself in fewer bits, with the same types: space.shortened(bits).
template <class S>
concept shortenable_space = vector_space<S> && requires(const S& space, long bits) {
    {
        space.shortened(bits)
    } -> std::same_as<S>;
};

/// Makes v zeros of this space, if v is of the same space in another precision; otherwise v stays as it is.
template <vector_space S>
void fit(const S& space, typename S::vector& v)
{
    if constexpr (shortenable_space<S>) {
        if (!(v.format() == space.format)) {
            v = space.make_vector(space.size(v));
        }
    }
}

/// Rounds v to nearest, to the bits of another space.
template <shortenable_space S>
void round_to(const S& space, typename S::vector& v)
{
    auto rounded = space.make_vector(space.size(v));
    convert(space, v, space, rounded);
    v = std::move(rounded);
}

/// a rounded to nearest, to the bits of another space; a is finite
template <shortenable_space S>
typename S::scalar rounded_to(const S& space, const typename S::scalar& a)
{
    return space.make_scalar(to_real(a));
}

}  // namespace residua
