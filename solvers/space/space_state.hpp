#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

#include <residua/io/error.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>
#include <residua/solvers/space/vector_space.hpp>

/// Writes what a space has into a state, or reads it from one: bit for bit, in the words that the host has, so that a
/// state that a device has left is also one for the host.
namespace residua {

namespace detail {

/// The memory of a host's vector. To be read into, a vector must have the size and the format of the written one.
template <class HostVector>
void archive_memory(state_archive& io, HostVector& x)
{
    x.for_each_buffer([&](auto& words) {
        const std::size_t bytes = static_cast<std::size_t>(words.size()) * sizeof(*words.data());
        io.same(bytes);
        if (bytes > 0) {
            io.bytes(words.data(), bytes);
        }
    });
}

}  // namespace detail

/// A vector of the space, of a size and a format that both sides know. A space of several processes, or of complex
/// scalars, has functions of its own for what it archives otherwise.
///
/// throws  unsupported_error if the space is not one of blas's vectors
template <vector_space S>
void archive(state_archive& io, const S& space, typename S::vector& x)
{
    if constexpr (requires { space.archive(io, x); }) {
        space.archive(io, x);
    } else if constexpr (!array_space<S>) {
        throw unsupported_error("the numbers of this space are not known to a checkpoint");
    } else if constexpr (S::on_host) {
        detail::archive_memory(io, x);
    } else if (io.reads() || io.counts()) {
        auto here = space.make_host_vector(space.size(x));
        detail::archive_memory(io, here);
        if (io.reads()) {
            x = space.placed(std::move(here));
        }
    } else {
        auto here = space.fetched(x);
        detail::archive_memory(io, here);
    }
}

template <vector_space S>
void archive(state_archive& io, const S& space, std::vector<typename S::vector>& all)
{
    io.same(all.size());
    for (auto& each : all) {
        archive(io, space, each);
    }
}

/// One scalar, or a real one.
template <vector_space S, class T>
    requires std::same_as<T, typename S::scalar> || std::same_as<T, real_scalar<S>>
void archive(state_archive& io, const S& space, T& a)
{
    if constexpr (requires { space.archive(io, a); }) {
        space.archive(io, a);
    } else if constexpr (!array_space<S>) {
        throw unsupported_error("the numbers of this space are not known to a checkpoint");
    } else {
        auto one = space.make_host_vector(1);
        if (!io.reads()) {
            one.set(0, a);
        }
        detail::archive_memory(io, one);
        if (io.reads()) {
            a = one.get(0);
        }
    }
}

/// The first `count` scalars, which are where the vectors are.
template <vector_space S>
void archive_scalars(state_archive& io, const S& space, typename S::scalars& s, index_t count)
{
    std::vector<typename S::scalar> here(static_cast<std::size_t>(count), space.make_scalar(0.0));
    if constexpr (!requires { space.make_scalars(here); }) {
        throw unsupported_error("the numbers of this space are not known to a checkpoint");
    } else {
        if (!io.reads()) {
            here = space.fetched(s, count);
        }
        for (auto& each : here) {
            archive(io, space, each);
        }
        if (io.reads()) {
            s = space.make_scalars(here);
        }
    }
}

/// Arrays of vectors.
template <vector_space S, class... Arrays>
void archive_arrays(state_archive& io, const S& space, Arrays&... arrays)
{
    const auto archive_one = [&](auto& array) {
        for (typename S::vector& each : array) {
            archive(io, space, each);
        }
    };
    (archive_one(arrays), ...);
}

/// Several vectors, lists of vectors or scalars, one after the other.
template <vector_space S, class... T>
void archive_all(state_archive& io, const S& space, T&... all)
{
    (archive(io, space, all), ...);
}

}  // namespace residua
