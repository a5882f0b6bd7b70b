#include <residua/solvers/sparse_direct/device_fronts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/solvers/sparse_direct/solve_steps.hpp>

namespace residua {
namespace {

using detail::front_launch;
using detail::front_size;
using detail::front_task;
using detail::placed_front;

/// Copies objects of any type to device memory, as words.
template <class Word, class T>
buffer<cuda_executor, Word> placed(const cuda_executor& exec, const std::vector<T>& from)
{
    static_assert(sizeof(T) % sizeof(Word) == 0);
    const std::size_t bytes = from.size() * sizeof(T);
    buffer<cuda_executor, Word> to(static_cast<index_t>(bytes / sizeof(Word)), exec, uninitialized{});
    if (bytes > 0) {
        detail::cuda_copy_in(exec, to.data(), from.data(), bytes);
    }
    return to;
}

struct front_sizes {
    index_t order, columns, pivots;

    front_sizes(const device_fronts::factors::front_factors& f)
        : order(f.columns.rows), columns(f.columns.cols), pivots(f.pivots)
    {}

    index_t rest() const { return order - pivots; }
    index_t steps() const { return strips(pivots); }
    index_t rests() const { return strips(rest()); }
    front_size size() const
    {
        return pivots <= detail::most_small_pivots && order <= detail::most_small_order ? front_size::small
               : pivots <= columns_of_step && order <= detail::most_medium_order        ? front_size::medium
                                                                                        : front_size::large;
    }

private:
    static index_t strips(index_t numbers) { return (numbers + columns_of_step - 1) / columns_of_step; }
};

/// The level of each front: the length of the longest way down to a leaf.
std::vector<index_t> levels_of(const std::vector<std::int32_t>& parent)
{
    std::vector<index_t> level(parent.size(), 0);
    for (std::size_t f = 0; f < parent.size(); ++f) {
        if (parent[f] != -1) {
            index_t& above = level[static_cast<std::size_t>(parent[f])];
            above = std::max(above, level[f] + 1);
        }
    }
    return level;
}

/// The tasks of a level: for each size of fronts, in the order in which they are done.
class level_tasks {
public:
    void add(const front_sizes& of, index_t f, bool up)
    {
        if ((up ? of.order : of.pivots) == 0) {
            return;
        }
        const front_size size = of.size();
        const index_t steps = of.steps(), rests = up ? of.rests() : 0;
        if (size != front_size::large) {
            tasks_[static_cast<std::size_t>(size)].push_back({static_cast<std::int32_t>(f), front_task::all});
        }
        for (index_t s = 0; s < steps + rests && size == front_size::large; ++s) {
            const index_t turn = s < steps ? (up ? s : steps - 1 - s) : rest_turn;
            strips_.push_back({turn, {static_cast<std::int32_t>(f), static_cast<std::int32_t>(s)}});
        }
    }

    /// Appends the tasks of the level, and the launches that do them.
    void give(std::vector<front_task>& tasks, std::vector<front_launch>& launches, index_t& counters)
    {
        std::stable_sort(strips_.begin(), strips_.end(),
                         [](const auto& x, const auto& y) { return x.first < y.first; });
        auto& large = tasks_[static_cast<std::size_t>(front_size::large)];
        std::transform(strips_.begin(), strips_.end(), std::back_inserter(large),
                       [](const auto& s) { return s.second; });
        for (const front_size size : {front_size::large, front_size::medium, front_size::small}) {
            const std::vector<front_task>& all = tasks_[static_cast<std::size_t>(size)];
            if (!all.empty()) {
                launches.push_back({size, static_cast<index_t>(tasks.size()), static_cast<index_t>(all.size()),
                                    size == front_size::large ? counters++ : 0});
                tasks.insert(tasks.end(), all.begin(), all.end());
            }
        }
    }

private:
    static constexpr index_t rest_turn = std::numeric_limits<index_t>::max();

