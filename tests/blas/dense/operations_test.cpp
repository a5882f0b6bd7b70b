// Every operation of blas/dense against MPFR, within the bounds of the contracts, in every format.
#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/blas/base/error_bounds.hpp>

#include "tests/blas/dense/every_operation.hpp"
#include "tests/blas/rns/bounds.hpp"

namespace residua::support {
namespace {

constexpr long exact_bits = 2400;  // products of three numbers of 424 bits, and their sums, are exact
const host_executor host;

/// An exact value, and the magnitudes that its error bound refers to.
struct exact_value {
    real value{0.0, exact_bits};
    real magnitude{0.0, exact_bits};

    exact_value() = default;
    exact_value(const real& x) : value(x), magnitude(abs(x)) {}
    exact_value& operator+=(const exact_value& other)
    {
        value += other.value;
        magnitude += other.magnitude;
        return *this;
    }
};

template <class X>
real exact(const X& x)
{
    return to_real(x).with_precision(exact_bits);
}

/// The errors of the contracts, relative to magnitudes.
template <class T>
struct contract_errors {
    format_of<T> format;

    real product() const
    {
        return of([] { return product_terms(); }, 1.0, 1.0);
    }
    real sum() const
    {
        return of([] { return sum_terms(); }, 1.0, 2.0);
    }  // a product and its sum with a number
    real row(index_t n) const
    {
        return of([&] { return row_terms(n); }, 1.0 + 0x1p-20 * d(n), roundings_of_row(n));
    }
    real column(index_t n) const
    {
        return of([&] { return column_terms(n); }, 1.0 + 0x1p-20 * d(n), roundings_of_row(n));
    }
    real long_sum(index_t n) const
    {
        return of([&] { return column_terms(n); }, 1.0 + 0x1p-20 * d(n), roundings_of_sum(n));
    }
    real product_of_matrices(index_t n) const
    {
        return of([&] { return row_terms(n) + product_terms() + sum_terms(); }, 3.0 + 0x1p-20 * d(n), d(n) + 2.0);
    }
    /// docs/error_bounds.md, theorem 33
    real solve(index_t n) const
    {
        const double levels = blas::detail::trsm_levels(n);
        return of([&] { return solve_terms() + row_terms(n) + levels * sum_terms(); }, levels + 3.0,
                  d(n) + 2.0 * levels + 35.0);
    }

private:
    static double d(index_t n) { return static_cast<double>(n); }
    static constexpr int terms() { return run_time_format<T> ? 1 : array_traits<T>::terms; }

    /// u^N terms(), u roundings, or gamma_k
    template <class F>
    real of(const F& terms_bound, double roundings, double k) const
    {
        if constexpr (std::is_same_v<T, rns>) {
            return gamma(k, format);
        } else if constexpr (run_time_format<T>) {
            return ldexp(real(1.001 * roundings, 64), -format.precision_bits());
        } else {
            return ldexp(real(1.001 * terms_bound(), 64), -53 * number_traits<T>::terms);
        }
    }
    static double product_terms() { return terms() == 1 ? 1.0 : product_error_bound<terms()>(); }
    static double sum_terms() { return terms() == 1 ? 2.0 : accumulation_error_bound<terms()>(1.0); }
    static double row_terms(index_t n) { return blas::dense_row_error_bound<terms()>(n); }
    static double column_terms(index_t n) { return blas::long_sum_error_bound<terms()>(n); }
    static double solve_terms()
    {
        const double quotient = terms() == 1 ? 1.0 : quotient_error_bound<terms()>();
        return 2.0 * blas::sparse_row_error_bound<terms()>(blas::detail::trsm_block) + quotient;
    }
};

template <class T>
class dense_check {
public:
    dense_check(const format_of<T>& format, index_t m, index_t n, index_t k, biased_random& random)
        : o(format, m, n, k, random), errors{format}, got(dense_run<host_executor, T>(host, o).results())
    {}

