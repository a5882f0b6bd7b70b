#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <residua/io/error.hpp>

namespace residua {

/// A state on its way into a file or out of it. One function, which is given an archive, names the parts of a state for
/// both ways: what it passes is written, or replaced by what was written.
class state_archive {
public:
    virtual ~state_archive() = default;

    /// Whether what is passed is replaced.
    virtual bool reads() const = 0;
    /// Whether only the number of bytes matters: then their values need not be there.
    virtual bool counts() const { return false; }

    /// Bytes of memory.
    ///
    /// throws  input_error if there are fewer to read, or they cannot be read
    virtual void bytes(void* data, std::size_t size) = 0;

    /// Numbers and structures of them.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void value(T& x)
    {
        bytes(&x, sizeof x);
    }
    void value(bool& x)
    {
        unsigned char byte = x ? 1 : 0;
        bytes(&byte, 1);
        x = byte != 0;
    }

    /// A number from 0 to `most`, or an enumerator up to the last one.
    ///
    /// throws  input_error if another one was written
    template <class T>
    void at_most(T& x, T most)
    {
        auto number = static_cast<std::int64_t>(x);
        value(number);
        if (number < 0 || number > static_cast<std::int64_t>(most)) {
            refuse("a state has " + std::to_string(number) + " where at most " +
                   std::to_string(static_cast<std::int64_t>(most)) + " is possible");
        }
        x = static_cast<T>(number);
    }

    /// A list of things. When it is read, the vector gets the size that was written.
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void list(std::vector<T>& x)
    {
        x.resize(count(x.size(), sizeof(T)));
        if (!x.empty()) {
            bytes(x.data(), x.size() * sizeof(T));
        }
    }
    void text(std::string& x)
    {
        x.resize(count(x.size(), 1));
        bytes(x.data(), x.size());
    }

    /// A size that both sides know.
    ///
    /// throws  input_error if another one was written
    void same(std::uint64_t size)
    {
        std::uint64_t found = size;
        value(found);
        if (found != size) {
            refuse("a state has the size " + std::to_string(found) + " instead of " + std::to_string(size));
        }
    }

    /// The number of things that follow, each of which takes `least_bytes` or more. A number that was read is checked against
    /// what is left of the file, so that no file asks for more memory than it has bytes.
    ///
    /// throws  input_error if that many things do not fit in the rest of the file
    std::size_t count(std::size_t things, std::size_t least_bytes)
    {
        std::uint64_t number = things;
        value(number);
        if (reads() && number > left() / least_bytes) {
            refuse("a state says that it has " + std::to_string(number) + " parts, for which it is too short");
        }
        return static_cast<std::size_t>(number);
    }

protected:
    /// Bytes that are left to read.
    virtual std::uint64_t left() const = 0;
    /// throws  input_error with this reason
    [[noreturn]] virtual void refuse(const std::string& reason) const = 0;
};

using state_function = std::function<void(state_archive&)>;

/// Where a run leaves its state from time to time, and finds what an earlier run has left.
class run_keeper {
public:
    virtual ~run_keeper() = default;

    /// Whether the last time is long enough ago.
    virtual bool is_due() const = 0;
    /// Keeps this state in place of the one before. If it cannot be kept, the one before stays, and the run goes on.
    virtual void keep(const state_function& state) = 0;
    /// Gives the state that was kept to the function; false: there is none.
    ///
    /// throws  input_error if it is damaged
    virtual bool find(const state_function& state) = 0;
};

}  // namespace residua
