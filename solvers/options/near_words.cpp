#include <residua/solvers/options/near_words.hpp>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include <residua/solvers/options/methods.hpp>

namespace residua {
namespace {

/// The word in small letters, without the dashes before it.
std::string plain(std::string_view word)
{
    std::string text(word.substr(std::min(word.find_first_not_of('-'), word.size())));
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// How many letters have to be put in, left out, changed, or swapped with the next one, each letter once.
std::size_t edit_distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before = std::exchange(last, row);
    }
    return last.back();
}

}  // namespace

std::string did_you_mean(std::string_view text, const std::vector<std::string_view>& words)
{
    constexpr std::size_t longest = 60, least_beginning = 3;
    const std::string wrong = plain(text.substr(0, longest));
    std::size_t least = wrong.size() / 3;
    std::vector<std::string_view> nearest;
    for (const std::string_view word : words) {
        const std::string right = plain(word);
        const bool begins = wrong.size() >= least_beginning && right.starts_with(wrong);
        const std::size_t distance = begins ? 1 : edit_distance(wrong, right);
        if (wrong.empty() || distance > least) {
            continue;
        }
        if (distance < least) {
            nearest.clear();
            least = distance;
        }
        nearest.push_back(word);
    }
    return nearest.empty() ? "" : "; did you mean " + listed(nearest) + "?";
}

std::string joined(const std::vector<std::string_view>& words)
{
    std::string text;
    for (const std::string_view word : words) {
        text.append(text.empty() ? "" : ", ").append(word);
    }
    return text;
}

std::string unknown_word(std::string_view text, const std::vector<std::string_view>& words)
{
    return "\"" + std::string(text) + "\" is none of " + joined(words) + did_you_mean(text, words);
}

}  // namespace residua
