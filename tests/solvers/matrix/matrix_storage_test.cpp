// One copy of a matrix for all who multiply with it, dense where it is full.
#include <random>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/solvers/matrix/matrix_storage.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using space = host_space<expansion<double, 4>>;

/// A random n x n matrix of which this part is stored.
scaled_matrix random_matrix(index_t n, double stored, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (auto& row : rows) {
        for (double& a : row) {
            a = std::abs(value(random)) < stored ? value(random) : 0.0;
        }
    }
    return unscaled(system_of(from_rows(rows)), false);
}

}  // namespace

TEST(matrix_storage_test, holds_one_copy_and_a_dense_one_of_a_full_matrix)
{
    std::mt19937_64 random(3);
    for (const double stored : {0.3, 0.9, 1.0}) {
        const scaled_matrix m = random_matrix(20, stored, random);
        matrix_storage storage(m);
        const host_executor host;
        const auto rows = storage.for_few(host);  // no copy yet: the arrays are those of the matrix
        EXPECT_EQ(std::get<0>(*rows).value().data(), m.values.data());
        EXPECT_EQ(storage.on(host), storage.on(host));
        EXPECT_EQ(storage.for_few(host), storage.on(host));
        EXPECT_EQ(storage.dense_on(host) != nullptr, stored > 0.8);
        EXPECT_EQ(storage.dense_on(host), storage.dense_on(host));
    }
}

TEST(matrix_storage_test, products_are_those_of_mpfr_dense_or_not)
{
    std::mt19937_64 random(4);
    const space s;
    for (const double stored : {0.3, 1.0}) {
        const scaled_matrix m = random_matrix(50, stored, random);
        matrix_storage storage(m);
        const any_operator<space> a = matrix_in(s, m, &storage);
        auto x = s.make_vector(50), y = s.make_vector(50);
        for (index_t j = 0; j < 50; ++j) {
            x.set(j, expansion<double, 4>{1.0} / expansion<double, 4>{static_cast<double>(j + 3)});
        }
        a.apply(s, x, y);
        for (index_t i = 0; i < 50; ++i) {
            real exact(0.0, 2000);
            for (index_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k) {
                exact += to_real(x.get(m.column[k])) * real(m.values[k], 2000);
            }
            EXPECT_LE(abs(to_real(y.get(i)).with_precision(2000) - exact), ldexp(real(50.0), -205)) << i;
        }
    }
}
