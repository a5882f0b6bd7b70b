#pragma once

#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/rns/for_indices.hpp>

/// Makes operands of element functions from vectors, matrices and scalars.
namespace residua::blas::detail {

/// x_i for result i
template <class Exec>
rns_operand by_row(const vector_view<Exec, const rns>& x)
{
    return {.start = x.start, .row = x.stride};
}

/// x_j for result (i, j)
template <class Exec>
rns_operand by_col(const vector_view<Exec, const rns>& x)
{
    return {.start = x.start, .col = x.stride};
}

/// a(i, j)
template <class Exec>
rns_operand entries(const matrix_view<Exec, const rns>& a)
{
    return {.start = a.start, .row = 1, .col = a.ld};
}

inline rns_term plain(const rns_operand& x)
{
    rns_term t;
    t.x = x;
    t.scalar = rns_zero<rns_most_moduli>();
    return t;
}

/// a x, without a product where a is 1 or -1
inline rns_term scaled(const rns_number& a, const rns_operand& x)
{
    rns_term t = plain(x);
    const rns_number one(a.format(), 1.0);
    t.kind = a == one ? factor::none : a == -one ? factor::minus_one : factor::scalar;
    t.scalar = prepared(a.format().set(), a.value());
    return t;
}

/// The products of x with the elements of d.
inline rns_term scaled(const rns_operand& d, const rns_operand& x)
{
    rns_term t = plain(x);
    t.kind = factor::operand;
    t.by = d;
    return t;
}

/// Makes a vector of m, or a matrix of m x n results, from one or two terms.
template <class Exec>
void combine(const Exec& exec, const vector_view<Exec, rns>& to, const rns_term& first,
             const rns_term* second = nullptr)
{
    combine_element f{.rows = to.size > 0 ? to.size : 1,
                      .terms = second == nullptr ? 1 : 2,
                      .term = {first, second == nullptr ? first : *second},
                      .to = to.start,
                      .to_row = to.stride,
                      .to_col = 0};
    for_indices(exec, to.format, to.size, f);
}

template <class Exec>
void combine(const Exec& exec, const matrix_view<Exec, rns>& to, const rns_term& first,
             const rns_term* second = nullptr, const diagonals& of = {})
{
    combine_element f{.rows = to.rows > 0 ? to.rows : 1,
                      .terms = second == nullptr ? 1 : 2,
                      .term = {first, second == nullptr ? first : *second},
                      .to = to.start,
                      .to_row = 1,
                      .to_col = to.ld,
                      .of = of};
    for_indices(exec, to.format, to.rows * to.cols, f);
}

/// The order of the row sums and column sums of dense matrices.
inline constexpr sum_cut in_chunks{rns_chunk, 1};

/// rows x cols reductions over n terms each, whose parts are merged in pairs: result (i, j) is element i + rows j of
/// the vector returned.
template <class Exec>
vector<Exec, rns> reduce(const Exec& exec, const rns_format& format, reduction kind, index_t rows, index_t cols,
                         index_t n, const sum_cut& cut, const rns_operand& x, const rns_operand& y)
{
    const index_t parts = cut.parts(n);
    vector<Exec, rns> partial(format, rows * cols * parts, exec);
    const rns_tiles<false> to = partial.view().start;
    const reduce_element f{.kind = kind, .rows = rows, .cols = cols, .cut = cut, .n = n, .x = x, .y = y, .to = to};
    for_indices(exec, format, rows * cols * parts, f, static_cast<double>(n) / static_cast<double>(parts));
    merge(exec, format, kind, rows * cols, parts, to);
    return partial;
}

/// Reduces a vector, or the products of two vectors, to one number.
template <class Exec>
rns_number reduce_vectors(const Exec& exec, reduction kind, const vector_view<Exec, const rns>& x,
                          const vector_view<Exec, const rns>& y, const sum_cut& cut)
{
    const vector<Exec, rns> sum = reduce(exec, x.format, kind, 1, 1, x.size, cut, {.start = x.start, .step = x.stride},
                                         {.start = y.start, .step = y.stride});
    return fetched_number(exec, x.format, sum.view().start, 0);
}

/// The first m elements.
template <class Exec>
vector_view<Exec, const rns> first(const vector<Exec, rns>& x, index_t m)
{
    return x.view().part(0, m);
}

}  // namespace residua::blas::detail
