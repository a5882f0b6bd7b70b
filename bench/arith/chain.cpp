#include "chain.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <residua/arith/base/random.hpp>
#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/arith/expansion/lanes/error_bounds.hpp>

#include <apps/residua/bench/operands.hpp>
#include "chain_links.hpp"

namespace residua {
namespace {

constexpr int spread = -20;  // log2 of the range of y and of z
constexpr int scale = 700;   // log2 of s

template <int N>
using terms_constant = std::integral_constant<int, N>;

/// Calls f with the number of terms as a constant.
template <class F>
auto with_terms(int terms, const F& f)
{
    switch (terms) {
        case 2:
            return f(terms_constant<2>{});
        case 4:
            return f(terms_constant<4>{});
        case 8:
            return f(terms_constant<8>{});
        case 16:
            return f(terms_constant<16>{});
        default:
            return f(terms_constant<32>{});
    }
}

/// How often all lanes of a tile did an operation together.
struct lane_counts {
    long from_anywhere = 0;  // shuffles from anywhere in the tile
    long above = 0;          // from the lane above
    long below = 0;
    long broadcasts = 0;
    long votes = 0;

    long shuffles() const { return from_anywhere + above + below + broadcasts; }

    friend lane_counts operator-(const lane_counts& a, const lane_counts& b)
    {
        return {a.from_anywhere - b.from_anywhere, a.above - b.above, a.below - b.below, a.broadcasts - b.broadcasts,
                a.votes - b.votes};
    }
};

/// A tile on the host that counts what its lanes do.
template <int W>
class counting_tile : public lanes::host_tile<W> {
    using base = lanes::host_tile<W>;

public:
    using value = typename base::value;

    mutable lane_counts counts;

    template <class F, class... V>
    bool any(F f, const V&... v) const
    {
        ++counts.votes;
        return base::any(f, v...);
    }

    template <class F, class... V>
    bool any_in_step(F f, const V&... v) const
    {
        return any(f, v...);
    }

    template <class From>
    value shuffled(const value& v, From from) const
    {
        ++counts.from_anywhere;
        return base::shuffled(v, from);
    }

    value above(const value& v) const
    {
        ++counts.above;
        return base::above(v);
    }

    value below(const value& v) const
    {
        ++counts.below;
        return base::below(v);
    }

