#pragma once

#include <cstdint>

#include <residua/arith/rns/rns_float.hpp>
#include <residua/blas/base/diagonals.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/reduction_order.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/sparse/stored_rows.hpp>

/// The step of an operation for one result, written once: the host calls it in a loop, a kernel with
/// several threads a number. Each is a function object f(set, i), where set is a model of rns_set.
namespace residua::blas::detail {

using residua::detail::rns_tiles;
using rns_scalar = rns_float<rns_most_moduli>;

/// The numbers that a term of a result takes: they are at start + i row + j col + k step.
struct rns_operand {
    rns_tiles<true> start;
    index_t row = 0;
    index_t col = 0;
    index_t step = 0;

    template <class Set>
    RESIDUA_HD rns_float<Set::capacity> operator()(const Set& set, index_t i, index_t j, index_t k) const
    {
        return residua::detail::load(set, start, i * row + k * step + j * col);
    }
};

/// The quotient and the remainder of q / n, with 32 bits where they suffice.
struct divided_index {
    index_t quotient, rest;
};

RESIDUA_HD divided_index divide(index_t q, index_t n)
{
    if (q < n) {
        return {0, q};
    }
    if ((q >> 32) == 0) {
        const auto small = static_cast<std::uint32_t>(q);
        const auto by = static_cast<std::uint32_t>(n);
        return {small / by, small % by};
    }
    return {q / n, q % n};
}

/// A scalar for all.
template <class Set>
RESIDUA_HD rns_float<Set::capacity> pick(const Set& set, const rns_scalar& a)
{
    rns_float<Set::capacity> x;
    static_cast<rns_head&>(x) = a;
    residua::detail::for_residues(
        set, [&](int k) __attribute__((always_inline)) { x.digit[k] = set.present(k) ? a.digit[set.index(k)] : 0; });
    return x;
}

/// The factor of a term; for `constant`, the term is the scalar alone.
enum class factor : std::uint8_t { none, minus_one, scalar, operand, constant };

/// x(i, j), or its product with a factor.
struct rns_term {
    rns_operand x;
    factor kind = factor::none;
    rns_operand by;     ///< the factor if kind is operand
    rns_scalar scalar;  ///< the term if kind is constant; the factor, prepared, if kind is scalar

    /// x(i, j)
    template <class Set>
    RESIDUA_HD rns_float<Set::capacity> value(const Set& set, index_t i, index_t j) const
    {
        return kind == factor::constant ? pick(set, scalar) : x(set, i, j, 0);
    }

    /// v times the factor
    template <class Set, int N>
    RESIDUA_HD rns_float<N> scaled(const Set& set, const rns_float<N>& v, index_t i, index_t j) const
    {
        switch (kind) {
            case factor::minus_one:
                return -v;
            case factor::scalar:
                return times_prepared(set, pick(set, scalar), v);
            case factor::operand:
                return mul(set, by(set, i, j, 0), v);
            default:
                return v;
        }
    }
};

/// w(i, j) <- the sum of one or two terms, for entries with i - j in a range. Element q has i = q mod rows, j = q / rows.
struct combine_element {
    index_t rows = 0;
    int terms = 1;
    rns_term term[2];
    rns_tiles<false> to;
    index_t to_row = 0;
    index_t to_col = 0;
    diagonals of = {};

    template <class Set>
    RESIDUA_HD void operator()(const Set& set, index_t q) const
    {
        const auto [j, i] = divide(q, rows);
        if (!of.have(i, j)) {
            return;
        }
        rns_float<Set::capacity> w = term[0].value(set, i, j);
        rns_float<Set::capacity> v;
        if (terms == 2) {
            v = term[1].value(set, i, j);  // read before anything is computed
        }
        w = term[0].scaled(set, w, i, j);
        if (terms == 2) {
            w = add(set, w, term[1].scaled(set, v, i, j));
        }
        residua::detail::store(set, to, i * to_row + j * to_col, w);
    }
};

/// x_j <- inverse(T) x_j, for column j of a matrix; T is a triangle of n rows, entry (i, k) at i + k ld.
struct solve_column_element {
    bool lower = true;
    bool unit = false;
    index_t n = 0;
    rns_tiles<true> t;
    index_t ld = 0;
    rns_tiles<false> x;
    index_t x_col = 0;

    template <class Set>
    RESIDUA_HD void operator()(const Set& set, index_t j) const
    {
        for (index_t step = 0; step < n; ++step) {
            const index_t i = lower ? step : n - 1 - step;
            auto rest = residua::detail::load(set, x, i + j * x_col);
            for (index_t known = 0; known < step; ++known) {
                const index_t k = lower ? known : n - 1 - known;
                rest = sub(
                    set, rest,
                    mul(set, residua::detail::load(set, t, i + k * ld), residua::detail::load(set, x, k + j * x_col)));
            }
            if (!unit) {
                rest = div(set, rest, residua::detail::load(set, t, i + i * ld));
            }
            residua::detail::store(set, x, i + j * x_col, rest);
            set.meet();  // the other threads of x_ij read it in the next step
        }
    }
};

/// y_i <- x_i rounded to binary64
struct to_binary64_element {
    rns_tiles<true> x;
    index_t x_stride = 1;
    double* y = nullptr;

    template <class Set>
    RESIDUA_HD void operator()(const Set& set, index_t i) const
    {
        const double nearest = to_double(set, residua::detail::load(set, x, i * x_stride));
        if (set.leads()) {
            y[i] = nearest;
        }
    }
};

/// y_i <- x_i as to_rns() makes it
struct from_binary64_element {
    const double* x = nullptr;
    rns_tiles<false> y;
    index_t y_stride = 1;

