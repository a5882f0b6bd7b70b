#include <set>

#include <gtest/gtest.h>

#include <residua/solvers/options/names.hpp>

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

}  // namespace
}  // namespace residua
