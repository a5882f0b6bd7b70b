// Operations of complex vectors against pairs of MPFR numbers of many bits.
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/blas/base/error_bounds.hpp>
#include <residua/solvers/checkpoint/message_archive.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/complex_space.hpp>

#include "tests/blas/rns/bounds.hpp"
#include "tests/support/biased_random.hpp"
#include "tests/support/complex_systems.hpp"

namespace residua {
namespace {

using namespace support;

constexpr long wide_bits = 2400;

real wide(const real& x) { return x.with_precision(wide_bits); }
real wide(double x) { return {x, wide_bits}; }
template <class T>
real wide(const T& x)
{
    return wide(to_real(x));
}
template <class T>
complex_real wide(const complex_number<T>& z)
{
    return {wide(z.real()), wide(z.imag())};
}

/// A space with its unit roundoff and what a dot product of n numbers is off by, in units of that and of the sum of the
/// magnitudes of its products (dot.hpp).
template <class S>
struct on_test {
    S parts;
    real u;
    std::function<double(index_t)> dot_bound;
    double sum_bound;  ///< what one y + a x is off by, to |a x| + |y|
};

template <int N>
auto expansions()
{
    using T = blas::format_of_terms<N>;
    return on_test<host_space<T>>{{},
                                  ldexp(real(1.0, 200), -53 * N),
                                  [](index_t n) { return blas::long_sum_error_bound<N>(n); },
                                  N == 1 ? 2.02 : accumulation_error_bound<std::max(N, 2)>(1.0)};
}

auto multidigits(long bits)
{
    return on_test<multidigit_space<host_executor>>{
        {{}, multidigit_format(bits)},
        ldexp(real(1.0, 200), -bits),
        [](index_t n) { return 1.0 + std::ldexp(static_cast<double>(n), -20); },
        1.0};
}

auto rns_floats(long bits)
{
    const rns_format format(bits);
    return on_test<rns_space<host_executor>>{
        {{}, format}, unit_roundoff(format), [](index_t n) { return 1.01 * static_cast<double>(n); }, 2.02};
}

template <class F>
void for_each_space(const F& f)
{
    f(expansions<1>());
    f(expansions<2>());
    f(expansions<3>());
    f(multidigits(200));
    f(rns_floats(200));
}

template <class S>
std::vector<complex_real> elements(const complex_space<S>& space, const typename S::vector& x)
{
    std::vector<complex_real> all;
    for (index_t k = 0; k < space.size(x); ++k) {
        all.emplace_back(wide(x.get(2 * k)), wide(x.get(2 * k + 1)));
    }
    return all;
}

/// Full numbers of the format, some of them zero.
template <class S>
typename S::vector random_vector(const complex_space<S>& space, index_t n, biased_random& random)
{
    auto x = space.make_vector(n);
    for (index_t i = 0; i < 2 * n; ++i) {
        const auto third = space.real().make_scalar(random.value(-9, 9)) / space.real().make_scalar(3.0);
        x.set(i, random.one_in(12) ? space.real().make_scalar(0.0) : third);
    }
    return x;
}

template <class S>
typename complex_space<S>::scalar third_of(const complex_space<S>& space, double re, double im)
{
    const S& parts = space.real();
    const auto three = parts.make_scalar(3.0);
    return {parts.make_scalar(re) / three, parts.make_scalar(im) / three};
}

/// |x - exact| in units of u times a magnitude.
double units(const real& x, const real& exact, const real& magnitude, const real& u)
{
    const real error = abs(x - exact);
    return error == 0.0 ? 0.0 : to_double(error / (magnitude * u));
}

TEST(complex_space_test, dot_conjugates_its_first_operand_and_keeps_its_bound)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for_each_space([&](const auto& on) {
        const complex_space space(on.parts);
        for (const index_t n : {0, 1, 7, 600}) {
            const auto x = random_vector(space, n, random);
            const auto y = random_vector(space, n, random);
            const auto u = elements(space, x);
            const auto v = elements(space, y);
            complex_real exact(wide(0.0)), magnitude(wide(0.0));
            real square = wide(0.0);
            for (std::size_t k = 0; k < u.size(); ++k) {
                exact += conj(u[k]) * v[k];
                magnitude += complex_real(abs(u[k].real() * v[k].real()) + abs(u[k].imag() * v[k].imag()),
                                          abs(u[k].real() * v[k].imag()) + abs(u[k].imag() * v[k].real()));
                square += norm(u[k]);
            }
            const auto found = wide(space.dot(x, y));
            EXPECT_LE(units(found.real(), exact.real(), magnitude.real(), on.u), on.dot_bound(2 * n)) << n;
            EXPECT_LE(units(found.imag(), exact.imag(), magnitude.imag(), on.u), on.dot_bound(2 * n)) << n;

            const auto of_itself = space.dot(x, x);
            EXPECT_TRUE(of_itself.imag() == space.real().make_scalar(0.0));
            EXPECT_LE(units(wide(of_itself.real()), square, square, on.u), on.dot_bound(2 * n));
            EXPECT_TRUE(space.norm2(x) == space.real().norm2(x));
            EXPECT_TRUE(space.norm2(x) == space.norm2(x, of_itself));
            EXPECT_LE(units(wide(space.norm2(x)), sqrt(square), sqrt(square), on.u), on.dot_bound(2 * n) / 2 + 4.0);
        }
    });
}

TEST(complex_space_test, sums_of_multiples_keep_their_bounds)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    constexpr index_t n = 40;
    for_each_space([&](const auto& on) {
        const complex_space space(on.parts);
        for (const auto& [re, im] : {std::pair(0.7, -1.9), {1.0, 0.0}, {0.0, 1.0}, {-2.0, 3.0}}) {
            const auto a = third_of(space, re, im);
            const auto b = third_of(space, im, 5.0);
            const auto x = random_vector(space, n, random);
            const auto y = random_vector(space, n, random);
            auto axpy = y, xpay = y, scal = y, waxpby = space.make_vector(n);

            space.axpy(a, x, axpy);
            space.xpay(x, a, xpay);
            space.scal(a, scal);
            space.waxpby(a, x, b, y, waxpby);

            const auto u = elements(space, x), v = elements(space, y);
            const complex_real by = wide(a), other = wide(b);
            const real larger = abs(by.real()) + abs(by.imag());
            const real larger_other = abs(other.real()) + abs(other.imag());
            const auto expect = [&](const auto& found, auto exact, auto magnitude, double bound, const char* what) {
                const auto w = elements(space, found);
                for (std::size_t k = 0; k < w.size(); ++k) {
                    const complex_real z = exact(u[k], v[k]);
                    const real m = magnitude(abs(u[k].real()) + abs(u[k].imag()), abs(v[k].real()) + abs(v[k].imag()));
                    EXPECT_LE(units(w[k].real(), z.real(), m, on.u), bound) << what << " " << k;
                    EXPECT_LE(units(w[k].imag(), z.imag(), m, on.u), bound) << what << " " << k;
                }
            };
            expect(
                axpy, [&](const auto& p, const auto& q) { return q + by * p; },
                [&](const real& p, const real& q) { return larger * p + q; }, 2.0 * on.sum_bound, "axpy");
            expect(
                xpay, [&](const auto& p, const auto& q) { return p + by * q; },
                [&](const real& p, const real& q) { return p + larger * q; }, 2.0 * on.sum_bound, "xpay");
            expect(
                scal, [&](const auto&, const auto& q) { return by * q; },
                [&](const real&, const real& q) { return larger * q; }, 2.0 * on.sum_bound + 1.0, "scal");
            expect(
                waxpby, [&](const auto& p, const auto& q) { return by * p + other * q; },
                [&](const real& p, const real& q) { return larger * p + larger_other * q; }, 4.0 * on.sum_bound + 1.0,
                "waxpby");
        }
    });
}

