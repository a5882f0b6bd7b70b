#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/level1/times_i.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;

const host_executor exec;

template <class T>
struct times_i_test : testing::Test {
    biased_random random;
};
TYPED_TEST_SUITE(times_i_test, formats, format_name);

TYPED_TEST(times_i_test, turns_pairs_with_the_signs_of_zeros_and_writes_nothing_else)
{
    using T = TypeParam;
    for (const index_t half : sizes) {
        const index_t n = 2 * half;
        auto x = random_numbers<T>(this->random, n, -900, 900);
        for (std::size_t i = 0; i + 1 < x.size(); i += 6) {
            x[i] = T{-0.0};
            x[i + 1] = T{0.0};
        }
        guarded<T> from(x);
        guarded<T> to(std::vector<T>(x.size(), T{1.0}));

        blas::times_i<T>(exec, from.view(), to.view());

        std::vector<T> turned(x.size());
        for (std::size_t i = 0; i < x.size(); i += 2) {
            turned[i] = -x[i + 1];
            turned[i + 1] = x[i];
        }
        EXPECT_TRUE(same_bits(to.values(), turned)) << "n = " << n;
        EXPECT_TRUE(to.margins_intact()) << "n = " << n;

        blas::conjugate<T>(exec, from.view(), to.view());

        for (std::size_t i = 0; i < x.size(); ++i) {
            turned[i] = i % 2 == 0 ? x[i] : -x[i];
        }
        EXPECT_TRUE(same_bits(to.values(), turned)) << "n = " << n;
        EXPECT_TRUE(to.margins_intact()) << "n = " << n;
        EXPECT_TRUE(same_bits(from.values(), x));
    }
}

TYPED_TEST(times_i_test, refuses_sizes_that_differ_or_are_odd)
{
    using T = TypeParam;
    residua::vector<host_executor, T> three(3), four(4), other(3);

    EXPECT_THROW(blas::times_i<T>(exec, three, four), dimension_error);
    EXPECT_THROW(blas::conjugate<T>(exec, three, four), dimension_error);
    EXPECT_THROW(blas::times_i<T>(exec, three, other), dimension_error);
}

/// times_i in a run-time format of some bits, for elements with this stride.
template <class T>
void expect_turned_pairs(long bits)
{
    using number = typename array_traits<T>::number;
    const typename array_traits<T>::format format(bits);
    for (const index_t half : {0, 1, 16, 33, 700}) {
        for (const index_t stride : {1, 3, -2}) {
            const index_t n = 2 * half;
            const index_t apart = stride < 0 ? -stride : stride;
            residua::vector<host_executor, T> x(format, apart * n + 1), y(format, apart * n + 1);
            const auto every = [&](auto view) {
                view.start = view.start.from(stride < 0 && n > 0 ? apart * (n - 1) : 0);
                view.size = n;
                view.stride = stride;
                return view;
            };
            for (index_t i = 0; i < x.size(); ++i) {
                x.set(i, i % 5 == 0 ? number(format, 0.0)
                                    : number(format, static_cast<double>(i - 7)) / number(format, 3.0));
                y.set(i, number(format, 8.0));
            }
            const auto from = every(x.view());
            const auto to = every(y.view());

            blas::times_i<T>(exec, from, to);

            for (index_t i = 0; i < n; i += 2) {
                EXPECT_EQ(to_real(to.load(i)), -to_real(from.load(i + 1)));
                EXPECT_EQ(to_real(to.load(i + 1)), to_real(from.load(i)));
            }
            blas::conjugate<T>(exec, from, to);
            for (index_t i = 0; i < n; ++i) {
                EXPECT_EQ(to_real(to.load(i)), to_real(i % 2 == 0 ? from.load(i) : -from.load(i)));
            }
            EXPECT_EQ(to_real(y.get(apart * n)), 8.0);
        }
    }
    residua::vector<host_executor, T> three(format, 3), other(format, 3);
    EXPECT_THROW(blas::times_i<T>(exec, three, other), dimension_error);
    const typename array_traits<T>::format longer(bits + 200);
    EXPECT_THROW(blas::times_i<T>(exec, residua::vector<host_executor, T>(format, 4),
                                  residua::vector<host_executor, T>(longer, 4)),
                 error);
}

TEST(times_i_of_run_time_formats, turns_pairs_of_any_stride_exactly)
{
    for (const long bits : {64, 200, 1000}) {
        expect_turned_pairs<multidigit>(bits);
    }
    for (const long bits : {53, 212}) {
        expect_turned_pairs<rns>(bits);
    }
}

TEST(times_i_of_run_time_formats, gives_the_same_wherever_multi_digit_floats_lie_in_their_tiles)
{
    for (const long bits : {64, 100, 200, 4096}) {
        const multidigit_format format(bits);
        for (const auto& [at_x, at_y] : {std::pair(0, 0), {6, 38}, {6, 40}, {2, 5}, {3, 35}}) {
            for (const index_t n : {2, 26, 30, 200}) {
                residua::vector<host_executor, multidigit> x(format, at_x + n), y(format, at_y + n + 1);
                for (index_t i = 0; i < x.size(); ++i) {
                    x.set(i, i % 7 == 0   ? multidigit_number(format, 0.0)
                             : i % 7 == 1 ? multidigit_number(format, std::nan(""))
                             : i % 7 == 2 ? multidigit_number(format, i % 2 == 0 ? HUGE_VAL : -HUGE_VAL)
                                          : multidigit_number(format, static_cast<double>(i % 2 == 0 ? i : -i)));
                }
                for (index_t i = 0; i < y.size(); ++i) {
                    y.set(i, multidigit_number(format, 8.0));
                }
                const auto from = x.view().part(at_x, at_x + n);
                const auto to = y.view().part(at_y, at_y + n);
                const auto expect = [&](index_t i, const multidigit_number& number) {
                    const real wanted = to_real(number), found = to_real(to.load(i));
                    EXPECT_TRUE(wanted == found || (is_nan(wanted) && is_nan(found)))
                        << bits << " " << at_y << " " << i;
                    EXPECT_EQ(to_double(found) == 0.0 && std::signbit(to_double(found)), false);
                };
                blas::times_i<multidigit>(exec, from, to);
                for (index_t i = 0; i < n; ++i) {
                    expect(i, i % 2 == 0 ? -from.load(i + 1) : from.load(i - 1));
                }
                blas::conjugate<multidigit>(exec, from, to);
                for (index_t i = 0; i < n; ++i) {
                    expect(i, i % 2 == 0 ? from.load(i) : -from.load(i));
                }
                for (index_t i = 0; i < at_y; ++i) {
                    EXPECT_EQ(to_real(y.get(i)), 8.0);
                }
                EXPECT_EQ(to_real(y.get(at_y + n)), 8.0);
            }
        }
    }
}

}  // namespace
}  // namespace residua
