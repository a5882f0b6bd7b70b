#include <residua/io/text.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <residua/io/error.hpp>

namespace residua::io {
namespace {

/// One gzip member.
std::string gzip(const std::string& bytes)
{
    z_stream z{};
    EXPECT_EQ(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string packed(deflateBound(&z, bytes.size()), '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(packed.data());
    z.avail_out = static_cast<uInt>(packed.size());
    EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    packed.resize(z.total_out);
    deflateEnd(&z);
    return packed;
}

/// A file that goes with its scope.
class temporary_file {
public:
    explicit temporary_file(const std::string& bytes)
        : path_(std::filesystem::temp_directory_path() / ("residua_text_test_" + std::to_string(getpid())))
    {
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    ~temporary_file() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

std::string some_lines(int n)
{
    std::string lines;
    for (int k = 0; k < n; ++k) {
        lines += std::to_string(k) + " " + std::to_string(k * 7919 % 1009) + "\n";
    }
    return lines;
}

/// The message with which make_text refuses these bytes.
std::string refusal(const std::string& bytes)
{
    try {
        make_text("x.gz", bytes);
    } catch (const input_error& e) {
        return e.what();
    }
    return "not refused";
}

TEST(load, gives_the_bytes_of_a_file)
{
    for (const std::string& bytes : {std::string(), std::string("a\0b", 3), some_lines(100000)}) {
        const temporary_file file(bytes);

        const text loaded = load(file.path());

        EXPECT_EQ(loaded.name, file.path());
        EXPECT_EQ(loaded.bytes, bytes);
    }
}

TEST(load, decompresses_a_file_whatever_its_name)
{
    const std::string bytes = some_lines(100000);
    const temporary_file file(gzip(bytes));

    EXPECT_EQ(load(file.path()).bytes, bytes);
}

TEST(load, names_a_file_that_cannot_be_read)
{
    try {
        load("/nonexistent/a.mtx");
        FAIL();
    } catch (const input_error& e) {
        EXPECT_EQ(e.what(), std::string("/nonexistent/a.mtx: cannot be read: No such file or directory"));
    }
    try {
        load(std::filesystem::temp_directory_path().string());
        FAIL();
    } catch (const input_error& e) {
        EXPECT_NE(std::string(e.what()).find("cannot be read: Is a directory"), std::string::npos) << e.what();
    }
}

/// Standard input replaced by bytes that come through a pipe.
class piped_input {
public:
    explicit piped_input(const std::string& bytes) : saved_(dup(STDIN_FILENO))
    {
        int ends[2];
        EXPECT_EQ(pipe(ends), 0);
        EXPECT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        close(ends[1]);
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        std::clearerr(stdin);
    }
    ~piped_input()
    {
        dup2(saved_, STDIN_FILENO);
        close(saved_);
        std::clearerr(stdin);
    }

private:
    int saved_;
};

TEST(load, reads_standard_input_plain_or_compressed)
{
    const std::string bytes = some_lines(1000);  // fits into a pipe
    for (const std::string& sent : {bytes, gzip(bytes)}) {
        const piped_input input(sent);

        const text loaded = load("-");

        EXPECT_EQ(loaded.name, "<stdin>");
        EXPECT_EQ(loaded.bytes, bytes);
    }
}

TEST(load, reads_a_stream_from_where_it_stands)
{
    const temporary_file file("first\nsecond\n");
    std::FILE* const stream = std::fopen(file.path().c_str(), "rb");
    char line[16];
    ASSERT_NE(std::fgets(line, sizeof line, stream), nullptr);

    EXPECT_EQ(load(stream, "it").bytes, "second\n");
    std::fclose(stream);
}

TEST(make_text, joins_the_members_of_a_gzip_file)
{
    EXPECT_EQ(make_text("x", gzip("one ") + gzip("") + gzip("two")).bytes, "one two");
}

TEST(make_text, passes_zeros_that_pad_a_gzip_file)
{
    EXPECT_EQ(make_text("x", gzip("one") + std::string(512, '\0')).bytes, "one");
}

TEST(make_text, decompresses_what_grew_very_small)
{
    std::string bytes = "%%MatrixMarket matrix array real general\n1 1\n5\n";
    for (int k = 0; k < 20'000; ++k) {
        bytes += std::string(999, ' ') + "\n";
    }
    EXPECT_EQ(make_text("x", gzip(bytes)).bytes, bytes);
}

TEST(make_text, refuses_damaged_gzip)
{
    const std::string packed = gzip(some_lines(1000));
    for (const std::size_t length :
         {std::size_t{2}, std::size_t{5}, std::size_t{10}, packed.size() / 2, packed.size() - 8, packed.size() - 1}) {
        EXPECT_NE(refusal(packed.substr(0, length)).find("damaged gzip data: it ends early, after"), std::string::npos)
            << length << ": " << refusal(packed.substr(0, length));
    }
    std::string wrong_checksum = packed;
    wrong_checksum[packed.size() - 6] ^= 1;
    EXPECT_EQ(refusal(wrong_checksum), "x.gz: damaged gzip data: incorrect data check");
    std::string wrong_length = packed;
    wrong_length[packed.size() - 1] ^= 1;
    EXPECT_EQ(refusal(wrong_length), "x.gz: damaged gzip data: incorrect length check");
    EXPECT_EQ(refusal("\x1f\x8b\x07 no method 7"), "x.gz: damaged gzip data: unknown compression method");
    EXPECT_EQ(refusal(packed + "more"), "x.gz: damaged gzip data: other bytes follow its end");
}

TEST(quote, shows_any_bytes_in_one_short_line)
{
    EXPECT_EQ(quote(""), "''");
    EXPECT_EQ(quote("a b"), "'a b'");
    EXPECT_EQ(quote(std::string_view("\n\0\xff~\x7f", 5)), R"('\x0a\x00\xff~\x7f')");
    EXPECT_EQ(quote(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
    EXPECT_EQ(quote(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace residua::io