TEST(complex_space_test, fills_and_scales_exactly)
{
    for_each_space([&](const auto& on) {
        const complex_space space(on.parts);
        auto x = space.make_vector(5);
        EXPECT_EQ(space.size(x), 5);
        EXPECT_EQ(x.size(), 10);
        for (const auto& [re, im] : {std::pair(0.0, 0.0), {2.0, 0.0}, {-3.0, 7.0}, {0.0, 1.0}, {4.0, 4.0}}) {
            const auto a = third_of(space, re, im);
            space.fill(a, x);
            for (const complex_real& each : elements(space, x)) {
                EXPECT_TRUE(each == wide(a));
            }
            space.scal(space.make_scalar(0x1p-9), x);
            for (const complex_real& each : elements(space, x)) {
                EXPECT_TRUE(each == ldexp(wide(a), -9));
            }
        }
        x = space.make_vector(std::vector<double>{1.0, 2.0, 3.0, 4.0});
        EXPECT_EQ(space.size(x), 2);
        EXPECT_TRUE(elements(space, x)[1] == complex_real(wide(3.0), wide(4.0)));
    });
}

TEST(complex_space_test, scalars_do_what_numbers_of_the_host_do)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for_each_space([&](const auto& on) {
        const complex_space space(on.parts);
        const auto x = random_vector(space, 50, random);
        const auto y = random_vector(space, 50, random);
        auto s = space.make_scalars(5);

        space.dot(x, y, s, 0);
        space.dot(x, x, s, 1);
        space.divide(s, 0, 1, 2);
        space.divide(s, 1, 4, 3);  // by zero

        const auto read = space.fetched(s, 5);
        ASSERT_EQ(read.size(), 5U);
        EXPECT_TRUE(read[0] == space.dot(x, y));
        EXPECT_TRUE(read[1] == space.dot(x, x));
        EXPECT_TRUE(read[2] == read[0] / read[1]);
        EXPECT_TRUE(read[3] == space.make_scalar(0.0));
        const auto expect_same = [&](const auto& found, const auto& expected) {
            EXPECT_TRUE(elements(space, found) == elements(space, expected));
        };
        for (const index_t i : {0, 1, 2, 3}) {
            auto by_place = y, by_number = y, conjugated = y, by_conjugate = y;
            space.axmy(s, i, x, by_place);
            space.axpy(-read[i], x, by_number);
            space.axmy_conjugate(s, i, x, conjugated);
            space.axpy(-conj(read[i]), x, by_conjugate);
            expect_same(by_place, by_number);
            expect_same(conjugated, by_conjugate);
        }

        space.dot(x, y, s, 1);  // where a square was
        EXPECT_TRUE(space.fetched(s, 2)[1] == read[0]);
        auto bad = x;
        space.real().fill(space.real().make_scalar(std::numeric_limits<double>::quiet_NaN()), bad);
        space.dot(bad, y, s, 4);
        space.divide(s, 0, 4, 3);
        EXPECT_TRUE(space.fetched(s, 4)[3] == space.make_scalar(0.0));
    });
}

TEST(complex_space_test, archives_what_it_has)
{
    biased_random random;
    for_each_space([&](const auto& on) {
        const complex_space space(on.parts);
        auto x = random_vector(space, 9, random);
        auto a = third_of(space, 1.0, -5.0);
        auto norm = space.norm2(x);
        auto s = space.make_scalars(2);
        space.dot(x, x, s, 0);
        space.fill(a, x);
        space.dot(random_vector(space, 9, random), x, s, 1);
        message_writer writer;
        archive_all(writer, space, x, a, norm);
        archive_scalars(writer, space, s, 2);

        auto y = space.make_vector(9);
        auto b = space.make_scalar(0.0);
        auto other = space.real().make_scalar(0.0);
        auto t = space.make_scalars(2);
        message_reader reader(writer.message());
        archive_all(reader, space, y, b, other);
        archive_scalars(reader, space, t, 2);

        EXPECT_TRUE(elements(space, x) == elements(space, y));
        EXPECT_TRUE(a == b && norm == other);
        EXPECT_TRUE(space.fetched(s, 2) == space.fetched(t, 2));
    });
}

}  // namespace
}  // namespace residua
