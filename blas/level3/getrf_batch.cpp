#include <residua/blas/level3/getrf_batch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <residua/blas/base/batch_lanes.hpp>
#include <residua/blas/level1/elementwise.hpp>

namespace residua::blas {
namespace {

using detail::batch_lanes;
using detail::lane_numbers;

/// The workspace of a thread: the matrices of eight systems by columns, and a vector of each.
template <class T>
struct lane_systems {
    index_t n;
    lane_numbers<T> a{n * n};
    lane_numbers<T> x{n};
    lane_numbers<T> one{1};
    double largest[batch_lanes] = {};
    std::int32_t place[batch_lanes] = {};
    std::int32_t info[batch_lanes] = {};

    index_t at(index_t i, index_t j) const { return j * n + i; }

    /// place[l] <- the row, from row k on, of the largest entry in column k of system l; of equal ones, the first.
    __attribute__((always_inline)) void find_pivots(index_t k)
    {
        const double* column = a[at(k, k)].data();
        for (index_t l = 0; l < batch_lanes; ++l) {
            largest[l] = std::fabs(column[l]);
            place[l] = static_cast<std::int32_t>(k);
        }
        for (index_t i = k + 1; i < n; ++i) {
            column = a[at(i, k)].data();
            int near = 0;
#pragma omp simd reduction(+ : near)
            for (index_t l = 0; l < batch_lanes; ++l) {
                const double candidate = std::fabs(column[l]);
                const auto size = detail::compare_sizes<T>(candidate, largest[l]);
                near += size == detail::first_terms::near ? 1 : 0;
                place[l] = size == detail::first_terms::larger ? static_cast<std::int32_t>(i) : place[l];
                largest[l] = size == detail::first_terms::larger ? candidate : largest[l];
            }
            if (number_traits<T>::terms > 1 && near > 0) {
                compare_exactly(i, k);
            }
        }
    }

    /// Compares row i with the largest so far by all terms, where the first terms are near each other, or the same.
    __attribute__((noinline)) void compare_exactly(index_t i, index_t k)
    {
        for (index_t l = 0; l < batch_lanes; ++l) {
            if (place[l] != i && abs(a[at(place[l], k)].load(l)) < abs(a[at(i, k)].load(l))) {
                place[l] = static_cast<std::int32_t>(i);
                largest[l] = std::fabs(a[at(i, k)].data()[l]);
            }
        }
    }

    void swap_rows(index_t k)
    {
        for (index_t l = 0; l < batch_lanes; ++l) {
            for (index_t j = 0; place[l] != k && j < n; ++j) {
                a.swap(at(k, j), at(place[l], j), l);
            }
        }
    }

    void note_failures(index_t k)
    {
        const auto pivot = a[at(k, k)];
        for (index_t l = 0; l < batch_lanes; ++l) {
            const double size = std::fabs(pivot.data()[l]);
            if (info[l] == 0 && !(size > 0.0 && size <= std::numeric_limits<double>::max())) {
                info[l] = static_cast<std::int32_t>(k + 1);
            }
        }
    }

    /// Column k of L, and the columns to the right without its products.
    __attribute__((always_inline)) void eliminate(index_t k)
    {
        const auto factor = one[0];
        const auto pivot = a[at(k, k)];
        detail::for_lanes(
            batch_lanes, [&](index_t l) __attribute__((always_inline)) { factor.store(l, T{1.0} / pivot.load(l)); });
        bool powers[batch_lanes];
        bool all = true;
        bool none = true;
        for (index_t l = 0; l < batch_lanes; ++l) {
            powers[l] = detail::is_power_of_two(factor.load(l));
            all = all && powers[l];
            none = none && !powers[l];
        }
        for (index_t i = k + 1; i < n; ++i) {
            const auto entry = a[at(i, k)];
            if (none) {
                detail::for_lanes(
                    batch_lanes, [&](index_t l) __attribute__((always_inline)) {
                        if constexpr (number_traits<T>::terms == 1) {
                            entry.store(l, mul_rn(factor.load(l), entry.load(l)));
                        } else {
                            entry.store(l, factor.load(l) * entry.load(l));
                        }
                    });
            } else {
                for (index_t l = 0; l < batch_lanes; ++l) {
                    entry.store(l, detail::scal_element(factor.load(l), entry.load(l)));
                }
            }
        }
        for (index_t j = k + 1; j < n; ++j) {
            const auto u = a[at(k, j)];
            detail::for_lanes(
                batch_lanes, [&](index_t l) __attribute__((always_inline)) { factor.store(l, T{-1.0} * u.load(l)); });
            for (index_t i = k + 1; i < n; ++i) {
                const auto entry = a[at(i, j)];
                const auto below = a[at(i, k)];
                detail::for_lanes(
                    batch_lanes, [&](index_t l) __attribute__((always_inline)) {
                        entry.store(l, detail::axpy_element(factor.load(l), below.load(l), entry.load(l)));
                    });
            }
        }
    }

