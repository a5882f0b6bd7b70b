#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <residua/solvers/names.hpp>

#include "args.hpp"

namespace residua {

/// Words on the command line and what they stand for. What does not work yet has no word.
template <class T>
using choice = named_value<T>;

template <class T>
using choices = std::vector<choice<T>>;

const choices<method>& method_choices();
const choices<preconditioner>& preconditioner_choices();
const choices<number_format>& format_choices();
const choices<entry_reading>& reading_choices();
const choices<progress_mode>& progress_choices();

/// "auto, cg, gmres"
template <class T>
std::string names_of(const choices<T>& all)
{
    std::string text;
    for (const choice<T>& each : all) {
        text += (text.empty() ? "" : ", ") + std::string(each.name);
    }
    return text;
}

/// All of these throw usage_error "OPTION: what is wrong with TEXT".
template <class T>
T choose(std::string_view option, const choices<T>& all, std::string_view text);

constexpr long no_limit = std::numeric_limits<long>::max();

long parse_integer(std::string_view option, std::string_view text, long least, long most = no_limit);
std::uint64_t parse_seed(std::string_view option, std::string_view text);

/// Any decimal, 1e-400 too; not negative.
real parse_nonnegative(std::string_view option, std::string_view text);
real parse_decimal(std::string_view option, std::string_view text, long bits = 256);
double parse_seconds(std::string_view option, std::string_view text);

/// A name or a number of bits that some format serves; 0 for auto.
long parse_precision(std::string_view option, std::string_view text);

/// The precision of factors, as parse_precision() reads it; `single` is a name too.
long parse_factors(std::string_view option, std::string_view text);

/// What --executor takes in this build.
std::string executor_names();

/// The executor and its device from "auto", "host", "cuda" or "cuda:1".
void choose_executor(solve_options& options, const std::string& text);

/// "a,b,c" at its commas.
///
/// throws  usage_error if a part is empty
std::vector<std::string> split_list(std::string_view option, std::string_view text);

}  // namespace residua