    void run()
    {
        const real alpha = exact(o.alpha), beta = exact(o.beta);
        const auto a = reader(o.a), b = reader(o.b), s = reader(o.s), t = reader(o.t), f = reader(o.f), g = reader(o.g);
        const auto x = reader(o.x), y = reader(o.y), d = reader(o.d);
        const index_t m = o.m, n = o.n, k = o.k;
        const auto plus = [](const real& p, const real& q) {
            exact_value v(p);
            return v += exact_value(q);
        };
        const auto sum_over = [](index_t count, const auto& term) {
            exact_value v;
            for (index_t l = 0; l < count; ++l) {
                v += exact_value(term(l));
            }
            return v;
        };
        using blas::uplo;
        const auto in = [](uplo triangle, index_t i, index_t j) { return triangle == uplo::lower ? i >= j : i <= j; };
        const auto everywhere = [](index_t, index_t) { return true; };
        const real once = errors.product(), twice = errors.product() + errors.sum();

        vector_within("rot.x", o.x, twice, [&](index_t i) { return plus(alpha * x(i), beta * y(i)); });
        vector_within("rot.y", o.y, twice, [&](index_t i) { return plus(alpha * y(i), -beta * x(i)); });
        vector_within("axpy_dot.y", o.y, errors.sum(), [&](index_t i) { return plus(y(i), alpha * x(i)); });
        const auto updated = reader_of_column(got.at("axpy_dot.y"));
        number_within("axpy_dot", errors.long_sum(n), sum_over(n, [&](index_t i) { return updated(i) * x(i); }));

        within("transpose", host_matrix<T>(o.format, n + 3, m + 2), everywhere, real(0.0),
               [&](index_t i, index_t j) { return exact_value(a(j, i)); });
        const auto added = [&](index_t i, index_t j) { return plus(alpha * a(i, j), beta * b(i, j)); };
        within("ge_add", o.a, everywhere, twice, added);
        within("ge_add.in_place", o.a, everywhere, twice, added);
        within("ge_acc", o.b, everywhere, twice, added);
        within("ge_acc.t", o.s, everywhere, twice,
               [&](index_t i, index_t j) { return plus(alpha * t(j, i), beta * s(i, j)); });
        within("ger", o.a, everywhere, twice,
               [&](index_t i, index_t j) { return plus(a(i, j), alpha * d(i) * x(j)); });
        within("ge_diag_scale_rows", o.a, everywhere, once,
               [&](index_t i, index_t j) { return exact_value(d(i) * a(i, j)); });
        within("ge_diag_scale_cols", o.a, everywhere, once,
               [&](index_t i, index_t j) { return exact_value(a(i, j) * x(j)); });
        within("ge_lrscale", o.a, everywhere, real(2.001) * once,
               [&](index_t i, index_t j) { return exact_value(d(i) * a(i, j) * x(j)); });

        exact_value one, infinity, squares, largest;
        for (index_t j = 0; j < n; ++j) {
            one.value = max(one.value, sum_over(m, [&](index_t i) { return abs(a(i, j)); }).value);
        }
        for (index_t i = 0; i < m; ++i) {
            infinity.value = max(infinity.value, sum_over(n, [&](index_t j) { return abs(a(i, j)); }).value);
            for (index_t j = 0; j < n; ++j) {
                squares += exact_value(a(i, j) * a(i, j));
                largest.value = max(largest.value, abs(a(i, j)));
            }
        }
        for (exact_value* norm : {&one, &infinity, &largest}) {
            norm->magnitude = norm->value;
        }
        number_within("ge_norm.0", errors.column(m), one);
        number_within("ge_norm.1", errors.row(n), infinity);
        number_within("ge_norm.2", errors.long_sum(m * n) + errors.row(m) + real(40.0) * once,
                      exact_value(sqrt(squares.value)));
        number_within("ge_norm.3", real(0.0), largest);

        for (const uplo triangle : {uplo::lower, uplo::upper}) {
            const std::string which = triangle == uplo::lower ? ".lower" : ".upper";
            const auto of_triangle = [&](index_t i, index_t j) { return in(triangle, i, j); };
            within("syr" + which, o.s, of_triangle, twice,
                   [&](index_t i, index_t j) { return plus(alpha * x(i) * x(j), s(i, j)); });
            vector_within("symv" + which, o.y, errors.row(n) + real(2.0) * twice, [&](index_t i) {
                exact_value v =
                    sum_over(n, [&](index_t j) { return alpha * (in(triangle, i, j) ? s(i, j) : s(j, i)) * x(j); });
                return v += exact_value(beta * y(i));
            });
            for (const bool transposed : {false, true}) {
                within("syrk" + which + (transposed ? ".t" : ""), o.s, of_triangle,
                       errors.product_of_matrices(k) + once, [&](index_t i, index_t j) {
                           exact_value v = sum_over(k, [&](index_t l) {
                               return alpha * (transposed ? g(l, i) * g(l, j) : f(i, l) * f(j, l));
                           });
                           return v += exact_value(beta * s(i, j));
                       });
                for (const bool unit : {false, true}) {
                    const std::string name = which + (transposed ? ".t" : "") + (unit ? ".unit" : "");
                    /// op(T)
                    const auto entry = [&](index_t i, index_t j) {
                        const index_t r = transposed ? j : i, c = transposed ? i : j;
                        return r == c && unit       ? real(1.0, exact_bits)
                               : in(triangle, r, c) ? t(r, c)
                                                    : real(0.0, exact_bits);
                    };
                    vector_within(
                        "trmv" + name, o.x, (transposed ? errors.column(n) : errors.row(n)) + real(2.0) * twice,
                        [&](index_t i) { return sum_over(n, [&](index_t j) { return entry(i, j) * x(j); }); });
                    const auto left = reader(got.at("trsm" + name));
                    solved("trsm" + name, n, k, [&](index_t i, index_t c) {
                        return plus_all(alpha * f(i, c), n, [&](index_t j) { return entry(i, j) * left(j, c); });
                    });
                    const auto right = reader(got.at("trsm.right" + name));
                    solved("trsm.right" + name, k, n, [&](index_t r, index_t j) {
                        return plus_all(alpha * g(r, j), n, [&](index_t i) { return right(r, i) * entry(i, j); });
                    });
                    outside_unchanged("trsm" + name, o.f);
                }
            }
        }
        vector_within("gemv.n", o.d, errors.row(n) + twice + once, [&](index_t i) {
            exact_value v = sum_over(n, [&](index_t j) { return alpha * a(i, j) * y(j); });
            return v += exact_value(beta * d(i));
        });
        vector_within("gemv.t", o.x, errors.column(m) + twice + once, [&](index_t j) {
            exact_value v = sum_over(m, [&](index_t i) { return alpha * a(i, j) * d(i); });
            return v += exact_value(beta * x(j));
        });
        for (const bool first : {false, true}) {
            for (const bool second : {false, true}) {
                const std::string name = std::string(first ? ".t" : ".n") + (second ? "t" : "n");
                const auto product = [&](index_t i, index_t j) {
                    return sum_over(k, [&](index_t l) {
                        return alpha * (first ? g(l, i) : f(i, l)) * (second ? f(j, l) : g(l, j));
                    });
                };
                within("gemm" + name, o.s, everywhere, errors.product_of_matrices(k) + once, [&](index_t i, index_t j) {
                    exact_value v = product(i, j);
                    return v += exact_value(beta * s(i, j));
                });
                within("gemm.zero" + name, o.s, everywhere, errors.product_of_matrices(k) + once, product);
            }
        }
    }

private:
    static auto reader(const host_matrix<T>& a)
    {
        return [&a](index_t i, index_t j) { return exact(a.get(i + 1, j + 1)); };
    }
    static auto reader(const host_vector<T>& x)
    {
        return [&x](index_t i) { return exact(x.get(1 + i * dense_operands<T>::stride)); };
    }
    static auto reader_of_column(const host_matrix<T>& x)
    {
        return [&x](index_t i) { return exact(x.get(1 + i * dense_operands<T>::stride, 0)); };
    }