    /// x <- inverse(T) x with a triangle of A, in the order of trsv.
    template <bool Lower>
    __attribute__((always_inline)) void solve_triangle()
    {
        const auto factor = one[0];
        for (index_t step = 0; step < n; ++step) {
            const index_t j = Lower ? step : n - 1 - step;
            const auto xj = x[j];
            const auto diagonal = a[at(j, j)];
            detail::for_lanes(
                batch_lanes, [&](index_t l) __attribute__((always_inline)) {
                    const T sum = detail::accumulator_of<T>{xj.load(l)}.result();
                    const T found = Lower ? sum : T{sum / diagonal.load(l)};
                    xj.store(l, found);
                    factor.store(l, -found);
                });
            const index_t begin = Lower ? j + 1 : 0;
            const index_t end = Lower ? n : j;
            const bool renormalizes = (step + 1) % detail::renormalization_period<T> == 0;
            for (index_t i = begin; i < end; ++i) {
                const auto xi = x[i];
                const auto entry = a[at(i, j)];
                if (renormalizes) {
                    detail::add_products<T, true>(xi, entry, factor);
                } else {
                    detail::add_products<T, false>(xi, entry, factor);
                }
            }
        }
    }
};

}  // namespace

template <number T>
void getrf_batch(const host_executor&, matrix_batch_view<host_executor, T> a, std::span<std::int32_t> pivots,
                 std::span<std::int32_t> info)
{
    detail::require_factors("getrf_batch", a, pivots.size(), info.size());
    const index_t n = a.n;
    const auto make = [n] { return lane_systems<T>{n}; };
    detail::for_lane_groups(a.count, detail::operations_of_system<T>(n, 3), make,
                            [&](lane_systems<T>& s, index_t first, index_t lanes) {
                                for (index_t j = 0; j < n; ++j) {
                                    s.a.read(s.at(0, j), first, lanes, [&](index_t k) { return a.column(k, j); });
                                }
                                std::fill(s.info, s.info + batch_lanes, 0);
                                detail::run_simd([&]() __attribute__((always_inline)) {
                                    for (index_t k = 0; k < n; ++k) {
                                        s.find_pivots(k);
                                        s.swap_rows(k);
                                        s.note_failures(k);
                                        for (index_t l = 0; l < lanes; ++l) {
                                            pivots[static_cast<std::size_t>((first + l) * n + k)] = s.place[l] + 1;
                                        }
                                        s.eliminate(k);
                                    }
                                });
                                std::copy(s.info, s.info + lanes, info.begin() + first);
                                for (index_t j = 0; j < n; ++j) {
                                    s.a.write(s.at(0, j), first, lanes, [&](index_t k) { return a.column(k, j); });
                                }
                            });
}

template <number T>
void getrs_batch(const host_executor&, in_matrix_batch<host_executor, T> a, std::span<const std::int32_t> pivots,
                 std::span<const std::int32_t> info, vector_batch_view<host_executor, T> x)
{
    detail::require_factors("getrs_batch", a, pivots.size(), info.size());
    require_batch("getrs_batch", x, a.n, a.count);
    const index_t n = a.n;
    const auto make = [n] { return lane_systems<T>{n}; };
    detail::for_lane_groups(
        a.count, detail::operations_of_system<T>(n, 2), make, [&](lane_systems<T>& s, index_t first, index_t lanes) {
            for (index_t j = 0; j < n; ++j) {
                s.a.read(s.at(0, j), first, lanes, [&](index_t k) { return a.column(k, j); });
            }
            s.x.read(0, first, lanes, [&](index_t k) { return x[k]; });
            for (index_t l = 0; l < lanes; ++l) {
                for (index_t k = 0; k < n && info[static_cast<std::size_t>(first + l)] == 0; ++k) {
                    s.x.swap(k, pivots[static_cast<std::size_t>((first + l) * n + k)] - 1, l);
                }
            }
            detail::run_simd([&]() __attribute__((always_inline)) {
                s.template solve_triangle<true>();
                s.template solve_triangle<false>();
            });
            s.x.write(0, first, lanes, [&](index_t k) { return x[k]; });
            for (index_t l = 0; l < lanes; ++l) {
                for (index_t e = 0; e < n * number_traits<T>::terms && info[static_cast<std::size_t>(first + l)] != 0;
                     ++e) {
                    x[first + l].plane(static_cast<int>(e / n))[e % n] = std::numeric_limits<double>::quiet_NaN();
                }
            }
        });
}

#define RESIDUA_INSTANTIATE(...)                                                                                \
    template void getrf_batch<__VA_ARGS__>(const host_executor&, matrix_batch_view<host_executor, __VA_ARGS__>, \
                                           std::span<std::int32_t>, std::span<std::int32_t>);                   \
    template void getrs_batch<__VA_ARGS__>(const host_executor&, in_matrix_batch<host_executor, __VA_ARGS__>,   \
                                           std::span<const std::int32_t>, std::span<const std::int32_t>,        \
                                           vector_batch_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_BATCH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
