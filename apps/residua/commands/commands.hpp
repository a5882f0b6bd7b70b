#pragma once

#include <apps/residua/cli/args.hpp>
#include <apps/residua/cli/exit_code.hpp>

namespace residua {

/// The commands. Each writes its results to standard output and files, and returns an exit code.
///
/// throws  input_error, unsupported_error, resource_error, usage_error
exit_code run_solve(const solve_args& args);
exit_code run_compare(const compare_args& args);
exit_code run_compare_kernels(const compare_args& args);
exit_code run_info(const info_args& args);
exit_code run_generate(const generate_args& args);
exit_code run_bench(const bench_args& args);

}  // namespace residua