    template <class F>
    static exact_value plus_all(const real& b, index_t count, const F& term)
    {
        exact_value v(b);
        for (index_t l = 0; l < count; ++l) {
            v += exact_value(-term(l));
        }
        return v;
    }

    void expect(const std::string& name, const number_of<T>& computed, const real& error, const exact_value& right)
    {
        const real difference = abs(exact(computed) - right.value);
        EXPECT_TRUE(is_finite(to_real(computed)) && difference <= error * right.magnitude)
            << name << ": " << to_double(difference / right.magnitude) << " above " << to_double(error);
    }

    template <class In, class F>
    void within(const std::string& name, const host_matrix<T>& before, const In& in, const real& error, const F& right)
    {
        const host_matrix<T>& c = got.at(name);
        for (index_t j = 0; j + 2 < before.cols(); ++j) {
            for (index_t i = 0; i + 3 < before.rows(); ++i) {
                if (in(i, j)) {
                    expect(name, c.get(i + 1, j + 1), error, right(i, j));
                } else {
                    EXPECT_TRUE(c.get(i + 1, j + 1) == before.get(i + 1, j + 1)) << name << ": outside of the triangle";
                }
            }
        }
        outside_unchanged(name, before);
    }

    void outside_unchanged(const std::string& name, const host_matrix<T>& before)
    {
        const host_matrix<T>& c = got.at(name);
        for (index_t j = 0; j < c.cols(); ++j) {
            for (index_t i = 0; i < c.rows(); ++i) {
                const bool inside = 1 <= i && i < c.rows() - 2 && 1 <= j && j < c.cols() - 1;
                EXPECT_TRUE(inside || c.get(i, j) == before.get(i, j)) << name << ": around the block";
            }
        }
    }

