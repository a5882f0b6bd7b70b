#include <residua/io/file_lines.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace residua::io {
namespace {

[[noreturn]] void fail(const std::string& name)
{
    throw input_error(name, 0, std::string("cannot be read: ") + std::strerror(errno));
}

class open_file {
public:
    explicit open_file(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        if (descriptor_ < 0) {
            fail(path);
        }
    }
    ~open_file() { close(descriptor_); }
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;

    /// The size of a regular file; 0 for everything else.
    index_t size() const
    {
        struct stat status {};
        return fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
    }

    /// Fills the bytes from this offset on.
    void read(char* to, index_t count, index_t offset, const std::string& name) const
    {
        while (count > 0) {
            const ssize_t got = pread(descriptor_, to, static_cast<std::size_t>(count), offset);
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got < 0) {
                fail(name);
            }
            if (got == 0) {
                throw input_error(name, 0, "became shorter while it was read");
            }
            to += got;
            count -= got;
            offset += got;
        }
    }

private:
    int descriptor_;
};

/// Where the first line that ends at `from` or behind has its end, in bytes that the file goes on behind; npos: not in these
/// bytes.
std::size_t end_of_line(std::string_view bytes, std::size_t from, bool is_end)
{
    const std::size_t at = bytes.find_first_of("\r\n", from);
    if (at == std::string_view::npos || (at + 1 == bytes.size() && bytes[at] == '\r' && !is_end)) {
        return is_end ? bytes.size() : std::string_view::npos;
    }
    return at + (bytes.substr(at, 2) == "\r\n" ? 2 : 1);
}

}  // namespace

std::optional<file_lines> find_lines(const std::string& path)
{
    const open_file file(path);
    const index_t size = file.size();
    constexpr index_t usual = index_t{1} << 16;
    for (index_t count = std::min(usual, size); count > 0; count = std::min(4 * count, size)) {
        std::string bytes(static_cast<std::size_t>(count), '\0');
        file.read(bytes.data(), count, 0, path);
        if (!begins_matrix_market(bytes)) {
            return std::nullopt;
        }
        const text beginning{.name = path, .bytes = bytes};
        text_cursor cursor(beginning);
        try {
            const matrix_market_header header = read_header(cursor);
            const auto sizes = static_cast<std::size_t>(cursor.at() - beginning.bytes.data());
            if (const std::size_t end = end_of_line(bytes, sizes, count == size); end != std::string::npos) {
                bytes.resize(end);
                return file_lines{path, std::move(bytes), header, size - static_cast<index_t>(end)};
            }
        } catch (const input_error&) {  // NOLINT(bugprone-empty-catch): the head may go on
        }
        if (count == size) {
            break;
        }
    }
    return std::nullopt;
}

text lines_between(const file_lines& file, index_t first, index_t last)
{
    constexpr index_t more = index_t{1} << 12;  // bytes to find the end of a line in
    const open_file opened(file.name);
    const auto head = static_cast<index_t>(file.head.size());
    text result{.name = file.name, .bytes = {}};
    std::size_t begin = 0;  // of the first line
    std::size_t end = 0;
    text_bytes& bytes = result.bytes;
    index_t known = first;  // up to where bytes are there
    for (index_t until = last;; until += more) {
        const index_t to = std::min(until, file.bytes);
        bytes.resize(static_cast<std::size_t>(head + to - first));
        opened.read(bytes.data() + head + known - first, to - known, head + known, file.name);
        known = to;
        const std::string_view lines = std::string_view(bytes).substr(static_cast<std::size_t>(head));
        const bool is_end = to == file.bytes;
        begin = first == 0 ? 0 : end_of_line(lines, 0, is_end);
        end = last == file.bytes ? lines.size() : end_of_line(lines, static_cast<std::size_t>(last - first), is_end);
        if (begin != std::string_view::npos && end != std::string_view::npos) {
            break;
        }
    }
    end = std::max(begin, end);
    char* const lines = bytes.data() + head;
    std::memmove(lines, lines + begin, end - begin);
    bytes.resize(static_cast<std::size_t>(head) + end - begin);
    std::copy(file.head.begin(), file.head.end(), bytes.data());
    return result;
}

}  // namespace residua::io
