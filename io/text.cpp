#include <residua/io/text.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

#include <residua/io/error.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/parallel.hpp>
#include <residua/io/text_judge.hpp>

namespace residua::io {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 22;   // that are read between two questions whether to stop
constexpr std::size_t least_judged = std::size_t{1} << 16;  // bytes, of a text of unknown length

[[noreturn]] void fail_to_read(const std::string& name, int error_number)
{
    throw input_error(name, 0, std::string("cannot be read: ") + std::strerror(error_number));
}

/// Runs `body`; a failed allocation becomes a resource_error that names the input, and a stopped_error names it too.
template <class Body>
auto within_memory(const std::string& name, const Body& body)
{
    try {
        return body();
    } catch (const std::bad_alloc&) {
        throw resource_error(name + ": not enough memory to hold the text of this file");
    } catch (const stopped_error&) {
        throw stopped_error(name + ": stopped while it was read");
    }
}

/// A file that is open for reading.
class input_file {
public:
    explicit input_file(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        if (descriptor_ < 0) {
            fail_to_read(path, errno);
        }
    }
    ~input_file() { close(descriptor_); }
    input_file(const input_file&) = delete;
    input_file& operator=(const input_file&) = delete;

    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

/// The size of a regular file; 0 for everything else.
std::size_t size_hint(int descriptor)
{
    struct stat status {};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0) {
        return 0;
    }
    return static_cast<std::size_t>(status.st_size);
}

bool is_gzip(std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; }

/// Calls read_some(to, most), which returns how many bytes it has read, until it returns 0, and appends what it gives
/// to `bytes`. It ends earlier if more cannot be of use.
template <class Read>
void read_rest(text_bytes& bytes, const std::string& name, const Read& read_some)
{
    text_judge judge(name);
    std::size_t used = bytes.size();
    for (;;) {
        if (bytes.size() - used < block_bytes) {
            bytes.resize(used + std::max(used, block_bytes));
        }
        const std::size_t got = read_some(bytes.data() + used, block_bytes);
        if (got == 0) {
            bytes.resize(used);
            return;
        }
        used += got;
        const std::string_view text(bytes.data(), used);
        if (used >= least_judged && !is_gzip(text) && !judge.wants_more(text)) {
            bytes.resize(used);
            return;
        }
    }
}

/// Waits until there is something to read, until it is time to stop.
void wait_for_bytes(int descriptor)
{
    constexpr int milliseconds = 50;
    pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
    int ready = 0;
    do {
        ask_for_stop();
        ready = poll(&waiting, 1, milliseconds);
    } while (ready == 0 || (ready < 0 && errno == EINTR));
}

/// Reads up to `most` bytes from where the file stands, or from `offset`; returns 0 at its end.
std::size_t read_some(int descriptor, char* to, std::size_t most, const std::string& name, off_t offset = -1)
{
    for (;;) {
        const ssize_t got = offset < 0 ? read(descriptor, to, most) : pread(descriptor, to, most, offset);
        if (got >= 0) {
            return static_cast<std::size_t>(got);
        }
        if (errno != EINTR) {
            fail_to_read(name, errno);
        }
    }
}

/// The first `size` bytes of a regular file, or what there is of them, block by block on several threads.
text_bytes read_blocks(int descriptor, std::size_t size, const std::string& name)
{
    text_bytes bytes;
    bytes.resize(size);
    expect_filling(bytes.data(), size);
    std::atomic<std::size_t> end{size};  // of what is there
    for_each_task(static_cast<index_t>((size + block_bytes - 1) / block_bytes), [&](index_t block) {
        ask_for_stop();
        std::size_t at = static_cast<std::size_t>(block) * block_bytes;
        const std::size_t last = std::min(at + block_bytes, size);
        while (at < last) {
            const std::size_t got = read_some(descriptor, bytes.data() + at, last - at, name, static_cast<off_t>(at));
            if (got == 0) {
                std::size_t known = end;
                while (at < known && !end.compare_exchange_weak(known, at)) {
                }
                return;
            }
            at += got;
        }
    });
    bytes.resize(end);
    return bytes;
}

/// All bytes from where the file stands; of a regular file that stands at its beginning, by several threads.
text_bytes read_all(int descriptor, const std::string& name)
{
    text_bytes bytes;
    const std::size_t size = size_hint(descriptor);
    if (size > 0 && lseek(descriptor, 0, SEEK_CUR) == 0) {
        bytes = read_blocks(descriptor, size, name);
        if (bytes.size() < size || lseek(descriptor, static_cast<off_t>(size), SEEK_SET) < 0) {
            return bytes;  // it has become shorter meanwhile
        }
        char next = 0;
        if (read_some(descriptor, &next, 1, name) == 0) {
            return bytes;
        }
        bytes.resize(size + 1);  // it has grown
        bytes.data()[size] = next;
    }
    read_rest(bytes, name, [&](char* to, std::size_t most) {
        wait_for_bytes(descriptor);
        return read_some(descriptor, to, most, name);
    });
    return bytes;
}

/// One inflate state, ended with its scope.
struct inflater {
    z_stream stream{};

