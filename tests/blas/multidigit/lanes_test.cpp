#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/simd.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>

#include "tests/arith/multidigit/multidigit_source.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using numbers = vector<host_executor, multidigit>;
using long_matrix = matrix<host_executor, multidigit>;
const host_executor host;

/// How far apart exponents are.
enum class spread { any, some, none };

/// Operands, and what operations make of them several at a time and one by one.
template <int Digits, int Bits>
class both_ways {
public:
    static constexpr int p = Bits;
    using value = multidigit_float<std::uint64_t, Digits>;

    multidigit_format format{p};
    multidigit_source<std::uint64_t, Digits> source{p};
    biased_random random;

    multidigit_number number(value x, spread s)
    {
        if (s != spread::any) {
            const bool regular = residua::detail::is_regular(x.exponent);
            x.negative = x.negative && regular;
            x.exponent = !regular            ? residua::detail::multidigit_zero_code
                         : s == spread::none ? 0
                                             : random.integer(-40, 40) * (random.one_in(8) ? 9 : 1);
        }
        return {format, residua::detail::widest(x)};
    }

    numbers any(index_t n, spread s)
    {
        numbers x(format, n);
        for (index_t i = 0; i < n; ++i) {
            const auto o = source.next();
            x.set(i, number(random.one_in(2) ? o.x : o.y, s));
        }
        return x;
    }

    long_matrix any(index_t rows, index_t cols, spread s)
    {
        long_matrix a(format, rows, cols);
        for (index_t j = 0; j < cols; ++j) {
            blas::copy<multidigit>(host, any(rows, s), a.view().column(j));
        }
        return a;
    }

    spread any_spread() { return static_cast<spread>(random.integer(0, 2)); }

    /// Whether f(y) leaves the same in y on every instruction set of this host.
    template <class F>
    static ::testing::AssertionResult agree(const numbers& y, const F& f)
    {
        blas::limit_isa(blas::isa::portable);
        numbers one_by_one = y;
        f(one_by_one);
        const index_t words = (y.size() + 31) / 32 * 32 * (y.format().digits() + 1);
        const std::uint32_t* const a = one_by_one.view().start.word;
        for (const blas::isa set : {blas::isa::avx2, blas::isa::avx512}) {
            blas::limit_isa(set);
            if (blas::host_isa() < set || (set == blas::isa::avx512 && !blas::host_has_ifma())) {
                continue;
            }
            numbers together = y;
            f(together);
            const std::uint32_t* const b = together.view().start.word;
            for (index_t k = 0; k < words; ++k) {
                if (a[k] != b[k]) {
                    blas::limit_isa(blas::isa::avx512);
                    return ::testing::AssertionFailure() << (set == blas::isa::avx2 ? "avx2" : "avx512") << ": word "
                                                         << k << ": " << a[k] << " and " << b[k];
                }
            }
        }
        blas::limit_isa(blas::isa::avx512);
        return ::testing::AssertionSuccess();
    }
};

template <int Digits, int Bits>
struct size {
    static constexpr int digits = Digits;
    static constexpr int bits = Bits;
};

}  // namespace

template <class Size>
struct multidigit_lanes_test : ::testing::Test, both_ways<Size::digits, Size::bits> {
    void SetUp() override
    {
        if (blas::host_isa() < blas::isa::avx2) {
            GTEST_SKIP() << "no AVX2";
        }
    }

    std::string trace() const { return this->source.trace() + " " + this->random.trace(); }
    std::int64_t times(std::int64_t n) const { return scaled(n / (1 + Size::bits / 200)); }
};
using sizes = ::testing::Types<size<1, 64>, size<2, 114>, size<2, 115>, size<3, 136>, size<3, 137>, size<4, 212>,
                               size<5, 270>, size<5, 319>, size<6, 374>, size<7, 424>, size<8, 512>, size<14, 848>,
                               size<27, 1696>, size<64, 4096>>;
TYPED_TEST_SUITE(multidigit_lanes_test, sizes);