    std::vector<front_task> tasks_[3];
    std::vector<std::pair<index_t, front_task>> strips_;  ///< strips that others wait for come first
};

}  // namespace

double device_fronts::bytes(const factors& of)
{
    constexpr double word = 4.0, of_task = sizeof(front_task);
    const double sides = of.kind() == factor_kind::lu ? 2.0 : 1.0, n = static_cast<double>(of.size());
    const double of_rest = sizeof(double) + 3.0 * word * sides;
    const double of_pivot = sizeof(double) + word * sides + 6.0 * word + (of.kind() == factor_kind::ldl ? 20.0 : 0.0);
    double bytes = sizeof(double) * of.entries() + of_pivot * n, rests = 0.0;
    for (index_t f = 0; f < of.fronts(); ++f) {
        const front_sizes sizes(of.factors_of(f));
        rests += static_cast<double>(sizes.rest());
        bytes += sizeof(placed_front) + 4.0 * word +
                 of_task * (2.0 + static_cast<double>(2 * sizes.steps() + sizes.rests()));
    }
    const bool have_places = n + rests < static_cast<double>(std::numeric_limits<std::uint32_t>::max());
    return have_places ? bytes + of_rest * rests : std::numeric_limits<double>::infinity();
}

bool device_fronts::are_faster(const factors& of)
{
    constexpr double of_launch = 4.0, of_copies = 40.0, of_entry = 0.0004;  // microseconds
    const std::vector<index_t> level = levels_of(of.analysis().tree.parent);
    std::vector<std::array<bool, 3>> has(level.size());
    double launches = 0.0;
    for (index_t f = 0; f < of.fronts(); ++f) {
        bool& known =
            has[static_cast<std::size_t>(level[f])][static_cast<std::size_t>(front_sizes(of.factors_of(f)).size())];
        launches += known ? 0.0 : 2.0;
        known = true;
    }
    return of_launch * launches < of_copies + of_entry * of.entries();
}

device_fronts::device_fronts(const cuda_executor& exec, const factors& of)
    : exec_(exec),
      n_(of.size()),
      kind_(of.kind()),
      rests_by_rows_(make_rests(of, false)),
      rows_(make_ends(of, false)),
      columns_(make_ends(of, true))
{
    if (kind_ == factor_kind::lu) {
        rests_by_columns_ = make_rests(of, true);
    }
    place_pivots(of);
    place_fronts(of);
    make_launches(of);
    place_values(of);
    counter_ = words<std::uint32_t>(counters_, exec_);
}

/// Gives the fronts, and the numbers that they have, consecutive places.
void device_fronts::place_fronts(const factors& of)
{
    std::vector<placed_front> all;
    placed_front next{};
    for (index_t f = 0; f < of.fronts(); ++f) {
        const auto front = of.factors_of(f);
        const front_sizes sizes(front);
        next.order = sizes.order;
        next.columns = sizes.columns;
        next.pivots = sizes.pivots;
        all.push_back(next);
        if (sizes.size() == front_size::large) {
            all.back().found = counters_;
            counters_ += 2;
        }
        next.values += sizes.columns * (sizes.order + front.right.cols);
        next.pivot_begin += sizes.pivots;
        next.rest_begin += sizes.rest();
    }
    front_ = placed<index_t>(exec_, all);
    values_ = words<double>(next.values, exec_, uninitialized{});
    pivot_ = words<double>(next.pivot_begin, exec_, uninitialized{});
    rest_ = words<double>(next.rest_begin, exec_, uninitialized{});
}

/// Copies the numbers of all fronts, many small fronts at a time.
void device_fronts::place_values(const factors& of)
{
    constexpr index_t most = index_t{1} << 22;
    std::vector<double> staged;
    index_t begin = 0;
    const auto flush = [&] {
        if (!staged.empty()) {
            detail::cuda_copy_in(exec_, values_.data() + begin, staged.data(), staged.size() * sizeof(double));
            begin += static_cast<index_t>(staged.size());
            staged.clear();
        }
    };
    for (index_t f = 0; f < of.fronts(); ++f) {
        const auto front = of.factors_of(f);
        const double* const from = front.columns.data();
        const index_t size = front.columns.cols * (front.columns.rows + front.right.cols);
        if (size > most) {
            flush();
            detail::cuda_copy_in(exec_, values_.data() + begin, from, static_cast<std::size_t>(size) * sizeof(double));
            begin += size;
            continue;
        }
        if (static_cast<index_t>(staged.size()) + size > most) {
            flush();
        }
        staged.insert(staged.end(), from, from + size);
    }
    flush();
}

/// Finds by labels which place in the parent a number of the rest has, and which pivot it becomes in the end.
auto device_fronts::make_rests(const factors& of, bool by_columns) const -> rests
{
    const std::vector<std::int32_t>& parent = of.analysis().tree.parent;
    const auto labels = [&](index_t f) -> const std::vector<std::int32_t>& {
        const auto front = of.factors_of(f);
        return by_columns ? front.column : front.row;
    };
    std::vector<std::int32_t> pivot_of(static_cast<std::size_t>(of.size())), place(pivot_of), pivot;
    std::vector<std::vector<std::int32_t>> children(parent.size());
    std::vector<std::uint32_t> rest_begin, source_begin(1, 0), source;
    std::uint32_t next_rest = 0;
    for (index_t f = 0, k = 0; f < of.fronts(); ++f) {
        const auto pivots = static_cast<std::size_t>(of.factors_of(f).pivots);
        for (std::size_t i = 0; i < pivots; ++i) {
            pivot_of[labels(f)[i]] = static_cast<std::int32_t>(k++);
        }
        rest_begin.push_back(next_rest);
        next_rest += static_cast<std::uint32_t>(labels(f).size() - pivots);
        if (parent[f] != -1) {
            children[parent[f]].push_back(static_cast<std::int32_t>(f));
        }
    }
    for (index_t f = 0; f < of.fronts(); ++f) {
        const std::vector<std::int32_t>& label = labels(f);
        const auto pivots = static_cast<std::size_t>(of.factors_of(f).pivots);
        for (std::size_t i = 0; i < label.size(); ++i) {
            place[label[i]] = static_cast<std::int32_t>(i);
            if (i >= pivots) {
                pivot.push_back(pivot_of[label[i]]);
            }
        }
        const auto for_each_source = [&](const auto& each) {
            for (const std::int32_t c : children[static_cast<std::size_t>(f)]) {
                const std::vector<std::int32_t>& below = labels(c);
                const auto done = static_cast<std::size_t>(of.factors_of(c).pivots);
                for (std::size_t i = done; i < below.size(); ++i) {
                    each(static_cast<std::size_t>(place[below[i]]),
                         rest_begin[c] + static_cast<std::uint32_t>(i - done));
                }
            }
        };
        std::vector<std::uint32_t> next(label.size() + 1, 0);
        for_each_source([&](std::size_t i, std::uint32_t) { ++next[i + 1]; });
        next[0] = source_begin.back();
        std::partial_sum(next.begin(), next.end(), next.begin());
        source_begin.insert(source_begin.end(), next.begin() + 1, next.end());
        source.resize(next.back());
        for_each_source([&](std::size_t i, std::uint32_t from) { source[next[i]++] = from; });
    }
    return {placed<std::uint32_t>(exec_, source_begin), placed<std::uint32_t>(exec_, source),
            placed<std::int32_t>(exec_, pivot)};
}

auto device_fronts::make_ends(const factors& of, bool by_columns) const -> ends
{
    const sparse_analysis& known = of.analysis();
    std::vector<std::int32_t> at;
    std::vector<double> factor;
    for (index_t f = 0; f < of.fronts(); ++f) {
        const auto front = of.factors_of(f);
        for (index_t k = 0; k < front.pivots; ++k) {
            const std::int32_t unknown = known.tree.unknown[by_columns ? front.column[k] : front.row[k]];
            at.push_back(by_columns ? unknown : known.row_of_column[unknown]);
            const double scale = pow2((by_columns ? known.column_exponent : known.row_exponent)[at.back()]);
            factor.push_back(!by_columns && known.negates(at.back()) ? -scale : scale);
        }
    }
    return {placed<std::int32_t>(exec_, at), placed<double>(exec_, factor)};
}

/// Copies D of L D L', pivot by pivot.
void device_fronts::place_pivots(const factors& of)
{
    std::vector<double> diagonal, beside;
    std::vector<std::int32_t> place_in_pair;
    for (index_t f = 0; f < of.fronts() && kind_ == factor_kind::ldl; ++f) {
        const auto front = of.factors_of(f);
        bool second = false;
        for (index_t k = 0; k < front.pivots; ++k) {
            const bool first = !second && front.is_pair[static_cast<std::size_t>(k)] != 0;
            diagonal.push_back(front.columns.column(k).load(k));
            beside.push_back(first ? front.columns.column(k + 1).load(k) : 0.0);
            place_in_pair.push_back(first ? 1 : second ? 2 : 0);
            second = first;
        }
    }
    diagonal_ = placed<double>(exec_, diagonal);
    beside_ = placed<double>(exec_, beside);
    place_in_pair_ = placed<std::int32_t>(exec_, place_in_pair);
}

void device_fronts::make_launches(const factors& of)
{
    const std::vector<index_t> level = levels_of(of.analysis().tree.parent);
    std::vector<index_t> order(level.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](index_t f, index_t g) { return level[f] < level[g]; });
    std::vector<front_task> tasks;
    const auto add_levels = [&](auto first, auto last, bool up, std::vector<front_launch>& launches) {
        while (first != last) {
            level_tasks all;
            for (const index_t now = level[*first]; first != last && level[*first] == now; ++first) {
                all.add(front_sizes(of.factors_of(*first)), *first, up);
            }
            all.give(tasks, launches, counters_);
        }
    };
    add_levels(order.begin(), order.end(), true, up_);
    add_levels(order.rbegin(), order.rend(), false, down_);
    task_ = placed<std::int32_t>(exec_, tasks);
}

