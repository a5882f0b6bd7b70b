#include <residua/solvers/sparse_direct/multifrontal.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <mutex>
#include <numeric>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/blas/level1/convert.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/sparse_direct/multifrontal_assembly.hpp>
#include <residua/solvers/sparse_direct/multifrontal_keep.hpp>
#include <residua/solvers/sparse_direct/multifrontal_pivots.hpp>
#include <residua/solvers/sparse_direct/multifrontal_plan.hpp>
#include <residua/solvers/sparse_direct/multifrontal_solve.hpp>
#include <residua/solvers/sparse_direct/subtrees.hpp>

namespace residua {
namespace {

constexpr double pivot_threshold = 0.01;

/// Whether the factors are in binary32. Solves work in more bits than these, so messages say which precision is meant.
template <class E>
constexpr bool is_binary32 = std::same_as<E, float>;

/// label_k <- label_(from_k)
void reorder(std::vector<std::int32_t>& label, const std::vector<index_t>& from)
{
    const std::vector<std::int32_t> before(label.begin(), label.begin() + static_cast<std::ptrdiff_t>(from.size()));
    std::transform(from.begin(), from.end(), label.begin(),
                   [&](index_t k) { return before[static_cast<std::size_t>(k)]; });
}

}  // namespace

template <array_space S>
multifrontal<S>::multifrontal(const S& space, std::shared_ptr<const sparse_analysis> analysis, const sparse_matrix& a,
                              const std::vector<real>& exact, const elimination_options& options)
    : space_(space), analysis_(std::move(analysis)), options_(options)
{
    const sparse_analysis& known = *analysis_;
    failure_ = known.failure;
    if (!failure_.empty()) {
        return;
    }
    sort_entries(a);
    eliminate_all({a, exact});
    std::vector<entry>().swap(entry_);
    if (failure_.empty()) {
        find_singular_column();
    }
    for (const front& f : front_) {
        entries_ += static_cast<double>(f.values ? f.values->size() : 0);
    }
    if (failure_.empty()) {
        make_plan();
    }
}

template <array_space S>
multifrontal<S>::multifrontal(const S& space, const known_fronts& of)
    requires std::same_as<solve_space, S>
    : space_(space), analysis_(of.analysis)
{
    find_children();
    for (std::size_t f = 0; f < front_.size(); ++f) {
        const auto values = of.values(static_cast<index_t>(f));
        static_cast<front_shape&>(front_[f]) = of.shape(static_cast<index_t>(f));
        front_[f].values.emplace(space_.make_host_vector(values.size()));
        blas::convert(host_executor{}, values.view(), front_[f].values->view());
        entries_ += static_cast<double>(values.size());
    }
    make_plan();
}

template <array_space S>
known_fronts multifrontal<S>::numbers(const multidigit_format& format) const
    requires std::same_as<solve_space, S>
{
    const auto values = [this, format](index_t f) {
        const vector& from = *front_[static_cast<std::size_t>(f)].values;
        residua::vector<host_executor, multidigit> result(format, from.size());
        blas::convert(host_executor{}, from.view(), result.view());
        return result;
    };
    const auto shape = [this](index_t f) -> const front_shape& { return front_[static_cast<std::size_t>(f)]; };
    return {analysis_, shape, values};
}

template <array_space S>
void multifrontal<S>::find_children()
{
    const assembly_tree& tree = analysis_->tree;
    front_.resize(static_cast<std::size_t>(tree.fronts()));
    children_.resize(front_.size());
    for (index_t f = 0; f < tree.fronts(); ++f) {
        if (tree.parent[f] != -1) {
            children_[tree.parent[f]].push_back(static_cast<std::int32_t>(f));
        }
    }
}

template <array_space S>
void multifrontal<S>::sort_entries(const sparse_matrix& a)
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
        for (index_t i = 0; i < a.rows; ++i) {
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                const entry e{p, row_place[i], place[a.column[p]]};
                if (!known.is_symmetric() || e.row >= e.column) {
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
auto multifrontal<S>::make_worker(const product_place& products) const -> worker
{
    const auto n = static_cast<std::size_t>(size());
    return {
        std::vector<std::int32_t>(n), std::vector<std::int32_t>(n),
        block_elimination<S>(space_, {.panel = options_.panel, .products = products, .complex = analysis_->in_pairs})};
}

template <array_space S>
void multifrontal<S>::eliminate_all(const matrix_entries& m)
{
    const assembly_tree& tree = analysis_->tree;
    find_children();
    const blas::detail::single_threaded_blas one_thread;
    const std::vector<subtree> subtrees =
        find_subtrees(tree, blas::detail::threads_for(detail::operations_of(space_) * multiply_adds(tree)));
    std::vector<char> done(front_.size(), 0);
    front_keeper keeper(
        options_.keeper, options_.keeper != nullptr ? key_of(m) : content_key{}, tree.parent,
        [this](state_archive& io, index_t f) { archive_values(io, f); },
        [this](state_archive& io, index_t f) { archive_rest(io, f); });
    front_keeper::progress whole;
    keeper.restore(done, whole);
    for (std::size_t f = 0; f < front_.size(); ++f) {
        if (done[f] == 1 && tree.parent[f] != -1) {
            delayed_ += front_[f].columns - front_[f].pivots;
            if (done[static_cast<std::size_t>(tree.parent[f])] == 1) {
                front_[f].rest.reset();
            }
        }
    }
    std::mutex turn;
    std::atomic<std::size_t> next = 0;
    const auto most = static_cast<std::size_t>(io::available_threads());
    blas::detail::run_team(static_cast<int>(std::min(subtrees.size(), most)), [&](index_t, index_t) {
        worker w = make_worker({});
        front_keeper::progress at;
        for (std::size_t mine = next++; mine < subtrees.size(); mine = next++) {
            for (index_t f = subtrees[mine].first; f < subtrees[mine].last; ++f) {
                if (done[static_cast<std::size_t>(f)] == 1) {
                    continue;
                }
                if (!factorize(f, w, m)) {
                    break;
                }
                done[static_cast<std::size_t>(f)] = 1;
                keeper.after(f, children_[static_cast<std::size_t>(f)], at);
            }
        }
        const std::lock_guard<std::mutex> mine(turn);
        front_keeper::join(whole, at);
    });
    keeper.forget_taken(done, whole);
    // a front before one that has failed may fail too, and then is the one that says why
    worker w = make_worker(options_.products);
    for (index_t f = 0; f < (failed_front_ == -1 ? tree.fronts() : failed_front_); ++f) {
        if (done[static_cast<std::size_t>(f)] == 1) {
            continue;
        }
        if (!factorize(f, w, m)) {
            break;
        }
        if (failed_front_ == -1) {  // otherwise failed parents have taken rests
            keeper.after(f, children_[static_cast<std::size_t>(f)], whole);
        }
    }
    if (failed_front_ == -1) {
        keeper.finish(whole);
    }
    products_on_device_ += w.elimination.products_on_device();
    for (front& each : front_) {
        each.rest_there.reset();  // no parent has taken it if one has failed
    }
}

template <array_space S>
bool multifrontal<S>::factorize(index_t f, worker& w, const matrix_entries& m)
{
    start(f, w);
    if (const std::optional<bool> there = factorize_there(f, w, m)) {
        return *there;
    }
    front& at = front_[static_cast<std::size_t>(f)];
    at.values.emplace(space_.make_vector(size_of_values(at)));
    at.rest.emplace(space_.make_vector(at.below() * at.below()));
    const blocks<host_executor> matrix = blocks_of(at, *at.values, *at.rest);
    for_each_entry(f, w, m, [&](index_t i, index_t j, const scalar& a) {
        if (j < at.columns) {
            matrix.columns.column(j).store(i, a);
        } else {
            matrix.right.column(j - at.columns).store(i, a);
        }
    });
    for (const std::int32_t c : children_[static_cast<std::size_t>(f)]) {
        front& child = front_[static_cast<std::size_t>(c)];
        bring_rest(child);
        add_child(matrix, child, w);
        child.rest.reset();
    }
    return eliminate(f, space_, w.elimination, matrix);
}

/// Eliminates an assembled front, on the host or on a device.
template <array_space S>
template <class Space>
bool multifrontal<S>::eliminate(index_t f, const Space& space, block_elimination<Space>& elimination,
                                const blocks<std::remove_cv_t<decltype(Space::exec)>>& matrix)
{
    front& at = front_[static_cast<std::size_t>(f)];
    const auto& [p, r, c] = matrix;
    const index_t k = at.columns;
    const auto out_of_range = [&](const auto& block, bool lower) {
        return detail::column_out_of_range(space.exec, block, lower);
    };
    const auto fails = [&](std::string why) {
        at.pivots = 0;
        fail(f, std::move(why));
        return false;
    };
    if (is_cholesky()) {
        if (!elimination.cholesky(p) || out_of_range(p, true) != -1) {
            const std::string in = is_binary32<element> ? "binary32" : "this precision";
            return fails("the matrix is not positive definite in " + in);
        }
        elimination.subtract_square(p.block(k, 0, at.below(), k), c);
        at.pivots = k;
        return true;
    }
    if (kind() == factor_kind::ldl) {
        const ldl_pivots pivots = elimination.ldl(p, pivot_threshold);
        at.pivots = pivots.count;
        at.is_pair = pivots.is_pair;
        reorder(at.row, pivots.column);
        reorder(at.column, pivots.column);
        elimination.ldl_beyond(p, pivots, c);
    } else {
        const lu_pivots pivots = elimination.lu(p, k, pivot_threshold);
        at.pivots = pivots.count;
        for (index_t j = 0; j < pivots.count; ++j) {
            std::swap(at.row[j], at.row[pivots.row_swap[j]]);
        }
        reorder(at.column, pivots.column);
        elimination.lu_beyond(p, pivots, r, c);
    }
    index_t lost = out_of_range(p, kind() == factor_kind::ldl);
    if (lost == -1 && kind() == factor_kind::lu && at.below() > 0) {
        lost = out_of_range(r, false);
        lost += lost == -1 ? 0 : k;
    }
    if (lost != -1) {
        return fails(no_pivot_in(at.column[lost]));
    }
    if (analysis_->tree.parent[f] != -1) {
#pragma omp atomic
        delayed_ += k - at.pivots;
    }
    return true;
}

template <array_space S>
std::string multifrontal<S>::no_pivot_in(std::int32_t pivot) const
{
    return "no usable pivot in column " + std::to_string(analysis_->tree.unknown[pivot] + 1) +
           ": the matrix is singular " + (is_binary32<element> ? "in binary32" : "to working precision");
}

/// A root that has columns without a pivot cannot give them to anybody.
template <array_space S>
void multifrontal<S>::find_singular_column()
{
    const assembly_tree& tree = analysis_->tree;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        const front& at = front_[static_cast<std::size_t>(f)];
        if (tree.parent[f] == -1 && at.pivots < at.columns) {
            failure_ = no_pivot_in(at.column[at.pivots]);
            singular_ = true;
            return;
        }
    }
}

/// If several fronts fail, the first one says why, whichever thread comes first.
template <array_space S>
void multifrontal<S>::fail(index_t f, std::string why)
{
#pragma omp critical(residua_multifrontal)
    if (failed_front_ == -1 || f < failed_front_) {
        failed_front_ = static_cast<std::int32_t>(f);
        failure_ = std::move(why);
    }
}

#define RESIDUA_INSTANTIATE(...) template class multifrontal<host_space<__VA_ARGS__>>;
#if defined(RESIDUA_LONG_NUMBERS)  // the file is compiled once more for them, without inlining
RESIDUA_FOR_EACH_LONG_EXPANSION(RESIDUA_INSTANTIATE)
template class multifrontal<multidigit_space<host_executor>>;
#else
RESIDUA_INSTANTIATE(float)
RESIDUA_INSTANTIATE(double)
RESIDUA_FOR_EACH_SHORT_EXPANSION(RESIDUA_INSTANTIATE)
#endif

}  // namespace residua
