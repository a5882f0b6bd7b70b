// The files of NumPy are put together here byte by byte, by what its documentation says of them.

#include <residua/io/npy.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include <residua/io/npz.hpp>
#include "tests/io/words.hpp"

namespace residua::io {
namespace {

using testing::refusal;
using testing::said_by;

std::string bytes_of(std::uint64_t number, std::size_t size, bool big_endian = false)
{
    std::string bytes;
    for (std::size_t k = 0; k < size; ++k) {
        const std::size_t place = big_endian ? size - 1 - k : k;
        bytes += place < 8 ? static_cast<char>(number >> 8 * place) : '\0';
    }
    return bytes;
}

std::string npy(const std::string& type, const std::string& shape, const std::string& elements,
                const std::string& order = "False", int version = 1)
{
    std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    header.resize((header.size() + 64) / 64 * 64 - 1, ' ');
    header += '\n';
    return "\x93NUMPY" + bytes_of(static_cast<std::uint64_t>(version), 1) + std::string(1, '\0') +
           bytes_of(header.size(), version == 1 ? 2 : 4) + header + elements;
}

std::string doubles(const std::vector<double>& values, bool big_endian = false)
{
    std::string all;
    for (const double x : values) {
        all += bytes_of(std::bit_cast<std::uint64_t>(x), 8, big_endian);
    }
    return all;
}

std::string integers(const std::vector<std::int64_t>& values, std::size_t size = 4)
{
    std::string all;
    for (const std::int64_t n : values) {
        all += bytes_of(static_cast<std::uint64_t>(n), size);
    }
    return all;
}

struct packed {
    std::string name, content;
};

std::string deflated(const std::string& content)
{
    z_stream z{};
    deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&z, content.size()) + 16, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    z.avail_in = static_cast<uInt>(content.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.resize(out.size() - z.avail_out);
    deflateEnd(&z);
    return out;
}

/// An archive; with `wide` the sizes stand in 64 bits beside the directory, as of members beyond 4 GiB.
std::string zip(const std::vector<packed>& members, bool deflate = false, bool wide = false)
{
    std::string all, directory;
    for (const packed& each : members) {
        const std::string content = deflate ? deflated(each.content) : each.content;
        const auto checksum =
            crc32(0, reinterpret_cast<const Bytef*>(each.content.data()), static_cast<uInt>(each.content.size()));
        const std::string method = bytes_of(deflate ? 8 : 0, 2);
        const std::string sizes =
            wide ? bytes_of(~std::uint64_t{0}, 8) : bytes_of(content.size(), 4) + bytes_of(each.content.size(), 4);
        const std::string extra =
            wide ? bytes_of(1, 2) + bytes_of(16, 2) + bytes_of(each.content.size(), 8) + bytes_of(content.size(), 8)
                 : "";
        const std::string common = bytes_of(20, 2) + bytes_of(0, 2) + method + bytes_of(0, 4) + bytes_of(checksum, 4) +
                                   sizes + bytes_of(each.name.size(), 2) + bytes_of(extra.size(), 2);
        directory +=
            "PK\x01\x02" + bytes_of(20, 2) + common + bytes_of(0, 10) + bytes_of(all.size(), 4) + each.name + extra;
        all += "PK\x03\x04" + common + each.name + extra + content;
    }
    const std::size_t at = all.size();
    all += directory;
    if (wide) {
        const std::size_t end64 = all.size();
        all += "PK\x06\x06" + bytes_of(44, 8) + bytes_of(0, 12) + bytes_of(members.size(), 8) +
               bytes_of(members.size(), 8) + bytes_of(directory.size(), 8) + bytes_of(at, 8);
        all += "PK\x06\x07" + bytes_of(0, 4) + bytes_of(end64, 8) + bytes_of(1, 4);
        return all + "PK\x05\x06" + bytes_of(0, 4) + bytes_of(0xffff, 2) + bytes_of(0xffff, 2) +
               bytes_of(0xffffffff, 4) + bytes_of(0xffffffff, 4) + bytes_of(0, 2);
    }
    return all + "PK\x05\x06" + bytes_of(0, 4) + bytes_of(members.size(), 2) + bytes_of(members.size(), 2) +
           bytes_of(directory.size(), 4) + bytes_of(at, 4) + bytes_of(0, 2);
}

/// 0 2.5 0
/// 7 0   -1
std::vector<packed> sparse(const std::string& kind)
{
    std::vector<packed> members{{"shape.npy", npy("<i8", "(2,)", integers({2, 3}, 8))},
                                {"format.npy", npy("|S3", "()", kind)},
                                {"_is_array.npy", npy("|b1", "()", "\1")}};
    if (kind == "csr") {
        members.push_back({"indptr.npy", npy("<i4", "(3,)", integers({0, 1, 3}))});
        members.push_back({"indices.npy", npy("<i4", "(3,)", integers({1, 2, 0}))});
        members.push_back({"data.npy", npy("<f8", "(3,)", doubles({2.5, -1.0, 7.0}))});
    } else if (kind == "csc") {
        members.push_back({"indptr.npy", npy("<i8", "(4,)", integers({0, 1, 2, 3}, 8))});
        members.push_back({"indices.npy", npy("<i8", "(3,)", integers({1, 0, 1}, 8))});
        members.push_back({"data.npy", npy("<f8", "(3,)", doubles({7.0, 2.5, -1.0}))});
    } else {
        members.push_back({"row.npy", npy("<i4", "(3,)", integers({1, 0, 1}))});
        members.push_back({"col.npy", npy("<i4", "(3,)", integers({2, 1, 0}))});
        members.push_back({"data.npy", npy("<f8", "(3,)", doubles({-1.0, 2.5, 7.0}))});
    }
    return members;
}

const std::string sparse_matrix = "2 x 3: (1, 2) 2.5, (2, 1) 7, (2, 3) -1";

TEST(npy, vectors_and_matrices)
{
    EXPECT_EQ(said_by(npy("<f8", "(3,)", doubles({1.0, 0.1, -1e300})), file_part::rhs),
              "3 x 1: (1, 1) 1, (2, 1) 0.1, (3, 1) -1e+300");
    const std::string by_rows = npy("<f8", "(2, 3)", doubles({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
    const std::string by_columns = npy("<f8", "(2, 3)", doubles({1.0, 4.0, 2.0, 5.0, 3.0, 6.0}), "True");
    const std::string expected = "2 x 3: (1, 1) 1, (1, 2) 2, (1, 3) 3, (2, 1) 4, (2, 2) 5, (2, 3) 6";
    EXPECT_EQ(said_by(by_rows), expected);
    EXPECT_EQ(said_by(by_columns), expected);
    for (const int version : {2, 3}) {
        EXPECT_EQ(said_by(npy("<f8", "(1, 1)", doubles({4.0}), "False", version)), "1 x 1: (1, 1) 4");
    }
    EXPECT_EQ(said_by(npy("<f8", "(2L, 1L)", doubles({1.0, 2.0}))), "2 x 1: (1, 1) 1, (2, 1) 2");
    EXPECT_EQ(said_by(npy("<f8", "(0, 5)", "")), "0 x 5:");
}

TEST(npy, all_types_are_exact)
{
    const auto one = [](const std::string& type, const std::string& element) {
        const std::string said = said_by(npy(type, "(1,)", element));
        return said.substr(said.find(") ") + 2);
    };
    EXPECT_EQ(one("<f8", doubles({0.1})), "0.1");
    EXPECT_EQ(one(">f8", doubles({0.1}, true)), "0.1");
    EXPECT_EQ(one("<f8", doubles({5e-324})), "5e-324");
    EXPECT_EQ(one("<f4", bytes_of(0x3dcccccd, 4)), "0.10000000149011612");
    EXPECT_EQ(one(">f4", bytes_of(0x3dcccccd, 4, true)), "0.10000000149011612");
    EXPECT_EQ(one("<f2", bytes_of(0x2e66, 2)), "0.0999755859375");
    EXPECT_EQ(one("<f2", bytes_of(0x8001, 2)), "-5.960464477539063e-08");  // its smallest number, negative
    EXPECT_EQ(one("<f2", bytes_of(0x7bff, 2)), "65504");
    EXPECT_EQ(one("|i1", bytes_of(0x80, 1)), "-128");
    EXPECT_EQ(one("|u1", bytes_of(0x80, 1)), "128");
    EXPECT_EQ(one("<i2", bytes_of(0xfffe, 2)), "-2");
    EXPECT_EQ(one(">i2", bytes_of(0xfffe, 2, true)), "-2");
    EXPECT_EQ(one("<u4", bytes_of(0xffffffff, 4)), "4294967295");
    EXPECT_EQ(one("<i8", bytes_of(0x8000000000000000, 8)), "-9223372036854775808");
    EXPECT_EQ(one("<i8", bytes_of(9007199254740993, 8)), "9007199254740993");
    EXPECT_EQ(one("<u8", bytes_of(0xffffffffffffffff, 8)), "18446744073709551615");
    EXPECT_EQ(one("|b1", bytes_of(1, 1)), "1");
}

TEST(npy, complex_numbers_have_two_parts)
{
    EXPECT_EQ(said_by(npy("<c16", "(2, 2)", doubles({1.0, 2.0, 3.0, -4.0, 0.1, 0.0, -0.5, 5e-324}))),
              "2 x 2: (1, 1) 1 +i 2, (1, 2) 3 +i -4, (2, 1) 0.1 +i 0, (2, 2) -0.5 +i 5e-324");
    EXPECT_EQ(said_by(npy(">c16", "(1,)", doubles({0.25, -8.0}, true)), file_part::rhs), "1 x 1: (1, 1) 0.25 +i -8");
    EXPECT_EQ(said_by(npy("<c8", "(1,)", bytes_of(0x3dcccccd, 4) + bytes_of(0xbf800000, 4))),
              "1 x 1: (1, 1) 0.10000000149011612 +i -1");
    const auto with_complex_data = [](const std::string& kind) {
        std::vector<packed> members = sparse(kind);
        members.back().content = npy("<c16", "(3,)", doubles({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}));
        return said_by(zip(members));
    };
    EXPECT_EQ(with_complex_data("csr"), "2 x 3: (1, 2) 1 +i 2, (2, 1) 5 +i 6, (2, 3) 3 +i 4");
    EXPECT_EQ(with_complex_data("csc"), "2 x 3: (1, 2) 3 +i 4, (2, 1) 1 +i 2, (2, 3) 5 +i 6");
    EXPECT_EQ(with_complex_data("coo"), "2 x 3: (1, 2) 3 +i 4, (2, 1) 5 +i 6, (2, 3) 1 +i 2");
}

TEST(npy, says_how_its_decimals_are_meant)
{
    const auto meaning = [](const std::string& type, const std::string& elements) {
        return as_matrix_market(make_text("f", npy(type, "(2,)", elements))).numbers;
    };
    EXPECT_EQ(meaning("<f8", doubles({0.1, 0.2})), number_meaning::binary64);
    EXPECT_EQ(meaning("<i8", integers({1, -9007199254740992}, 8)), number_meaning::binary64);
    EXPECT_EQ(meaning("<i8", integers({1, -9007199254740993}, 8)), number_meaning::exact);
}

TEST(npy, refusals_say_what_it_is)
{
    const auto type = [](const std::string& name, std::size_t size) {
        return refusal(npy(name, "(1,)", std::string(size, '\0')));
    };
    EXPECT_EQ(type("<c32", 32),
              "unsupported_error f: the type '<c32' of an array of NumPy, floats whose form depends on the machine, is "
              "not read; save it as float64, complex128 or integers, or its digits by numpy.savetxt");
    EXPECT_TRUE(type("<f16", 16)
                    .starts_with("unsupported_error f: the type '<f16' of an array of NumPy, floats whose form depends "
                                 "on the machine, is not read"));
    EXPECT_EQ(refusal(npy("<c16", "(1,)", doubles({1.0, std::bit_cast<double>(0x7ff8000000000000)}))),
              "input_error f: element 0 in the order of the file is not a finite number");
    EXPECT_TRUE(
        type("|O", 8).starts_with("unsupported_error f: the type '|O' of an array of NumPy, objects of Python, is"));
    for (const char* other : {"<U3", "|V8", "<M8[ns]", "|S8"}) {
        EXPECT_TRUE(type(other, 12).find("f: ") != std::string::npos) << type(other, 12);
    }
    std::string record = npy("<f8", "(1,)", doubles({1.0}));
    record.replace(record.find("'<f8'"), 5, "[('a'");
    EXPECT_EQ(refusal(record),
              "unsupported_error f: an array of NumPy whose elements are records of several fields is not "
              "read; save one field");
    EXPECT_EQ(refusal(npy("<f8", "(2,)", doubles({1.0, std::bit_cast<double>(0x7ff8000000000000)}))),
              "input_error f: element 1 in the order of the file is not a finite number");
    EXPECT_EQ(refusal(npy("<f2", "(1,)", bytes_of(0x7c00, 2))),
              "input_error f: element 0 in the order of the file is not a finite number");
    EXPECT_EQ(refusal(npy("<f8", "(2, 2)", doubles({1.0, 2.0, 3.0}))),
              "input_error f: an array of 4 elements of 8 bytes, but 24 bytes are there; is it cut short?");
    EXPECT_EQ(refusal(npy("<f8", "(1, 1, 1)", doubles({1.0}))),
              "input_error f: an array of NumPy of 3 dimensions; vectors have one and matrices two");
    EXPECT_EQ(refusal(npy("<f8", "(9000000000, 9000000000)", "")),
              "input_error f: an array with more elements than any file");
    EXPECT_EQ(
        refusal(npy("<f8", "(1000000000, 1000000000)", doubles({1.0}))),
        "input_error f: an array of 1000000000000000000 elements of 8 bytes, but 8 bytes are there; is it cut short?");
    EXPECT_EQ(refusal(npy("<f8", "(1,)", doubles({1.0}), "Maybe")).substr(0, 64),
              "input_error f: the header of an array of NumPy cannot be underst");
}

TEST(npy, damage_is_refused)
{
    testing::expect_damage_is_refused(npy("<f8", "(2, 2)", doubles({1.0, 0.0, 0.1, 3.0})));
    testing::expect_damage_is_refused(npy("<i4", "(3,)", integers({1, 0, -3})), file_part::rhs);
}

TEST(npz, sparse_matrices_stored_and_deflated)
{
    for (const char* kind : {"csr", "csc", "coo"}) {
        for (const bool deflate : {false, true}) {
            for (const bool wide : {false, true}) {
                EXPECT_EQ(said_by(zip(sparse(kind), deflate, wide)), sparse_matrix) << kind << deflate << wide;
            }
        }
    }
    std::vector<packed> wide_letters = sparse("csr");
    wide_letters[1].content = npy("<U3", "()", std::string("c\0\0\0s\0\0\0r\0\0\0", 12));
    EXPECT_EQ(said_by(zip(wide_letters)), sparse_matrix);
}

TEST(npz, a_single_array)
{
    EXPECT_EQ(said_by(zip({{"arr_0.npy", npy("<f8", "(2,)", doubles({1.0, 2.0}))}}, true), file_part::rhs),
              "2 x 1: (1, 1) 1, (2, 1) 2");
    EXPECT_EQ(refusal(zip({{"a.npy", npy("<f8", "(1,)", doubles({1.0}))}, {"b.npy", ""}})),
              "unsupported_error f: a zip archive of 2 members ('a.npy', 'b.npy'); only a matrix by "
              "scipy.sparse.save_npz or a "
              "single array by numpy.savez is read");
    EXPECT_EQ(refusal(zip({{"readme.txt", "hello"}})),
              "input_error f: 'readme.txt': the header of an array of NumPy is missing; is it cut short?");
}

TEST(npz, refusals_say_what_is_wrong)
{
    const auto with = [](const std::string& kind, std::size_t member, const std::string& content) {
        std::vector<packed> members = sparse(kind);
        members[member].content = content;
        return refusal(zip(members, true));
    };
    EXPECT_EQ(refusal(zip(sparse("bsr"))),
              "unsupported_error f: a sparse matrix of scipy's format 'bsr' is not read; write it by "
              "scipy.sparse.save_npz('A.npz', A.tocsr())");
    EXPECT_EQ(with("csr", 3, npy("<i4", "(2,)", integers({0, 1}))),
              "input_error f: 'indptr.npy': has 2 elements, where a sparse matrix of scipy's needs 3");
    EXPECT_EQ(with("csr", 3, npy("<i4", "(3,)", integers({0, 2, 1}))),
              "input_error f: 'indptr.npy': element 1 is outside 0..1");
    EXPECT_EQ(with("csr", 3, npy("<i4", "(3,)", integers({0, 1, 4}))),
              "input_error f: 'indptr.npy': element 2 is outside 0..3");
    EXPECT_EQ(with("csr", 4, npy("<i4", "(3,)", integers({1, 3, 0}))),
              "input_error f: 'indices.npy': element 1 is outside 0..2");
    EXPECT_EQ(with("csr", 4, npy("<i4", "(3,)", integers({1, -1, 0}))),
              "input_error f: 'indices.npy': element 1 is outside 0..2");
    EXPECT_EQ(with("csr", 4, npy("<f4", "(3,)", integers({1, 2, 0}))),
              "input_error f: 'indices.npy': the type '<f4' where integers must be");
    EXPECT_EQ(with("coo", 4, npy("<i4", "(4,)", integers({1, 2, 0, 0}))),
              "input_error f: 'col.npy': has 4 elements, where a sparse matrix of scipy's needs 3");
    EXPECT_EQ(
        with("csr", 0, npy("<i8", "(2,)", integers({0x7fffffffffffffff, 3}, 8))),
        "input_error f: 'indptr.npy': has 3 elements, where a sparse matrix of scipy's needs 9223372036854775807");
    std::vector<packed> without = sparse("csr");
    without.pop_back();
    EXPECT_EQ(refusal(zip(without)), "input_error f: a sparse matrix of scipy's without its member 'data.npy'");
}

TEST(npz, archives_are_not_trusted)
{
    const std::string good = zip({{"a.npy", npy("<f8", "(1,)", doubles({1.0}))}}, true);
    const std::size_t entry = good.rfind("PK\x01\x02");
    const auto with = [&](std::size_t at, const std::string& bytes) {
        std::string changed = good;
        changed.replace(entry + at, bytes.size(), bytes);
        return refusal(changed);
    };
    EXPECT_EQ(with(16, bytes_of(1, 4)),
              "input_error f: damaged zip archive: member 'a.npy' has another checksum than its "
              "directory states; is the file cut short?");
    EXPECT_EQ(with(24, bytes_of(0x7fffffff, 4)),
              "input_error f: damaged zip archive: member 'a.npy' cannot have 2147483647 "
              "bytes; is the file cut short?");
    EXPECT_EQ(with(20, bytes_of(0x7fffffff, 4)),
              "input_error f: damaged zip archive: member 'a.npy' ends behind the end of "
              "the file; is the file cut short?");
    EXPECT_EQ(with(24, bytes_of(127, 4)),
              "input_error f: damaged zip archive: member 'a.npy' cannot be decompressed; is the "
              "file cut short?");
    EXPECT_EQ(with(10, bytes_of(14, 2)),
              "input_error f: member 'a.npy' is packed by method 14; only stored and deflated ones "
              "are read, as numpy.savez_compressed writes them");
    EXPECT_EQ(refusal(good.substr(0, good.size() - 22)),
              "input_error f: damaged zip archive: the directory at its end is missing; is the file cut short?");
    std::string encrypted = good;
    encrypted[6] = 1;
    EXPECT_EQ(refusal(encrypted), "input_error f: member 'a.npy' is encrypted");
}

TEST(npz, damage_is_refused)
{
    testing::expect_damage_is_refused(zip({{"a.npy", npy("<f8", "(2,)", doubles({1.0, 2.0}))}}, true));
    testing::expect_damage_is_refused(zip(sparse("csr"), true));
    testing::expect_damage_is_refused(zip(sparse("coo"), false, true));
}

}  // namespace
}  // namespace residua::io