    value broadcast(const value& v, int j) const
    {
        ++counts.broadcasts;
        return base::broadcast(v, j);
    }
};

/// Flops of one link in one thread.
template <int N>
double sequential_flops(chain_function f)
{
    constexpr bool has_digits = N > detail::unrolled_terms;
    if (f == chain_function::sum) {
        constexpr double counted = N == 2 ? 20.0 : N == 4 ? 172.0 : 686.0;  // as documented with operator+
        // Two passes of collect, expansion_sum, compress.
        return has_digits ? 6.0 * (N - 1) + 6.0 * N * N + 3.0 * (2 * N - 1) : counted;
    }
    constexpr double counted = N == 2 ? 9.0 : N == 4 ? 117.0 : 610.0;  // with operator*
    constexpr double digits = detail::digits_for(N).count;
    // Two cuts and the constants, products, low parts, carries, compress.
    return has_digits ? 16.0 * (digits - 1) + digits + 4.0 + 2.5 * digits * (digits - 1) + 2.0 * digits - 1 +
                            4.0 * (digits - 1) + 3.0 * (digits - 1)
                      : counted;
}

/// Flops of one safe_sum in each of n lanes. A shuffle from anywhere belongs to a step or to a pass of renormalize. If
/// errors left the last lane, there are no such passes, but four shuffles from anywhere (two for n = 2), and rounds with
/// one shuffle from below each.
double safe_sum_flops(int n, const lane_counts& did)
{
    const bool has_errors = did.below > 0;
    const auto steps = static_cast<double>(did.from_anywhere - (!has_errors ? 0 : n > 2 ? 4 : 2));
    return 6.0 + 6.0 * steps + (has_errors ? 6.0 + 12.0 * static_cast<double>(did.below) : 0.0);
}

/// Flops of one link in each lane, from the counts of its operations.
double lane_flops(chain_function f, int n, lane_counts did)
{
    switch (f) {
        case chain_function::safe_lane_sum:
            return safe_sum_flops(n, did);
        case chain_function::fast_lane_sum:
            return 6.0 + 6.0 * static_cast<double>(did.above);
        case chain_function::lane_sum:
            --did.below;  // is_valid_sum has one shuffle from below; rounds of safe_sum have one from above, too
            return 6.0 + 6.0 * static_cast<double>(did.above - did.below) +
                   (did.from_anywhere > 0 ? safe_sum_flops(n, did) : 0.0);
        default:
            break;
    }
    // There are n + 3 shuffles between neighbours, and two between steps of the cuts. A shuffle from anywhere is a pass
    // of renormalize.
    const double cuts = 1.0 + 0.5 * static_cast<double>(did.above + did.below - n - 3);
    return 13.0 * n + 15.0 + 8.0 * cuts + 6.0 * static_cast<double>(did.from_anywhere);
}

template <chain_function F, int N>
chain_end run_sequential(const chain_pool& pool, index_t i, int links)
{
    chain_end end{std::vector<double>(N), {.flops = sequential_flops<N>(F)}};
    run_sequential_chain<F, N>(pool.operands(), i, links, end.terms.data());
    return end;
}

template <chain_function F, int N>
chain_end run_lanes(const chain_pool& pool, index_t i, int links)
{
    const counting_tile<N> tile;
    chain_end end{std::vector<double>(N), {}};
    const lane_link<F, counting_tile<N>> link{tile};
    const auto counted = [&](const auto& a, const auto& b) {
        const lane_counts before = tile.counts;
        const auto r = link(a, b);
        end.cost.flops += N * lane_flops(F, N, tile.counts - before);
        return r;
    };
    run_lane_chain(tile, pool.operands(), i, links, end.terms.data(), counted);
    const double each = links > 0 ? 1.0 / links : 0.0;
    end.cost = {each * end.cost.flops, each * static_cast<double>(tile.counts.shuffles()),
                each * static_cast<double>(tile.counts.votes)};
    return end;
}

template <int N>
chain_end run_on_host(chain_function f, const chain_pool& pool, index_t i, int links)
{
    switch (f) {
        case chain_function::sum:
            return run_sequential<chain_function::sum, N>(pool, i, links);
        case chain_function::product:
            return run_sequential<chain_function::product, N>(pool, i, links);
        case chain_function::safe_lane_sum:
            return run_lanes<chain_function::safe_lane_sum, N>(pool, i, links);
        case chain_function::fast_lane_sum:
            return run_lanes<chain_function::fast_lane_sum, N>(pool, i, links);
        case chain_function::lane_sum:
            return run_lanes<chain_function::lane_sum, N>(pool, i, links);
        case chain_function::lane_product:
            break;
    }
    return run_lanes<chain_function::lane_product, N>(pool, i, links);
}

/// The error bound of a link, relative to its result, in units of u^N.
template <int N>
double link_error_bound(chain_function f)
{
    switch (f) {
        case chain_function::sum:
            return one_term_a_lane<N> ? squeezed_sum_error_bound<N>() : sum_error_bound<N>();
        case chain_function::product:
            return one_term_a_lane<N> ? level_product_error_bound<N, N>() : product_error_bound<N>();
        case chain_function::safe_lane_sum:
            return lanes::safe_sum_error_bound();
        case chain_function::fast_lane_sum:
            break;
        case chain_function::lane_sum:
            return lanes::sum_error_bound(N);
        case chain_function::lane_product:
            return lanes::product_error_bound(N, N);
    }
    return std::numeric_limits<double>::infinity();
}

}  // namespace

chain_pool::chain_pool(bool products, int terms, std::uint64_t seed)
    : terms_(terms), words_(static_cast<std::size_t>(3 * chain_pool_size * terms))
{
    const long bits = 56L * terms + 64;  // with gaps, so that the last term is full too
    const real y = products ? real(1.5) : real(0.75);
    const real z = products ? real(2.0, bits) / real(3.0) : real(-0.75);
    splitmix64 seeds{seed};
    double* to = words_.data();
    for (const real& least : {real(1.0), y, z}) {
        const bool is_start = least == real(1.0);
        const bool is_scaled = is_start || !products;
        const operand_pool random(bits, seeds());
        for (const real& any : random.numbers()) {
            const real fraction = ldexp(abs(any), 1 - exponent(any)) - real(1.0);  // in [0, 1)
            const real part = is_start ? fraction : ldexp(fraction, spread);
            const real number = least < real(0.0) ? least - part : least + part;
            with_terms(terms, [&](auto n) {
                const auto x = from_real<expansion<double, n()>>(is_scaled ? ldexp(number, scale) : number);
                to = std::copy(x.t, x.t + n(), to);
            });
        }
    }
}

std::string_view to_string(chain_function f)
{
    switch (f) {
        case chain_function::safe_lane_sum:
            return "lanes safe";
        case chain_function::fast_lane_sum:
            return "lanes fast";
        case chain_function::lane_sum:
            return "lanes sum";
        case chain_function::lane_product:
            return "lanes";
        default:
            return "sequential";
    }
}

std::string_view to_string(chain_storage storage)
{
    return storage == chain_storage::registers ? "registers" : "shared";
}

std::vector<chain_function> chain_functions(bool products)
{
    if (products) {
        return {chain_function::product, chain_function::lane_product};
    }
    return {chain_function::sum, chain_function::safe_lane_sum, chain_function::fast_lane_sum,
            chain_function::lane_sum};
}

chain_end run_chain(chain_function f, const chain_pool& pool, index_t i, int links)
{
    return with_terms(pool.terms(), [&](auto n) { return run_on_host<n()>(f, pool, i, links); });
}

real exact_chain(chain_function f, const chain_pool& pool, index_t i, int links)
{
    const auto terms = static_cast<std::size_t>(pool.terms());
    const auto number = [&](const double* words, index_t place) {
        return exact_sum({words + static_cast<std::size_t>(place) * terms, terms});
    };
    const chain_operands from = pool.operands();
    const long bits = 2 * 53L * pool.terms() + 64;
    const real y = number(from.y, place_of_y(i));
    const real z = number(from.z, place_of_z(i));
    real x = number(from.x, place_of_x(i)).with_precision(bits);
    for (int k = 0; k < links; ++k) {
        const real& other = k % 2 == 0 ? y : z;
        x = (is_product(f) ? x * other : x + other).with_precision(bits);
    }
    return x;
}

real chain_error_bound(chain_function f, int terms, int links)
{
    constexpr double products_of_errors = 1.01;
    const double units = with_terms(terms, [&](auto n) { return link_error_bound<n()>(f); });
    return ldexp(real(products_of_errors * links * units), -53L * terms);
}

}  // namespace residua
