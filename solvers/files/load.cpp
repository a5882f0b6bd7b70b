#include <residua/solvers/files/load.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <mpfr.h>

#include <residua/arith/real/read_decimal.hpp>
#include <residua/io/decimal.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/real_bytes.hpp>
#include <residua/solvers/build/shared_engine.hpp>
#include <residua/solvers/build/shared_matrix.hpp>
#include <residua/solvers/build/shared_numbers.hpp>
#include <residua/solvers/files/read_part.hpp>
#include <residua/solvers/files/read_rhs_part.hpp>
#include <residua/solvers/files/rounded_file.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/mirror_images.hpp>
#include <residua/solvers/matrix/numbers.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/space/long_vector.hpp>

namespace residua {
namespace {

std::string shape(index_t rows, index_t cols) { return std::to_string(rows) + " x " + std::to_string(cols); }

/// Whether decimals can be kept as they are written: none leaves MPFR's range, and none is a sum.
bool can_be_kept(const rounded_file& file)
{
    return file.matrix.warnings.empty() && file.tally.largest_exponent < 300'000'000;
}

/// The numbers of a file as reals of decimal_bits(), and the bound on what reading them rounded, as linear_system has it.
struct decimal_file {
    io::matrix_market<real> matrix;
    real reading_error = 0.0;
};

decimal_file read_decimals(const rounded_file& file)
{
    const long bits = decimal_bits();
    const double entries = static_cast<double>(file.matrix.entries.size());
    require_memory((file.text.name + " with decimals of " + std::to_string(bits) + " bits").c_str(),
                   2.0 * real_bytes(entries, bits));
    const mpfr_flags_t flags = mpfr_flags_save();
    mpfr_clear_inexflag();  // sums of entries at one position set it
    bool any_rounded = false;
    decimal_file decimals{.matrix = io::read_matrix_market(file.text, [&](std::string_view text) {
                              read_decimal read(text, bits);
                              any_rounded = any_rounded || read.rounded;
                              return std::move(read.value);
                          })};
    if (file.complex) {
        take_real_form(decimals.matrix, file.part, [](const real& x) { return is_zero(x); });
    }
    if (any_rounded || mpfr_inexflag_p() != 0) {
        const index_t roundings = file.matrix.warnings.empty() ? 1 : file.matrix.header.stored;
        decimals.reading_error = ldexp(real(roundings), -bits);
    }
    mpfr_flags_restore(flags, MPFR_FLAGS_INEXACT);
    return decimals;
}

/// How to read a file that was rounded.
///
/// throws  binary64_overflow
reading_facts choose_reading(entry_reading asked, const rounded_file& file)
{
    const entry_reading reading = meant_by(file.text, asked);
    if (reading == entry_reading::binary64 && file.tally.overflows > 0) {
        throw binary64_overflow(file.text.name, 0,
                                std::to_string(file.tally.overflows) + " numbers are too large for binary64");
    }
    const bool is_automatic = reading == entry_reading::automatic;
    return {.decimal = is_automatic ? file.tally.exceeds_binary64() : reading == entry_reading::decimal,
            .inexact = file.text.numbers == io::number_meaning::binary64 ? 0 : file.tally.inexact,
            .printed_digits = is_automatic && file.tally.inexact > 0 ? file.tally.printed_digits() : 0};
}

/// linear_system::other_reading, as far as one file makes it.
double other_reading(entry_reading reading, const rounded_file& file)
{
    return meant_by(file.text, reading) == entry_reading::automatic ? file.tally.rounding() : 0.0;
}

/// The first row without entries, of a matrix that has one.
index_t first_empty_row(const io::coo<double>& a)
{
    index_t row = 0;
    for (std::size_t k = 0; k < a.row.size() && a.row[k] <= row; ++k) {
        row = a.row[k] + 1;
    }
    return row;
}

/// Refuses a matrix before anything is made of it that costs memory for every row.
///
/// throws  resource_error if the system, or its solve, is more than memory holds, whatever the file's size;
///         unsupported_error if there are too many columns; singular_matrix
void require_reasonable(const rounded_file& file, const solve_options* for_solve)
{
    constexpr index_t many_rows = index_t{1} << 20;
    const io::matrix_market_header& header = file.matrix.header;
    const index_t parts = file.complex ? 2 : 1;
    const double rows = static_cast<double>(header.rows);
    const double per_row = 8.0 + real_bytes(1.0, real::double_bits);  // where it begins, and its b
    require_memory((file.text.name + ": a system of " + std::to_string(file.header.rows) + " rows").c_str(),
                   rows * per_row);
    if (header.cols > std::numeric_limits<std::int32_t>::max()) {
        throw unsupported_error(file.text.name + ": " + std::to_string(file.header.cols) + " columns; at most " +
                                (file.complex ? "2^30 - 1 complex ones" : "2^31 - 1") + " are supported");
    }
    if (for_solve == nullptr || std::max(header.rows, header.cols) < many_rows) {
        return;
    }
    const index_t entries = file.matrix.entries.size();
    if (header.rows == header.cols && entries < header.rows && for_solve->method != method::lsqr) {
        throw singular_matrix(file.text.name + ": the matrix is singular: row " +
                              std::to_string(first_empty_row(file.matrix.entries) / parts + 1) + " has no entry (" +
                              std::to_string(file.header.rows) + " rows, entries: " + std::to_string(entries) + ")");
    }
    const system_sizes sizes{.rows = header.rows, .cols = header.cols, .nonzeros = entries, .complex = file.complex};
    require_memory("the solve", bytes_without_factors(sizes, *for_solve, 1));
}

/// Whether A equals its transpose, explicit zeros and all: a stored entry has a stored mirror image.
bool is_symmetric(const linear_system& a)
{
    return a.rows == a.cols && has_mirror_images(
                                   a, [](index_t) { return true; },
                                   [&](index_t p, index_t q, index_t, index_t) { return equal_entries(a, p, q); });
}

/// The system, without a right-hand side.
loaded_system make_loaded(rounded_file& file, entry_reading reading)
{
    loaded_system loaded;
    matrix_facts& facts = loaded.facts;
    static_cast<reading_facts&>(facts) = choose_reading(reading, file);
    facts.file = file.text.name;
    facts.transposed = file.text.transposed;
    facts.header = file.header;
    facts.warnings = warnings_of(file);
    if (!facts.decimal || !file.decimals_differ()) {
        loaded.system = make_system(file.matrix.entries, {});
    } else if (can_be_kept(file)) {
        if (file.words.empty()) {
            read_both(file);
        }
        loaded.system = make_system(file.matrix.entries, exact_entries(file.words), {});
    } else {
        const decimal_file exact = read_decimals(file);
        loaded.system = make_system(exact.matrix.entries, {});
        loaded.system.reading_error = exact.reading_error;
    }
    loaded.system.complex = file.complex;
    facts.symmetric = (facts.header.symmetry == io::matrix_symmetry::symmetric && !file.complex) ||
                      facts.header.symmetry == io::matrix_symmetry::hermitian || is_symmetric(loaded.system);
    facts.nonzeros = file.complex ? complex_entries(loaded.system) : loaded.system.nonzeros();
    loaded.system.other_reading = other_reading(reading, file);
    return loaded;
}

template <class T>
std::vector<std::vector<real>> columns_of(const io::matrix_market<T>& m)
{
    std::vector<std::vector<real>> x(static_cast<std::size_t>(m.entries.cols),
                                     std::vector<real>(static_cast<std::size_t>(m.entries.rows)));
    for (std::size_t k = 0; k < m.entries.row.size(); ++k) {
        x[static_cast<std::size_t>(m.entries.col[k])][static_cast<std::size_t>(m.entries.row[k])] =
            real(m.entries.value[k]);
    }
    return x;
}

/// The columns of a file, and the bounds on what reading them rounded; no bounds: nothing was rounded.
struct read_numbers {
    std::vector<std::vector<real>> columns;
    std::vector<real> reading_errors;
};

/// Whether reading a column rounded nothing: its numbers need no more bits than multi-digit floats have, and twice as
/// many were read.
bool is_exact(const std::vector<real>& column)
{
    return std::all_of(column.begin(), column.end(), [](const real& x) {
        return is_zero(x) || static_cast<long>(mpfr_min_prec(x.mpfr())) <= multidigit_format::most_bits;
    });
}

/// The columns of a file, as decimals where these are asked for and differ.
///
/// throws  resource_error if memory does not hold them, whatever the file's size
read_numbers read_columns(const rounded_file& file, bool decimal)
{
    const io::matrix_market_header& header = file.matrix.header;
    const bool decimals = decimal && file.decimals_differ();
    const double column = sizeof(std::vector<real>) +
                          real_bytes(static_cast<double>(header.rows), decimals ? decimal_bits() : real::double_bits);
    require_memory((file.text.name + ": " + shape(header.rows, header.cols) + " numbers").c_str(),
                   static_cast<double>(header.cols) * column);
    if (!decimals) {
        return {.columns = columns_of(file.matrix), .reading_errors = {}};
    }
    const decimal_file exact = read_decimals(file);
    read_numbers result{.columns = columns_of(exact.matrix), .reading_errors = {}};
    for (const std::vector<real>& each : result.columns) {
        result.reading_errors.push_back(is_exact(each) ? real(0.0) : exact.reading_error);
    }
    return result;
}

/// The columns of a file as those of a complex system.
std::vector<std::vector<real>> as_complex(std::vector<std::vector<real>> columns, const rounded_file& file)
{
    if (!file.complex) {
        for (std::vector<real>& each : columns) {
            each = with_zero_parts(std::move(each));
        }
    }
    return columns;
}

/// Columns that all processes read, each its rows of them, and the tally of all; empty: process 0 has to read the file.
///
/// cols  as read_rhs_part_of() has it
std::vector<std::shared_ptr<const long_vector>> read_numbers_on_all(processes& all, const linear_system& system,
                                                                    const std::string& path, index_t cols,
                                                                    io::binary64_tally& tally)
{
    const auto& a = dynamic_cast<const shared_matrix&>(*system.elsewhere);
    service_order order{
        .what = service_call::read_numbers, .number = a.number(), .path = path, .made = all.next_number()};
    broadcast(all, order);
    std::optional<read_rhs_part> read = read_rhs_part_of(all, path, a.part().rows(), cols);
    std::vector<std::shared_ptr<const long_vector>> columns;
    if (read) {
        tally = read->tally;
        for (number_part& each : read->columns) {
            const index_t number = columns.empty() ? order.made : all.next_number();
            const auto numbers = std::make_shared<const shared_numbers>(all, number, std::move(each));
            columns.push_back(std::make_shared<const long_vector>(numbers, numbers->format().bits()));
        }
    }
    return columns;
}

/// throws  input_error if the file does not have these numbers of rows and columns
void require_shape(const rounded_file& file, index_t rows, index_t cols)
{
    const io::matrix_market_header& header = file.header;
    if (header.rows != rows || header.cols != cols) {
        throw input_error(
            file.text.name, 0,
            "holds " + shape(header.rows, header.cols) + " numbers, but the system needs " + shape(rows, cols));
    }
}

/// throws  input_error if the file is no right-hand side for `rows` rows, or is one for several where one is wanted
void require_rhs(const rounded_file& file, index_t rows, bool several)
{
    const io::matrix_market_header& header = file.header;
    if (!several || header.rows != rows) {
        require_shape(file, rows, 1);
    } else if (header.cols == 0) {
        throw input_error(file.text.name, 0,
                          "holds " + shape(header.rows, 0) + " numbers: there is no right-hand side in it");
    }
}

}  // namespace

long decimal_bits() { return 2 * available_precisions().back() + 64; }

loaded_system load_matrix(io::text matrix, entry_reading reading, const solve_options* for_solve)
{
    rounded_file file = read_rounded(std::move(matrix), io::file_part::matrix, reading);
    file.notes.insert(file.notes.begin(), file.text.notes.begin(), file.text.notes.end());
    require_reasonable(file, for_solve);
    return make_loaded(file, reading);
}

loaded_system load_system(io::text matrix, io::text rhs, entry_reading reading, bool several,
                          const solve_options* for_solve)
{
    rounded_file file = read_rounded(std::move(matrix), io::file_part::matrix, reading);
    require_reasonable(file, for_solve);
    loaded_system loaded = make_loaded(file, reading);
    file = {};
    load_rhs(loaded, std::move(rhs), reading, several);
    return loaded;
}

void load_rhs(loaded_system& loaded, io::text rhs, entry_reading reading, bool several)
{
    const rounded_file file = read_rounded(std::move(rhs), io::file_part::rhs);
    if (file.complex && !loaded.system.complex) {
        require_rhs(file, loaded.system.rows, several);
        loaded.system = as_complex(loaded.system);
    }
    require_rhs(file, loaded.system.complex ? loaded.system.rows / 2 : loaded.system.rows, several);
    const reading_facts how = choose_reading(reading, file);
    loaded.rhs = how;
    loaded.system.other_reading += other_reading(reading, file);
    const std::vector<std::string> warnings = warnings_of(file);
    loaded.facts.warnings.insert(loaded.facts.warnings.end(), warnings.begin(), warnings.end());
    read_numbers numbers = read_columns(file, how.decimal);
    loaded.columns = loaded.system.complex ? as_complex(std::move(numbers.columns), file) : std::move(numbers.columns);
    loaded.system.rhs_reading_errors = std::move(numbers.reading_errors);
    if (loaded.columns.size() == 1) {
        loaded.system.b = std::move(loaded.columns.front());
        loaded.columns.clear();
    } else {
        loaded.system.b.resize(static_cast<std::size_t>(loaded.system.rows));
    }
}

bool load_shared_rhs(processes& all, loaded_system& loaded, const std::string& path, entry_reading reading)
{
    rounded_file file{.text = {.name = path, .bytes = {}}, .matrix = {}, .tally = {}, .words = {}, .notes = {}};
    auto columns = read_numbers_on_all(all, loaded.system, path, 0, file.tally);
    if (columns.empty()) {
        return false;
    }
    if (columns.size() == 1) {
        loaded.system.b_in_pieces = std::move(columns.front());
    } else {
        loaded.columns_in_pieces = std::move(columns);
    }
    loaded.rhs = choose_reading(reading, file);
    loaded.system.other_reading += other_reading(reading, file);
    return true;
}

std::vector<std::shared_ptr<const long_vector>> load_shared_guess(processes& all, const loaded_system& loaded,
                                                                  const std::string& path)
{
    io::binary64_tally of_exact_numbers;
    return read_numbers_on_all(all, loaded.system, path, static_cast<index_t>(loaded.right_hand_sides()),
                               of_exact_numbers);
}

std::optional<loaded_system> load_shared(processes& all, const std::string& path, bool transposed,
                                         entry_reading reading)
{
    service_order order{
        .what = service_call::read_matrix, .number = all.next_number(), .path = path, .transposed = transposed};
    broadcast(all, order);
    std::optional<read_part> read = read_part_of(all, path, transposed);
    if (!read) {
        return std::nullopt;
    }
    const auto shared = std::make_shared<shared_matrix>(all, order.number, std::move(read->part));
    rounded_file file{
        .text = {.name = path, .bytes = {}}, .matrix = {}, .tally = read->tally, .words = {}, .notes = {}};
    const reading_facts how = choose_reading(reading, file);
    if (!read->warning.empty()) {
        file.matrix.warnings.push_back(std::move(read->warning));
    }
    if (how.decimal && file.decimals_differ()) {
        return std::nullopt;
    }
    shared->look();
    const matrix_outline& known = shared->outline();
    loaded_system loaded;
    static_cast<reading_facts&>(loaded.facts) = how;
    loaded.facts.file = path;
    loaded.facts.transposed = transposed;
    loaded.facts.header = read->header;
    loaded.facts.warnings = warnings_of(file);
    loaded.facts.nonzeros = known.nonzeros;
    loaded.facts.symmetric = read->header.symmetry == io::matrix_symmetry::symmetric || known.equals_transpose;
    loaded.system.rows = loaded.system.cols = read->header.rows;
    loaded.system.other_reading = other_reading(reading, file);
    loaded.system.elsewhere = shared;
    return loaded;
}

std::vector<std::vector<real>> load_columns(io::text text, index_t rows, index_t cols, io::file_part part, bool complex)
{
    const rounded_file file = read_rounded(std::move(text), part);
    require_shape(file, rows, cols < 0 ? file.header.cols : cols);
    if (file.complex && !complex) {
        throw input_error(file.text.name, 0, "holds complex numbers, but real ones are needed");
    }
    std::vector<std::vector<real>> columns =
        read_columns(file, meant_by(file.text, entry_reading::decimal) == entry_reading::decimal).columns;
    return complex ? as_complex(std::move(columns), file) : columns;
}

}  // namespace residua
