// Operations of blas/dense on numbers that are not finite, and on sizes that do not fit.
#include <gtest/gtest.h>

#include "tests/blas/dense/every_operation.hpp"

namespace residua::support {
namespace {

const host_executor host;

/// What is not finite shows where it is read, and does not where it is not.
template <class T>
void expect_faults_where_they_are_read(const format_of<T>& format)
{
    using namespace blas;
    const auto number = [&](double x) { return constant<T>(format, x); };
    const number_of<T> one = number(1.0), none = number(1.0) / number(0.0);
    const index_t n = 70;
    host_matrix<T> a(format, n, n), b(format, n, 2), c(format, n, n);
    host_vector<T> x(format, n), y(format, n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, one);
        for (index_t j = 0; j < n; ++j) {
            a.set(i, j, i > j ? number(0x1p-7) : none);  // on and above the diagonal nothing may be read
            c.set(i, j, i >= j ? one : none);
        }
        b.set(i, 0, one);
    }
    const auto all_finite = [](const auto& get, index_t count) {
        bool finite = true;
        for (index_t i = 0; i < count; ++i) {
            finite = finite && is_finite(get(i));
        }
        return finite;
    };
    trsm<T>(host, side::left, uplo::lower, trans::no, diag::unit, one, a, b);
    EXPECT_TRUE(all_finite([&](index_t i) { return b.get(i, 0); }, n)) << "trsm";
    trmv<T>(host, uplo::lower, trans::yes, diag::unit, a, x);
    EXPECT_TRUE(all_finite([&](index_t i) { return x.get(i); }, n)) << "trmv";
    symv<T>(host, uplo::lower, one, c, x, number(0.0), y);
    EXPECT_TRUE(all_finite([&](index_t i) { return y.get(i); }, n)) << "symv";
    syrk<T>(host, uplo::lower, trans::no, one, b, one, c);
    syr<T>(host, uplo::lower, one, x, c);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            ASSERT_EQ(is_finite(c.get(i, j)), i >= j) << "syrk, syr";
        }
    }
    trsm<T>(host, side::left, uplo::lower, trans::no, diag::non_unit, one, host_matrix<T>(format, n, n), b);
    EXPECT_FALSE(is_finite(b.get(0, 0))) << "a zero on the diagonal";

    host_matrix<T> d(format, 3, 4), sum(format, 3, 4), turned(format, 4, 3);
    d.set(1, 2, none);
    ge_add<T>(host, one, d, one, d, sum);
    transpose<T>(host, d, turned);
    for (index_t j = 0; j < 4; ++j) {
        for (index_t i = 0; i < 3; ++i) {
            EXPECT_EQ(is_finite(sum.get(i, j)), i != 1 || j != 2);
            EXPECT_EQ(is_finite(turned.get(j, i)), i != 1 || j != 2);
        }
    }
    for (const auto norm : {matrix_norm::one, matrix_norm::infinity, matrix_norm::frobenius, matrix_norm::largest}) {
        EXPECT_FALSE(is_finite(ge_norm<T>(host, norm, d)));
    }

    const host_vector<T> three(format, 3), four(format, 4);
    host_vector<T> w(format, 3), z(format, 4);
    host_matrix<T> square(format, 3, 3);
    EXPECT_THROW(rot<T>(host, one, one, w, z), dimension_error);
    EXPECT_THROW(axpy_dot<T>(host, one, three, w, four), dimension_error);
    EXPECT_THROW(transpose<T>(host, d, sum), dimension_error);
    EXPECT_THROW(ge_add<T>(host, one, d, one, turned, sum), dimension_error);
    EXPECT_THROW(ge_acc<T>(host, trans::yes, one, d, one, sum), dimension_error);
    EXPECT_THROW(ge_diag_scale<T>(host, side::left, four, sum), dimension_error);
    EXPECT_THROW(ge_diag_scale<T>(host, side::right, three, sum), dimension_error);
    EXPECT_THROW(ge_lrscale<T>(host, four, three, sum), dimension_error);
    EXPECT_THROW(syr<T>(host, uplo::lower, one, four, square), dimension_error);
    EXPECT_THROW(symv<T>(host, uplo::lower, one, d, four, one, w), dimension_error);
    EXPECT_THROW(trmv<T>(host, uplo::lower, trans::no, diag::unit, square, z), dimension_error);
    EXPECT_THROW(syrk<T>(host, uplo::lower, trans::yes, one, d, one, square), dimension_error);
    EXPECT_THROW(trsm<T>(host, side::right, uplo::lower, trans::no, diag::unit, one, square, sum), dimension_error);
}

template <class T>
class dense_faults_test : public testing::Test {};
using types = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                             expansion<double, 6>, expansion<double, 8>>;
TYPED_TEST_SUITE(dense_faults_test, types);

}  // namespace

TYPED_TEST(dense_faults_test, show_where_they_are_read) { expect_faults_where_they_are_read<TypeParam>({}); }

TEST(dense_faults_of_run_time_formats_test, show_where_they_are_read)
{
    for (const long bits : {64, 300}) {
        expect_faults_where_they_are_read<multidigit>(multidigit_format(bits));
        expect_faults_where_they_are_read<rns>(rns_format(bits));
    }
}

}  // namespace residua::support
