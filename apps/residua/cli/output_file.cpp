#include "output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
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

constexpr mode_t all_rights = 07777;

// the most symbolic links that Linux follows
constexpr int most_links = 40;

/// Whether another file may replace it: it is a regular file, and standard output or error does not go to it.
bool can_be_replaced(const std::string& place)
{
    struct stat at {};
    const auto is_stream = [&](int descriptor) {
        struct stat of {};
        return ::fstat(descriptor, &of) == 0 && of.st_dev == at.st_dev && of.st_ino == at.st_ino;
    };
    return ::stat(place.c_str(), &at) == 0 && S_ISREG(at.st_mode) && !is_stream(STDOUT_FILENO) &&
           !is_stream(STDERR_FILENO) && !place.starts_with("/dev/fd/") && !place.starts_with("/proc/");
}

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

output_file::output_file(const std::string& path, writing how) : path_(path)
{
    if (path.empty()) {
        return;
    }
    open_ = true;
    if (path == "-") {
        descriptor_ = ::dup(STDOUT_FILENO);
        written_ = true;  // never truncated
        if (descriptor_ < 0) {
            fail("open for writing");
        }
        return;
    }
    place_ = where_created(path).string();
    const bool is_there = ::access(place_.c_str(), F_OK) == 0;
    if (is_there ? ::access(place_.c_str(), W_OK) != 0 : errno != ENOENT) {
        fail("open for writing");
    }
    std::error_code unknown;
    if (how == writing::growing || (is_there && !can_be_replaced(place_))) {
        open_in_place();
        return;
    }
    place_ = is_there ? std::filesystem::canonical(place_, unknown).string() : place_;
    if (create_beside()) {  // it is created again when there is something to write; until then no file lies about
        ::close(std::exchange(descriptor_, -1));
        ::unlink(beside_.c_str());
    } else if (is_there) {
        open_in_place();
    } else {
        fail("open for writing");
    }
}

output_file::output_file(output_file&& other) noexcept { *this = std::move(other); }

output_file& output_file::operator=(output_file&& other) noexcept
{
    std::swap(path_, other.path_);
    std::swap(place_, other.place_);
    std::swap(beside_, other.beside_);
    std::swap(buffer_, other.buffer_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(open_, other.open_);
    std::swap(created_, other.created_);
    std::swap(written_, other.written_);
    return *this;
}

output_file::~output_file() { abandon(); }

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
        prepare_first_write();
        const std::string pending = std::exchange(buffer_, {});
        write_all(pending);
    }
}

void output_file::abandon() noexcept
{
    buffer_.clear();
    open_ = false;
    if (descriptor_ >= 0) {
        ::close(std::exchange(descriptor_, -1));
        if (is_beside() || created_) {
            ::unlink(is_beside() ? beside_.c_str() : place_.c_str());
        }
    }
}

void output_file::close()
{
    if (!is_open()) {
        return;
    }
    flush();
    if (!written_) {
        abandon();
        return;
    }
    if (is_beside() && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
        fail("write");
    }
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        fail("write");
    }
    if (is_beside()) {
        put_in_place();
    }
    open_ = false;
}

/// False, and errno says why, if there can be no file in that folder.
bool output_file::create_beside()
{
    for (int k = 0; descriptor_ < 0 && (k == 0 || errno == EEXIST); ++k) {
        const std::string number = k == 0 ? "" : fmt::format("-{}", k);
        beside_ = fmt::format("{}.{}{}.part", place_, ::getpid(), number);
        descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all);
    }
    return descriptor_ >= 0;
}

void output_file::open_in_place()
{
    beside_.clear();
    descriptor_ = ::open(place_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_all);
    created_ = descriptor_ >= 0;
    if (!created_ && errno == EEXIST) {
        descriptor_ = ::open(place_.c_str(), O_WRONLY | O_CLOEXEC);
    }
    if (descriptor_ < 0) {
        fail("open for writing");
    }
}

/// A file beside its place gets the access rights of the file that it will replace; a file in its place is truncated.
void output_file::prepare_first_write()
{
    if (written_) {
        return;
    }
    struct stat status {};
    if (is_beside()) {
        if (!create_beside()) {
            fail("write");
        }
        if (::stat(place_.c_str(), &status) == 0) {
            (void)::fchmod(descriptor_, status.st_mode & all_rights);
        }
    } else if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) && ::ftruncate(descriptor_, 0) != 0) {
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

void output_file::put_in_place()
{
    if (std::rename(beside_.c_str(), place_.c_str()) != 0) {
        open_ = false;
        throw resource_error(
            fmt::format("{}: cannot be replaced: {}; the new file is {}", path_, std::strerror(errno), beside_));
    }
    const std::string folder = std::filesystem::path(place_).parent_path().string();
    const int at = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at >= 0) {  // the new name is to outlive a power failure too
        (void)::fsync(at);
        ::close(at);
    }
}

void output_file::fail(const char* what)
{
    const std::string why = std::strerror(errno);
    const bool keeps_old = is_beside() && ::access(place_.c_str(), F_OK) == 0;
    abandon();
    throw resource_error(fmt::format("{}: cannot {}: {}{}", path_ == "-" ? "standard output" : path_, what, why,
                                     keeps_old ? "; the file there is as it was" : ""));
}

}  // namespace residua
