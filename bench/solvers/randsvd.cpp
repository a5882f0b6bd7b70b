#include "randsvd.hpp"

#include <cmath>
#include <vector>

#include <residua/arith/base/random.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::bench {
namespace {

using dd = expansion<double, 2>;

constexpr int reflectors = 6;  // on each side

/// I - scale v v', scale = 2 / v'v
struct reflector {
    std::vector<double> v;
    dd scale{0.0};

    reflector(index_t n, splitmix64& random)
    {
        dd squares{0.0};
        for (index_t i = 0; i < n; ++i) {
            v.push_back(uniform(random));
            squares = squares + dd{v.back()} * dd{v.back()};
        }
        scale = dd{2.0} / squares;
    }
};

/// A <- H A
void reflect_columns(const reflector& h, matrix_view<host_executor, dd> a)
{
    const double work = 40.0 * static_cast<double>(a.rows * a.cols);
    blas::detail::parallel_ranges(a.cols, 1, work, [&](index_t begin, index_t end) {
        for (index_t j = begin; j < end; ++j) {
            const auto column = a.column(j);
            dd sum{0.0};
            for (index_t i = 0; i < a.rows; ++i) {
                sum = sum + column.load(i) * h.v[static_cast<std::size_t>(i)];
            }
            sum = -(sum * h.scale);
            for (index_t i = 0; i < a.rows; ++i) {
                column.store(i, column.load(i) + sum * h.v[static_cast<std::size_t>(i)]);
            }
        }
    });
}

/// A <- A H, each thread some rows of it
void reflect_rows(const reflector& h, matrix_view<host_executor, dd> a)
{
    const double work = 40.0 * static_cast<double>(a.rows * a.cols);
    blas::detail::parallel_ranges(a.rows, 8, work, [&](index_t begin, index_t end) {
        std::vector<dd> sum(static_cast<std::size_t>(end - begin), dd{0.0});
        const auto each = [&](const auto& f) {
            for (index_t j = 0; j < a.cols; ++j) {
                const auto column = a.column(j);
                for (index_t i = begin; i < end; ++i) {
                    f(column, i, sum[static_cast<std::size_t>(i - begin)], h.v[static_cast<std::size_t>(j)]);
                }
            }
        };
        each([](const auto& column, index_t i, dd& s, double v) { s = s + column.load(i) * v; });
        for (dd& s : sum) {
            s = -(s * h.scale);
        }
        each([](const auto& column, index_t i, dd& s, double v) { column.store(i, column.load(i) + s * v); });
    });
}

}  // namespace

matrix<host_executor, dd> randsvd(index_t n, double kappa, spread mode)
{
    matrix<host_executor, dd> a(n, n);
    for (index_t i = 0; i < n; ++i) {
        const double part = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.0;
        const bool is_small = mode == spread::one_small && i == n - 1;
        a.set(i, i, dd{mode == spread::geometric ? std::pow(kappa, -part) : (is_small ? 1.0 / kappa : 1.0)});
    }
    splitmix64 random{20261122};
    for (int k = 0; k < reflectors; ++k) {
        reflect_columns(reflector(n, random), a.view());
        reflect_rows(reflector(n, random), a.view());
    }
    return a;
}

}  // namespace residua::bench
