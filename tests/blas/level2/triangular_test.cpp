#include <gtest/gtest.h>

#include <residua/blas/base/error_bounds.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;
using blas::diag;
using blas::uplo;

const host_executor exec;

template <class T>
struct triangular_test : testing::Test {
    static constexpr long p = number_traits<T>::precision_bits;
    static constexpr int terms = terms_of<T>;
    biased_random random;

    /// A matrix whose triangles can both be solved with: diagonal of about 4, the rest about 1.
    template <class V>
    residua::matrix<host_executor, V> make_matrix(index_t n)
    {
        auto a = random_matrix<V>(random, n, n, -3, 0);
        for (index_t i = 0; i < n; ++i) {
            a.set(i, i, random.template number<V>(2, 3));
        }
        return a;
    }

    template <class V>
    void expect_small_residual(uplo triangle, diag diagonal, bool transposed, index_t n)
    {
        SCOPED_TRACE(std::string(triangle == uplo::lower ? "lower" : "upper") +
                     (diagonal == diag::unit ? ", unit" : "") + (transposed ? ", transposed" : "") +
                     ", n = " + std::to_string(n));
        const auto a = make_matrix<V>(n);
        const auto b = random_numbers<T>(random, n, -20, 20);
        guarded<T> from(b);
        guarded<T> to(b);
        guarded<T> in_place(b);

        if (transposed) {
            blas::trsv<T>(exec, triangle, blas::trans::yes, diagonal, a.view(), from.view(), to.view());
            blas::trsv<T>(exec, triangle, blas::trans::yes, diagonal, a.view(), in_place.view(), in_place.view());
        } else {
            blas::trsv<T>(exec, triangle, blas::trans::no, diagonal, a.view(), from.view(), to.view());
            blas::trsv<T>(exec, triangle, blas::trans::no, diagonal, a.view(), in_place.view(), in_place.view());
        }

        const auto x = to.values();
        EXPECT_TRUE(same_bits(in_place.values(), x));
        EXPECT_TRUE(to.margins_intact());
        constexpr double division = terms == 1 ? 1.0 : quotient_error_bound<std::max(2, terms)>();
        const double bound = 2.0 * blas::sparse_row_error_bound<terms>(n + 1) + division;
        for (index_t i = 0; i < n; ++i) {
            exact_products sum;
            for (index_t j = 0; j < n; ++j) {
                const index_t r = transposed ? j : i;
                const index_t c = transposed ? i : j;
                if (r == c || (c < r) == (triangle == uplo::lower)) {
                    const real entry = r == c && diagonal == diag::unit ? real(1.0) : wide(a.get(r, c));
                    sum.add(entry * wide(x[static_cast<std::size_t>(j)]));
                }
            }
            EXPECT_LE(error_units(sum.value, wide(b[static_cast<std::size_t>(i)]), sum.magnitude, p), bound)
                << "row " << i;
        }
    }
};
TYPED_TEST_SUITE(triangular_test, formats, format_name);

TYPED_TEST(triangular_test, small_systems_are_right)
{
    using T = TypeParam;
    residua::matrix<host_executor, double> a(2, 2);  // 2 3; 5 4
    a.set(0, 0, 2.0);
    a.set(0, 1, 3.0);
    a.set(1, 0, 5.0);
    a.set(1, 1, 4.0);
    const auto b = make_vector<T>({T{8.0}, T{28.0}});
    residua::vector<host_executor, T> x(2);

    blas::trsv<T>(exec, uplo::lower, blas::trans::no, diag::non_unit, a, b, x.view());
    EXPECT_TRUE(same_bits(numbers<T>(x), {T{4.0}, T{2.0}}));
    blas::trsv<T>(exec, uplo::upper, blas::trans::no, diag::unit, a, b, x.view());
    EXPECT_TRUE(same_bits(numbers<T>(x), {T{-76.0}, T{28.0}}));
    blas::trsv<T>(exec, uplo::upper, blas::trans::yes, diag::non_unit, a, b, x.view());
    EXPECT_TRUE(same_bits(numbers<T>(x), {T{4.0}, T{4.0}}));
    blas::trsv<T>(exec, uplo::lower, blas::trans::yes, diag::unit, a, b, x.view());
    EXPECT_TRUE(same_bits(numbers<T>(x), {T{-132.0}, T{28.0}}));
}