detail::fronts_at_work device_fronts::work_on(vector<cuda_executor, double>& x, bool by_columns, bool divides) const
{
    const rests& between = by_columns && kind_ == factor_kind::lu ? rests_by_columns_ : rests_by_rows_;
    const ends& end = by_columns ? columns_ : rows_;
    return {.values = values_.data(),
            .front = reinterpret_cast<const placed_front*>(front_.data()),
            .task = reinterpret_cast<const front_task*>(task_.data()),
            .places = {between.source_begin.data(), between.source.data(), between.pivot.data()},
            .end = {end.at.data(), end.factor.data()},
            .x = x.view().data(),
            .pivot = pivot_.data(),
            .rest = rest_.data(),
            .counter = counter_.data(),
            .divides = divides};
}

void device_fronts::solve(vector<cuda_executor, double>& x, bool transposed) const
{
    using detail::front_pass;
    require_equal("solve by fronts", "rows of the factors and size of x", n_, x.size());
    const bool is_lu = kind_ == factor_kind::lu, is_cholesky = kind_ == factor_kind::cholesky;
    const front_pass up = transposed && is_lu ? front_pass::up_by_u : front_pass::up_by_l;
    const front_pass down = !transposed && is_lu ? front_pass::down_by_u : front_pass::down_by_l;
    const auto up_work = work_on(x, transposed, is_cholesky || up == front_pass::up_by_u);
    const auto down_work = work_on(x, !transposed, is_cholesky || down == front_pass::down_by_u);
    const std::lock_guard<std::mutex> mine(turn_);
    detail::clear_counters(exec_, counter_.data(), counters_);
    for (const front_launch& next : up_) {
        detail::run_fronts(exec_, up, next, up_work);
    }
    if (kind_ == factor_kind::ldl) {
        detail::solve_pivots(exec_, {diagonal_.data(), beside_.data(), place_in_pair_.data()}, n_, pivot_.data());
    }
    for (const front_launch& next : down_) {
        detail::run_fronts(exec_, down, next, down_work);
    }
}

}  // namespace residua
