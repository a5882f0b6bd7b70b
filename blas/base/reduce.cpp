#include <residua/blas/base/reduce.hpp>

#include <residua/blas/base/instantiate.hpp>

namespace residua::blas::detail {

template <class T>
void merge_lanes(lane_sums<T>& sums)
{
    using acc = accumulator_of<T>;
    run_simd([&]() __attribute__((always_inline)) {
        for (index_t half = reduction_lanes / 2; half > 0; half /= 2) {
            for (index_t lane = 0; lane < half; ++lane) {
                for_lanes(
                    lane_sums<T>::blocks, [&](index_t b) __attribute__((always_inline)) {
                        acc left;
                        acc right;
                        residua::detail::unroll<acc::words>([&](int k) __attribute__((always_inline)) {
                            left.w[k] = sums.w[k][lane][b];
                            right.w[k] = sums.w[k][lane + half][b];
                        });
                        left.merge(right);
                        residua::detail::unroll<acc::words>([&](int k) __attribute__((always_inline)) {
                            sums.w[k][lane][b] = left.w[k];
                        });
                    });
            }
        }
    });
}

#define RESIDUA_INSTANTIATE(...) template void merge_lanes<__VA_ARGS__>(lane_sums<__VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
