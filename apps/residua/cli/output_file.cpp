#include "output_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <residua/io/error.hpp>

namespace residua {
namespace {

constexpr std::size_t buffer_bytes = 1 << 16;
constexpr mode_t readable_by_all = 0666;

// the most symbolic links that Linux follows
constexpr int most_links = 40;

}  // namespace

std::filesystem::path where_created(const std::filesystem::path& path)
{
    namespace fs = std::filesystem;
    // Only dangling links are followed: /dev/stdout leads to a file without a name.
    std::error_code unknown;
    fs::path place = path;
    for (int k = 0; k < most_links && fs::is_symlink(place, unknown) &&
                    fs::status(place, unknown).type() == fs::file_type::not_found;
         ++k) {
        const fs::path target = fs::read_symlink(place, unknown);
        if (unknown) {
            break;
        }
        place = place.parent_path() / target;
    }
    return place;
}

output_file::output_file(const std::string& path) : path_(path)
{
    if (path.empty()) {
        return;
    }
    if (path == "-") {
        descriptor_ = ::dup(STDOUT_FILENO);
        written_ = true;  // never truncated
        if (descriptor_ < 0) {
            fail("open for writing");
        }
        return;
    }
    place_ = where_created(path).string();
    descriptor_ = ::open(place_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all);
    created_ = descriptor_ >= 0;
    if (!created_ && errno == EEXIST) {
        descriptor_ = ::open(place_.c_str(), O_WRONLY | O_CLOEXEC);
    }
    if (descriptor_ < 0) {
        fail("open for writing");
    }
}

output_file::output_file(output_file&& other) noexcept { *this = std::move(other); }

output_file& output_file::operator=(output_file&& other) noexcept
{
    std::swap(path_, other.path_);
    std::swap(place_, other.place_);
    std::swap(buffer_, other.buffer_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(created_, other.created_);
    std::swap(written_, other.written_);
    return *this;
}

output_file::~output_file()
{
    if (!is_open()) {
        return;
    }
    try {
        close();
    } catch (const resource_error&) {
        // a destructor may run during another error, which is the one that the user sees
    }
}

void output_file::write(std::string_view text)
{
    buffer_ += text;
    if (buffer_.size() >= buffer_bytes) {
        flush();
    }
}

void output_file::flush()
{
    if (is_open() && !buffer_.empty()) {
        empty_before_first_write();
        const std::string pending = std::exchange(buffer_, {});
        write_all(pending);
    }
}

void output_file::abandon() noexcept
{
    buffer_.clear();
    written_ = written_ && !created_;
}

void output_file::close()
{
    if (!is_open()) {
        return;
    }
    flush();
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        fail("write");
    }
    if (created_ && !written_) {
        ::unlink(place_.c_str());
    }
}

void output_file::empty_before_first_write()
{
    struct stat status {};
    const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (!written_ && regular && ::ftruncate(descriptor_, 0) != 0) {
        fail("write");
    }
    written_ = true;
}

void output_file::write_all(std::string_view text)
{
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor_, text.data(), text.size());
        if (count < 0 && errno != EINTR) {
            fail("write");
        }
        text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
}

void output_file::fail(const char* what) const
{
    throw resource_error(
        fmt::format("{}: cannot {}: {}", path_ == "-" ? "standard output" : path_, what, std::strerror(errno)));
}

}  // namespace residua
