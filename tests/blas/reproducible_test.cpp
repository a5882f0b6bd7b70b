#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/blas/sparse/trsv.hpp>
#include <tests/blas/formats.hpp>

namespace residua {
namespace {

using namespace support;
using blas::isa;

const host_executor exec;

/// One answer for any instruction set and any number of threads, and the answer that the
/// definition of the order gives when it is written down in the plainest way.
template <class T>
class reproducible_test : public testing::Test {
public:
    using acc = blas::detail::accumulator_of<T>;
    biased_random random;

    ~reproducible_test() override
    {
        blas::limit_isa(isa::avx512);
        omp_set_num_threads(threads_);
    }

    /// Calls f on each instruction set and with 1 to 4 threads: the same bits every time.
    void expect_one_answer(const std::string& what, const std::function<std::vector<T>()>& f)
    {
        blas::limit_isa(isa::portable);
        omp_set_num_threads(1);
        const std::vector<T> expected = f();
        for (const auto& [set, threads] : {std::pair{isa::portable, 3},
                                           {isa::avx2, 1},
                                           {isa::avx2, 2},
                                           {isa::avx512, 1},
                                           {isa::avx512, 2},
                                           {isa::avx512, 3},
                                           {isa::avx512, 4}}) {
            blas::limit_isa(set);
            omp_set_num_threads(threads);
            EXPECT_TRUE(same_bits(f(), expected))
                << what << ", instruction set " << static_cast<int>(blas::host_isa()) << ", " << threads << " threads";
        }
    }

    static acc merged(acc left, const acc& right)
    {
        left.merge(right);
        return left;
    }

    static acc merged_pairwise(std::vector<acc> sums)
    {
        while (sums.size() > 1) {
            std::vector<acc> next;
            for (std::size_t i = 0; i + 1 < sums.size(); i += 2) {
                next.push_back(merged(sums[i], sums[i + 1]));
            }
            if (sums.size() % 2 == 1) {
                next.push_back(sums.back());
            }
            sums = next;
        }
        return sums.empty() ? acc{} : sums[0];
    }

    /// Products in turn, renormalised after each period and, if so wanted, at the end.
    template <class V>
    static acc chain(const std::vector<V>& a, const std::vector<T>& x, bool renormalizes_at_the_end)
    {
        acc sum;
        for (std::size_t i = 0; i < a.size(); ++i) {
            blas::detail::add_product(sum, a[i], x[i]);
            const bool full = (i + 1) % blas::detail::renormalization_period<T> == 0;
            if (full || (renormalizes_at_the_end && i + 1 == a.size())) {
                blas::detail::renormalize(sum);
            }
        }
        return sum;
    }

    /// reduction_order.hpp for a long sum.
    template <class V>
    static T plain_long_sum(const std::vector<V>& a, const std::vector<T>& x)
    {
        std::vector<acc> blocks;
        for (std::size_t begin = 0; begin < a.size(); begin += reduction_block) {
            const std::size_t end = std::min<std::size_t>(a.size(), begin + reduction_block);
            const std::size_t steps = (end - begin + reduction_lanes - 1) / reduction_lanes;
            std::vector<acc> lanes(reduction_lanes);
            for (std::size_t l = 0; l < lanes.size(); ++l) {
                std::vector<V> p;
                std::vector<T> q;
                for (std::size_t s = 0; s < steps; ++s) {
                    const std::size_t i = begin + s * reduction_lanes + l;
                    p.push_back(i < end ? a[i] : V{0.0});
                    q.push_back(i < end ? x[i] : T{0.0});
                }
                lanes[l] = chain(p, q, true);
            }
            for (std::size_t half = lanes.size() / 2; half > 0; half /= 2) {
                for (std::size_t l = 0; l < half; ++l) {
                    lanes[l].merge(lanes[l + half]);
                }
            }
            blocks.push_back(lanes[0]);
        }
        return merged_pairwise(blocks).result();
    }

