#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace residua {

/// The path itself, or where it leads if it is a symbolic link to a file that is not there yet.
std::filesystem::path where_created(const std::filesystem::path& path);

/// How a result file comes to its place.
enum class writing {
    /// The file is written beside its place as `PATH.PID.part`; close() renames it when all of it is safe on the disk.
    /// Until then, and if anything fails, the old file stays.
    whole,
    /// The file is in its place from the first write on, so that others can read it while it grows.
    growing
};

/// A result file. Its path is tried before any work, and the file is written after the work.
///
/// An old file stays as it was until something is written. A path that is no regular file, as a pipe, is written as
/// writing::growing. So is standard output, by whatever name, and a file in a folder in which none can be created.
class output_file {
public:
    output_file() = default;

    /// No file if the path is empty, standard output if it is "-".
    ///
    /// throws  resource_error if it cannot be opened for writing
    explicit output_file(const std::string& path, writing how = writing::whole);

    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    output_file(output_file&& other) noexcept;
    output_file& operator=(output_file&& other) noexcept;
    ~output_file();

    bool is_open() const { return open_; }
    const std::string& path() const { return path_; }

    /// Whether write() was not called yet.
    bool is_untouched() const { return !written_ && buffer_.empty(); }

    /// Appends; buffered.
    ///
    /// throws  resource_error if the system refuses, e.g. a full disk: the file is closed then
    void write(std::string_view text);
    void flush();

    /// Closes the file and drops what is not written yet. The file is removed if it is incomplete or was new.
    void abandon() noexcept;

    /// Flushes the file, puts it in its place and closes it. If it was not called, the destructor abandons the file.
    ///
    /// throws  resource_error as write()
    void close();

private:
    bool is_beside() const { return !beside_.empty(); }
    bool create_beside();
    void open_in_place();
    void prepare_first_write();
    void write_all(std::string_view text);
    void put_in_place();
    [[noreturn]] void fail(const char* what);

    std::string path_;
    std::string place_;   ///< the file that links lead to, or path_ if there is no link
    std::string beside_;  ///< its path until it is complete; empty: it is written in its place
    std::string buffer_;
    int descriptor_ = -1;
    bool open_ = false;
    bool created_ = false;  ///< in its place
    bool written_ = false;
};

}  // namespace residua
