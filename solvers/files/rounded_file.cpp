#include <residua/solvers/files/rounded_file.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <residua/io/room.hpp>
#include <residua/solvers/base/elements.hpp>
#include <residua/solvers/base/memory.hpp>

namespace residua {
namespace {

/// A number as it is written, or its negative, and rounded to binary64. The word of a sum is its first number's.
struct written {
    double rounded = 0.0;
    io::decimal_word word;

    written operator-() const { return {-rounded, word.negated()}; }
    written operator+(const written& other) const { return {rounded + other.rounded, word}; }
};

/// A parser for read_matrix_market that also keeps what is written.
class written_tally {
public:
    io::binary64_tally tally;

    written operator()(const io::decimal_word& word) { return {tally(word), word}; }
    void add(const written_tally& other) { tally.add(other.tally); }
};

bool is_real(const io::text& complex)
{
    io::matrix_market_scanner scanner(complex);
    io::scanned_entry entry;
    while (scanner.next(entry)) {
        if (!io::take_apart(entry.imaginary).is_zero()) {
            return false;
        }
    }
    return true;
}

/// Takes a complex file as the real one that it is, or as its real form.
void take_complex(rounded_file& file)
{
    io::matrix_market_header& header = file.header;
    if (!is_real(file.text)) {
        file.complex = true;
        if (file.words.empty()) {  // otherwise read_both() has done this
            take_real_form(file.matrix, file.part, [](double x) { return x == 0.0; });
        }
        return;
    }
    file.notes.push_back(file.text.name + ": complex, but all imaginary parts are 0: read as a real matrix");
    file.matrix.imaginary = {};
    header.field = io::matrix_field::real;
    if (header.symmetry == io::matrix_symmetry::hermitian) {
        header.symmetry = io::matrix_symmetry::symmetric;
    }
    file.matrix.header = header;
}

/// The text of a file of any format, as the reader takes it.
///
/// throws  resource_error if memory does not hold it; as io::as_matrix_market
io::text readable(io::text file, io::file_part part)
{
    if (io::other_format(file.bytes) != nullptr) {
        constexpr double bytes_of_text = 3.0;  // for a byte of the file, at most, but where it is packed
        require_memory((file.name + ": its numbers as text").c_str(),
                       bytes_of_text * static_cast<double>(file.bytes.size()));
    }
    return io::as_matrix_market(std::move(file), part);
}

/// Checks that there is memory for the numbers of a text, before they are read, and that a real form of it has sizes.
///
/// throws  resource_error if not; as io::read_header
void require_room_for_numbers(const io::text& text)
{
    constexpr double least_bytes_of_text = 2.0;
    io::text_cursor cursor(text);
    const io::matrix_market_header header = io::read_header(cursor);
    if (header.field == io::matrix_field::complex &&
        std::max(header.rows, header.cols) > std::numeric_limits<index_t>::max() / 2) {
        throw resource_error(text.name + ": memory holds no " + std::to_string(header.rows) + " x " +
                             std::to_string(header.cols) + " complex matrix");
    }
    // with its place, and again while parts are put together and sorted, or while a real form is made
    const double bytes_of_number = header.field == io::matrix_field::complex ? 240.0 : 60.0;
    const double stored =
        std::min(static_cast<double>(header.stored), static_cast<double>(text.bytes.size()) / least_bytes_of_text);
    const double images = header.symmetry == io::matrix_symmetry::general ? 1.0 : 2.0;
    require_memory((text.name + ": " + std::to_string(header.stored) + " stored numbers").c_str(),
                   bytes_of_number * images * stored);
}

/// Whether the first numbers of a real text show that it means decimals, whatever follows (io::binary64_tally).
bool begins_with_decimals(const io::text& text)
{
    constexpr index_t first_numbers = 1000;
    io::binary64_tally tally;
    try {
        io::matrix_market_scanner scanner(text);
        io::scanned_entry entry;
        if (scanner.header().field == io::matrix_field::complex) {
            return false;
        }
        while (tally.numbers < first_numbers && scanner.next(entry)) {
            tally(entry.real);
        }
    } catch (const input_error&) {  // whoever reads the whole text tells the error
        return false;
    }
    return tally.exceeds_binary64();
}

}  // namespace

void read_both(rounded_file& file)
{
    written_tally parse;
    io::matrix_market<written> m = io::read_matrix_market(file.text, parse);
    file.header = m.header;
    file.tally = parse.tally;
    if (m.header.field == io::matrix_field::complex && !is_real(file.text)) {
        take_real_form(m, file.part, [](const written& x) { return io::take_apart(x.word).is_zero(); });
    }
    io::coo<double>& rounded = file.matrix.entries;
    rounded = {m.entries.rows, m.entries.cols, std::move(m.entries.row), std::move(m.entries.col), {}};
    rounded.value = io::vector_of<double>(m.entries.value.size());
    file.words = io::vector_of<io::decimal_word>(m.entries.value.size());
    for_each_element(m.entries.value.size(), [&](std::size_t k) {
        rounded.value[k] = m.entries.value[k].rounded;
        file.words[k] = m.entries.value[k].word;
    });
    file.matrix.header = m.header;
    file.matrix.warnings = std::move(m.warnings);
}

entry_reading meant_by(const io::text& text, entry_reading asked)
{
    const bool rounds = text.numbers == io::number_meaning::binary64 || asked == entry_reading::binary64;
    return text.numbers == io::number_meaning::as_written ? asked
           : rounds                                       ? entry_reading::binary64
                                                          : entry_reading::decimal;
}

rounded_file read_rounded(io::text text, io::file_part part, entry_reading reading)
{
    text = readable(std::move(text), part);
    require_room_for_numbers(text);
    rounded_file file{.text = std::move(text), .part = part, .matrix = {}, .tally = {}, .words = {}, .notes = {}};
    const entry_reading meant = meant_by(file.text, reading);
    const bool may_be_kept = meant == entry_reading::automatic && part == io::file_part::matrix;
    if (meant == entry_reading::decimal || (may_be_kept && begins_with_decimals(file.text))) {
        read_both(file);
    } else {
        file.matrix = io::read_matrix_market(file.text, file.tally);
        file.header = file.matrix.header;
    }
    if (file.header.field == io::matrix_field::complex) {
        take_complex(file);
    }
    return file;
}

std::vector<std::string> warnings_of(const rounded_file& file)
{
    std::vector<std::string> all = file.notes;
    all.insert(all.end(), file.matrix.warnings.begin(), file.matrix.warnings.end());
    return all;
}

}  // namespace residua
