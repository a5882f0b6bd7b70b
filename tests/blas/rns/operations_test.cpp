// Every operation on RNS floats against MPFR, with the bounds of their contracts: gamma_k times the sum of
// magnitudes, k the
// roundings on the longest way to a result.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/base/parallel.hpp>

#include "tests/blas/rns/every_operation.hpp"
#include "tests/support/scale.hpp"

namespace residua::support {
namespace {

const host_executor exec;

/// A value, the sum of the magnitudes it is made of, and the roundings that one of them may have passed.
struct bounded {
    real value, magnitude;
    int roundings = 0;
};

bounded operator+(const bounded& a, const bounded& b)
{
    return {a.value + b.value, a.magnitude + b.magnitude, std::max(a.roundings, b.roundings) + 1};
}
bounded operator*(const bounded& a, const bounded& b)
{
    return {a.value * b.value, a.magnitude * b.magnitude, a.roundings + b.roundings + 1};
}
bounded operator-(const bounded& a) { return {-a.value, a.magnitude, a.roundings}; }
bounded abs(const bounded& a) { return {abs(a.value), a.magnitude, a.roundings}; }

using values = std::vector<bounded>;

class reference {
public:
    explicit reference(const rns_data& data) : d(data), bits(8 * data.format.precision_bits() + 2000) {}

    std::map<std::string, values> all() const;

private:
    bounded exact(const rns_number& x) const
    {
        const real r = to_real(x).with_precision(bits);
        return {r, abs(r), 0};
    }
    values elements(const vector<host_executor, rns>& x, index_t n, index_t stride) const
    {
        values r;
        for (index_t i = 0; i < n; ++i) {
            r.push_back(exact(x.get(stride > 0 ? i * stride : (n - 1 - i) * -stride)));
        }
        return r;
    }
    bounded zero() const { return {real(0.0, bits), real(0.0, bits), 0}; }
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
    static bounded root(const bounded& x) { return {sqrt(x.value), sqrt(x.magnitude), x.roundings + 1}; }

