#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/files/save.hpp>
#include <residua/solvers/matrix/make_system.hpp>

namespace residua {
namespace {

/// A file of this test, which goes with it.
class scratch_file {
public:
    ~scratch_file() { std::remove(path().c_str()); }
    std::string path() const { return path_; }
    io::text text() const { return io::load(path_); }

private:
    std::string path_ = testing::TempDir() + "residua_save_test_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() + ".mtx";
};

linear_system saved_and_loaded(const linear_system& a)
{
    const scratch_file file;
    save_matrix(file.path(), a);
    return load_matrix(file.text()).system;
}

TEST(save_test, decimals_keep_the_digits_that_were_written)
{
    const scratch_file file;
    const std::vector<std::string> value{"0.10000000000000000000000001", "-12.50e-400", "7",
                                         "123456789012345678901234567890"};
    save_matrix(file.path(), make_system(dense_view<std::string>{2, 2, value}));
    EXPECT_EQ(std::string(std::string_view(file.text().bytes)),
              "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 10000000000000000000000001e-26\n"
              "1 2 -1250e-402\n2 1 7e0\n2 2 12345678901234567890123456789e1\n");
}

TEST(save_test, numbers_of_binary64_read_back_as_such)
{
    const std::vector<double> value{0.1, 1.0 / 3, -0x1p-1074, 0x1.fffffffffffffp1023};
    const linear_system again = saved_and_loaded(make_system(dense_view<double>{2, 2, value}));
    EXPECT_EQ(again.values, value);
    EXPECT_TRUE(again.exact.empty());
}

TEST(save_test, other_numbers_read_back_exactly)
{
    using dd = expansion<double, 2>;
    const std::vector<dd> value{dd{1.0} + dd{0x1p-80}, dd{0.1}, dd{0x1p300} + dd{0x1p200}, dd{-3.0}};
    const linear_system a = make_system(dense_view<dd>{2, 2, value});
    const linear_system again = saved_and_loaded(a);
    for (index_t k = 0; k < 4; ++k) {
        EXPECT_EQ(entry(again, k, 2000), entry(a, k, 2000)) << k;
    }
}

TEST(save_test, columns_read_back)
{
    const scratch_file file;
    const std::vector<std::vector<real>> columns{{real(0.1), real(2)}, {real("1e-400", 200), real(-3)}};
    save_columns(file.path(), columns);
    const auto again = load_columns(file.text(), 2, 2);
    for (std::size_t j = 0; j < 2; ++j) {
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(again[j][i].with_precision(columns[j][i].precision()), columns[j][i]);
        }
    }
    save_columns(file.path(), columns, 3);
    EXPECT_NE(std::string_view(file.text().bytes).find("\n1.00e-01\n2.00e+00\n1.00e-400\n"), std::string_view::npos);
    EXPECT_THROW(save_columns(file.path(), {}), dimension_error);
    EXPECT_THROW(save_columns(file.path(), {{real(1)}, {}}), dimension_error);
    EXPECT_THROW(save_columns("no/such/folder/x.mtx", columns), error);
}

}  // namespace
}  // namespace residua
