#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include <residua/io/parallel.hpp>

/// Room for numbers that all threads are about to write.
namespace residua::io {

/// Has the system give all pages behind this memory, which holds nothing yet: threads clear them side by side, where one
/// that writes to them in turn waits for each.
///
/// cost  nothing where the memory is small, or for one thread
void take_pages(void* begin, std::size_t bytes);

/// `size` times a number, in pages from take_pages().
template <class T>
std::vector<T> vector_of(std::size_t size, const T& number = {})
{
    static_assert(!std::same_as<T, bool>, "threads write to neighbours");
    std::vector<T> numbers;
    numbers.reserve(size);
    take_pages(numbers.data(), size * sizeof(T));
    numbers.resize(size, number);
    return numbers;
}

}  // namespace residua::io
