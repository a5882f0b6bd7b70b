#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace residua {

/// The path itself, or where it leads if it is a symbolic link to a file that is not there yet.
std::filesystem::path where_created(const std::filesystem::path& path);

/// A result file, which is opened before any work and written after it.
///
/// The constructor opens the file, so that a wrong path is known early, and leaves an old content
/// alone until the first write. A file that was new and never written to is removed again.
class output_file {
public:
    output_file() = default;

    /// No file if the path is empty, standard output if it is "-".
    ///
    /// throws  resource_error if it cannot be opened for writing
    explicit output_file(const std::string& path);

    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    output_file(output_file&& other) noexcept;
    output_file& operator=(output_file&& other) noexcept;
    ~output_file();

    bool is_open() const { return descriptor_ >= 0; }
    const std::string& path() const { return path_; }

    /// Whether write() was not called yet.
    bool is_untouched() const { return !written_ && buffer_.empty(); }

    /// Appends; buffered.
    ///
    /// throws  resource_error if the system refuses, e.g. a full disk
    void write(std::string_view text);
    void flush();

    /// Drops what is not written yet, and removes the file if it was new.
    void abandon() noexcept;

    /// Flushes and closes the file. If it was not called, the destructor does that, and ignores errors.
    ///
    /// throws  resource_error as write()
    void close();

private:
    void empty_before_first_write();
    void write_all(std::string_view text);
    [[noreturn]] void fail(const char* what) const;

    std::string path_;
    std::string place_;  ///< the file behind a link that leads nowhere yet, else path_
    std::string buffer_;
    int descriptor_ = -1;
    bool created_ = false;
    bool written_ = false;
};

}  // namespace residua
