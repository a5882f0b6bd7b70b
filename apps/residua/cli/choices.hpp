#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <residua/solvers/options/option_text.hpp>

#include "args.hpp"

namespace residua {

/// What a shell may complete the value of an option with.
struct completion {
    std::vector<std::string_view> words;
    bool files = false;  ///< also the name of a file
    bool list = false;   ///< several words, with commas
};

/// The words that only the command line reads; option_text.hpp has the others.
const choices<entry_reading>& reading_choices();
const choices<progress_mode>& progress_choices();

std::uint64_t parse_seed(std::string_view option, std::string_view text);

/// "a,b,c" at its commas.
///
/// throws  usage_error if a part is empty
std::vector<std::string> split_list(std::string_view option, std::string_view text);

}  // namespace residua
