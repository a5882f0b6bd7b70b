#include <residua/solvers/sparse_direct/multifrontal.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <type_traits>

#include <omp.h>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/solvers/space/block_product.hpp>
#include <residua/solvers/space/elements.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>
#include <residua/solvers/sparse_direct/multifrontal_solve.hpp>
#include <residua/solvers/sparse_direct/subtrees.hpp>

namespace residua {
namespace {

using detail::block;
using detail::part;

constexpr double pivot_threshold = 0.01;

/// Entries of a child's column that are neighbours in the parent too.
struct stretch {
    index_t from, to, size;
};

/// The stretches of rows first, ..., last - 1 of a child that go to rows of the parent up to `cut` and from there on.
std::vector<stretch> stretches_of(const std::vector<std::int32_t>& row, index_t first, index_t last,
                                  const std::vector<std::int32_t>& place, index_t cut)
{
    std::vector<stretch> all;
    for (index_t i = first; i < last; ++i) {
        const index_t to = place[static_cast<std::size_t>(row[static_cast<std::size_t>(i)])];
        if (!all.empty() && i > first && to == all.back().to + all.back().size && to != cut) {
            ++all.back().size;
        } else {
            all.push_back({i, to, 1});
        }
    }
    return all;
}

/// y <- y + x
template <class S, class E>
void add(const S& space, vector_view<host_executor, const E> x, vector_view<host_executor, E> y)
{
    if constexpr (std::is_same_v<E, double>) {
        (void)space;
        for (index_t i = 0; i < x.size; ++i) {
            y.data[i] += x.data[i];
        }
    } else {
        blas::axpy(host_executor{}, space.make_scalar(1.0), x, y);
    }
}

}  // namespace

template <array_space S>
auto multifrontal<S>::block_at(vector& v, index_t first, index_t rows, index_t cols) -> view
{
    const auto all = part(v.view(), first, first + rows * cols);
    if constexpr (run_time_format<element>) {
        return {all.format, all.start, rows, cols, rows};
    } else {
        return {all.data, rows, cols, rows, all.plane_stride};
    }
}

template <array_space S>
auto multifrontal<S>::columns_of(const front& f) const -> view
{
    return block_at(const_cast<vector&>(*f.values), 0, f.order(), f.columns);
}

template <array_space S>
auto multifrontal<S>::right_of(const front& f) const -> view
{
    return block_at(const_cast<vector&>(*f.values), f.order() * f.columns, f.columns, is_cholesky() ? 0 : f.below());
}

template <array_space S>
auto multifrontal<S>::rest_of(const front& f) const -> view
{
    return block_at(const_cast<vector&>(*f.rest), 0, f.below(), f.below());
}

template <array_space S>
multifrontal<S>::multifrontal(const S& space, std::shared_ptr<const sparse_analysis> analysis, const scaled_matrix& m,
                              std::function<bool()> stop)
    : space_(space), analysis_(std::move(analysis)), stop_(std::move(stop))
{
    const sparse_analysis& known = *analysis_;
    failure_ = known.failure;
    if (!failure_.empty()) {
        return;
    }
    const auto n = static_cast<std::size_t>(known.tree.n);
    std::vector<index_t> unknown(known.tree.unknown.begin(), known.tree.unknown.end()), row(n), place(n), row_place(n);
    std::vector<int> row_exponent(n), column_exponent(n);
    for (std::size_t k = 0; k < n; ++k) {
        row[k] = known.row_of_column[static_cast<std::size_t>(unknown[k])];
        place[static_cast<std::size_t>(unknown[k])] = static_cast<index_t>(k);
        row_place[static_cast<std::size_t>(row[k])] = static_cast<index_t>(k);
        row_exponent[k] = known.row_exponent[static_cast<std::size_t>(row[k])];
        column_exponent[k] = known.column_exponent[static_cast<std::size_t>(unknown[k])];
    }
    sort_entries(m);
    run(m);
    entry_.clear();
    before_ = space_.make_permutation(row, row_exponent);
    after_ = space_.make_permutation(place, known.column_exponent);
    before_transposed_ = space_.make_permutation(unknown, column_exponent);
    after_transposed_ = space_.make_permutation(row_place, known.row_exponent);
    y_.emplace(space_.make_vector(size()));
    z_.emplace(space_.make_vector(size()));
    index_t largest = 0;
    for (const front& f : front_) {
        largest = std::max(largest, f.order());
        entries_ += static_cast<double>(f.values ? f.values->size() : 0);
    }
    work_.emplace(space_.make_vector(largest));
}

template <array_space S>
void multifrontal<S>::sort_entries(const scaled_matrix& m)
{
    const sparse_analysis& known = *analysis_;
    const auto n = static_cast<std::size_t>(known.tree.n);
    std::vector<std::int32_t> front_of(n), place(n), row_place(n);
    for (index_t f = 0; f < known.tree.fronts(); ++f) {
        std::fill(front_of.begin() + known.tree.first_pivot[f], front_of.begin() + known.tree.first_pivot[f + 1],
                  static_cast<std::int32_t>(f));
    }
    for (std::size_t k = 0; k < n; ++k) {
        place[known.tree.unknown[k]] = static_cast<std::int32_t>(k);
        row_place[known.row_of_column[known.tree.unknown[k]]] = static_cast<std::int32_t>(k);
    }
    const auto for_each = [&](const auto& f) {
        for (index_t i = 0; i < m.a.n; ++i) {
            for (index_t p = m.a.row_begin[i]; p < m.a.row_begin[i + 1]; ++p) {
                const entry e{p, row_place[i], place[m.a.column[p]]};
                if (!known.symmetric || e.row >= e.column) {
                    f(front_of[std::min(e.row, e.column)], e);
                }
            }
        }
    };
    entry_begin_.assign(static_cast<std::size_t>(known.tree.fronts()) + 1, 0);
    for_each([&](std::int32_t f, const entry&) { ++entry_begin_[f + 1]; });
    std::partial_sum(entry_begin_.begin(), entry_begin_.end(), entry_begin_.begin());
    entry_.resize(static_cast<std::size_t>(entry_begin_.back()));
    std::vector<index_t> next(entry_begin_.begin(), entry_begin_.end() - 1);
    for_each([&](std::int32_t f, const entry& e) { entry_[next[f]++] = e; });
}

template <array_space S>
auto multifrontal<S>::make_worker() const -> worker
{
    const auto n = static_cast<std::size_t>(size());
    return {std::vector<std::int32_t>(n), std::vector<std::int32_t>(n),
            block_elimination<S>(space_, {.panel = 0, .products = {}, .stop = stop_})};
}

template <array_space S>
void multifrontal<S>::run(const scaled_matrix& m)
{
    const assembly_tree& tree = analysis_->tree;
    front_.resize(static_cast<std::size_t>(tree.fronts()));
    children_.resize(front_.size());
    for (index_t f = 0; f < tree.fronts(); ++f) {
        if (tree.parent[f] != -1) {
            children_[tree.parent[f]].push_back(static_cast<std::int32_t>(f));
        }
    }
    const blas::detail::single_threaded_blas one_thread;
    const std::vector<subtree> subtrees = find_subtrees(tree, omp_in_parallel() ? 1 : omp_get_max_threads());
    std::vector<char> done(front_.size(), 0);
    std::size_t next = 0;
    const int threads = static_cast<int>(std::min<std::size_t>(subtrees.size(), omp_get_max_threads()));
    blas::detail::run_team(std::max(threads, 1), [&](index_t, index_t) {
        worker w = make_worker();
        while (true) {
            std::size_t mine = 0;
#pragma omp atomic capture
            mine = next++;
            if (mine >= subtrees.size()) {
                return;
            }
            for (index_t f = subtrees[mine].first; f < subtrees[mine].last && factorize(f, w, m); ++f) {
                done[static_cast<std::size_t>(f)] = 1;
            }
        }
    });
    // a front before one that has failed may fail too, and then is the one that says why
    worker w = make_worker();
    for (index_t f = 0; f < (failed_front_ == -1 ? tree.fronts() : failed_front_) && !interrupted_; ++f) {
        if (done[static_cast<std::size_t>(f)] == 0 && !factorize(f, w, m)) {
            return;
        }
    }
}

template <array_space S>
bool multifrontal<S>::factorize(index_t f, worker& w, const scaled_matrix& m)
{
    start(f, w);
    add_matrix(f, w, m);
    for (const std::int32_t c : children_[static_cast<std::size_t>(f)]) {
        add_child(front_[static_cast<std::size_t>(f)], front_[static_cast<std::size_t>(c)], w);
        front_[static_cast<std::size_t>(c)].rest.reset();
    }
    return eliminate(f, w);
}

/// The rows and columns of a front: what the children delayed, its own pivots, and those below.
template <array_space S>
void multifrontal<S>::start(index_t f, worker& w)
{
    const assembly_tree& tree = analysis_->tree;
    front& at = front_[static_cast<std::size_t>(f)];
    for (const std::int32_t c : children_[static_cast<std::size_t>(f)]) {
        const front& child = front_[static_cast<std::size_t>(c)];
        at.row.insert(at.row.end(), child.row.begin() + child.pivots, child.row.begin() + child.columns);
        at.column.insert(at.column.end(), child.column.begin() + child.pivots, child.column.begin() + child.columns);
    }
    const auto below = tree.below(f);
    for (auto* labels : {&at.row, &at.column}) {
        const std::size_t delayed = labels->size();
        labels->resize(delayed + static_cast<std::size_t>(tree.pivots(f)));
        std::iota(labels->begin() + static_cast<std::ptrdiff_t>(delayed), labels->end(),
                  static_cast<std::int32_t>(tree.first_pivot[f]));
        labels->insert(labels->end(), below.begin(), below.end());
    }
    const index_t order = at.order();
    at.columns = order - static_cast<index_t>(below.size());
    for (index_t i = 0; i < order; ++i) {
        w.row_place[at.row[i]] = static_cast<std::int32_t>(i);
        w.column_place[at.column[i]] = static_cast<std::int32_t>(i);
    }
    at.values.emplace(space_.make_vector(at.columns * (analysis_->symmetric ? order : order + at.below())));
    at.rest.emplace(space_.make_vector(at.below() * at.below()));
}

template <array_space S>
void multifrontal<S>::add_matrix(index_t f, worker& w, const scaled_matrix& m)
{
    const front& at = front_[static_cast<std::size_t>(f)];
    const view p = columns_of(at), r = right_of(at);
    for (index_t e = entry_begin_[f]; e < entry_begin_[f + 1]; ++e) {
        const entry& each = entry_[static_cast<std::size_t>(e)];
        const auto i = w.row_place[each.row], j = w.column_place[each.column];
        const index_t row = analysis_->row_of_column[analysis_->tree.unknown[each.row]];
        const index_t unknown = analysis_->tree.unknown[each.column];
        const int scale = analysis_->row_exponent[row] + analysis_->column_exponent[unknown];
        // in the format's range, which may be wider than that of binary64
        const scalar a = m.exact.empty() ? ldexp(space_.make_scalar(m.a.value[each.place]), scale)
                                         : space_.make_scalar(ldexp(m.exact[each.place], scale));
        if (j < at.columns) {
            p.column(j).store(i, a);
        } else {
            r.column(j - at.columns).store(i, a);
        }
    }
}

template <array_space S>
void multifrontal<S>::add_child(front& parent, front& child, worker& w)
{
    const index_t m = child.order(), t = child.pivots, k = child.columns, cut = parent.columns;
    if (m == t) {
        return;
    }
    const bool symmetric = analysis_->symmetric;
    const std::vector<stretch> upper = stretches_of(child.row, t, k, w.row_place, cut),
                               lower = stretches_of(child.row, k, m, w.row_place, cut);
    const view from_p = columns_of(child), from_r = right_of(child), from_c = rest_of(child);
    const view p = columns_of(parent), r = right_of(parent), c = rest_of(parent);
    const auto add_column = [&](index_t j) {
        const index_t to_column = w.column_place[child.column[j]];
        const auto add_to = [&](const column& x, index_t row_of_x, const std::vector<stretch>& stretches) {
            for (const stretch& s : stretches) {
                const index_t skipped =
                    symmetric ? std::clamp<index_t>(j - s.from, 0, s.size) : 0;  // above the diagonal
                if (skipped == s.size) {
                    continue;
                }
                const index_t from = s.from + skipped - row_of_x, to = s.to + skipped, size = s.size - skipped;
                const auto source = part(x, from, from + size);
                if (to_column < cut) {
                    add<S, element>(space_, source, part(p.column(to_column), to, to + size));
                } else if (to < cut) {
                    add<S, element>(space_, source, part(r.column(to_column - cut), to, to + size));
                } else {
                    add<S, element>(space_, source, part(c.column(to_column - cut), to - cut, to - cut + size));
                }
            }
        };
        if (j < k) {
            add_to(from_p.column(j), 0, upper);
            add_to(from_p.column(j), 0, lower);
        } else {
            if (!symmetric && k > t) {
                add_to(from_r.column(j - k), 0, upper);
            }
            add_to(from_c.column(j - k), k, lower);
        }
    };
    const double work = 4.0 * static_cast<double>(precision_of(space_)) / 53.0 * static_cast<double>((m - t) * (m - t));
    blas::detail::parallel_ranges(m - t, 1, work, [&](index_t begin, index_t end) {
        for (index_t j = begin; j < end; ++j) {
            add_column(t + j);
        }
    });
}

template <array_space S>
bool multifrontal<S>::eliminate(index_t f, worker& w)
{
    front& at = front_[static_cast<std::size_t>(f)];
    const view p = columns_of(at), c = rest_of(at);
    const index_t k = at.columns;
    if (analysis_->symmetric) {
        const bool done = w.elimination.cholesky(p) && w.elimination.subtract_square(block(p, k, 0, at.below(), k), c);
        at.pivots = done ? k : 0;
        if (!done) {
            fail(f, w.elimination.is_stopped() ? "" : "the matrix is not positive definite in this precision");
        }
        return done;
    }
    const lu_pivots pivots = w.elimination.lu(p, k, pivot_threshold);
    at.pivots = pivots.count;
    for (index_t j = 0; j < pivots.count; ++j) {
        std::swap(at.row[j], at.row[pivots.row_swap[j]]);
    }
    const std::vector<std::int32_t> columns(at.column.begin(), at.column.begin() + k);
    std::transform(pivots.column.begin(), pivots.column.end(), at.column.begin(),
                   [&](index_t from) { return columns[static_cast<std::size_t>(from)]; });
    w.elimination.lu_beyond(p, pivots, right_of(at), c);
    if (w.elimination.is_stopped()) {
        fail(f, "");
        return false;
    }
    if (analysis_->tree.parent[f] == -1 && pivots.count < k) {
        const std::int32_t unknown = analysis_->tree.unknown[at.column[pivots.count]];
        fail(f, "no usable pivot in column " + std::to_string(unknown + 1) +
                    ": the matrix is singular to working precision");
        return false;
    }
#pragma omp atomic
    delayed_ += k - pivots.count;
    return true;
}

/// Of several fronts that fail the first one says why, whichever thread comes first. No words: it was interrupted.
template <array_space S>
void multifrontal<S>::fail(index_t f, std::string why)
{
#pragma omp critical(residua_multifrontal)
    if (failed_front_ == -1 || f < failed_front_) {
        failed_front_ = static_cast<std::int32_t>(f);
        interrupted_ = interrupted_ || why.empty();
        failure_ = why.empty() ? "interrupted during the factorisation" : std::move(why);
    }
}

#define RESIDUA_INSTANTIATE(...) template class multifrontal<host_space<__VA_ARGS__>>;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
template class multifrontal<multidigit_space<host_executor>>;

}  // namespace residua
