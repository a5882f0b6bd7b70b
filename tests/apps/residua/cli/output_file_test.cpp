#include <filesystem>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include <gtest/gtest.h>

#include <residua/io/error.hpp>
#include "apps/residua/cli/output_file.hpp"

namespace residua {
namespace {

namespace fs = std::filesystem;

struct output_file_test : testing::Test {
    fs::path folder = fs::temp_directory_path() / ("residua_output_file_" + std::to_string(getpid()));
    std::string path = folder / "file";

    output_file_test() { fs::create_directory(folder); }
    ~output_file_test() override { fs::remove_all(folder); }

    std::string content() const
    {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void put(const std::string& text) const { std::ofstream(path) << text; }
    auto files() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }
};

TEST_F(output_file_test, replaces_what_was_there)
{
    put("something long");

    output_file file(path);
    EXPECT_EQ(content(), "something long");
    file.write("new");
    file.flush();
    EXPECT_EQ(content(), "something long");  // until the new one is whole
    file.close();

    EXPECT_EQ(content(), "new");
    EXPECT_EQ(files(), 1);
}

TEST_F(output_file_test, keeps_the_rights_of_what_was_there)
{
    put("old");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    output_file file(path);
    file.write("new");
    file.close();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(output_file_test, of_several_at_one_path_the_last_one_closed_is_whole)
{
    output_file first(path), second(path);
    for (int k = 0; k < 3; ++k) {
        first.write("1");
        second.write("2");
        first.flush();
        second.flush();
    }
    second.close();
    EXPECT_EQ(content(), "222");
    first.close();
    EXPECT_EQ(content(), "111");
    EXPECT_EQ(files(), 1);
}

TEST_F(output_file_test, that_grows_into_a_full_place_is_closed)
{
    output_file full("/dev/full", writing::growing);
    full.write("x");
    EXPECT_THROW(full.flush(), resource_error);
    EXPECT_FALSE(full.is_open());
}

TEST_F(output_file_test, that_was_never_written_leaves_no_trace)
{
    {
        const output_file file(path);
    }
    EXPECT_FALSE(fs::exists(path));

    put("old");
    {
        const output_file file(path);
    }
    EXPECT_EQ(content(), "old");
}

TEST_F(output_file_test, abandoned_is_removed_if_it_was_new)
{
    {
        output_file file(path);
        file.write("half");
        file.flush();
        file.write("more");
        file.abandon();
    }
    EXPECT_EQ(files(), 0);

    {
        output_file file(path, writing::growing);
        file.write("half");
        file.flush();
    }
    EXPECT_EQ(files(), 0);

    put("old");
    {
        output_file file(path);
        file.write("half");
        file.flush();
    }
    EXPECT_EQ(content(), "old");
    EXPECT_EQ(files(), 1);
}

TEST_F(output_file_test, grows_with_every_flush)
{
    output_file file(path, writing::growing);
    file.write("a");
    EXPECT_EQ(content(), "");
    file.flush();
    EXPECT_EQ(content(), "a");
    file.write("b");
    file.close();
    EXPECT_EQ(content(), "ab");
}

TEST_F(output_file_test, behind_a_dangling_link_is_created_there)
{
    const fs::path target = folder / "target";
    fs::create_symlink("link", path);  // a link to a link to nothing
    fs::create_symlink("target", folder / "link");
    EXPECT_EQ(where_created(path), target);
    {
        const output_file file(path);
    }
    EXPECT_FALSE(fs::exists(target));  // new and never written
    EXPECT_TRUE(fs::is_symlink(path));

    output_file file(path);
    file.write("x");
    file.close();
    EXPECT_EQ(content(), "x");
    EXPECT_TRUE(fs::is_symlink(path));
    EXPECT_EQ(where_created(path), fs::path(path));

    output_file again(path);  // now a link to a file
    again.write("y");
    again.close();
    EXPECT_EQ(content(), "y");
    EXPECT_TRUE(fs::is_symlink(path) && fs::is_symlink(folder / "link"));
}

TEST_F(output_file_test, behind_links_in_a_circle_cannot_be_opened)
{
    fs::create_symlink("file", path);
    EXPECT_THROW((output_file(path)), resource_error);
}

TEST_F(output_file_test, is_untouched_until_something_is_written)
{
    output_file file(path);
    EXPECT_TRUE(file.is_untouched());
    file.write("x");
    EXPECT_FALSE(file.is_untouched());
    file.flush();
    EXPECT_FALSE(file.is_untouched());
}

TEST_F(output_file_test, moves)
{
    output_file first(path);
    output_file second = std::move(first);
    EXPECT_FALSE(first.is_open());
    second.write("x");
    second.close();
    EXPECT_EQ(content(), "x");
}

TEST_F(output_file_test, that_cannot_be_opened_or_filled_says_so)
{
    EXPECT_THROW(output_file(folder / "none" / "file"), resource_error);
    EXPECT_THROW((output_file(folder)), resource_error);

    output_file full("/dev/full");
    full.write("x");
    EXPECT_THROW(full.close(), resource_error);
}

TEST_F(output_file_test, without_a_path_is_no_file) { EXPECT_FALSE(output_file("").is_open()); }

}  // namespace
}  // namespace residua
