#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace residua {

/// "; did you mean cg?" where text is the beginning of words, or differs from them in a third of its letters at most, or in
/// their case; otherwise empty. Of several such words it names those that differ least. Leading dashes do not count.
std::string did_you_mean(std::string_view text, const std::vector<std::string_view>& words);

/// "a, b, c"
std::string joined(const std::vector<std::string_view>& words);

/// "\"cgg\" is none of auto, cg; did you mean cg?"
std::string unknown_word(std::string_view text, const std::vector<std::string_view>& words);

}  // namespace residua
