#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <residua/solvers/files/load.hpp>
#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/solve.hpp>

#include <apps/residua/bench/bench.hpp>

namespace residua {

/// When a progress line is shown: --progress.
enum class progress_mode { automatic, always, never };

/// Which system, and how it is read.
struct system_args {
    std::string matrix;
    std::string rhs = "rowsum";
    std::string x0 = "zero";
    entry_reading entries = entry_reading::automatic;
    bool transpose = false;
};

/// What is reported while and after solving. Paths are empty where nothing is written.
struct telling_args {
    std::string report;
    std::string plot;
    progress_mode progress = progress_mode::automatic;
    bool quiet = false;
    bool verbose = false;
};

struct solve_args {
    system_args system;
    telling_args telling;
    solve_options options;
    int threads = 0;  ///< 0: all cores
    std::string output;
    int output_digits = 0;    ///< 0: sufficient_digits()
    int required_digits = 0;  ///< digits that the error estimate must back; with fewer: exit_code::too_few_digits
    std::string history;
    std::string null_space;
    std::string weights;           ///< a file; empty: all are 1
    std::string given_null_space;  ///< a file or "ones"; empty: none is given
    std::string near_null_space;   ///< a file; empty: none is given
    std::string coordinates;       ///< a file; empty: none are given
};

/// What `compare --kernels` compares instead of systems.
struct kernels_args {
    const bench_operation* operation = nullptr;  ///< dot, gemv, gemm or spmv; null: systems are solved
    std::vector<index_t> sizes;                  ///< empty: the default
    double condition = 1e20;
    long repeat = 5;
    std::uint64_t seed = 1;

    /// Those of the command line, or one that takes little time.
    std::vector<index_t> all_sizes() const
    {
        const index_t usual = operation->computes == formula::gemv   ? 200
                              : operation->computes == formula::gemm ? 48
                              : operation->computes == formula::spmv ? 32
                                                                     : 10000;
        return sizes.empty() ? std::vector{usual} : sizes;
    }

    /// Where the options of compare say, on the host unless a GPU is asked for.
    static bench_executor executor_of(const solve_options& options)
    {
        return options.executor == residua::executor::cuda ? bench_executor::cuda : bench_executor::host;
    }
};

struct compare_args {
    system_args system;
    telling_args telling;
    solve_options options;  ///< that all runs share
    int threads = 0;
    std::vector<long> precisions;
    std::vector<method> methods;
    std::vector<number_format> formats;
    std::string reference;
    std::string csv;
    kernels_args kernels;
};

struct info_args {
    std::string matrix;
    entry_reading entries = entry_reading::automatic;
    bool transpose = false;
    int digits = 0;              ///< wanted of x
    int determinant_digits = 0;  ///< 0: no determinant
    bool rank = false;
    double time_limit = 0.0;  ///< in seconds; 0: none
    int threads = 0;
    std::string report;
};

struct generate_args {
    const gallery_kind* kind = nullptr;
    gallery_options options;
    bool binary64 = false;
    std::string output;
    std::string coordinates;  ///< the file that they are written to; empty: none
    std::string command;      ///< the options as typed, for the comment in the file
};

struct bench_args {
    const bench_operation* operation = nullptr;
    std::vector<index_t> sizes;         ///< empty: the operation's own
    std::vector<long> precisions;       ///< empty: the operation's own
    std::vector<bench_format> formats;  ///< empty: all that fit
    bench_executor executor = bench_executor::host;
    long repeat = 0;  ///< 0: as many as take half a second, or one with `hash`
    bool hash = false;
    std::uint64_t seed = 1;
    int threads = 0;
    std::string report;

    long samples() const { return hash && repeat == 0 ? 1 : repeat; }
    std::vector<index_t> all_sizes() const { return sizes.empty() ? operation->sizes : sizes; }
    std::vector<long> all_precisions() const
    {
        return precisions.empty() ? default_precisions(*operation) : precisions;
    }
    std::vector<bench_format> all_formats() const { return formats.empty() ? bench_formats() : formats; }
};

/// Text that was asked for instead of work: --help, --version.
struct help_args {
    std::string text;
};

using command_args = std::variant<help_args, solve_args, compare_args, info_args, generate_args, bench_args>;

/// Reads the command line. The options that it returns fit each other.
///
/// throws  usage_error in one line
command_args parse_command_line(int argc, const char* const* argv);

/// The version of this build.
std::string version_text();

}  // namespace residua
