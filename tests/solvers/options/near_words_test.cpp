#include <gtest/gtest.h>

#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/options/near_words.hpp>
#include <residua/solvers/options/option_text.hpp>

using namespace residua;

TEST(did_you_mean_test, names_the_words_that_differ_least)
{
    const std::vector<std::string_view> words{"solve", "compare", "info", "generate", "bench"};
    for (const auto& [text, word] :
         {std::pair("slove", "solve"), std::pair("Solve", "solve"), std::pair("sol", "solve"),
          std::pair("INFO", "info"), std::pair("genrate", "generate"), std::pair("--bnech", "bench")}) {
        EXPECT_EQ(did_you_mean(text, words), "; did you mean " + std::string(word) + "?") << text;
    }
    EXPECT_EQ(did_you_mean("prec", {"--precond", "--rtol", "--precision"}), "; did you mean --precond or --precision?");
    EXPECT_EQ(did_you_mean("aac", {"aab", "abc", "abb"}), "; did you mean aab or abc?");
}

TEST(did_you_mean_test, is_silent_about_words_that_nothing_is_like)
{
    for (const char* text : {"", "-", "--", "x", "xyz", "sausage", "solvent-abuse-of-words"}) {
        EXPECT_EQ(did_you_mean(text, {"solve", "info", "x-ray"}), "") << text;
    }
    EXPECT_EQ(did_you_mean(std::string(1000000, 'a'), {"solve"}), "");
    EXPECT_EQ(did_you_mean("solve", {}), "");
}

TEST(did_you_mean_test, is_said_of_words_options_and_kinds)
{
    const auto message_of = [](const auto& f) -> std::string {
        try {
            f();
        } catch (const error& e) {
            return e.what();
        }
        return "";
    };
    solve_options options;
    for (const auto& [name, value, word] :
         {std::tuple("method", "gmers", "gmres"), std::tuple("precond", "jacoby", "jacobi"),
          std::tuple("format", "Native", "native"), std::tuple("precision", "duble", "double"),
          std::tuple("factors", "signle", "single"), std::tuple("executor", "hots", "host")}) {
        EXPECT_TRUE(
            message_of([&] { set_option(options, name, value); }).ends_with("did you mean " + std::string(word) + "?"))
            << name;
    }
    EXPECT_TRUE(message_of([&] { set_option(options, "digit", "3"); }).ends_with("; did you mean digits?"));
    EXPECT_TRUE(message_of([&] { gallery_kind_of("hilbret"); }).ends_with("; did you mean hilbert?"));
}
