// Every operation on RNS floats against MPFR, each with the bound of its contract in blas/rns.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/norm.hpp>

#include "tests/blas/rns/bounds.hpp"
#include "tests/blas/rns/every_operation.hpp"
#include "tests/support/scale.hpp"

namespace residua::support {
namespace {

const host_executor exec;

/// A value and the sum of the magnitudes it is made of.
struct bounded {
    real value, magnitude;
};

bounded operator+(const bounded& a, const bounded& b) { return {a.value + b.value, a.magnitude + b.magnitude}; }
bounded operator*(const bounded& a, const bounded& b) { return {a.value * b.value, a.magnitude * b.magnitude}; }
bounded operator-(const bounded& a) { return {-a.value, a.magnitude}; }
bounded abs(const bounded& a) { return {abs(a.value), a.magnitude}; }

using values = std::vector<bounded>;

/// What a contract says of one number: its value, and how far from it a result may be.
struct promise {
    real value, error;
};
using promises = std::vector<promise>;

class reference {
public:
    reference(const rns_data& data, const rns_results& results)
        : d(data), bits(8 * data.format.precision_bits() + 2000), u_(unit_roundoff(data.format))
    {
        for (const auto& [name, numbers] : results) {
            computed_[name] = &numbers;
        }
    }

    std::map<std::string, promises> all() const;

private:
    bounded exact(const rns_number& x) const
    {
        const real r = to_real(x).with_precision(bits);
        return {r, abs(r)};
    }
    values elements(const vector<host_executor, rns>& x, index_t n, index_t stride) const
    {
        return each(n, [&](index_t i) { return exact(x.get(stride > 0 ? i * stride : (n - 1 - i) * -stride)); });
    }
    /// The numbers that an operation left, which another one took.
    values computed(const std::string& name) const
    {
        values r;
        for (const rns_number& x : *computed_.at(name)) {
            r.push_back(exact(x));
        }
        return r;
    }
    bounded zero() const { return {real(0.0, bits), real(0.0, bits)}; }
    template <class Term>
    bounded sum(index_t n, const Term& term) const
    {
        bounded s = zero();
        for (index_t k = 0; k < n; ++k) {
            s = s + term(k);
        }
        return s;
    }
    template <class F>
    static values each(index_t n, const F& f)
    {
        values r;
        for (index_t i = 0; i < n; ++i) {
            r.push_back(f(i));
        }
        return r;
    }
    template <class F>
    static values entries(index_t m, index_t n, const F& f)
    {
        return each(m * n, [&](index_t i) { return f(i % m, i / m); });
    }
    static bounded largest(const values& v, const bounded& none)
    {
        bounded r = none;
        for (const bounded& x : v) {
            r = r.value < x.value ? x : r;
        }
        return r;
    }
    static bounded root(const bounded& x) { return {sqrt(x.value), sqrt(x.magnitude)}; }

    /// Off by so much of the sum of magnitudes.
    static promises within(const real& factor, const values& v)
    {
        promises r;
        for (const bounded& x : v) {
            r.push_back({x.value, factor * x.magnitude});
        }
        return r;
    }
    promises within_gamma(double k, const values& v) const { return within(gamma(k, d.format), v); }
    promises exactly(const values& v) const { return within(real(0.0), v); }

    /// products + sums, both rounded: off by u |products| + u |result|, and u^2 |products|, which is of second order.
    promises rounded_sum(const values& product, const values& summand) const
    {
        promises r;
        for (std::size_t i = 0; i < product.size(); ++i) {
            const real value = product[i].value + summand[i].value;
            r.push_back({value, u_ * (real(1.0) + u_) * product[i].magnitude + u_ * abs(value)});
        }
        return r;
    }

