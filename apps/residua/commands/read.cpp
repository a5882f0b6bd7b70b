#include "read.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <residua/arith/base/random.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>

#include <apps/residua/cli/choices.hpp>
#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/interrupt.hpp>

namespace residua {
namespace {

constexpr std::string_view random_prefix = "random:";

std::vector<real> random_vector(index_t n, std::uint64_t seed)
{
    splitmix64 random{seed};
    std::vector<real> x;
    x.reserve(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) {
        io::ask_for_stop_at(i);
        x.emplace_back(uniform(random));
    }
    return x;
}

/// The b that a word stands for.
std::vector<real> named_rhs(const linear_system& system, const std::string& rhs, std::uint64_t seed)
{
    if (rhs == "rowsum") {
        return row_sums(system);
    }
    if (rhs == "ones") {
        return std::vector<real>(static_cast<std::size_t>(system.rows), real(1));
    }
    return random_vector(system.rows, seed);
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

void read(const system_args& args, bool several, const solve_options* for_solve, std::uint64_t seed,
          asked_system& asked)
{
    linear_system& system = asked.system;
    if (is_rhs_file(args.rhs)) {
        static_cast<loaded_system&>(asked) = load_or_advise(
            [&] { return load_system(load_text(args.matrix), load_text(args.rhs), args.entries, several, for_solve); });
    } else {
        static_cast<loaded_system&>(asked) =
            load_or_advise([&] { return load_matrix(load_text(args.matrix), args.entries, for_solve); });
        system.b = named_rhs(system, args.rhs, seed);
        if (args.rhs == "rowsum") {
            system.other_reading = 0.0;  // b follows A, and x stays
        }
        if (args.rhs == "rowsum" && system.rows == system.cols) {  // for other shapes, ones may be one solution of many
            asked.known_solution.emplace(static_cast<std::size_t>(system.cols), real(1));
        }
    }
    if (is_x0_file(args.x0)) {
        const index_t columns = std::max<index_t>(1, static_cast<index_t>(asked.columns.size()));
        for (std::vector<real>& column :
             load_or_advise([&] { return load_columns(load_text(args.x0), system.cols, columns); })) {
            std::move(column.begin(), column.end(), std::back_inserter(asked.initial_guess));
        }
    }
}

}  // namespace

io::text load_text(const std::string& path)
{
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
    if (!unknown) {
        require_memory((path + ": its text").c_str(), static_cast<double>(bytes));
    }
    return io::load(path);
}

bool is_rhs_file(const std::string& rhs) { return rhs != "ones" && rhs != "rowsum" && !rhs.starts_with(random_prefix); }

bool is_x0_file(const std::string& x0) { return x0 != "zero"; }

loaded_system read_matrix(const std::string& path, entry_reading reading)
{
    return load_or_advise([&] { return load_matrix(load_text(path), reading); });
}

asked_system read_system(const system_args& args, bool several, double time_limit, const solve_options* for_solve)
{
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t seed = args.rhs.starts_with(random_prefix)
                                   ? parse_seed("--rhs random", std::string_view(args.rhs).substr(random_prefix.size()))
                                   : 0;
    asked_system asked;
    until_stopped(time_limit, args.matrix, [&] { read(args, several, for_solve, seed, asked); });
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
