// Any bytes, plain or gzip: text in memory, from a stream and decompressed is the same, a judge says the same however the text
// comes in blocks, and what it refuses the parser refuses too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

#include <zlib.h>

#include <residua/io/matrix_market.hpp>
#include <residua/io/text.hpp>
#include <residua/io/text_judge.hpp>

#include "tests/fuzz/target.hpp"

namespace {

using namespace residua;
using fuzz::require;

constexpr std::string_view mark = "\xef\xbb\xbf";
const std::string name = "f";

/// What a judge says of a text: a refusal, or whether it wants more than there is, and how much it has seen then.
struct verdict {
    bool wants_all = true;
    std::string refusal;
    std::size_t seen = 0;
};

/// The text comes in blocks of random sizes, up to most bytes.
verdict judged(std::string_view text, std::size_t most, std::mt19937& random)
{
    io::text_judge judge(name);
    try {
        for (std::size_t end = 0; end < text.size();) {
            end = std::min(text.size(), end + 1 + random() % most);
            if (!judge.wants_more(text.substr(0, end))) {
                return {false, "", end};
            }
        }
    } catch (const input_error& e) {
        return {false, e.what(), 0};
    }
    return {true, "", text.size()};
}

bool is_read(std::string_view text)
{
    try {
        io::read_matrix_market(io::text{name, text}, io::binary64_tally());
        return true;
    } catch (const input_error& e) {
        require(fuzz::is_one_line(e.what()), "a message is one line");
        return false;
    }
}

/// The same verdict of every cut; it refuses nothing that can be read.
verdict check_judge(std::string_view text, std::mt19937& random)
{
    const verdict whole = judged(text, text.size() + 1, random);
    for (const std::size_t most : {std::size_t{1}, std::size_t{7}, text.size() / 3 + 1}) {
        if (most * 10000 < text.size()) {
            continue;
        }
        const verdict cut = judged(text, most, random);
        require(cut.wants_all == whole.wants_all && cut.refusal == whole.refusal,
                "a judge says the same for every cut: " + whole.refusal + " | " + cut.refusal);
        if (!cut.wants_all && cut.refusal.empty()) {
            require(!is_read(text.substr(0, cut.seen)), "what a judge wants no more of is refused");
            require(!is_read(text), "a judge wants all of what can be read");
        }
    }
    if (!text.starts_with(mark) && (text.empty() || !mark.starts_with(text))) {  // a part of a mark may become one
        require(judged(std::string(mark) + std::string(text), text.size() + 4, random).wants_all == whole.wants_all,
                "a byte order mark changes no verdict");
    }
    return whole;
}

/// Either all of a text, or as much as a judge wanted.
void check_part(std::string_view part, std::string_view whole, std::mt19937& random)
{
    require(whole.starts_with(part), "a text has the bytes that it was made of");
    require(part.size() == whole.size() || !judged(part, part.size(), random).wants_all,
            "a text is whole, or a judge wants no more of it");
}

struct unpacked {
    std::string text;
    bool is_whole = false;
};

/// Members of gzip and zeros behind the last; up to a few MB.
unpacked unpack(std::string_view packed)
{
    unpacked result;
    z_stream z{};
    if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK) {
        return result;
    }
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    z.avail_in = static_cast<uInt>(packed.size());
    std::string block(1 << 16, '\0');
    int status = Z_OK;
    while (status == Z_OK && result.text.size() < (1u << 24)) {
        z.next_out = reinterpret_cast<Bytef*>(block.data());
        z.avail_out = static_cast<uInt>(block.size());
        status = inflate(&z, Z_NO_FLUSH);
        result.text.append(block, 0, block.size() - z.avail_out);
        if (status == Z_STREAM_END && packed.substr(packed.size() - z.avail_in).starts_with("\x1f\x8b")) {
            status = inflateReset(&z);
        }
    }
    const std::string_view rest = packed.substr(packed.size() - z.avail_in);
    result.is_whole = status == Z_STREAM_END && rest.find_first_not_of('\0') == std::string_view::npos;
    inflateEnd(&z);
    return result;
}

std::string packed(const std::string& text)
{
    std::string bytes(text.size() + 1000, '\0');
    z_stream z{};
    require(deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib works");
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(bytes.data());
    z.avail_out = static_cast<uInt>(bytes.size());
    require(deflate(&z, Z_FINISH) == Z_STREAM_END, "the bytes have room");
    bytes.resize(z.total_out);
    deflateEnd(&z);
    return bytes;
}

io::text from_stream(std::string bytes)
{
    std::FILE* const stream = fmemopen(bytes.data(), bytes.size(), "r");
    require(stream != nullptr, "a stream opens");
    try {
        io::text text = io::load(stream, name);
        std::fclose(stream);
        return text;
    } catch (...) {
        std::fclose(stream);
        throw;
    }
}

void check_gzip(const std::string& bytes, std::mt19937& random)
{
    const unpacked expected = unpack(bytes);
    try {
        const io::text text = io::make_text(name, bytes);
        check_part(text.bytes, expected.text, random);
        require(expected.is_whole || !judged(text.bytes, text.bytes.size() + 1, random).wants_all,
                "damaged data are refused");
    } catch (const input_error& e) {
        require(std::string_view(e.what()).starts_with("f: ") && fuzz::is_one_line(e.what()), "a message is one line");
        require(!expected.is_whole || !judged(expected.text, expected.text.size() + 1, random).refusal.empty(),
                "whole data are read, but for what a judge refuses");
    }
    check_judge(expected.text, random);
}

/// A text that is long enough to be judged: its last bytes come again and again.
void check_long(std::string text, std::mt19937& random)
{
    const std::size_t period = 1 + random() % std::min(text.size(), std::size_t{64});
    const std::string tail = text.substr(text.size() - period);
    const std::size_t size = random() % 64 == 0 ? 1200000 : 70000;
    while (text.size() < size) {
        text += tail;
    }
    const verdict whole = check_judge(text, random);
    for (const bool by_stream : {false, true}) {
        try {
            check_part((by_stream ? from_stream(text) : io::make_text(name, packed(text))).bytes, text, random);
        } catch (const input_error& e) {
            require(e.what() == whole.refusal, "a text is refused as its judge refuses it");
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    std::mt19937 random(static_cast<std::mt19937::result_type>(crc32(0, data, static_cast<uInt>(size))));
    if (bytes.starts_with("\x1f\x8b")) {
        check_gzip(bytes, random);
        return 0;
    }
    require(io::make_text(name, bytes).bytes == bytes, "plain text stays as it is");
    const verdict whole = check_judge(bytes, random);
    if (!bytes.empty() && (whole.wants_all || random() % 16 == 0)) {
        check_long(bytes, random);
    }
    return 0;
}
