#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <residua/solvers/options/names.hpp>
#include <residua/solvers/options/near_words.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/options/verdict.hpp>

namespace residua {

/// An option that is not there, or text that is no value of it: one line "NAME: what is wrong with TEXT".
/// Control characters of the text stand as "?".
class option_error : public error {
public:
    explicit option_error(const std::string& what) : error(in_one_line(what)) {}

private:
    static std::string in_one_line(std::string text)
    {
        for (char& c : text) {
            c = static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
        }
        return text;
    }
};

/// Words and what they stand for. What does not work yet has no word.
template <class T>
using choices = std::vector<named_value<T>>;

const choices<method>& method_choices();
const choices<preconditioner>& preconditioner_choices();
const choices<number_format>& format_choices();
const choices<executor>& executor_choices();
/// Names of bits, with 0 for auto, which parse_precision() and parse_factors() take. Both take numbers, too.
const choices<long>& precision_choices();
const choices<long>& factor_choices();

/// The words of choices.
template <class T>
std::vector<std::string_view> words_of(const choices<T>& all)
{
    std::vector<std::string_view> words;
    for (const named_value<T>& each : all) {
        words.push_back(each.name);
    }
    return words;
}

/// "auto, cg, gmres"
template <class T>
std::string names_of(const choices<T>& all)
{
    return joined(words_of(all));
}

/// The value that a word stands for.
///
/// throws  option_error that lists the words, and says which one may be meant
template <class T>
T choose(std::string_view option, const choices<T>& all, std::string_view text)
{
    for (const named_value<T>& each : all) {
        if (each.name == text) {
            return each.value;
        }
    }
    throw option_error(std::string(option) + ": " + unknown_word(text, words_of(all)));
}

/// All of these throw option_error.
constexpr long no_limit = std::numeric_limits<long>::max();
long parse_integer(std::string_view option, std::string_view text, long least, long most = no_limit);

/// Any decimal, 1e-400 too; not negative.
real parse_nonnegative(std::string_view option, std::string_view text);
real parse_decimal(std::string_view option, std::string_view text, long bits = 256);
double parse_seconds(std::string_view option, std::string_view text);
/// A number of threads, from 1 on.
int parse_threads(std::string_view option, std::string_view text);

/// A name or a number of bits that some format serves; 0 for auto.
long parse_precision(std::string_view option, std::string_view text);

/// The precision of factors, as parse_precision() reads it; `half` and `single` are names, too.
long parse_factors(std::string_view option, std::string_view text);

/// What the option executor takes in this build.
std::string executor_names();

/// What the option precond takes.
std::string preconditioner_names();

/// The most digits that can be asked for: as many as the highest precision holds. x has more bits than the method.
long most_digits();

/// The options that text can set, by their long names on the command line: "digits", "executor", ...
std::span<const std::string_view> option_names();

/// Sets one option by name and value, as the command line does: set_option(options, "precision", "qd"). A name may stand with
/// its dashes, and messages have it as it was given. In the words of Python, names have underscores, and precond is M.
///
/// throws  option_error for a name that is not among option_names(), which it lists, or a value that the option does not take
void set_option(solve_options& options, std::string_view name, std::string_view value,
                vocabulary words = vocabulary::command_line);

/// throws  unsupported_error for a number that makes no sense, whoever set it; whether options fit each other is not asked
void require_options(const solve_options& options);

/// Names and values of the options on which x depends, for a checkpoint to know its solve by.
std::vector<std::pair<std::string, std::string>> options_of_x(const solve_options& options);

}  // namespace residua