    /// reduction_order.hpp for a row of gemv.
    template <class V>
    static T plain_dense_row(const std::vector<V>& a, const std::vector<T>& x)
    {
        std::vector<acc> chunks;
        for (std::size_t begin = 0; begin < a.size(); begin += gemv_chunk) {
            const auto end = static_cast<std::ptrdiff_t>(std::min<std::size_t>(a.size(), begin + gemv_chunk));
            const auto first = static_cast<std::ptrdiff_t>(begin);
            chunks.push_back(chain(std::vector<V>(a.begin() + first, a.begin() + end),
                                   std::vector<T>(x.begin() + first, x.begin() + end), true));
        }
        return merged_pairwise(chunks).result();
    }

private:
    int threads_ = omp_get_max_threads();
};
using reproducible_formats = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                                            expansion<double, 6>, expansion<double, 8>>;
TYPED_TEST_SUITE(reproducible_test, reproducible_formats, format_name);

TYPED_TEST(reproducible_test, long_sums)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {0, 1, 31, 32, 33, 255, 257, 511, 513, 4095, 4097, 9001, 40000}) {
        if (n * terms_of<T> * terms_of<T> > 160000) {
            continue;
        }
        const auto x = random_numbers<T>(this->random, n, -40, 40);
        const auto y = random_numbers<T>(this->random, n, -40, 40);
        const auto vx = make_vector<T>(x);
        const auto vy = make_vector<T>(y);
        const std::string size = ", n = " + std::to_string(n);

        this->expect_one_answer("dot" + size, [&] { return std::vector<T>{blas::dot<T>(exec, vx, vy)}; });
        this->expect_one_answer("asum, norms" + size, [&] {
            return std::vector<T>{blas::asum<T>(exec, vx), blas::norm2<T>(exec, vx), blas::norm_inf<T>(exec, vx)};
        });
        EXPECT_TRUE(same_bits(blas::dot<T>(exec, vx, vy), this->plain_long_sum(x, y))) << size;
    }
}

/// Sizes that each operation gives to several threads: the other tests stay below that for short formats.
TYPED_TEST(reproducible_test, work_that_takes_threads)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const double products = 1.5 * blas::detail::serial_operations / blas::detail::multiply_add_operations<T>;
    const index_t n = std::max<index_t>(static_cast<index_t>(products), 20 * reduction_block) + 3;
    const auto x = make_vector<T>(random_numbers<T>(this->random, n, -40, 40));
    const auto y = make_vector<T>(random_numbers<T>(this->random, n, -40, 40));
    ASSERT_GT(static_cast<double>(n) * blas::detail::multiply_add_operations<T>, blas::detail::serial_operations);

    this->expect_one_answer("dot, asum, norm2", [&] {
        return std::vector<T>{blas::dot<T>(exec, x, y), blas::asum<T>(exec, x), blas::norm2<T>(exec, x)};
    });
    this->expect_one_answer("axpy", [&] {
        auto z = y;
        blas::axpy(exec, T{3.0}, x, z.view());
        return numbers<T>(z);
    });

    const auto tall = random_matrix<double>(this->random, n, 3, -9, 9);  // threads share each column
    const auto start = make_vector<T>(std::vector<T>(3, T{1.0}));
    this->expect_one_answer("gemv_t of few long columns", [&] {
        auto z = start;
        blas::gemv<T>(exec, blas::trans::yes, T{1.0}, tall, x, T{1.0}, z.view());
        return numbers<T>(z);
    });
    this->expect_one_answer("gemv", [&] {
        auto z = y;
        blas::gemv<T>(exec, blas::trans::no, T{1.0}, tall, start, T{1.0}, z.view());
        return numbers<T>(z);
    });
}

TYPED_TEST(reproducible_test, elementwise_operations)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const index_t n : {1, 17, 1000, 20011}) {
        if (n * terms_of<T> * terms_of<T> > 160000) {
            continue;
        }
        const auto x = make_vector<T>(random_numbers<T>(this->random, n, -40, 40));
        const auto y = make_vector<T>(random_numbers<T>(this->random, n, -40, 40));
        const T a = this->random.template number<T>(-3, 3);
        const T b = this->random.template number<T>(-3, 3);

        this->expect_one_answer("axpy, waxpby, xpay, scal", [&] {
            auto z = y;
            blas::axpy(exec, a, x, z.view());
            blas::waxpby(exec, a, z, b, x, z.view());
            blas::xpay(exec, x, b, z.view());
            blas::scal(exec, a, z.view());
            return numbers<T>(z);
        });
    }
}

TYPED_TEST(reproducible_test, dense_matrices)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    for (const auto& [m, n] : {std::pair{1, 1}, {33, 66}, {70, 200}, {150, 131}}) {
        if (m > 100 && terms_of<T> > 4) {
            continue;
        }
        const auto a = random_matrix<double>(this->random, m, n, -9, 9);
        const auto own = random_matrix<T>(this->random, m, n, -9, 9);
        const auto x = random_numbers<T>(this->random, n, -40, 40);
        const auto y = random_numbers<T>(this->random, m, -40, 40);
        const auto vx = make_vector<T>(x);
        const auto vy = make_vector<T>(y);
        const T alpha = this->random.template number<T>(-3, 3);

        this->expect_one_answer("gemv", [&] {
            auto z = vy;
            blas::gemv<T>(exec, blas::trans::no, alpha, a, vx, alpha, z.view());
            blas::gemv<T>(exec, blas::trans::no, alpha, own, vx, alpha, z.view());
            return numbers<T>(z);
        });
        this->expect_one_answer("gemv_t", [&] {
            auto z = vx;
            blas::gemv<T>(exec, blas::trans::yes, alpha, a, vy, alpha, z.view());
            blas::gemv<T>(exec, blas::trans::yes, alpha, own, vy, alpha, z.view());
            return numbers<T>(z);
        });
        this->expect_one_answer("ger", [&] {
            auto z = own;
            blas::ger<T>(exec, alpha, vy, vx, z.view());
            std::vector<T> all;
            for (index_t j = 0; j < n; ++j) {
                const auto column = numbers<T>(z.view().column(j));
                all.insert(all.end(), column.begin(), column.end());
            }
            return all;
        });

        residua::vector<host_executor, T> row_sums(m);
        residua::vector<host_executor, T> column_sums(n);
        blas::gemv<T>(exec, blas::trans::no, T{1.0}, own, vx, T{0.0}, row_sums.view());
        blas::gemv<T>(exec, blas::trans::yes, T{1.0}, a, vy, T{0.0}, column_sums.view());
        for (index_t i = 0; i < m; ++i) {
            std::vector<T> row;
            for (index_t j = 0; j < n; ++j) {
                row.push_back(own.get(i, j));
            }
            EXPECT_TRUE(same_bits(row_sums.get(i), this->plain_dense_row(row, x))) << i;
        }
        for (index_t j = 0; j < n; ++j) {
            EXPECT_TRUE(same_bits(column_sums.get(j), this->plain_long_sum(numbers<double>(a.view().column(j)), y)))
                << j;
        }
    }
}

