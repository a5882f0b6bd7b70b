#include <residua/solvers/checkpoint/file_bytes.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace residua::detail {

std::string words_of(int error) { return std::generic_category().message(error); }

void write_all(int file, const void* data, std::size_t size, std::uint64_t offset)
{
    const auto* from = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t done = ::pwrite(file, from, size, static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            throw std::system_error(done == 0 ? ENOSPC : errno, std::generic_category());
        }
        from += done;
        size -= static_cast<std::size_t>(done);
        offset += static_cast<std::uint64_t>(done);
    }
}

bool read_all(int file, void* data, std::size_t size, std::uint64_t offset)
{
    auto* to = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t done = ::pread(file, to, size, static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        to += done;
        size -= static_cast<std::size_t>(done);
        offset += static_cast<std::uint64_t>(done);
    }
    return true;
}

std::uint64_t size_of(int file)
{
    struct stat status {};
    return ::fstat(file, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

void sync(int file)
{
    if (::fdatasync(file) != 0 && errno != EINVAL && errno != EROFS) {
        throw std::system_error(errno, std::generic_category());
    }
}

void rename_to_new(const std::string& from, const std::string& to)
{
    const std::string folder = std::filesystem::path(to).parent_path().string();  // first, since it may lack memory
    int error = ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno;                // only one of two runs gets the name
    if (error == 0) {
        ::unlink(from.c_str());
    } else if (error == EPERM || error == ENOTSUP || error == ENOSYS) {  // a file system without links
        error = ::access(to.c_str(), F_OK) == 0 ? EEXIST : std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
    }
    if (error != 0) {
        throw std::system_error(error, std::generic_category());
    }
    const int at = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at >= 0) {
        (void)::fsync(at);
        ::close(at);
    }
}

}  // namespace residua::detail
