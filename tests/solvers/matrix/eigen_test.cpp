#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/real/eigen.hpp>
#include <residua/solvers/matrix/eigen.hpp>

using namespace residua;

namespace {

using triplets = std::vector<Eigen::Triplet<double>>;
const triplets entries{{0, 0, 4.0}, {0, 1, 1.0}, {2, 0, 2.0}, {2, 2, 5.0}};

template <class Sparse>
Sparse sparse()
{
    Sparse a(3, 3);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
}

void expect_small(const linear_system& a, std::vector<double> values = {4, 1, 2, 5})
{
    EXPECT_EQ(a.rows, 3);
    EXPECT_EQ(a.row_begin, (std::vector<index_t>{0, 2, 2, 4}));
    EXPECT_EQ(a.column, (std::vector<std::int32_t>{0, 1, 0, 2}));
    EXPECT_EQ(a.values, values);
}

}  // namespace

TEST(eigen_test, sparse_matrices_by_rows_and_by_columns_are_taken)
{
    const auto by_rows = sparse<Eigen::SparseMatrix<double, Eigen::RowMajor>>();
    const auto by_columns = sparse<Eigen::SparseMatrix<double>>();
    const auto wide = sparse<Eigen::SparseMatrix<double, Eigen::ColMajor, std::ptrdiff_t>>();
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(3, 1.0, 3.0);

    expect_small(make_system(by_rows));
    expect_small(make_system(by_columns));
    expect_small(make_system(wide));
    expect_small(make_system(2.0 * by_columns), {8, 2, 4, 10});
    expect_small(make_system(Eigen::SparseMatrix<double>(by_columns.transpose()).transpose(), b));
    EXPECT_EQ(make_system(by_rows, b).b, (std::vector<real>{real(1.0), real(2.0), real(3.0)}));
    EXPECT_EQ(make_system(by_rows, b.transpose() * 2.0).b[2], real(6.0));
    EXPECT_EQ(make_system(by_rows, std::vector<double>{7, 8, 9}).b[0], real(7.0));
    EXPECT_THROW(make_system(by_rows, Eigen::MatrixXd::Ones(3, 2)), dimension_error);
    EXPECT_THROW(make_system(by_rows, Eigen::VectorXd::Ones(2).eval()), dimension_error);
}

TEST(eigen_test, a_matrix_with_gaps_and_a_map_are_taken)
{
    Eigen::SparseMatrix<double, Eigen::RowMajor> loose(3, 3);
    loose.reserve(Eigen::VectorXi::Constant(3, 3));
    for (const auto& e : entries) {
        loose.insert(e.row(), e.col()) = e.value();
    }
    ASSERT_FALSE(loose.isCompressed());
    expect_small(make_system(loose));

    auto packed = sparse<Eigen::SparseMatrix<double, Eigen::RowMajor>>();
    const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>> map(
        3, 3, packed.nonZeros(), packed.outerIndexPtr(), packed.innerIndexPtr(), packed.valuePtr());
    expect_small(make_system(map));
}

TEST(eigen_test, dense_matrices_maps_and_blocks_are_taken)
{
    Eigen::MatrixXd a(2, 3);
    a << 1, 2, 3, 4, 5, 6;
    EXPECT_EQ(make_system(a).values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(make_system(a.block(0, 1, 2, 2)).values, (std::vector<double>{2, 3, 5, 6}));
    EXPECT_EQ(make_system(a.transpose()).values, (std::vector<double>{1, 4, 2, 5, 3, 6}));
    const double raw[]{1, 2, 3, 4};
    EXPECT_EQ(make_system(Eigen::Map<const Eigen::Matrix2d>(raw)).values, (std::vector<double>{1, 3, 2, 4}));
}

TEST(eigen_test, reals_of_eigen_are_kept_exactly)
{
    Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic> a(1, 2);
    a << real("0.1", 300), real(2.0);
    Eigen::Matrix<real, Eigen::Dynamic, 1> b(1);
    b << real("0.3", 300);
    const linear_system system = make_system(a, b);
    EXPECT_EQ(system.exact.at(0, 53), real("0.1", 300));
    EXPECT_EQ(system.b[0], real("0.3", 300));
}