TYPED_TEST(reproducible_test, triangles)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    const auto a = random_matrix<double>(this->random, 70, 70, -9, -8);
    const auto own = random_matrix<T>(this->random, 70, 70, -9, -8);
    const auto b = make_vector<T>(random_numbers<T>(this->random, 70, -4, 4));

    this->expect_one_answer("trsv", [&] {
        auto x = b;
        for (const blas::uplo triangle : {blas::uplo::lower, blas::uplo::upper}) {
            blas::trsv<T>(exec, triangle, blas::trans::no, blas::diag::unit, a, x, x.view());
            blas::trsv<T>(exec, triangle, blas::trans::yes, blas::diag::unit, a, x, x.view());
            blas::trsv<T>(exec, triangle, blas::trans::no, blas::diag::unit, own, x, x.view());
            blas::trsv<T>(exec, triangle, blas::trans::yes, blas::diag::unit, own, x, x.view());
        }
        return numbers<T>(x);
    });
}

TYPED_TEST(reproducible_test, sparse_matrices)
{
    using T = TypeParam;
    SCOPED_TRACE(this->random.trace());
    io::coo<double> entries{700, 700, {}, {}, {}};
    for (index_t i = 0; i < 700; ++i) {
        const int length = this->random.one_in(50) ? 600 : this->random.integer(0, 9);
        for (index_t j = i % 7; j < 700; j += std::max(1, 700 / (length + 1))) {
            entries.row.push_back(i);
            entries.col.push_back(j);
            entries.value.push_back(this->random.value(-9, -8));
        }
    }
    const auto a = csr_from_coo(entries);
    const auto own = csr_from_coo<T>(entries, [](double v) { return T{v} / 3.0; });
    const sliced_ell<host_executor, double> sliced(a);
    const sliced_ell<host_executor, T> own_sliced(own);
    const auto x = random_numbers<T>(this->random, 700, -40, 40);
    const auto vx = make_vector<T>(x);
    const T alpha = this->random.template number<T>(-3, 3);

    const auto product = [&](const auto& matrix) {
        return [&] {
            auto y = vx;
            blas::spmv(exec, alpha, matrix, vx, alpha, y.view());
            return numbers<T>(y);
        };
    };
    this->expect_one_answer("spmv, csr", product(a));
    this->expect_one_answer("spmv, sliced_ell", product(sliced));
    this->expect_one_answer("spmv, csr of the format", product(own));
    this->expect_one_answer("spmv, sliced_ell of the format", product(own_sliced));
    EXPECT_TRUE(same_bits(product(a)(), product(sliced)()));
    EXPECT_TRUE(same_bits(product(own)(), product(own_sliced)()));
    this->expect_one_answer("trsv", [&] {
        auto y = vx;
        blas::trsv(exec, blas::uplo::lower, blas::diag::unit, a, y, y.view());
        blas::trsv(exec, blas::uplo::upper, blas::diag::unit, own, y, y.view());
        return numbers<T>(y);
    });

    residua::vector<host_executor, T> y(700);
    blas::spmv(exec, T{1.0}, sliced, vx, T{0.0}, y.view());
    for (index_t i = 0; i < 700; ++i) {
        std::vector<double> row;
        std::vector<T> xs;
        for (index_t p = a.row_begin()[i]; p < a.row_begin()[i + 1]; ++p) {
            row.push_back(a.value().load(p));
            xs.push_back(x[static_cast<std::size_t>(a.col()[p])]);
        }
        EXPECT_TRUE(same_bits(y.get(i), this->chain(row, xs, false).result())) << i;
    }
}

}  // namespace
}  // namespace residua
