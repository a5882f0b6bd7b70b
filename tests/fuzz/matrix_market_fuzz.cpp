// Any bytes, plain or gzip: they are read or refused with one line, never more. What is read must
// be consistent, round to binary64 as the C library does, and come back from a written file.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>

#include <residua/io/decimal.hpp>
#include <residua/io/file_format.hpp>
#include <residua/io/matrix_market.hpp>

namespace {

using namespace residua;

void require(bool condition, const std::string& what)
{
    if (!condition) {
        throw std::logic_error("violated: " + what);
    }
}

/// A number that stays text, without a plus sign.
struct symbol {
    std::string text;

    explicit symbol(std::string_view decimal) : text(decimal.substr(decimal.front() == '+')) {}
    symbol operator-() const { return symbol(text.starts_with('-') ? text.substr(1) : std::string("-") + text); }
    symbol operator+(const symbol& other) const { return symbol(text + " plus " + other.text); }
    bool operator==(const symbol& other) const
    {
        return text == other.text || (io::take_apart(text).is_zero() && io::take_apart(other.text).is_zero());
    }
};

/// The digits of a decimal without outer zeros, and where the point stands before the first.
struct normal_form {
    std::string digits;
    long point = 0;
    bool operator==(const normal_form&) const = default;
};

/// From text with an exponent that a long holds, marked by 'e', or none.
normal_form normalise(std::string_view decimal)
{
    normal_form form;
    bool after_point = false;
    for (std::size_t k = 0; k < decimal.size(); ++k) {
        const char c = decimal[k];
        if (c >= '0' && c <= '9') {
            if (c != '0' || !form.digits.empty()) {
                form.digits += c;
                form.point += !after_point;
            } else {
                form.point -= after_point;
            }
        } else if (c == '.') {
            after_point = true;
        } else if (c == 'e' || c == 'E') {
            form.point += std::strtol(std::string(decimal.substr(k + 1)).c_str(), nullptr, 10);
            break;
        }
    }
    while (form.digits.ends_with('0')) {
        form.digits.pop_back();
    }
    return form.digits.empty() ? normal_form{} : form;
}

void check_decimal(std::string_view decimal)
{
    const std::string token(decimal);
    require(!token.empty() && token.find_first_not_of("0123456789+-.eEdD") == std::string::npos &&
                token.find_first_of("0123456789") != std::string::npos,
            "the parser is given decimals only: " + token);
    require(io::is_decimal(token), "is_decimal agrees with the scanner: " + token);

    std::string plain = token;
    std::replace(plain.begin(), plain.end(), 'd', 'e');
    std::replace(plain.begin(), plain.end(), 'D', 'e');
    const double expected = std::strtod(plain.c_str(), nullptr);
    const io::binary64_result result = io::round_to_binary64(token);
    require(result.value == expected && std::signbit(result.value) == std::signbit(expected),
            "binary64 as by strtod: " + token);
    require((result.status == io::binary64_status::overflow) == std::isinf(expected), "overflow is told: " + token);

    const std::size_t letter = plain.find_first_of("eE");
    if (letter != std::string::npos && plain.size() - letter > 12) {
        return;  // an exponent far outside; normalise would overflow
    }
    bool exact = false;
    if (std::isfinite(expected)) {
        char buffer[1100];
        std::snprintf(buffer, sizeof buffer, "%.800e", expected);
        exact = normalise(buffer) == normalise(plain);
    }
    require((result.status == io::binary64_status::exact) == exact, "exactness is told: " + token);
}

template <class T>
void check_consistency(const io::matrix_market<T>& m, const io::text& source)
{
    const io::coo<T>& a = m.entries;
    const auto n = static_cast<std::size_t>(a.size());
    require(a.col.size() == n && a.value.size() == n, "arrays of one size");
    const bool complex = m.header.field == io::matrix_field::complex;
    require(m.imaginary.size() == (complex ? n : 0), "imaginary parts if complex");
    require(m.header.stored <= static_cast<index_t>(source.bytes.size()), "entries need bytes");
    require(a.size() <= 2 * m.header.stored, "each entry has at most one mirror image");
    for (std::size_t k = 0; k < n; ++k) {
        require(a.row[k] >= 0 && a.row[k] < a.rows && a.col[k] >= 0 && a.col[k] < a.cols, "indices in range");
        require(k == 0 || a.row[k - 1] < a.row[k] || (a.row[k - 1] == a.row[k] && a.col[k - 1] < a.col[k]),
                "entries sorted, no position twice");
    }
    if (m.header.symmetry == io::matrix_symmetry::symmetric) {
        require(io::is_symmetric(a), "symmetric files give symmetric matrices");
    }
}

/// Writes to memory and reads again.
void check_round_trip(const io::matrix_market<symbol>& m)
{
    static const int memory = memfd_create("residua_fuzz", 0);
    const std::string path = "/proc/self/fd/" + std::to_string(memory);
    io::write_matrix_market(path, m, [](const symbol& s) { return s.text; });

    const auto back = io::read_matrix_market(io::load(path), [](std::string_view decimal) { return symbol(decimal); });
    require(back.entries.row == m.entries.row && back.entries.col == m.entries.col,
            "a written file has the same positions");
    require(back.entries.value == m.entries.value && back.imaginary == m.imaginary,
            "a written file has the same values");
    require(back.header.rows == m.header.rows && back.header.cols == m.header.cols &&
                back.header.symmetry == m.header.symmetry && back.header.field == m.header.field,
            "a written file has the same header");
}

bool is_one_line(std::string_view message)
{
    return std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// Whether writing can give it back: nothing was summed, and there are no zeros on the diagonal of
/// a skew-symmetric matrix, which are read but not written.
bool writes_back(const io::matrix_market<symbol>& m)
{
    if (!m.warnings.empty()) {
        return false;
    }
    if (m.header.symmetry == io::matrix_symmetry::skew_symmetric) {
        for (std::size_t k = 0; k < m.entries.row.size(); ++k) {
            if (m.entries.row[k] == m.entries.col[k]) {
                return false;
            }
        }
    }
    return true;
}

void check(io::text source)
{
    const auto m = io::read_matrix_market(source, [](std::string_view decimal) {
        check_decimal(decimal);
        return symbol(decimal);
    });
    check_consistency(m, source);
    for (const std::string& warning : m.warnings) {
        require(is_one_line(warning), "a warning is one line");
    }
    if (writes_back(m)) {
        check_round_trip(m);
    }
    io::binary64_tally tally;
    const auto rounded = io::read_matrix_market(source, tally);
    require(rounded.header == m.header && rounded.entries.row == m.entries.row,
            "the structure does not depend on the numbers");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto check_message = [](std::string_view message) {
        require(message.starts_with("f:"), "a message begins with the file");
        require(is_one_line(message), "a message is one line");
    };
    for (const io::file_part part :
         {io::file_part::matrix, io::file_part::rhs, io::file_part::guess, io::file_part::solution}) {
        try {
            check(
                io::as_matrix_market(io::make_text("f", std::string(reinterpret_cast<const char*>(data), size)), part));
        } catch (const input_error& e) {
            check_message(e.what());
        } catch (const unsupported_error& e) {
            check_message(e.what());
        }
    }
    return 0;
}
