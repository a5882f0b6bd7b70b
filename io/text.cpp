#include <residua/io/text.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

#include <sys/stat.h>
#include <zlib.h>

#include <residua/io/error.hpp>

namespace residua::io {

namespace {

struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail_to_read(const std::string& name, int error_number)
{
    throw input_error(name, 0, std::string("cannot be read: ") + std::strerror(error_number));
}

/// Runs `body`; a failed allocation becomes a resource_error that names the input.
template <class Body>
auto within_memory(const std::string& name, const Body& body)
{
    try {
        return body();
    } catch (const std::bad_alloc&) {
        throw resource_error(name + ": not enough memory to hold the text of this file");
    } catch (const std::length_error&) {
        throw resource_error(name + ": the text of this file is longer than a string can be");
    }
}

/// The size of a regular file; 0 for everything else.
std::size_t size_hint(std::FILE* stream)
{
    struct stat status {};
    if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0) {
        return 0;
    }
    return static_cast<std::size_t>(status.st_size);
}

std::string read_all(std::FILE* stream, const std::string& name)
{
    constexpr std::size_t least = 1 << 16;

    std::string bytes;
    std::size_t used = 0;
    bytes.resize(std::max(least, size_hint(stream) + 1));  // + 1: room to see the end
    for (;;) {
        errno = 0;
        const std::size_t got = std::fread(bytes.data() + used, 1, bytes.size() - used, stream);
        used += got;
        if (got == 0) {
            break;
        }
        if (used == bytes.size()) {
            bytes.resize(2 * used);
        }
    }
    if (std::ferror(stream) != 0) {
        fail_to_read(name, errno);
    }
    bytes.resize(used);
    return bytes;
}

bool is_gzip(std::string_view bytes) { return bytes.substr(0, 2) == "\x1f\x8b"; }

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
std::string gunzip(const std::string& packed, const std::string& name)
{
    constexpr std::size_t most_at_once = std::numeric_limits<uInt>::max();
    const auto damaged = [&](const std::string& reason) {
        return input_error(name, 0, "damaged gzip data: " + reason);
    };

    inflater state(name);
    z_stream& z = state.stream;
    std::string bytes(4 * packed.size(), '\0');
    std::size_t taken = 0;
    std::size_t made = 0;
    for (;;) {
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
        if (taken == packed.size() && z.avail_out != 0) {
            throw damaged("it ends early, after " + std::to_string(made) + " bytes of text; is the file cut short?");
        }
    }
}

}  // namespace

text make_text(std::string name, std::string bytes)
{
    if (is_gzip(bytes)) {
        bytes = within_memory(name, [&] { return gunzip(bytes, name); });
    }
    return {std::move(name), std::move(bytes)};
}

text load(std::FILE* stream, const std::string& name)
{
    return make_text(name, within_memory(name, [&] { return read_all(stream, name); }));
}

text load(const std::string& path)
{
    if (path == "-") {
        return load(stdin, "<stdin>");
    }
    const std::unique_ptr<std::FILE, close_file> file(std::fopen(path.c_str(), "rb"));
    if (!file) {
        fail_to_read(path, errno);
    }
    return load(file.get(), path);
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