    explicit inflater(const std::string& name)
    {
        constexpr int gzip_only = 16;
        if (inflateInit2(&stream, MAX_WBITS + gzip_only) != Z_OK) {
            throw resource_error(name + ": not enough memory to decompress this file");
        }
    }
    ~inflater() { inflateEnd(&stream); }
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;
};

/// All members of a gzip file; zlib checks the length and the checksum of each.
text_bytes gunzip(const text_bytes& packed, const std::string& name)
{
    constexpr std::size_t most_at_once = 4 * block_bytes;
    static_assert(most_at_once <= std::numeric_limits<uInt>::max());
    const auto damaged = [&](const std::string& reason) {
        return input_error(name, 0, "damaged gzip data: " + reason);
    };

    inflater state(name);
    text_judge judge(name);
    z_stream& z = state.stream;
    text_bytes bytes;
    bytes.resize(4 * packed.size());
    std::size_t taken = 0;
    std::size_t made = 0;
    for (;;) {
        ask_for_stop();
        if (made == bytes.size()) {
            bytes.resize(2 * made);
        }
        const std::size_t in = std::min(packed.size() - taken, most_at_once);
        const std::size_t out = std::min(bytes.size() - made, most_at_once);
        z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
        z.avail_in = static_cast<uInt>(in);
        z.next_out = reinterpret_cast<Bytef*>(bytes.data() + made);
        z.avail_out = static_cast<uInt>(out);
        const int status = inflate(&z, Z_NO_FLUSH);
        taken += in - z.avail_in;
        made += out - z.avail_out;

        if (status == Z_STREAM_END) {
            const std::string_view rest = std::string_view(packed).substr(taken);
            if (is_gzip(rest)) {
                inflateReset(&z);
                continue;
            }
            if (rest.find_first_not_of('\0') != std::string_view::npos) {
                throw damaged("other bytes follow its end");
            }
            bytes.resize(made);
            return bytes;
        }
        if (status == Z_MEM_ERROR) {
            throw std::bad_alloc();
        }
        if (status != Z_OK && status != Z_BUF_ERROR) {
            throw damaged(z.msg != nullptr ? z.msg : "it cannot be decompressed");
        }
        if (made >= least_judged && !judge.wants_more({bytes.data(), made})) {
            bytes.resize(made);
            return bytes;
        }
        if (taken == packed.size() && z.avail_out != 0) {
            throw damaged("it ends early, after " + std::to_string(made) + " bytes of text; is the file cut short?");
        }
    }
}

}  // namespace

void text_bytes::resize(std::size_t size)
{
    if (!bytes_ || size > room_) {
        char* const longer = static_cast<char*>(std::realloc(bytes_.get(), size + zeros));
        if (longer == nullptr) {
            throw std::bad_alloc();
        }
        static_cast<void>(bytes_.release());
        bytes_.reset(longer);
        room_ = size;
    }
    size_ = size;
    std::memset(bytes_.get() + size, 0, zeros);
}

text_bytes text_bytes::copied(std::string_view bytes)
{
    text_bytes copy;
    copy.resize(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    return copy;
}

text make_text(std::string name, text_bytes bytes)
{
    if (is_gzip(bytes)) {
        bytes = within_memory(name, [&] { return gunzip(bytes, name); });
    }
    return {.name = std::move(name), .bytes = std::move(bytes)};
}

text load(std::FILE* stream, const std::string& name)
{
    return make_text(name, within_memory(name, [&] {
                         text_bytes bytes;
                         errno = 0;
                         read_rest(bytes, name,
                                   [&](char* to, std::size_t most) { return std::fread(to, 1, most, stream); });
                         if (std::ferror(stream) != 0) {
                             fail_to_read(name, errno);
                         }
                         return bytes;
                     }));
}

text load(const std::string& path)
{
    const auto load_from = [&](int descriptor, const std::string& name) {
        return make_text(name, within_memory(name, [&] { return read_all(descriptor, name); }));
    };
    if (path == "-") {
        return load_from(STDIN_FILENO, "<stdin>");
    }
    const input_file file(path);
    return load_from(file.descriptor(), path);
}

std::string quote(std::string_view bytes)
{
    constexpr std::size_t most = 40;
    constexpr std::string_view digits = "0123456789abcdef";

    std::string shown = "'";
    for (const char c : bytes.substr(0, most)) {
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code < 0x7f) {
            shown += c;
        } else {
            shown += "\\x";
            shown += digits[code >> 4];
            shown += digits[code & 15];
        }
    }
    return shown + (bytes.size() > most ? "...'" : "'");
}

}  // namespace residua::io
