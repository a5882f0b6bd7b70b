#include <set>

#include <gtest/gtest.h>

#include <residua/solvers/options/names.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/options/verdict.hpp>

namespace residua {
namespace {

template <class E>
void expect_names_and_values_match(std::size_t count)
{
    std::set<std::string_view> names;
    std::set<E> values;
    for (const named_value<E>& each : named_values<E>()) {
        EXPECT_EQ(to_string(each.value), each.name);
        EXPECT_EQ(value_of<E>(each.name), each.value);
        names.insert(each.name);
        values.insert(each.value);
    }
    EXPECT_EQ(names.size(), count);
    EXPECT_EQ(values.size(), count);
    EXPECT_EQ(value_of<E>(""), std::nullopt);
    EXPECT_EQ(value_of<E>("Auto"), std::nullopt);
}

TEST(names_test, each_name_has_its_value_and_each_value_its_name)
{
    expect_names_and_values_match<number_format>(5);
    expect_names_and_values_match<executor>(3);
    expect_names_and_values_match<profiling>(3);
    expect_names_and_values_match<entry_reading>(3);
}

TEST(names_test, each_vocabulary_has_its_words_for_a_remedy)
{
    const auto all = [](const suggestion& what) {
        std::vector<std::string> words;
        for (const vocabulary each : {vocabulary::cpp, vocabulary::command_line, vocabulary::c, vocabulary::python}) {
            words.push_back(in_words(what, each));
        }
        return words;
    };
    using texts = std::vector<std::string>;
    EXPECT_EQ(all({remedy::precision, 212}),
              (texts{"precision_bits = 212", "--precision 212", "precision 212", "precision=212"}));
    EXPECT_EQ(all({remedy::precision}),
              (texts{"a higher precision_bits", "a higher --precision", "a higher precision", "a higher precision"}));
    EXPECT_EQ(all({remedy::factors, 106}), (texts{"factor_bits = 106", "--factors 106", "factors 106", "factors=106"}));
    EXPECT_EQ(all({remedy::preconditioner}), (texts{"another preconditioner", "another preconditioner",
                                                    "another precond", "another preconditioner M, or M=None"}));
}

TEST(names_test, what_a_remedy_says_on_the_command_line_and_in_c_are_options)
{
    for (const suggestion& each : {suggestion{remedy::precision, 212}, suggestion{remedy::factors, 106},
                                   suggestion{remedy::refine}, suggestion{remedy::direct}}) {
        for (const vocabulary words : {vocabulary::command_line, vocabulary::c}) {
            const std::string text = in_words(each, words);
            const std::size_t blank = text.find(' ');
            solve_options options;
            EXPECT_NO_THROW(set_option(options, text.substr(0, blank), text.substr(blank + 1))) << text;
        }
    }
}

}  // namespace
}  // namespace residua
