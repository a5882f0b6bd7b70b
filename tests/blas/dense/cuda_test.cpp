// Every operation of blas/dense on a device gives the words that the host gives.
#include <tuple>

#include <gtest/gtest.h>

#include "tests/blas/dense/every_operation.hpp"
#include "tests/support/on_cuda.hpp"

namespace residua::support {
namespace {

template <class T>
bool same_words(const number_of<T>& x, const number_of<T>& y)
{
    if constexpr (!run_time_format<T>) {
        bool same = true;
        for (int k = 0; k < array_traits<T>::terms; ++k) {
            same = same && to_bits(term(x, k)) == to_bits(term(y, k));
        }
        return same;
    } else {
        const auto& a = x.value();
        const auto& b = y.value();
        bool same = a.exponent == b.exponent && a.negative == b.negative;
        if constexpr (std::is_same_v<T, rns>) {
            for (int k = 0; k < x.format().count(); ++k) {
                same = same && a.digit[k] == b.digit[k];
            }
            return same && a.range.high == b.range.high;
        } else {
            for (int k = 0; k < a.digits; ++k) {
                same = same && a.d[k] == b.d[k];
            }
            return same;
        }
    }
}

template <class T>
void expect_the_words_of_the_host(const cuda_executor& device, const format_of<T>& format)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const auto& [m, n, k] : {std::tuple<index_t, index_t, index_t>{0, 0, 0},
                                  {1, 1, 1},
                                  {3, 0, 2},
                                  {0, 4, 0},
                                  {37, 33, 5},
                                  {4, 70, 2},
                                  {130, 150, 40}}) {
        SCOPED_TRACE(std::to_string(m) + ", " + std::to_string(n) + ", " + std::to_string(k));
        const dense_operands<T> on(format, m, n, k, random);
        const auto right = dense_run<host_executor, T>(host_executor{}, on).results();
        const auto got = dense_run<cuda_executor, T>(device, on).results();
        ASSERT_EQ(right.size(), got.size());
        for (const auto& [name, host] : right) {
            const auto& other = got.at(name);
            index_t different = 0;
            for (index_t j = 0; j < host.cols(); ++j) {
                for (index_t i = 0; i < host.rows(); ++i) {
                    different += same_words<T>(host.get(i, j), other.get(i, j)) ? 0 : 1;
                }
            }
            EXPECT_EQ(different, 0) << name;
        }
    }
}

template <class T>
class dense_cuda_test : public on_cuda<T> {};
using types = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                             expansion<double, 6>, expansion<double, 8>>;
TYPED_TEST_SUITE(dense_cuda_test, types);

}  // namespace

TYPED_TEST(dense_cuda_test, has_the_words_of_the_host) { expect_the_words_of_the_host<TypeParam>(this->device, {}); }

class dense_run_time_formats_cuda_test : public testing::TestWithParam<long> {
protected:
    void SetUp() override
    {
        if (cuda_devices().empty()) {
            GTEST_SKIP() << why_no_cuda_device();
        }
        device = make_cuda_executor();
    }

    cuda_executor device;
};
INSTANTIATE_TEST_SUITE_P(bits, dense_run_time_formats_cuda_test, testing::Values(64, 106, 300, 848));

TEST_P(dense_run_time_formats_cuda_test, multi_digit_floats_have_the_words_of_the_host)
{
    expect_the_words_of_the_host<multidigit>(device, multidigit_format(GetParam()));
}

TEST_P(dense_run_time_formats_cuda_test, rns_floats_have_the_words_of_the_host)
{
    expect_the_words_of_the_host<rns>(device, rns_format(GetParam()));
}

}  // namespace residua::support