    template <class F>
    void vector_within(const std::string& name, const host_vector<T>& before, const real& error, const F& right)
    {
        const host_matrix<T>& x = got.at(name);
        const index_t stride = dense_operands<T>::stride;
        const index_t size = (before.size() - 3) / stride;
        for (index_t i = 0; i < before.size(); ++i) {
            const index_t at = i - 1;
            if (at >= 0 && at % stride == 0 && at / stride < size) {
                expect(name, x.get(i, 0), error, right(at / stride));
            } else {
                EXPECT_TRUE(x.get(i, 0) == before.get(i)) << name << ": around the vector";
            }
        }
    }

    void number_within(const std::string& name, const real& error, const exact_value& right)
    {
        expect(name, got.at(name).get(0, 0), error, right);
    }

    /// rest(i, j) = b - T x against the bound of solves; its magnitude is |b| + |T| |x|.
    template <class F>
    void solved(const std::string& name, index_t rows, index_t cols, const F& rest)
    {
        const real error = errors.solve(o.n) + errors.product();
        for (index_t j = 0; j < cols; ++j) {
            for (index_t i = 0; i < rows; ++i) {
                const exact_value v = rest(i, j);
                EXPECT_TRUE(is_finite(v.value) && abs(v.value) <= error * v.magnitude)
                    << name << ": " << to_double(v.value / v.magnitude) << " above " << to_double(error);
            }
        }
    }

    dense_operands<T> o;
    contract_errors<T> errors;
    dense_results<T> got;
};

template <class T>
void expect_all_within(const format_of<T>& format)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n, k] : {std::tuple<index_t, index_t, index_t>{0, 0, 0},
                                  {1, 1, 1},
                                  {3, 0, 2},
                                  {0, 4, 0},
                                  {5, 7, 3},
                                  {37, 33, 5},
                                  {4, 70, 2}}) {
        SCOPED_TRACE(std::to_string(m) + ", " + std::to_string(n) + ", " + std::to_string(k));
        dense_check<T>(format, m, n, k, random).run();
    }
}

template <class T>
class dense_operations_test : public testing::Test {};
using types = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                             expansion<double, 6>, expansion<double, 8>>;
TYPED_TEST_SUITE(dense_operations_test, types);

}  // namespace

TYPED_TEST(dense_operations_test, are_within_their_bounds_in_binary64_and_expansions)
{
    expect_all_within<TypeParam>({});
}

class dense_operations_of_run_time_formats_test : public testing::TestWithParam<long> {};
INSTANTIATE_TEST_SUITE_P(bits, dense_operations_of_run_time_formats_test, testing::Values(64, 106, 300));

TEST_P(dense_operations_of_run_time_formats_test, are_within_their_bounds_in_multi_digit_floats)
{
    expect_all_within<multidigit>(multidigit_format(GetParam()));
}

TEST_P(dense_operations_of_run_time_formats_test, are_within_their_bounds_in_rns_floats)
{
    expect_all_within<rns>(rns_format(GetParam()));
}

}  // namespace residua::support
