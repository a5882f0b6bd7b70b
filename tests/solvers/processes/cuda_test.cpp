// Vectors and rows of several processes on one device: the bits of one process on the host.
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/processes/own_device.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/support/krylov.hpp"
#include "tests/support/mail_process.hpp"
#include "tests/support/method_runs.hpp"
#include "tests/support/on_cuda.hpp"
#include "tests/support/sparse.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using device_executor = cuda_executor;
const std::vector<index_t> counts{1, 2, 3, 4, 7};

class processes_cuda_test : public on_cuda<double> {
public:
    /// f(space on the host, space of the same numbers on the device) for the formats that processes share.
    template <class F>
    void for_each_format(const F& f)
    {
        const auto of_type = [&]<class T>(const T&) { f(host_space<T>{}, blas_space<device_executor, T>{device, {}}); };
        of_type(double{});
        of_type(expansion<double, 2>{});
        of_type(expansion<double, 3>{});
        of_type(expansion<double, 4>{});
        for (const long bits : {424, 848}) {
            const multidigit_format format(bits);
            f(multidigit_space<host_executor>{{}, format}, multidigit_space<device_executor>{device, format});
        }
    }

    /// n numbers of all bits of the space, of sizes from 2^-30 to 2^30 times `scale`.
    template <class S>
    typename S::vector random_vector(const S& space, index_t n, double scale = 1.0)
    {
        auto x = space.make_vector(n);
        for (index_t i = 0; i < n; ++i) {
            auto number = space.make_scalar(random.full(-30, 30));
            for (int term = 1; term < 4; ++term) {
                number = number + number * space.make_scalar(random.full(-60, -54));
            }
            x.set(i, number * space.make_scalar(scale));
        }
        return x;
    }
};

}  // namespace

TEST_F(processes_cuda_test, vectors_go_to_the_devices_and_come_back_whole)
{
    for_each_format([&](const auto& host, const auto& on_device) {
        for (const index_t n : {1, 700, 5000}) {
            const auto x = random_vector(host, n);
            const auto bytes = bytes_of(host, x);
            run_in_pieces(on_device, random, n, 3, [&](const auto& in_pieces, thread_process& all) {
                auto own = in_pieces.make_vector(n);
                in_pieces.scatter(x, own);
                EXPECT_EQ(bytes_of(in_pieces.local(), own), own_part_of(in_pieces, bytes));
                const auto whole = in_pieces.gathered(own);
                EXPECT_EQ(bytes_of(host, whole), all.rank() == 0 ? bytes : std::vector<std::byte>{});
            });
        }
    });
}

TEST_F(processes_cuda_test, sums_and_norms_have_the_bits_of_the_host)
{
    for_each_format([&]<class S>(const S& host, const auto& on_device) {
        for (const index_t n : {1, 511, 513, 5000, 70000}) {
            const auto x = random_vector(host, n);
            const auto y = random_vector(host, n);
            const auto product = bytes_of(host, host.dot(x, y));
            const auto square = bytes_of(host, host.dot(x, x));
            const auto norm = bytes_of(host, host.norm2(x));
            for (const index_t count : counts) {
                run_in_pieces(on_device, random, n, count, [&](const auto& in_pieces, thread_process& all) {
                    const auto own_x = piece_of(in_pieces, x);
                    const auto own_y = piece_of(in_pieces, y);
                    EXPECT_EQ(bytes_of(host, in_pieces.dot(own_x, own_y)), product) << n << " in " << count;
                    EXPECT_EQ(bytes_of(host, in_pieces.norm2(own_x)), norm) << n << " in " << count;
                    auto sums = in_pieces.make_scalars(2);
                    const index_t joins = all.joins();
                    in_pieces.dot(own_x, own_y, sums, 0);
                    in_pieces.dot(own_x, own_x, sums, 1);
                    const auto both = in_pieces.fetched(sums, 2);
                    EXPECT_EQ(all.joins() - joins, count > 1 ? joins_of_sums<S> : 0);
                    EXPECT_EQ(bytes_of(host, both[0]), product) << n << " in " << count;
                    EXPECT_EQ(bytes_of(host, both[1]), square) << n << " in " << count;
                });
            }
        }
    });
}