TYPED_TEST(multidigit_lanes_test, elements_are_the_same_several_at_a_time)
{
    SCOPED_TRACE(this->trace());
    for (std::int64_t r = this->times(8000); r > 0; --r) {
        const int n = this->random.integer(1, 17);
        const spread s = this->random.one_in(2) ? spread::any : this->any_spread();
        const auto which = this->random.integer(0, n - 1);
        numbers x(this->format, n), y(this->format, n);
        multidigit_number a(this->format), b = this->number(this->source.next().x, s);
        for (int i = 0; i < n; ++i) {
            const auto o = this->source.next();
            a = i == which ? this->number(o.x, s) : a;
            x.set(i, this->number(o.y, s));
            y.set(i, this->number(o.z, s));
        }
        const multidigit_number one(this->format, 1.0);
        const int k = this->random.integer(-60, 60) * (this->random.one_in(4) ? 30000000 : 1);
        a = this->random.one_in(4) ? (this->random.one_in(2) ? one : -one) : a;
        a = this->random.one_in(4) ? ldexp(this->random.one_in(2) ? one : -one, k) : a;
        b = this->random.one_in(2) ? (this->random.one_in(2) ? one : -one) : b;
        ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::axpy<multidigit>(host, a, x, w); })) << r;
        ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::xpay<multidigit>(host, x, a, w); })) << r;
        ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::scal<multidigit>(host, a, w); })) << r;
        ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::waxpby<multidigit>(host, b, x, a, w, w); })) << r;
    }
}

TYPED_TEST(multidigit_lanes_test, parts_of_vectors_are_the_same_several_at_a_time)
{
    SCOPED_TRACE(this->trace());
    for (std::int64_t r = this->times(2000); r > 0; --r) {
        const index_t n = this->random.integer(1, 70);
        const index_t begin = this->random.integer(0, 40);
        const index_t further = this->random.one_in(4) ? 1 : 4 * this->random.integer(0, 4);  // lies alike, or not
        const spread s = this->any_spread();
        const numbers x = this->any(begin + further + n, s), y = this->any(begin + n + 9, s);
        const multidigit_number a = this->number(this->source.next().x, s);
        const auto from = x.view().part(begin + further, begin + further + n);
        ASSERT_TRUE(this->agree(y, [&](numbers& w) {
            blas::axpy<multidigit>(host, a, from, w.view().part(begin, begin + n));
        })) << r;
        ASSERT_TRUE(this->agree(y, [&](numbers& w) {
            blas::scal<multidigit>(host, a, w.view().part(begin, begin + n));
        })) << r;
    }
}

TYPED_TEST(multidigit_lanes_test, long_sums_are_the_same_several_at_a_time)
{
    SCOPED_TRACE(this->trace());
    const numbers zero(this->format, 1);
    for (std::int64_t r = this->times(200); r > 0; --r) {
        const index_t n = this->random.one_in(8) ? this->random.integer(500, 4200) : this->random.integer(0, 300);
        const spread s = this->any_spread();
        numbers x(this->format, n), y(this->format, n);
        const bool cancels = this->random.one_in(2);  // all but what is cut off
        for (index_t i = 0; i < n; ++i) {
            const auto o = this->source.next();
            const index_t earlier = i - n / 2;
            x.set(i, cancels && earlier >= 0 ? x.get(earlier) : this->number(o.x, s));
            y.set(i, cancels && earlier >= 0 ? -y.get(earlier) : this->number(o.y, s));
        }
        ASSERT_TRUE(this->agree(zero, [&](numbers& w) { w.set(0, blas::dot<multidigit>(host, x, y)); })) << r;
        ASSERT_TRUE(this->agree(zero, [&](numbers& w) { w.set(0, blas::asum<multidigit>(host, x)); })) << r;
    }
}

