#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <residua/io/error.hpp>

namespace residua::io {

/// The bytes of a text, and zeros behind the last. They may be moved, and are not copied.
class text_bytes {
public:
    static constexpr std::size_t zeros = 16;  ///< unless the text is empty and was never longer; then there is one

    text_bytes() = default;
    template <class Bytes>
        requires std::convertible_to<const Bytes&, std::string_view> && (!std::same_as<Bytes, text_bytes>)
    text_bytes(const Bytes& bytes) : text_bytes(copied(bytes))
    {}
    text_bytes(text_bytes&& other) noexcept
        : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0))
    {}
    text_bytes& operator=(text_bytes&& other) noexcept
    {
        bytes_ = std::move(other.bytes_);
        size_ = std::exchange(other.size_, 0);
        room_ = std::exchange(other.room_, 0);
        return *this;
    }

    const char* data() const { return bytes_ ? bytes_.get() : ""; }
    char* data() { return bytes_.get(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    operator std::string_view() const { return {data(), size_}; }

    friend bool operator==(const text_bytes& a, std::string_view b) { return std::string_view(a) == b; }

    /// Changes the size: the first bytes stay, new ones are not set. If there is no room, the bytes move.
    ///
    /// throws  std::bad_alloc
    void resize(std::size_t size);

private:
    struct free_bytes {
        void operator()(char* bytes) const { std::free(bytes); }
    };

    static text_bytes copied(std::string_view bytes);

    std::unique_ptr<char, free_bytes> bytes_;
    std::size_t size_ = 0;
    std::size_t room_ = 0;  ///< without the zeros
};

/// What the numbers of a text mean.
enum class number_meaning {
    as_written,  ///< the decimals, or the binary64 numbers nearest to them: the caller chooses
    binary64,    ///< the binary64 numbers nearest to the decimals, which a file of binary numbers held
    exact,       ///< the decimals, which a file of integers held
};

/// The bytes of an input, decompressed, and the name that messages about it begin with.
///
/// Kept by the caller, so that it can be parsed twice: to binary64, and to decimals in full.
struct text {
    static constexpr index_t no_lines = std::numeric_limits<index_t>::min() / 2;

    std::string name;
    text_bytes bytes;
    index_t first_line = 1;  ///< of the bytes, in the file; no_lines if they are not the lines of the file
    number_meaning numbers = number_meaning::as_written;
    bool transposed = false;              ///< rows and columns change places when the text is read
    std::vector<std::string> notes = {};  ///< what else the file holds, each one line
};

/// Reads a file, plain or gzip (told by its first bytes); "-" is standard input, named "<stdin>". A plain file is read by
/// several threads.
///
/// cost    memory in proportion to the data that is really there, as far as it has been read. What is decompressed, or comes
///         from a pipe, ends where text_judge wants no more of it
/// stops   by ask_for_stop(), between blocks, and while a pipe or a terminal keeps it waiting
/// throws  input_error if it cannot be read or its gzip data are damaged or cut short; resource_error if memory does not
///         suffice; stopped_error
text load(const std::string& path);

/// load() for an open stream, read from where it stands to its end.
text load(std::FILE* stream, const std::string& name);

/// A text of bytes in memory, which are decompressed if they are gzip.
text make_text(std::string name, text_bytes bytes);

/// The text between quotes, fit for a one-line message: other bytes than printable ASCII as \xNN,
/// at most 40 of them.
std::string quote(std::string_view bytes);

}  // namespace residua::io