TEST_F(processes_cuda_test, norms_have_the_bits_of_the_host_beyond_the_range_of_squares)
{
    const index_t n = 5000;
    for_each_format([&](const auto& host, const auto& on_device) {
        for (const double scale : {0x1p-1000, 0x1p-500, 0x1p480, 0x1p990, 0.0, std::nan("")}) {
            const auto x = random_vector(host, n, scale);
            const auto norm = host.norm2(x);
            run_in_pieces(on_device, random, n, 3, [&](const auto& in_pieces, thread_process&) {
                const auto own = piece_of(in_pieces, x);
                const auto found = in_pieces.norm2(own);
                if (is_finite(norm)) {
                    EXPECT_EQ(bytes_of(host, found), bytes_of(host, norm)) << scale;
                } else {
                    EXPECT_FALSE(is_finite(found));
                }
            });
        }
    });
}

TEST_F(processes_cuda_test, products_and_residuals_have_the_bits_of_the_host)
{
    for_each_format([&]<class H, class D>(const H& host, const D& on_device) {
        for (const bool long_entries : {false, true}) {
            if (long_entries && precision_of(host) < 200) {
                continue;
            }
            for (const index_t n : {1, 700, 2500, 9000}) {
                const sparse_matrix a = random_matrix(random, n, long_entries);
                const any_operator<H> whole = matrix_in(host, a);
                const auto x = random_vector(host, n);
                const auto b = random_vector(host, n);
                auto y = host.make_vector(n);
                auto r = host.make_vector(n);
                whole.apply(host, x, y);
                ASSERT_TRUE(whole.residual(host, x, b, r));
                const auto bytes_of_y = bytes_of(host, y);
                const auto bytes_of_r = bytes_of(host, r);
                for (const index_t count : counts) {
                    run_in_pieces(on_device, random, n, count, [&](const auto& in_pieces, thread_process&) {
                        const auto rows = rows_in<D>(in_pieces, a);
                        const auto own_x = piece_of(in_pieces, x);
                        const auto own_b = piece_of(in_pieces, b);
                        auto own = in_pieces.make_vector(n);
                        for (int repeat = 0; repeat < 3; ++repeat) {
                            rows.apply(in_pieces, own_x, own);
                            EXPECT_EQ(bytes_of(on_device, own), own_part_of(in_pieces, bytes_of_y))
                                << n << ", " << count;
                        }
                        EXPECT_TRUE(rows.residual(in_pieces, own_x, own_b, own));
                        EXPECT_EQ(bytes_of(on_device, own), own_part_of(in_pieces, bytes_of_r)) << n << ", " << count;
                    });
                }
            }
        }
    });
}

TEST_F(processes_cuda_test, products_that_follow_one_another_do_not_mix_their_numbers)
{
    const index_t n = 5000;
    for_each_format([&]<class H, class D>(const H& host, const D& on_device) {
        const sparse_matrix a = grid(20, 250);
        const any_operator<H> whole = matrix_in(host, a);
        auto x = random_vector(host, n);
        auto y = host.make_vector(n);
        const auto start = x;
        for (int k = 0; k < 20; ++k) {
            whole.apply(host, x, y);
            host.scal(host.make_scalar(0.125), y);
            std::swap(x, y);
        }
        const auto bytes = bytes_of(host, x);
        const auto multiply = [&](const partition& rows_of, processes& all) {
            const distributed_space<D> in_pieces(on_device, rows_of, all);
            const auto rows = rows_in<D>(in_pieces, a);
            auto own_x = piece_of(in_pieces, start);
            auto own_y = in_pieces.make_vector(n);
            for (int k = 0; k < 20; ++k) {  // nothing in the loop waits for the device
                rows.apply(in_pieces, own_x, own_y);
                in_pieces.scal(in_pieces.make_scalar(0.125), own_y);
                std::swap(own_x, own_y);
            }
            EXPECT_EQ(bytes_of(on_device, own_x), own_part_of(in_pieces, bytes)) << all.count();
        };
        for (const index_t count : {2, 3}) {
            const partition rows = random_partition(random, n, blas::block_of_sum<typename D::element>(n), count);
            run_processes(count, [&](thread_process& all) { multiply(rows, all); });
            run_processes(count, [&](thread_process& all) {
                mail_process mail(all);
                multiply(rows, mail);
            });
        }
    });
}

