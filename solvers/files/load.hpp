#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <residua/io/file_format.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/entry_reading.hpp>

namespace residua {

class processes;
struct solve_options;

/// The precision in bits of decimals in a right-hand side, and of entries that are summed: somewhat more than twice the
/// highest precision, so that what reading rounds is beyond any residual that a solve can reach.
long decimal_bits();

/// How the numbers of a text were read.
struct reading_facts {
    bool decimal = false;  ///< taken as written; otherwise rounded to binary64
    index_t inexact = 0;   ///< stored numbers that binary64 does not hold exactly
    index_t printed_digits =
        0;  ///< of the longest number, if all are binary64 numbers as printed with more than 17 digits; otherwise 0
};

/// What is known about the text of a matrix besides its entries.
struct matrix_facts : reading_facts {
    std::string file;
    io::matrix_market_header header;
    index_t nonzeros = 0;               ///< entries after symmetry is expanded and repeated ones are summed
    bool symmetric = false;             ///< A complex matrix: hermitian
    bool transposed = false;            ///< against the file
    std::vector<std::string> warnings;  ///< about the right-hand side, too
};

/// A system from files.
struct loaded_system {
    linear_system system;
    std::vector<std::vector<real>> columns;  ///< of several right-hand sides; then the system has zeros for b
    /// the same instead, if several processes have them in pieces; then the system has no b
    std::vector<std::shared_ptr<const long_vector>> columns_in_pieces;
    matrix_facts facts;
    std::optional<reading_facts> rhs;  ///< where the right-hand side is from a text

    bool has_several() const { return right_hand_sides() > 1; }
    std::size_t right_hand_sides() const
    {
        return std::max({std::size_t{1}, columns.size(), columns_in_pieces.size()});
    }
};

/// Numbers that are too large for binary64, which was asked for; reading decimals takes them.
class binary64_overflow : public input_error {
public:
    using input_error::input_error;
};

/// A large matrix with fewer entries than rows, of which no system is made: some row has no entry.
class singular_matrix : public error {
public:
    using error::error;
};

/// The matrix alone, square or not, without a right-hand side, from the text of a file of any format that io::file_format
/// knows.
///
/// The binary numbers of NumPy's files are exact, whatever the reading; integers that binary64 does not hold are decimals,
/// unless binary64 is asked for.
///
/// Entries that are taken as decimals are kept as such, with all their digits; only where values at one position are summed
/// they are reals of decimal_bits(). Of a complex text there is the real form (complex_form.hpp), but one whose imaginary
/// parts are all 0 is read as a real one, with a warning.
///
/// for_solve  the solve that follows, for which there must be memory; null: there is none
/// stops   by io::ask_for_stop()
/// throws  input_error with name, line and reason, binary64_overflow among them; unsupported_error if it has 2^31 columns or
///         more, a complex one half as many; resource_error if memory does not suffice, also for the solve; singular_matrix if the solve that follows needs a
///         nonsingular one, of at least 2^20 rows; io::stopped_error
loaded_system load_matrix(io::text matrix, entry_reading reading = entry_reading::automatic,
                          const solve_options* for_solve = nullptr);

/// A matrix with its right-hand side, array or coordinate; of a Harwell-Boeing file the right-hand sides that it holds. If one of
/// both is complex, so is the system.
///
/// several  whether the right-hand side may have more than one column
/// throws   as load_matrix; also input_error for sizes that do not fit, with the text's name
loaded_system load_system(io::text matrix, io::text rhs, entry_reading reading = entry_reading::automatic,
                          bool several = true, const solve_options* for_solve = nullptr);

/// load_matrix() of a file by all processes, each of which gets some of the rows (linear_system::elsewhere): to be called in the
/// lead() of lead_or_serve(). Each reads the lines in its share of the bytes.
///
/// returns  empty where process 0 has to read the file alone: one that is no plain coordinate file of a square real matrix,
///          whose decimals are kept because binary64 does not hold them, or that another process cannot read
/// throws   as load_matrix
std::optional<loaded_system> load_shared(processes& all, const std::string& path, bool transposed,
                                         entry_reading reading = entry_reading::automatic);

/// Gives a system that load_shared() has read a right-hand side in pieces (linear_system::b_in_pieces), or several
/// (loaded_system::columns_in_pieces): all processes read the file, as they read the matrix.
///
/// returns  false where process 0 has to read the file alone, and nothing changes: one that is no plain array file of
///          real columns, whose numbers binary64 does not hold exactly, that is wrong, or that another process cannot
///          read
bool load_shared_rhs(processes& all, loaded_system& system, const std::string& path,
                     entry_reading reading = entry_reading::automatic);

/// The columns of a file, read so, as initial guesses for all right-hand sides of a real system
/// (solve_options::guess_in_pieces). Empty: process 0 has to read the file alone, and says what is wrong with it.
std::vector<std::shared_ptr<const long_vector>> load_shared_guess(processes& all, const loaded_system& system,
                                                                  const std::string& path);

/// Gives a system without a right-hand side one, as load_system() does.
void load_rhs(loaded_system& system, io::text rhs, entry_reading reading = entry_reading::automatic,
              bool several = true);

/// The columns of a text of rows x cols numbers, array or coordinate, each as written to decimal_bits().
///
/// cols     -1: as many as there are
/// part     of a Harwell-Boeing file
/// complex  whether they are in real form, of 2 rows numbers
/// throws   as load_matrix; also input_error if it has another shape, or is complex where real numbers are wanted
std::vector<std::vector<real>> load_columns(io::text text, index_t rows, index_t cols,
                                            io::file_part part = io::file_part::rhs, bool complex = false);

}  // namespace residua