TYPED_TEST(triangular_test, sizes_that_do_not_fit_are_refused)
{
    using T = TypeParam;
    const residua::matrix<host_executor, double> wide_matrix(2, 3);
    const residua::matrix<host_executor, double> square(2, 2);
    residua::vector<host_executor, T> two(2);
    residua::vector<host_executor, T> three(3);
    residua::matrix<host_executor, T> own(2, 3);

    EXPECT_THROW(blas::trsv<T>(exec, uplo::lower, blas::trans::no, diag::unit, wide_matrix, two, two.view()),
                 dimension_error);
    EXPECT_THROW(blas::trsv<T>(exec, uplo::lower, blas::trans::no, diag::unit, square, three, two.view()),
                 dimension_error);
    EXPECT_THROW(blas::trsv<T>(exec, uplo::lower, blas::trans::yes, diag::unit, square, two, three.view()),
                 dimension_error);
    EXPECT_THROW(blas::ger<T>(exec, T{1.0}, two, two, own.view()), dimension_error);
    EXPECT_THROW(blas::ger<T>(exec, T{1.0}, three, three, own.view()), dimension_error);
}

TYPED_TEST(triangular_test, a_zero_pivot_shows)
{
    using T = TypeParam;
    const residua::matrix<host_executor, double> a(3, 3);
    auto x = make_vector<T>({T{1.0}, T{1.0}, T{1.0}});

    blas::trsv<T>(exec, uplo::lower, blas::trans::no, diag::non_unit, a, x, x.view());

    EXPECT_FALSE(is_finite(x.get(0)));
}

TYPED_TEST(triangular_test, residuals_are_as_small_as_promised)
{
    SCOPED_TRACE(this->random.trace());
    for (const uplo triangle : {uplo::lower, uplo::upper}) {
        for (const diag diagonal : {diag::non_unit, diag::unit}) {
            for (const bool transposed : {false, true}) {
                for (const index_t n : {1, 4, 17, 40}) {
                    this->template expect_small_residual<double>(triangle, diagonal, transposed, n);
                }
                this->template expect_small_residual<TypeParam>(triangle, diagonal, transposed, 33);
            }
        }
    }
}

TYPED_TEST(triangular_test, ger_may_be_given_an_element_of_the_matrix)
{
    using T = TypeParam;
    residua::matrix<host_executor, T> a(2, 2);
    const auto ones = make_vector<T>(std::vector<T>(2, T{1.0}));
    a.set(0, 0, T{2.0});

    if constexpr (terms_of<T> == 1) {
        blas::ger<T>(exec, a.view().data()[0], ones, ones, a.view());  // by reference into A
    } else {
        blas::ger<T>(exec, a.get(0, 0), ones, ones, a.view());
    }

    EXPECT_TRUE(a.get(0, 0) == T{4.0});
    EXPECT_TRUE(a.get(1, 0) == T{2.0});
    EXPECT_TRUE(a.get(0, 1) == T{2.0});
    EXPECT_TRUE(a.get(1, 1) == T{2.0});
}

TYPED_TEST(triangular_test, ger_keeps_its_bound)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    constexpr double product = terms_of<T> == 1 ? 1.0 : product_error_bound<std::max(2, terms_of<T>)>();
    constexpr double addition = terms_of<T> == 1 ? 2.0 : accumulation_error_bound<std::max(2, terms_of<T>)>(1.0);
    const T alpha = this->random.template number<T>(-3, 3);
    const auto x = random_numbers<T>(this->random, 37, -9, 9);
    const auto y = random_numbers<T>(this->random, 5, -9, 9);
    const auto before = random_matrix<T>(this->random, 37, 5, -9, 9);
    auto a = before;

    blas::ger<T>(exec, alpha, make_vector<T>(x), make_vector<T>(y), a.view());

    for (index_t j = 0; j < 5; ++j) {
        for (index_t i = 0; i < 37; ++i) {
            exact_products exact;
            exact.add(wide(before.get(i, j)));
            exact.add(wide(alpha) * wide(x[static_cast<std::size_t>(i)]) * wide(y[static_cast<std::size_t>(j)]));
            EXPECT_LE(error_units(wide(a.get(i, j)), exact.value, exact.magnitude, this->p),
                      1.01 * (product + addition));
        }
    }
}

}  // namespace
}  // namespace residua
