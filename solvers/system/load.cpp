#include "load.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <residua/arith/base/random.hpp>
#include <residua/io/decimal.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/real_bytes.hpp>
#include <residua/solvers/session/plan.hpp>

#include <apps/residua/cli/choices.hpp>
#include <apps/residua/cli/console.hpp>

namespace residua {
namespace {

constexpr std::string_view random_prefix = "random:";

/// A file whose numbers were rounded to binary64, and what that did to them. The text is kept,
/// so that the numbers can be read again as decimals.
struct rounded_file {
    io::text text;
    io::matrix_market<double> matrix;
    io::binary64_tally tally;

    /// Whether reading decimals would give other numbers.
    bool decimals_differ() const { return tally.inexact > 0 || !matrix.warnings.empty(); }
};

rounded_file read_rounded(const std::string& path)
{
    rounded_file file{.text = io::load(path), .matrix = {}, .tally = {}};
    file.matrix = io::read_matrix_market(file.text, file.tally);
    const io::matrix_market_header& header = file.matrix.header;
    if (header.field == io::matrix_field::complex) {
        throw unsupported_error(fmt::format("{}: a complex {} {} x {} matrix: complex systems are not supported yet",
                                            file.text.name, io::to_string(header.symmetry), header.rows, header.cols));
    }
    return file;
}

/// The numbers of a file as decimals, and the bound on what reading them rounded, as linear_system has it.
struct decimal_file {
    io::matrix_market<real> matrix;
    real reading_error = 0.0;
};

decimal_file read_decimals(const rounded_file& file)
{
    const long bits = decimal_bits();
    const double entries = static_cast<double>(file.matrix.entries.size());
    require_memory(fmt::format("{} with decimals of {} bits", file.text.name, bits).c_str(),
                   2.0 * real_bytes(entries, bits));
    mpfr_clear_inexflag();
    decimal_file decimals{
        .matrix = io::read_matrix_market(file.text, [bits](std::string_view text) { return real(text, bits); })};
    if (mpfr_inexflag_p() != 0) {  // of the parser or of a sum of entries at one position
        const index_t roundings = file.matrix.warnings.empty() ? 1 : file.matrix.header.stored;
        decimals.reading_error = ldexp(real(roundings), -bits);
    }
    return decimals;
}

bool choose_decimal(entry_reading reading, const rounded_file& matrix, const rounded_file* rhs)
{
    switch (reading) {
        case entry_reading::automatic:
            return matrix.tally.exceeds_binary64() || (rhs != nullptr && rhs->tally.exceeds_binary64());
        case entry_reading::binary64:
            for (const rounded_file* file : {&matrix, rhs}) {
                if (file != nullptr && file->tally.overflows > 0) {
                    throw input_error(file->text.name, 0,
                                      fmt::format("{} numbers are too large for binary64; --entries decimal takes them",
                                                  file->tally.overflows));
                }
            }
            return false;
        case entry_reading::decimal:
            return true;
    }
    return false;
}

/// throws  resource_error if the rows alone are more than memory holds, whatever the file's size
void require_rows(const rounded_file& file)
{
    const io::matrix_market_header& header = file.matrix.header;
    const double rows = static_cast<double>(header.rows);
    const double per_row = 8.0 + real_bytes(1.0, real::double_bits);  // where it begins, and its b
    require_memory(fmt::format("{}: a system of {} rows", file.text.name, header.rows).c_str(), rows * per_row);
    if (header.cols > std::numeric_limits<std::int32_t>::max()) {
        throw unsupported_error(
            fmt::format("{}: {} columns; at most 2^31 - 1 are supported", file.text.name, header.cols));
    }
}

/// The system with a right-hand side of zeros, to be replaced.
loaded_system make_loaded(rounded_file file, bool decimal)
{
    require_rows(file);
    loaded_system loaded;
    matrix_facts& facts = loaded.facts;
    facts.file = file.text.name;
    facts.header = file.matrix.header;
    facts.decimal = decimal;
    facts.inexact = file.tally.inexact;
    facts.warnings = file.matrix.warnings;

    std::vector<real> b(static_cast<std::size_t>(facts.header.rows));
    if (decimal && file.decimals_differ()) {
        const decimal_file exact = read_decimals(file);
        facts.symmetric = io::is_symmetric(exact.matrix.entries);
        loaded.system = make_system(exact.matrix.entries, std::move(b));
        loaded.system.reading_error = exact.reading_error;
    } else {
        facts.symmetric = io::is_symmetric(file.matrix.entries);
        loaded.system = make_system(file.matrix.entries, std::move(b));
    }
    facts.nonzeros = loaded.system.nonzeros();
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

/// The columns of a file, and the bound on what reading them rounded.
struct read_numbers {
    std::vector<std::vector<real>> columns;
    real reading_error = 0.0;
};

/// As decimals where these are asked for and differ.
///
/// throws  resource_error if memory does not hold them, whatever the file's size
read_numbers read_columns(const rounded_file& file, bool decimal)
{
    const io::matrix_market_header& header = file.matrix.header;
    const bool decimals = decimal && file.decimals_differ();
    const double column = sizeof(std::vector<real>) +
                          real_bytes(static_cast<double>(header.rows), decimals ? decimal_bits() : real::double_bits);
    require_memory(fmt::format("{}: {} x {} numbers", file.text.name, header.rows, header.cols).c_str(),
                   static_cast<double>(header.cols) * column);
    if (!decimals) {
        return {.columns = columns_of(file.matrix)};
    }
    const decimal_file exact = read_decimals(file);
    return {.columns = columns_of(exact.matrix), .reading_error = exact.reading_error};
}

/// throws  input_error if the file has not so many rows and columns
void require_shape(const rounded_file& file, index_t rows, index_t cols)
{
    const io::matrix_market_header& header = file.matrix.header;
    if (header.rows != rows || header.cols != cols) {
        throw input_error(
            file.text.name, 0,
            fmt::format("holds {} x {} numbers, but the system needs {} x {}", header.rows, header.cols, rows, cols));
    }
}

/// throws  input_error if the file is no right-hand side for so many rows, or for several where one is wanted
void require_rhs(const rounded_file& file, index_t rows, bool several)
{
    const io::matrix_market_header& header = file.matrix.header;
    if (!several || header.rows != rows) {
        require_shape(file, rows, 1);
    } else if (header.cols == 0) {
        throw input_error(file.text.name, 0,
                          fmt::format("holds {} x 0 numbers: there is no right-hand side in it", header.rows));
    }
}

std::vector<real> random_vector(index_t n, std::uint64_t seed)
{
    splitmix64 random{seed};
    std::vector<real> x;
    x.reserve(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) {
        x.emplace_back(uniform(random));
    }
    return x;
}

}  // namespace

bool is_rhs_file(const std::string& rhs) { return rhs != "ones" && rhs != "rowsum" && !rhs.starts_with(random_prefix); }

bool is_x0_file(const std::string& x0) { return x0 != "zero"; }

long decimal_bits() { return 2 * available_precisions().back() + 64; }

loaded_system load_matrix(const std::string& path, entry_reading reading)
{
    rounded_file matrix = read_rounded(path);
    const bool decimal = choose_decimal(reading, matrix, nullptr);
    return make_loaded(std::move(matrix), decimal);
}

loaded_system load_system(const system_args& args, bool several)
{
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t seed = args.rhs.starts_with(random_prefix)
                                   ? parse_seed("--rhs random", std::string_view(args.rhs).substr(random_prefix.size()))
                                   : 0;
    rounded_file matrix = read_rounded(args.matrix);
    const io::matrix_market_header header = matrix.matrix.header;
    std::optional<rounded_file> rhs;
    if (is_rhs_file(args.rhs)) {
        rhs = read_rounded(args.rhs);
        require_rhs(*rhs, header.rows, several);
    }

    const bool decimal = choose_decimal(args.entries, matrix, rhs ? &*rhs : nullptr);
    loaded_system loaded = make_loaded(std::move(matrix), decimal);
    linear_system& system = loaded.system;
    if (rhs) {
        loaded.inexact_rhs = rhs->tally.inexact;
        std::copy(rhs->matrix.warnings.begin(), rhs->matrix.warnings.end(), std::back_inserter(loaded.facts.warnings));
        read_numbers numbers = read_columns(*rhs, decimal);
        loaded.columns = std::move(numbers.columns);
        system.reading_error = max(system.reading_error, numbers.reading_error);
        if (loaded.columns.size() == 1) {
            system.b = std::move(loaded.columns.front());
            loaded.columns.clear();
        }
    } else if (args.rhs == "rowsum") {
        system.b = row_sums(system);
        if (system.rows == system.cols) {  // else ones may be one solution of many
            loaded.known_solution.emplace(static_cast<std::size_t>(system.cols), real(1));
        }
    } else if (args.rhs == "ones") {
        system.b.assign(static_cast<std::size_t>(system.rows), real(1));
    } else {
        system.b = random_vector(system.rows, seed);
    }

    if (is_x0_file(args.x0)) {
        const rounded_file guess = read_rounded(args.x0);
        require_shape(guess, system.cols, std::max<index_t>(1, static_cast<index_t>(loaded.columns.size())));
        read_numbers numbers = read_columns(guess, true);
        for (std::vector<real>& column : numbers.columns) {
            std::move(column.begin(), column.end(), std::back_inserter(loaded.initial_guess));
        }
    }
    loaded.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return loaded;
}

std::vector<real> load_vector(const std::string& path, index_t n)
{
    const rounded_file file = read_rounded(path);
    require_shape(file, n, 1);
    return std::move(read_columns(file, true).columns.front());
}

void tell_warnings(const matrix_facts& facts, bool quiet)
{
    if (!quiet) {
        for (const std::string& warning : facts.warnings) {
            tell(fmt::format("residua: warning: {}\n", warning));
        }
    }
}

}  // namespace residua
