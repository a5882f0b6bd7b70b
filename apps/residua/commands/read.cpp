#include "read.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/real_bytes.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/named_rhs.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/processes/processes.hpp>
#include <residua/solvers/serve.hpp>
#include <residua/solvers/session/prepared.hpp>

#include <apps/residua/cli/choices.hpp>
#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/exit_code.hpp>
#include <apps/residua/cli/interrupt.hpp>

namespace residua {
namespace {

constexpr std::string_view random_prefix = "random:", unit_prefix = "unit:", identity = "identity";

using named = named_rhs::kind;

/// n numbers 1, in real form if these are complex.
std::vector<real> ones(index_t n, bool complex)
{
    std::vector<real> all = numbers_of({.what = named::ones}, 0, n);
    return complex ? with_zero_parts(std::move(all)) : all;
}

/// Column k of the identity matrix.
named_rhs unit(const linear_system& system, index_t k)
{
    return {.what = named::unit, .number = static_cast<std::uint64_t>(system.complex ? 2 * k : k)};
}

/// The numbers of a right-hand side, all of them here.
std::vector<real> whole_rhs(const linear_system& system, const named_rhs& rhs)
{
    switch (rhs.what) {
        case named::row_sums:
            return row_sums(system.elsewhere != nullptr ? *with_entries_here(system) : system);
        case named::ones:
            return ones(equations(system), system.complex);
        default:
            return numbers_of(rhs, 0, system.rows);
    }
}

/// Sets the b that a word stands for, where the rows of A are, or all columns of the identity matrix; `number` is what stands
/// behind a colon.
void set_named_rhs(asked_system& asked, const std::string& rhs, std::uint64_t number)
{
    linear_system& system = asked.system;
    const index_t rows = equations(system);
    named_rhs found;
    if (rhs == "ones") {
        found.what = named::ones;
    } else if (rhs.starts_with(random_prefix)) {
        found = {.what = named::random, .number = number};
    } else if (rhs.starts_with(unit_prefix)) {
        if (number > static_cast<std::uint64_t>(rows)) {
            throw input_error(asked.facts.file, 0,
                              fmt::format("{} x {}, which has no {} as right-hand side", asked.facts.header.rows,
                                          asked.facts.header.cols, rhs));
        }
        found = unit(system, static_cast<index_t>(number) - 1);
    } else if (rhs == identity && rows == 1) {
        found = unit(system, 0);  // one column is no case of several
    } else if (rhs == identity) {
        require_memory("the identity as right-hand sides",
                       static_cast<double>(rows) * real_bytes(static_cast<double>(system.rows), real::double_bits));
        for (index_t k = 0; k < rows; ++k) {
            io::ask_for_stop();
            if (system.elsewhere != nullptr && make_rhs(system, unit(system, k))) {
                asked.columns_in_pieces.push_back(std::exchange(system.b_in_pieces, nullptr));
            } else {
                asked.columns.push_back(numbers_of(unit(system, k), 0, system.rows));
            }
        }
        system.b.resize(asked.columns.empty() ? 0 : static_cast<std::size_t>(system.rows));
        return;
    }
    if (system.elsewhere == nullptr || !make_rhs(system, found)) {
        system.b = whole_rhs(system, found);
    }
}

/// Calls `load`. If binary64 overflows, the error also names the option that helps.
template <class Load>
auto load_or_advise(const Load& load)
{
    try {
        return load();
    } catch (const binary64_overflow& e) {
        throw error(fmt::format("{}; --entries decimal takes them", e.what()));
    }
}

/// The processes that read the files of a solve together; null: one does.
processes* readers_of(const solve_options* for_solve)
{
    processes* const all = for_solve != nullptr ? for_solve->processes : nullptr;
    return all != nullptr && all->count() > 1 ? all : nullptr;
}

/// Takes the entries of a system back to process 0, unless the solve leaves them where they are.
void settle(linear_system& system, const solve_options& options)
{
    if (system.elsewhere != nullptr && !may_stay_elsewhere(system, options)) {
        system = *with_entries_here(system);
    }
}

/// The matrix as all processes read it, if they can.
std::optional<loaded_system> read_shared(const system_args& args, const solve_options* for_solve)
{
    processes* const all = readers_of(for_solve);
    if (all == nullptr || args.matrix == "-") {
        return std::nullopt;
    }
    std::optional<loaded_system> loaded = load_shared(*all, args.matrix, args.transpose, args.entries);
    if (loaded) {
        settle(loaded->system, *for_solve);
    }
    return loaded;
}

/// Hands out the rows of a matrix that process 0 has read, if the solve leaves them where they are.
void share(linear_system& system, const solve_options* for_solve)
{
    processes* const all = readers_of(for_solve);
    if (all != nullptr && system.rows == system.cols && system.exact.empty() && !may_need_factors(*for_solve)) {
        system = share_rows(*all, std::move(system));
        settle(system, *for_solve);
    }
}

/// Hands out columns that process 0 has, which are gone then. Empty: multi-digit floats do not hold all, and they stay.
std::vector<std::shared_ptr<const long_vector>> handed_out(const linear_system& system,
                                                           std::vector<std::vector<real>>& columns)
{
    std::vector<std::shared_ptr<const long_vector>> there;
    for (const std::vector<real>& each : columns) {
        io::ask_for_stop();
        there.push_back(share_numbers(system, each));
        if (there.back() == nullptr) {
            return {};
        }
    }
    columns = {};
    return there;
}

/// Reads the initial guess: where b is in pieces, it is too, if multi-digit floats hold it.
void read_guess(const system_args& args, const solve_options* for_solve, asked_system& asked)
{
    const linear_system& system = asked.system;
    const bool in_pieces = system.b_in_pieces != nullptr || !asked.columns_in_pieces.empty();
    if (in_pieces && !system.complex && args.x0 != "-") {
        asked.guess_in_pieces = load_shared_guess(*for_solve->processes, asked, args.x0);
        if (!asked.guess_in_pieces.empty()) {
            return;
        }
    }
    std::vector<std::vector<real>> columns = load_or_advise([&] {
        return load_columns(load_text(args.x0), unknowns(system), static_cast<index_t>(asked.right_hand_sides()),
                            io::file_part::guess, system.complex);
    });
    if (in_pieces) {
        asked.guess_in_pieces = handed_out(system, columns);
    }
    for (std::vector<real>& column : columns) {
        std::move(column.begin(), column.end(), std::back_inserter(asked.initial_guess));
    }
}

void read(const system_args& args, bool several, const solve_options* for_solve, std::uint64_t number,
          asked_system& asked)
{
    linear_system& system = asked.system;
    const auto load_matrix_text = [&] { return load_text(args.matrix, args.transpose); };
    std::optional<loaded_system> shared = load_or_advise([&] { return read_shared(args, for_solve); });
    if (shared) {
        static_cast<loaded_system&>(asked) = *std::move(shared);
    }
    if (is_rhs_file(args.rhs)) {
        load_or_advise([&] {
            if (shared && system.elsewhere != nullptr && args.rhs != "-" &&
                load_shared_rhs(*for_solve->processes, asked, args.rhs, args.entries)) {
                return;
            }
            if (shared) {
                load_rhs(asked, load_text(args.rhs), args.entries, several);
            } else {
                static_cast<loaded_system&>(asked) =
                    load_system(load_matrix_text(), load_text(args.rhs), args.entries, several, for_solve);
            }
        });
    } else {
        if (!shared) {
            static_cast<loaded_system&>(asked) =
                load_or_advise([&] { return load_matrix(load_matrix_text(), args.entries, for_solve); });
        }
        set_named_rhs(asked, args.rhs, number);
        if (args.rhs == "rowsum") {
            system.other_reading = 0.0;  // b follows A, and x stays
        }
        if (args.rhs == "rowsum" && system.rows == system.cols) {  // for other shapes, ones may be one solution of many
            asked.is_solved_by_ones = true;
        }
    }
    if (!shared) {
        share(system, for_solve);
    }
    if (system.elsewhere != nullptr && !asked.columns.empty()) {
        asked.columns_in_pieces = handed_out(system, asked.columns);
        system.b.resize(asked.columns.empty() ? 0 : system.b.size());
    } else if (system.elsewhere != nullptr && system.b_in_pieces == nullptr && !asked.has_several()) {
        share_rhs(system);
    }
    if (is_x0_file(args.x0)) {
        read_guess(args, for_solve, asked);
    }
}

}  // namespace

io::text load_text(const std::string& path, bool transposed)
{
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    if (!unknown) {
        require_memory((path + ": its text").c_str(), static_cast<double>(bytes));
    }
    io::text file = io::load(path);
    file.transposed = transposed;
    return file;
}

std::vector<std::vector<real>> read_null_space(const std::string& given, const linear_system& system, double time_limit)
{
    if (given.empty()) {
        return {};
    }
    if (given == "ones") {
        return {ones(unknowns(system), system.complex)};
    }
    return until_stopped(time_limit, given, [&] {
        return load_columns(load_text(given), unknowns(system), -1, io::file_part::rhs, system.complex);
    });
}

node_facts read_nodes(const solve_args& args, const linear_system& system)
{
    const index_t n = system.rows;
    node_facts nodes = args.options.nodes;
    if (system.complex && (nodes.block_size > 0 || !args.near_null_space.empty() || !args.coordinates.empty())) {
        throw usage_error(
            "--block-size, --near-null-space and --coordinates are of real systems, and this one is complex");
    }
    const double time_limit = args.options.time_limit_seconds;
    const auto columns_of = [&](const std::string& path, index_t rows, index_t cols) {
        return until_stopped(time_limit, path, [&] { return load_columns(load_text(path), rows, cols); });
    };
    if (!args.near_null_space.empty()) {
        for (const std::vector<real>& column : columns_of(args.near_null_space, n, -1)) {
            std::transform(column.begin(), column.end(), std::back_inserter(nodes.near_null_space.emplace_back()),
                           [](const real& x) { return to_double(x); });
        }
    }
    if (!args.coordinates.empty()) {
        const index_t k = nodes.block_size;
        if (k != 2 && k != 3) {
            throw usage_error("--coordinates needs --block-size 2 or 3: nodes have an unknown for each direction");
        }
        const std::vector<std::vector<real>> columns = columns_of(args.coordinates, n / k, k);
        for (std::size_t i = 0; i < columns.front().size(); ++i) {
            for (const std::vector<real>& column : columns) {
                nodes.coordinates.push_back(to_double(column[i]));
            }
        }
    }
    return nodes;
}

std::vector<real> read_weights(const std::string& path, const linear_system& system, double time_limit)
{
    if (path.empty()) {
        return {};
    }
    std::vector<real> weights = until_stopped(
        time_limit, path, [&] { return std::move(load_columns(load_text(path), equations(system), 1).front()); });
    if (!system.complex) {
        return weights;
    }
    std::vector<real> of_parts;
    for (const real& each : weights) {
        of_parts.insert(of_parts.end(), 2, each);
    }
    return of_parts;
}

bool is_rhs_file(const std::string& rhs)
{
    return rhs != "ones" && rhs != "rowsum" && rhs != identity && !rhs.starts_with(random_prefix) &&
           !rhs.starts_with(unit_prefix);
}

bool is_x0_file(const std::string& x0) { return x0 != "zero"; }

loaded_system read_matrix(const std::string& path, entry_reading reading, bool transposed)
{
    return load_or_advise([&] { return load_matrix(load_text(path, transposed), reading); });
}

asked_system read_system(const system_args& args, bool several, double time_limit, const solve_options* for_solve)
{
    const auto start = std::chrono::steady_clock::now();
    const std::string_view behind =
        std::string_view(args.rhs).substr(std::min(args.rhs.find(':') + 1, args.rhs.size()));
    std::uint64_t number = 0;
    if (args.rhs.starts_with(random_prefix)) {
        number = parse_seed("--rhs random", behind);
    } else if (args.rhs.starts_with(unit_prefix)) {
        number = static_cast<std::uint64_t>(parse_integer("--rhs unit", behind, 1));
    } else if (args.rhs == identity && !several) {
        throw usage_error("--rhs: identity has several columns, and one is compared; take unit:NUMBER");
    }
    asked_system asked;
    until_stopped(time_limit, args.matrix, [&] { read(args, several, for_solve, number, asked); });
    asked.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return asked;
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