TYPED_TEST(multidigit_lanes_test, dense_products_are_the_same_several_at_a_time)
{
    SCOPED_TRACE(this->trace());
    for (std::int64_t r = this->times(30); r > 0; --r) {
        const spread s = this->any_spread();
        const index_t m = this->random.integer(1, 40), l = this->random.integer(0, 70);
        const long_matrix a = this->any(m, l, s), b = this->any(l, 3, s);
        const numbers x = this->any(l, s), y = this->any(m, s);
        const multidigit_number alpha(this->format, 3.0), beta(this->format, this->random.one_in(2) ? 0.0 : -5.0);
        ASSERT_TRUE(this->agree(y, [&](numbers& w) {
            blas::gemv<multidigit>(host, blas::trans::no, alpha, a, x, beta, w);
        })) << r;
        ASSERT_TRUE(this->agree(x, [&](numbers& w) {
            blas::gemv<multidigit>(host, blas::trans::yes, alpha, a, y, beta, w);
        })) << r;
        for (index_t j = 0; j < 3; ++j) {
            ASSERT_TRUE(this->agree(y, [&](numbers& w) {
                long_matrix c(this->format, m, 3);
                blas::gemm<multidigit>(host, blas::trans::no, blas::trans::no, alpha, a, b, beta, c);
                blas::copy<multidigit>(host, c.view().column(j), w);
            })) << r;
        }
        // rows of A and results that do not lie in order
        const matrix_view<host_executor, const multidigit> part = a.view().block(0, 0, m, l);
        const vector_view<host_executor, const multidigit> backwards{x.view().start.from(l - 1), l, -1, this->format};
        ASSERT_TRUE(this->agree(y, [&](numbers& w) {
            const vector_view<host_executor, multidigit> up{w.view().start.from(m - 1), m, -1, this->format};
            blas::gemv<multidigit>(host, blas::trans::no, alpha, part, l > 0 ? backwards : x.view(), beta, up);
        })) << r;
    }
}

TYPED_TEST(multidigit_lanes_test, sparse_products_are_the_same_several_at_a_time)
{
    SCOPED_TRACE(this->trace());
    for (std::int64_t r = this->times(60); r > 0; --r) {
        const spread s = this->any_spread();
        const index_t m = this->random.integer(1, 70), n = this->random.integer(1, 50);
        std::vector<index_t> begin{0};
        std::vector<column_t> col;
        for (index_t i = 0; i < m; ++i) {
            const int most = this->random.integer(0, 6);
            for (index_t j = 0; j < n; ++j) {
                if (this->random.integer(1, 10) <= most) {
                    col.push_back(static_cast<column_t>(j));
                }
            }
            begin.push_back(static_cast<index_t>(col.size()));
        }
        csr<host_executor, double> a(m, n, begin.back());
        csr<host_executor, multidigit> wide(m, n, this->any(begin.back(), s));
        std::copy(begin.begin(), begin.end(), a.row_begin().data());
        std::copy(begin.begin(), begin.end(), wide.row_begin().data());
        std::copy(col.begin(), col.end(), a.col().data());
        std::copy(col.begin(), col.end(), wide.col().data());
        for (index_t k = 0; k < begin.back(); ++k) {
            const double d = this->source.next().d;
            a.value().data()[k] = s == spread::any || std::isfinite(d) ? d : 1.0;
        }
        const numbers x = this->any(n, s), y = this->any(m, s);
        const multidigit_number one(this->format, 1.0), beta(this->format, this->random.one_in(2) ? 0.0 : -1.0);
        ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::spmv<multidigit>(host, one, a, x, beta, w); })) << r;
        ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::spmv<multidigit>(host, one, wide, x, beta, w); })) << r;
        const sliced_ell<host_executor, double> slices(a);
        const sliced_ell<host_executor, multidigit> wide_slices(wide);
        ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::spmv<multidigit>(host, one, slices, x, beta, w); })) << r;
        ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::spmv<multidigit>(host, one, wide_slices, x, beta, w); }))
            << r;
    }
}

TYPED_TEST(multidigit_lanes_test, rows_of_thousands_of_terms_of_one_sign_are_the_same)
{
    SCOPED_TRACE(this->trace());
    const index_t n = 6000;  // fill 64-bit lanes with digits below 2^52, unless carried in time
    const numbers y(this->format, 3);
    numbers x = this->any(n, spread::none);
    csr<host_executor, double> a(3, n, 2 * n);
    for (index_t i = 0; i < n; ++i) {
        x.set(i, abs(x.get(i)));
        a.col()[static_cast<std::size_t>(i)] = a.col()[static_cast<std::size_t>(n + i)] = static_cast<column_t>(i);
        a.value().data()[i] = 1.0 / 3.0;
        a.value().data()[n + i] = 3.0;
    }
    a.row_begin()[0] = a.row_begin()[1] = 0;
    a.row_begin()[2] = n;
    a.row_begin()[3] = 2 * n;
    const multidigit_number one(this->format, 1.0), zero(this->format);
    ASSERT_TRUE(this->agree(y, [&](numbers& w) { blas::spmv<multidigit>(host, one, a, x, zero, w); }));
}
