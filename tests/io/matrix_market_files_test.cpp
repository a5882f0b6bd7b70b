// Every file in the folder RESIDUA_MATRIX_DIR: the tricky ones with exactly the
// meaning that tricky/expected.json states, in rational arithmetic; the public ones, read twice.

#include <residua/io/matrix_market.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmpxx.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <residua/io/decimal.hpp>
#include "tests/io/rational.hpp"
#include "tests/support/scale.hpp"

namespace residua::io {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::matrix_dir;

mpq_class exact(std::string_view decimal)
{
    std::string plain(decimal);
    for (char& c : plain) {
        c = c == 'd' || c == 'D' ? 'e' : c;
    }
    return testing::to_rational(plain);
}

mpq_class part(const json& value, int which)
{
    if (value.is_array()) {
        return testing::to_rational(value.at(static_cast<std::size_t>(which)).get<std::string>());
    }
    return which == 0 ? testing::to_rational(value.get<std::string>()) : mpq_class(0);
}

void compare_meaning(const matrix_market<mpq_class>& m, const json& expected)
{
    EXPECT_EQ(to_string(m.header.format), expected.at("format").get<std::string>());
    EXPECT_EQ(to_string(m.header.field), expected.at("field").get<std::string>());
    EXPECT_EQ(to_string(m.header.symmetry), expected.at("symmetry").get<std::string>());
    ASSERT_EQ(m.entries.rows, expected.at("rows").get<index_t>());
    ASSERT_TRUE(m.entries.rows == 0 || m.entries.cols == expected.at("cols").get<index_t>());
    if (expected.contains("stored_entries")) {
        EXPECT_EQ(m.header.stored, expected.at("stored_entries").get<index_t>());
    }
    std::size_t k = 0;
    for (index_t row = 0; row < m.entries.rows; ++row) {
        for (index_t col = 0; col < m.entries.cols; ++col) {
            const json& value =
                expected.at("dense").at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(col));
            const bool stored = k < m.entries.row.size() && m.entries.row[k] == row && m.entries.col[k] == col;
            const bool complex = stored && !m.imaginary.empty();
            const mpq_class real = stored ? m.entries.value[k] : mpq_class(0);
            const mpq_class imaginary = complex ? m.imaginary[k] : mpq_class(0);
            EXPECT_EQ(real.get_str(), part(value, 0).get_str()) << row << "," << col;
            EXPECT_EQ(imaginary.get_str(), part(value, 1).get_str()) << row << "," << col;
            k += stored;
        }
    }
    EXPECT_EQ(k, m.entries.row.size());
}

TEST(matrix_market_files, tricky_files_have_exactly_the_meaning_expected)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    const json expected = json::parse(std::ifstream(*dir / "tricky/expected.json"));
    int read = 0;
    int refused = 0;
    for (const json& one : expected.at("cases")) {
        const std::string name = one.at("file").get<std::string>();
        SCOPED_TRACE(name + ": " + one.at("why").get<std::string>());
        const std::string expect = one.at("expect").get<std::string>();
        try {
            const auto m = read_matrix_market(load((*dir / "tricky" / name).string()), exact);
            ++read;
            EXPECT_NE(expect, "reject");
            if (one.contains("dense")) {
                compare_meaning(m, one);
            } else {
                EXPECT_EQ(m.entries.size(), 1);  // v50: 4e9 x 4e9 with one entry
                EXPECT_EQ(m.entries.row, (std::vector<index_t>{3999999999}));
            }
        } catch (const input_error& e) {
            ++refused;
            const std::string message = e.what();
            EXPECT_NE(expect, "accept") << message;
            EXPECT_NE(message.find(name + ":"), std::string::npos) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
    }
    EXPECT_EQ(read, 49);
    EXPECT_EQ(refused, 56);
}

TEST(matrix_market_files, public_files_read_alike_to_binary64_and_to_rationals)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    int files = 0;
    for (const char* folder : {"public", "public/ref"}) {
        for (const fs::directory_entry& file : fs::directory_iterator(*dir / folder)) {
            const std::string path = file.path().string();
            if (path.find(".mtx") == std::string::npos) {
                continue;
            }
            SCOPED_TRACE(path);
            ++files;
            const text source = load(path);
            binary64_tally tally;

            const auto rounded = read_matrix_market(source, tally);
            index_t inexact = 0;
            const auto rational = read_matrix_market(source, [&](std::string_view decimal) {
                const mpq_class v = exact(decimal);
                inexact += mpq_class(parse_binary64(decimal)) != v;
                return v;
            });

            EXPECT_TRUE(rounded.warnings.empty());
            EXPECT_EQ(rounded.entries.row, rational.entries.row);
            EXPECT_EQ(rounded.entries.col, rational.entries.col);
            EXPECT_EQ(tally.inexact, inexact);
            for (std::size_t k = 0; k < rounded.entries.row.size(); ++k) {
                const mpq_class& v = rational.entries.value[k];
                const mpq_class difference = mpq_class(rounded.entries.value[k]) - v;
                ASSERT_TRUE(abs(difference) * mpq_class(0x1p53) <= abs(v)) << v.get_d();
            }
        }
    }
    EXPECT_GT(files, 0);
}

/// name, rows, cols, entries, stored: from the table that comes with the matrices.
struct known {
    const char* name;
    index_t rows, cols, entries, stored;
};

TEST(matrix_market_files, public_files_have_the_sizes_they_are_known_for)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    for (const known& k :
         {known{"bcsstk01.mtx", 48, 48, 400, 224}, known{"bcsstk14.mtx.gz", 1806, 1806, 63454, 32630},
          known{"west0479.mtx", 479, 479, 1910, 1910}, known{"sherman5.mtx.gz", 3312, 3312, 20793, 20793},
          known{"young1c.mtx", 841, 841, 4089, 4089}, known{"mhd1280b.mtx.gz", 1280, 1280, 22778, 12029},
          known{"plskz362.mtx", 362, 362, 1760, 880}, known{"ash219.mtx", 219, 85, 438, 438},
          known{"can_24.mtx", 24, 24, 160, 92}}) {
        const auto m = read_matrix_market(load((*dir / "public" / k.name).string()), parse_binary64);
        EXPECT_EQ(m.entries.rows, k.rows) << k.name;
        EXPECT_EQ(m.entries.cols, k.cols) << k.name;
        EXPECT_EQ(m.entries.size(), k.entries) << k.name;
        EXPECT_EQ(m.header.stored, k.stored) << k.name;
    }
}

}  // namespace
}  // namespace residua::io
