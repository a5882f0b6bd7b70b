#include <residua/blas/level1/times_i.hpp>

#include <algorithm>
#include <cstdint>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas {

template <detail::pair_map Map, number T>
void detail::map_pairs(const host_executor&, in_vector<host_executor, T> x, vector_view<host_executor, T> y)
{
    constexpr int terms = number_traits<T>::terms;
    parallel_ranges(y.size / 2, 8, static_cast<double>(y.size) * terms, [&](index_t begin, index_t end) {
        for (int k = 0; k < terms; ++k) {
            const double* const from = x.plane(k);
            double* const to = y.plane(k);
            for (index_t i = 2 * begin; i < 2 * end; i += 2) {
                if constexpr (Map == pair_map::times_i) {
                    to[i] = -from[i + 1];
                    to[i + 1] = from[i];
                } else {
                    to[i] = from[i];
                    to[i + 1] = -from[i + 1];
                }
            }
        }
    });
}

bool detail::map_pairs_in_tiles(pair_map map, const vector_view<host_executor, const multidigit>& x,
                                const vector_view<host_executor, multidigit>& y)
{
    using residua::detail::highest_bit;
    constexpr index_t apart = residua::detail::words_apart;
    const index_t first = y.start.first % apart;
    if (x.stride != 1 || y.stride != 1 || x.start.first % apart != first || first % 2 != 0) {
        return false;
    }
    const bool turns = map == pair_map::times_i;
    const int digits = y.start.digits;
    parallel_ranges(y.size, apart, static_cast<double>(y.size) * digits, [&](index_t begin, index_t end) {
        for (index_t i = begin, in_tile = 0; i < end; i += in_tile) {
            in_tile = std::min(end - i, apart - (first + i) % apart);
            const std::uint32_t* from = x.start.number(i);
            std::uint32_t* const to = y.start.number(i);
            for (int k = 0; k <= digits; ++k, from += apart) {
                std::uint32_t* const word = to + k * apart;
                for (index_t j = 0; j < in_tile; j += 2) {
                    word[j] = from[turns ? j + 1 : j];
                    word[j + 1] = from[turns ? j : j + 1];
                }
            }
            const std::uint32_t* const exponent = to + digits * apart;
            for (index_t j = turns ? 0 : 1; j < in_tile; j += 2) {
                const auto code = static_cast<std::int32_t>(exponent[j] ^ highest_bit);
                const bool has_sign =
                    code != residua::detail::multidigit_zero_code && code != residua::detail::multidigit_nan_code;
                to[(digits - 1) * apart + j] ^= has_sign ? highest_bit : 0U;
            }
        }
    });
    return true;
}

#define RESIDUA_INSTANTIATE_MAP(Map, ...)                                \
    template void detail::map_pairs<detail::pair_map::Map, __VA_ARGS__>( \
        const host_executor&, in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);
#define RESIDUA_INSTANTIATE(...)                  \
    RESIDUA_INSTANTIATE_MAP(times_i, __VA_ARGS__) \
    RESIDUA_INSTANTIATE_MAP(conjugate, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