    const rns_data& d;
    long bits;
    real u_;
    std::map<std::string, const std::vector<rns_number>*> computed_;
};

std::map<std::string, promises> reference::all() const
{
    const auto [m, n, l, xs, ys] = d.shape;
    const values x = elements(d.x, m, xs), y = elements(d.y, m, ys), u = elements(d.u, n, xs), v = elements(d.v, n, ys);
    const bounded alpha = exact(d.alpha), beta = exact(d.beta);
    const auto a = [&](index_t i, index_t j) { return exact(d.a.get(i + 1, j)); };
    const auto b = [&](index_t i, index_t j) { return exact(d.b.get(i, j)); };
    const auto s = [&](index_t i, index_t j) { return exact(d.s.get(i + 1, j)); };
    const auto p = [&](index_t i, index_t j) { return exact(d.p.get(i, j)); };
    const auto q = [&](index_t i, index_t j) { return exact(d.q.get(i, j)); };
    const auto scaled = [&](const bounded& factor, const values& of) {
        return each(static_cast<index_t>(of.size()),
                    [&](index_t i) { return factor * of[static_cast<std::size_t>(i)]; });
    };
    const auto combined = [&](const bounded& f, const values& of_f, const bounded& g, const values& of_g) {
        return each(m, [&](index_t i) { return f * of_f[i] + g * of_g[i]; });
    };
    const values none = values(static_cast<std::size_t>(m), zero());

    std::map<std::string, promises> r;
    r["copy"] = exactly(x);
    r["fill"] = exactly(values(static_cast<std::size_t>(m), alpha));
    r["scal"] = within(u_, scaled(alpha, y));
    r["axpy"] = rounded_sum(scaled(alpha, x), y);
    r["xpay"] = rounded_sum(scaled(alpha, y), x);
    r["waxpby"] = r["rot.first"] = rounded_sum(combined(alpha, x, beta, y), none);
    r["rot"] = rounded_sum(combined(alpha, y, -beta, x), none);
    r["difference"] = rounded_sum(none, each(m, [&](index_t i) { return x[i] + -y[i]; }));
    r["gemv"] = within_gamma(roundings_of_row(n), each(m, [&](index_t i) {
                                 return sum(n, [&](index_t k) { return alpha * a(i, k) * u[k]; }) + beta * y[i];
                             }));
    r["gemv.beta0"] = within_gamma(
        roundings_of_row(n), each(m, [&](index_t i) { return sum(n, [&](index_t k) { return a(i, k) * u[k]; }); }));
    r["gemv_t"] = within_gamma(roundings_of_row(m), each(n, [&](index_t j) {
                                   return sum(m, [&](index_t k) { return alpha * a(k, j) * x[k]; }) + beta * v[j];
                               }));
    for (const bool lower : {true, false}) {
        const auto entry = [&](index_t i, index_t k) { return (k > i) == lower ? s(k, i) : s(i, k); };
        r[lower ? "symv.lower" : "symv.upper"] =
            within_gamma(roundings_of_row(m), each(m, [&](index_t i) {
                             return sum(m, [&](index_t k) { return alpha * entry(i, k) * x[k]; }) + beta * y[i];
                         }));
    }
    r["dot"] = within_gamma(roundings_of_sum(m), {sum(m, [&](index_t i) { return x[i] * y[i]; })});
    r["asum"] = within_gamma(roundings_of_sum(m), {sum(m, [&](index_t i) { return abs(x[i]); })});
    r["norm2"] = within_gamma(roundings_of_sum(m) + 1, {root(sum(m, [&](index_t i) { return x[i] * x[i]; }))});
    r["norm_inf"] = exactly({largest(each(m, [&](index_t i) { return abs(x[i]); }), zero())});
    r["ger"] = within_gamma(3, entries(m, n, [&](index_t i, index_t j) { return alpha * x[i] * v[j] + b(i, j); }));
    r["ge_add"] = r["ge_acc"] =
        within_gamma(2, entries(m, n, [&](index_t i, index_t j) { return alpha * a(i, j) + beta * b(i, j); }));
    r["ge_diag_scale_rows"] = within(u_, entries(m, n, [&](index_t i, index_t j) { return x[i] * b(i, j); }));
    r["ge_diag_scale_cols"] = within(u_, entries(m, n, [&](index_t i, index_t j) { return b(i, j) * v[j]; }));
    r["gemm.tn"] = r["gemm.tt"] = r["gemm.nn"] =
        within_gamma(static_cast<double>(l + 2), entries(m, n, [&](index_t i, index_t j) {
                         return sum(l, [&](index_t k) { return alpha * q(k, i) * p(k, j); }) + beta * b(i, j);
                     }));
    // results are written to rows 0, ..., m - 1 of s, which is read from row 1 on elsewhere
    const auto s0 = [&](index_t i, index_t j) { return exact(d.s.get(i, j)); };
    r["gemm.nt"] =
        within_gamma(static_cast<double>(n + 2), entries(m, m, [&](index_t i, index_t j) {
                         return sum(n, [&](index_t k) { return alpha * a(i, k) * b(j, k); }) + beta * s0(i, j);
                     }));
    const values product = computed("gemm.nt");
    r["ge_acc.t"] = within_gamma(2, entries(m, m, [&](index_t i, index_t j) {
                                     return beta * s(j, i) + alpha * product[static_cast<std::size_t>(i + m * j)];
                                 }));
    r["gemm.nt.wide"] =
        within_gamma(static_cast<double>(n + 2), entries(l, m, [&](index_t i, index_t j) {
                         return sum(n, [&](index_t k) { return alpha * p(i, k) * b(j, k); }) + beta * q(i, j);
                     }));
    const auto column_sum = [&](index_t j) { return sum(m, [&](index_t i) { return abs(a(i, j)); }); };
    const auto row_sum = [&](index_t i) { return sum(n, [&](index_t j) { return abs(a(i, j)); }); };
    const values all_entries = entries(m, n, a);
    const auto count = static_cast<index_t>(all_entries.size());
    const auto entry = [&](index_t i) { return all_entries[static_cast<std::size_t>(i)]; };
    r["ge_norm.one"] = within_gamma(roundings_of_norm(m), {largest(each(n, column_sum), zero())});
    r["ge_norm.infinity"] = within_gamma(roundings_of_norm(n), {largest(each(m, row_sum), zero())});
    r["ge_norm.frobenius"] = within_gamma(roundings_of_norm(m) + blas::detail::ceil_log2(n),
                                          {root(sum(count, [&](index_t i) { return entry(i) * entry(i); }))});
    r["ge_norm.largest"] = exactly({largest(each(count, [&](index_t i) { return abs(entry(i)); }), zero())});
    // every row by itself: the bound depends on its entries
    const auto sparse_rows = [&](const bounded& factor, const bounded& of_y, const auto& value) {
        promises all_rows;
        for (index_t i = 0; i < m; ++i) {
            const index_t first = d.sparse.row_begin()[i];
            const index_t length = d.sparse.row_begin()[i + 1] - first;
            const bounded of_row = sum(length, [&](index_t k) {
                return factor * value(first + k) * u[static_cast<std::size_t>(d.sparse.col()[first + k])];
            });
            all_rows.push_back(within_gamma(static_cast<double>(length + 3), {of_row + of_y * y[i]}).front());
        }
        return all_rows;
    };
    const auto binary64 = [&](index_t k) {
        const real t = real(d.sparse.value().load(k)).with_precision(bits);
        return bounded{t, abs(t)};
    };
    const auto own = [&](index_t k) { return exact(d.sparse_own.value().load(k)); };
    const bounded one{real(1.0, bits), real(1.0, bits)};
    r["spmv.csr.binary64"] = r["spmv.ell.binary64"] = sparse_rows(alpha, beta, binary64);
    r["spmv.csr.rns"] = r["spmv.ell.rns"] = sparse_rows(alpha, beta, own);
    r["spmv.direct"] = sparse_rows(one, zero(), binary64);
    return r;
}

void check(long bits, const rns_shape& shape, biased_random& random)
{
    const rns_data data = random_data(rns_format(bits), shape, random);
    const rns_results computed = every_result(exec, data);
    const std::map<std::string, promises> expected = reference(data, computed).all();
    ASSERT_EQ(computed.size(), expected.size());
    for (const auto& [name, numbers] : computed) {
        SCOPED_TRACE(name + " of " + std::to_string(shape.m) + " x " + std::to_string(shape.n));
        const auto found = expected.find(name);
        ASSERT_NE(found, expected.end());
        ASSERT_EQ(numbers.size(), found->second.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const promise& e = found->second[i];
            ASSERT_TRUE(is_finite(numbers[i]));
            ASSERT_LE(abs(to_real(numbers[i]) - e.value), e.error) << "element " << i;
        }
    }
}

class rns_operations_test : public testing::TestWithParam<long> {};
INSTANTIATE_TEST_SUITE_P(bits, rns_operations_test, testing::Values(53, 106, 159, 424, 1734));

TEST_P(rns_operations_test, stay_within_their_bounds_for_every_shape)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    std::vector<rns_shape> shapes{{0, 0, 0, 1, 1}, {1, 1, 1, 1, 1},  {1, 0, 0, 1, 1},   {0, 3, 2, 1, 2},
                                  {2, 3, 1, 2, 3}, {5, 4, 3, -1, 2}, {17, 3, 2, 1, -2}, {3, 33, 5, 3, 1}};
    if (GetParam() < 1000) {
        shapes.push_back({33, 18, 17, -2, -1});
        shapes.push_back({67, 5, 4, 1, 1});
    }
    if (GetParam() < 200) {
        shapes.push_back({150, 2, 2, 1, 1});
        shapes.push_back({2, 150, 2, 1, 1});
    }
    for (const rns_shape& shape : shapes) {
        check(GetParam(), shape, random);
    }
}

TEST_P(rns_operations_test, give_the_same_bits_for_any_number_of_threads)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const rns_data data = random_data(rns_format(GetParam()), {GetParam() > 500 ? 33 : 100, 20, 9, 1, 1}, random);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const rns_results one = every_result(exec, data);
    omp_set_num_threads(3);
    const rns_results three = every_result(exec, data);
    omp_set_num_threads(before);
    for (std::size_t k = 0; k < one.size(); ++k) {
        for (std::size_t i = 0; i < one[k].second.size(); ++i) {
            ASSERT_EQ(to_real(one[k].second[i]), to_real(three[k].second[i])) << one[k].first;
        }
    }
}