    template <class Set>
    RESIDUA_HD void operator()(const Set& set, index_t i) const
    {
        residua::detail::store(set, y, i * y_stride, to_rns(set, x[i]));
    }
};

/// The reductions.
enum class reduction : std::uint8_t {
    products,    ///< sum x_k y_k
    terms,       ///< sum x_k
    magnitudes,  ///< sum |x_k|
    largest      ///< max |x_k|
};

/// The larger of x and y; a number that is not finite is larger than all.
template <class Set, int N>
RESIDUA_HD rns_float<N> larger(const Set& set, const rns_float<N>& x, const rns_float<N>& y)
{
    const bool take_y = is_finite(x) && (!is_finite(y) || compare(set, x, y) < 0);
    rns_float<N> r;
    static_cast<rns_head&>(r) =
        residua::detail::select(take_y, static_cast<const rns_head&>(y), static_cast<const rns_head&>(x));
    residua::detail::for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            r.digit[k] = residua::detail::select(take_y, y.digit[k], x.digit[k]);
        });
    return r;
}

/// How a sum is cut into parts: lane l of a block of `block` terms adds terms l, l + lanes, ... of the block from left
/// to right. The number of lanes is a power of two.
struct sum_cut {
    index_t block = 1;
    index_t lanes = 1;

    /// The parts of a sum of n terms; one block at least.
    index_t parts(index_t n) const { return n > block ? (n + block - 1) / block * lanes : lanes; }
};

/// A long sum of n terms, as reduction_order.hpp has it: few terms have few lanes.
constexpr sum_cut long_sum(index_t n)
{
    constexpr index_t terms_of_lane = reduction_block / reduction_lanes;
    sum_cut cut{reduction_block, 1};
    while (cut.lanes < reduction_lanes && cut.lanes * terms_of_lane < n) {
        cut.lanes *= 2;
    }
    return cut;
}

/// A sum of n terms from left to right.
constexpr sum_cut left_to_right(index_t n) { return {n > 0 ? n : 1, 1}; }

/// The parts of the reduction over k < n for result (i, j). Element q = i + rows (j + cols p) is the part of lane l of
/// block b, p = l + lanes b. It becomes part p' = l' + lanes b, where l' has the bits of l in the opposite order: when
/// neighbours are merged in pairs, lanes are so merged by halves, and then blocks in pairs.
struct reduce_element {
    reduction kind = reduction::products;
    index_t rows = 1;
    index_t cols = 1;
    sum_cut cut;
    index_t n = 0;
    rns_operand x;
    rns_operand y;
    rns_tiles<false> to;

    template <class Set>
    RESIDUA_HD void operator()(const Set& set, index_t q) const
    {
        using number = rns_float<Set::capacity>;
        const auto [above, i] = divide(q, rows);
        const auto [part, j] = divide(above, cols);
        const auto [b, lane] = divide(part, cut.lanes);
        const index_t begin = b * cut.block;
        const index_t last = begin + cut.block < n ? begin + cut.block : n;
        number sum = rns_zero<Set::capacity>();
        RESIDUA_KEEP_LOOP
        for (index_t k = begin + lane; k < last; k += cut.lanes) {
            number next = x(set, i, j, k);
            if (kind == reduction::products) {
                next = mul(set, next, y(set, i, j, k));
            } else {
                next.negative = next.negative && kind == reduction::terms;
            }
            sum = kind == reduction::largest ? larger(set, sum, next) : add(set, sum, next);
        }
        residua::detail::store(set, to, mirrored(q), sum);
    }

private:
    /// Where the part of element q goes. This finds its lane once more, since a loop of sums has no registers to spare.
    RESIDUA_HD index_t mirrored(index_t q) const
    {
        const index_t lane = divide(divide(q, rows * cols).quotient, cut.lanes).rest;
        index_t from_behind = 0;
        for (index_t bit = 1; bit < cut.lanes; bit *= 2) {
            from_behind = 2 * from_behind + ((lane & bit) != 0 ? 1 : 0);
        }
        return q + (from_behind - lane) * rows * cols;
    }
};

/// One level of pairwise merging: part c <- part c + part (c + distance), c a multiple of twice the
/// distance. Element q is i + results c / (2 distance).
struct merge_element {
    reduction kind = reduction::products;
    index_t results = 1;
    index_t distance = 1;
    rns_tiles<false> partial;

    template <class Set>
    RESIDUA_HD void operator()(const Set& set, index_t q) const
    {
        const auto [pair, result] = divide(q, results);
        const index_t left = result + pair * 2 * distance * results;
        const index_t right = left + distance * results;
        const auto a = residua::detail::load(set, partial, left);
        const auto b = residua::detail::load(set, partial, right);
        residua::detail::store(set, partial, left, kind == reduction::largest ? larger(set, a, b) : add(set, a, b));
    }
};

/// Row i of A x, the entries of the row from left to right.
template <bool Binary64>
struct spmv_element {
    stored_rows rows;
    const double* binary64 = nullptr;
    rns_tiles<true> value;
    rns_tiles<true> x;
    index_t x_stride = 1;
    rns_tiles<false> to;

    template <class Set>
    RESIDUA_HD void operator()(const Set& set, index_t i) const
    {
        using number = rns_float<Set::capacity>;
        number sum = rns_zero<Set::capacity>();
        rows.walk(
            i, [&](index_t p, index_t j) __attribute__((always_inline)) {
                number next = residua::detail::load(set, x, j * x_stride);
                if constexpr (Binary64) {
                    next = mul(set, binary64[p], next);
                } else {
                    next = mul(set, residua::detail::load(set, value, p), next);
                }
                sum = add(set, sum, next);
            });
        residua::detail::store(set, to, i, sum);
    }
};

}  // namespace residua::blas::detail
