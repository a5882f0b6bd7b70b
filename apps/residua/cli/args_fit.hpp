#pragma once

#include <algorithm>
#include <functional>

#include <residua/solvers/planning/plan.hpp>

#include "args.hpp"

namespace residua {

/// Whether an option was typed.
using was_given = std::function<bool(const char* option)>;

/// The options of a comparison that the method has. Only two methods have --factors.
solve_options options_of(const solve_options& shared, method m);

/// The precisions of a format in the table of compare, in bits. Expansions begin above 53 bits, which native has.
precision_range compared_bits(number_format format);

/// Whether `compare --kernels` has numbers of that format.
inline bool compares(const compare_args& args, bench_format format)
{
    return std::any_of(args.formats.begin(), args.formats.end(), [&](number_format each) {
        return each == number_format::automatic || to_string(each) == to_string(format);
    });
}

/// Refuses options that do not fit each other, the method or the kind, and completes defaults
/// that depend on others.
///
/// throws  usage_error in one line
void require_fit(solve_args& args, const was_given& given);
void require_fit(compare_args& args, const was_given& given);
void require_fit(const info_args& args);
void require_fit(generate_args& args, const was_given& given);
void require_fit(const bench_args& args);

/// The same for `compare --kernels`; `typed` are the names of the options that were typed.
void require_kernels_fit(const compare_args& args, const std::vector<std::string>& typed);

}  // namespace residua