TEST(rns_operations_test, refuse_sizes_and_formats_that_do_not_fit)
{
    const rns_format f(106), g(212);
    const rns_number one(f, 1.0);
    vector<host_executor, rns> x(f, 3), y(f, 4), z(g, 3);
    matrix<host_executor, rns> a(f, 3, 4);
    EXPECT_THROW(blas::axpy<rns>(exec, one, x, y), dimension_error);
    EXPECT_THROW(blas::axpy<rns>(exec, one, x, z), error);
    EXPECT_THROW(blas::dot<rns>(exec, x, y), dimension_error);
    EXPECT_THROW(blas::dot<rns>(exec, x, z), error);
    EXPECT_THROW(blas::gemv<rns>(exec, blas::trans::no, one, a, x, one, y), dimension_error);
    EXPECT_THROW(blas::ger<rns>(exec, one, y, x, a), dimension_error);
    EXPECT_THROW(blas::symv<rns>(exec, blas::uplo::lower, one, a, y, one, x), dimension_error);
    EXPECT_THROW((vector<host_executor, rns>(f, -1)), dimension_error);
    EXPECT_THROW((vector<host_executor, rns>(f, index_t{1} << 58)), resource_error);
    EXPECT_THROW(rns_format(0), unsupported_error);
    EXPECT_THROW(rns_format(rns_format::most_bits + 1), unsupported_error);
    EXPECT_THROW(one + rns_number(g, 1.0), error);
}

TEST(rns_operations_test, let_no_fault_pass_in_silence)
{
    const rns_format f(212);
    vector<host_executor, rns> x(f, 40), y(f, 40);
    const rns_number none = rns_number(f, 1.0) / rns_number(f);
    x.set(37, none);
    EXPECT_FALSE(is_finite(blas::dot<rns>(exec, x, y)));
    EXPECT_FALSE(is_finite(blas::norm_inf<rns>(exec, x)));
    EXPECT_FALSE(is_finite(blas::asum<rns>(exec, x)));
    blas::axpy<rns>(exec, rns_number(f, 1.0), x, y);
    EXPECT_FALSE(is_finite(y.get(37)));
    EXPECT_TRUE(is_finite(y.get(36)));
}

}  // namespace
}  // namespace residua::support