TEST_F(processes_cuda_test, shortened_spaces_use_the_same_rows)
{
    const index_t n = 5000;
    const sparse_matrix a = random_matrix(random, n, false);
    using H = multidigit_space<host_executor>;
    using D = multidigit_space<device_executor>;
    const H host = H{{}, multidigit_format(424)}.shortened(200);
    const auto x = random_vector(host, n);
    auto y = host.make_vector(n);
    matrix_in(host, a).apply(host, x, y);
    run_in_pieces(D{device, multidigit_format(424)}, random, n, 3, [&](const auto& in_pieces, thread_process&) {
        const auto rows = rows_in<D>(in_pieces, a);
        auto long_x = in_pieces.make_vector(n);
        auto long_y = in_pieces.make_vector(n);
        rows.apply(in_pieces, long_x, long_y);
        const auto shorter = in_pieces.shortened(200);
        auto own = shorter.make_vector(n);
        rows.apply(shorter, piece_of(shorter, x), own);
        EXPECT_EQ(bytes_of(shorter.local(), own), own_part_of(shorter, bytes_of(host, y)));
        rows.apply(in_pieces, long_x, long_y);
        EXPECT_EQ(to_double(in_pieces.norm_inf(long_y)), 0.0);
    });
}

TEST_F(processes_cuda_test, cg_has_the_bits_of_the_host_for_random_cuts)
{
    for (const auto& [width, height] : {std::pair(1, 1), std::pair(7, 130), std::pair(60, 90)}) {
        const sparse_matrix a = grid(width, height);
        const stop_rule until = rule(1e-300, width == 1 ? 3 : 40);
        for_each_format([&]<class H, class D>(const H& host, const D& on_device) {
            auto b = random_vector(host, a.rows);
            const auto run = [&](const auto& space, const auto& matrix, const auto& m, const auto& right_side,
                                 iteration_report& report) {
                auto x = space.make_vector(a.rows);
                report = run_cg(space, matrix, m, right_side, x, until);
                return x;
            };
            iteration_report report;
            const sparse_matrix m = invert_diagonal(a, true).matrix;
            const auto x = run(host, matrix_in(host, a), matrix_in(host, m), b, report);
            const auto bytes = bytes_of(host, x);
            for (const index_t count : counts) {
                run_in_pieces(on_device, random, a.rows, count, [&](const auto& in_pieces, thread_process&) {
                    iteration_report found;
                    const auto own = run(in_pieces, rows_in<D>(in_pieces, a), rows_in<D>(in_pieces, m),
                                         piece_of(in_pieces, b), found);
                    EXPECT_EQ(bytes_of(on_device, own), own_part_of(in_pieces, bytes)) << a.rows << ", " << count;
                    EXPECT_EQ(found.iterations, report.iterations);
                    EXPECT_EQ(found.recursive_residual, report.recursive_residual);
                    EXPECT_EQ(found.message, report.message);
                });
            }
        });
    }
}

TEST_F(processes_cuda_test, a_process_that_throws_between_products_ends_all)
{
    using S = blas_space<device_executor, expansion<double, 2>>;
    const sparse_matrix a = grid(20, 250);
    const auto fails = [&](thread_process& all) {
        const distributed_space<S> space(S{device, {}},
                                         partition::even(a.rows, blas::block_of_sum<double>(a.rows), all.count()), all);
        const auto rows = rows_in<S>(space, a);
        const auto x = space.make_vector(a.rows);
        auto y = space.make_vector(a.rows);
        for (int k = 0; k < 100; ++k) {
            rows.apply(space, x, y);
            if (k == 10 && all.rank() == 1) {
                throw std::runtime_error("a fault on purpose");
            }
        }
        (void)space.dot(y, y);
    };
    EXPECT_THROW(run_processes(3, fails), std::runtime_error);
}

TEST_F(processes_cuda_test, processes_of_a_machine_take_its_devices_in_turn)
{
    const auto devices = static_cast<int>(cuda_devices().size());
    run_processes(5, [&](thread_process& all) {
        for (const int first : {0, devices - 1}) {
            EXPECT_EQ(own_device(all, first).device, (first + static_cast<int>(all.rank())) % devices);
        }
    });
}