    const rns_data& d;
    long bits;
};

std::map<std::string, values> reference::all() const
{
    const auto [m, n, l, xs, ys] = d.shape;
    const values x = elements(d.x, m, xs), y = elements(d.y, m, ys), u = elements(d.u, n, xs), v = elements(d.v, n, ys);
    const bounded alpha = exact(d.alpha), beta = exact(d.beta);
    const auto a = [&](index_t i, index_t j) { return exact(d.a.get(i + 1, j)); };
    const auto b = [&](index_t i, index_t j) { return exact(d.b.get(i, j)); };
    const auto s = [&](index_t i, index_t j) { return exact(d.s.get(i + 1, j)); };
    const auto p = [&](index_t i, index_t j) { return exact(d.p.get(i, j)); };
    const auto q = [&](index_t i, index_t j) { return exact(d.q.get(i, j)); };

    std::map<std::string, values> r;
    r["copy"] = x;
    r["fill"] = values(static_cast<std::size_t>(m), alpha);
    r["scal"] = each(m, [&](index_t i) { return alpha * y[i]; });
    r["axpy"] = each(m, [&](index_t i) { return alpha * x[i] + y[i]; });
    r["xpay"] = each(m, [&](index_t i) { return x[i] + alpha * y[i]; });
    r["waxpby"] = each(m, [&](index_t i) { return alpha * x[i] + beta * y[i]; });
    r["difference"] = each(m, [&](index_t i) { return x[i] + -y[i]; });
    r["axpy_dot"] = each(m, [&](index_t i) { return -alpha * x[i] + y[i]; });
    r["axpy_dot.product"] = {sum(m, [&](index_t i) { return (-alpha * x[i] + y[i]) * x[i]; })};
    r["rot.first"] = each(m, [&](index_t i) { return alpha * x[i] + beta * y[i]; });
    r["rot"] = each(m, [&](index_t i) { return alpha * y[i] + -beta * x[i]; });
    const auto row = [&](index_t i) { return sum(n, [&](index_t k) { return a(i, k) * (alpha * u[k]); }); };
    r["gemv"] = each(m, [&](index_t i) { return row(i) + beta * y[i]; });
    r["gemv.beta0"] = each(m, [&](index_t i) { return sum(n, [&](index_t k) { return a(i, k) * u[k]; }); });
    r["gemv_t"] =
        each(n, [&](index_t j) { return sum(m, [&](index_t k) { return a(k, j) * (alpha * x[k]); }) + beta * v[j]; });
    for (const bool lower : {true, false}) {
        r[lower ? "symv.lower" : "symv.upper"] = each(m, [&](index_t i) {
            return sum(m, [&](index_t k) { return ((k > i) == lower ? s(k, i) : s(i, k)) * (alpha * x[k]); }) +
                   beta * y[i];
        });
    }
    r["dot"] = {sum(m, [&](index_t i) { return x[i] * y[i]; })};
    r["asum"] = {sum(m, [&](index_t i) { return abs(x[i]); })};
    r["norm2"] = {root(sum(m, [&](index_t i) { return x[i] * x[i]; }))};
    r["norm_inf"] = {largest(each(m, [&](index_t i) { return abs(x[i]); }), zero())};
    r["ger"] = entries(m, n, [&](index_t i, index_t j) { return x[i] * (alpha * v[j]) + b(i, j); });
    r["ge_add"] = r["ge_acc"] = entries(m, n, [&](index_t i, index_t j) { return alpha * a(i, j) + beta * b(i, j); });
    r["ge_diag_scale_rows"] = entries(m, n, [&](index_t i, index_t j) { return x[i] * b(i, j); });
    r["ge_diag_scale_cols"] = entries(m, n, [&](index_t i, index_t j) { return b(i, j) * v[j]; });
    r["ge_lrscale"] = entries(m, n, [&](index_t i, index_t j) { return x[i] * b(i, j) * v[j]; });
    r["gemm.tn"] = r["gemm.tt"] = r["gemm.nn"] = entries(m, n, [&](index_t i, index_t j) {
        return sum(l, [&](index_t k) { return q(k, i) * (alpha * p(k, j)); }) + beta * b(i, j);
    });
    // results are written to rows 0, ..., m - 1 of s, which is read from row 1 on elsewhere
    const auto s0 = [&](index_t i, index_t j) { return exact(d.s.get(i, j)); };
    r["gemm.nt"] = entries(m, m, [&](index_t i, index_t j) {
        return sum(n, [&](index_t k) { return a(i, k) * (alpha * b(j, k)); }) + beta * s0(i, j);
    });
    r["ge_acc.t"] = entries(m, m, [&](index_t i, index_t j) {
        return beta * s(j, i) + alpha * r["gemm.nt"][static_cast<std::size_t>(i + m * j)];
    });
    r["gemm.nt.wide"] = entries(l, m, [&](index_t i, index_t j) {
        return sum(n, [&](index_t k) { return p(i, k) * (alpha * b(j, k)); }) + beta * q(i, j);
    });
    const auto column_sum = [&](index_t j) { return sum(m, [&](index_t i) { return abs(a(i, j)); }); };
    const auto row_sum = [&](index_t i) { return sum(n, [&](index_t j) { return abs(a(i, j)); }); };
    const values all_entries = entries(m, n, a);
    const auto count = static_cast<index_t>(all_entries.size());
    const auto entry = [&](index_t i) { return all_entries[static_cast<std::size_t>(i)]; };
    r["ge_norm.one"] = {largest(each(n, column_sum), zero())};
    r["ge_norm.infinity"] = {largest(each(m, row_sum), zero())};
    r["ge_norm.frobenius"] = {root(sum(count, [&](index_t i) { return entry(i) * entry(i); }))};
    r["ge_norm.largest"] = {largest(each(count, [&](index_t i) { return abs(entry(i)); }), zero())};
    const auto sparse_row = [&](index_t i, const auto& value) {
        bounded t = zero();
        for (index_t k = d.sparse.row_begin()[i]; k < d.sparse.row_begin()[i + 1]; ++k) {
            t = t + value(k) * u[static_cast<std::size_t>(d.sparse.col()[k])];
        }
        return t;
    };
    const auto binary64 = [&](index_t k) {
        const real t = real(d.sparse.value().load(k)).with_precision(bits);
        return bounded{t, abs(t), 0};
    };
    const auto own = [&](index_t k) { return exact(d.sparse_own.value().load(k)); };
    r["spmv.csr.binary64"] = r["spmv.ell.binary64"] =
        each(m, [&](index_t i) { return beta * y[i] + alpha * sparse_row(i, binary64); });
    r["spmv.csr.rns"] = r["spmv.ell.rns"] =
        each(m, [&](index_t i) { return beta * y[i] + alpha * sparse_row(i, own); });
    r["spmv.direct"] = each(m, [&](index_t i) { return sparse_row(i, binary64); });
    return r;
}

/// gamma_k for u = 4 / sqrt(M) >= 2^-p
real gamma(int k, const rns_format& format)
{
    real m(1.0, 64);
    for (int i = 0; i < format.count(); ++i) {
        m *= real(static_cast<double>(format.set().moduli[i].m));
    }
    const real ku = real(4.0) / sqrt(m) * real(static_cast<double>(k));
    return ku / (real(1.0) - ku);
}

void check(long bits, const rns_shape& shape, biased_random& random)
{
    const rns_data data = random_data(rns_format(bits), shape, random);
    const rns_results computed = every_result(exec, data);
    const std::map<std::string, values> expected = reference(data).all();
    ASSERT_EQ(computed.size(), expected.size());
    for (const auto& [name, numbers] : computed) {
        SCOPED_TRACE(name + " of " + std::to_string(shape.m) + " x " + std::to_string(shape.n));
        const auto found = expected.find(name);
        ASSERT_NE(found, expected.end());
        ASSERT_EQ(numbers.size(), found->second.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const bounded& e = found->second[i];
            ASSERT_TRUE(is_finite(numbers[i]));
            const real error = abs(to_real(numbers[i]) - e.value);
            ASSERT_LE(error, gamma(e.roundings, data.format) * e.magnitude) << "element " << i;
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
    EXPECT_THROW(blas::axpy<host_executor>(exec, one, x, y), dimension_error);
    EXPECT_THROW(blas::axpy<host_executor>(exec, one, x, z), error);
    EXPECT_THROW(blas::dot<host_executor>(exec, x, y), dimension_error);
    EXPECT_THROW(blas::dot<host_executor>(exec, x, z), error);
    EXPECT_THROW(blas::gemv<host_executor>(exec, blas::trans::no, one, a, x, one, y), dimension_error);
    EXPECT_THROW(blas::ger<host_executor>(exec, one, y, x, a), dimension_error);
    EXPECT_THROW(blas::symv<host_executor>(exec, blas::uplo::lower, one, a, y, one, x), dimension_error);
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
    EXPECT_FALSE(is_finite(blas::dot<host_executor>(exec, x, y)));
    EXPECT_FALSE(is_finite(blas::norm_inf<host_executor>(exec, x)));
    EXPECT_FALSE(is_finite(blas::asum<host_executor>(exec, x)));
    blas::axpy<host_executor>(exec, rns_number(f, 1.0), x, y);
    EXPECT_FALSE(is_finite(y.get(37)));
    EXPECT_TRUE(is_finite(y.get(36)));
}

}  // namespace
}  // namespace residua::support
