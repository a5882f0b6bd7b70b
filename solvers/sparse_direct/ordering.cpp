#include <residua/solvers/sparse_direct/ordering.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#define EIGEN_MPL2_ONLY
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <metis.h>

#include <residua/io/interruption.hpp>

namespace residua {
namespace {

constexpr std::chrono::milliseconds between_questions(20);
constexpr std::size_t least_apart = 20000;  // entries; others are ordered in less time than a stop may take

/// Runs f(), which cannot be stopped and owns what it works on. A thread of its own runs it, and is left to end alone
/// where work has to stop.
///
/// throws   io::stopped_error; as f()
template <class F>
void run_apart(std::size_t entries, F f)
{
    std::packaged_task<void()> task(f);
    if (entries < least_apart) {
        task();
        return task.get_future().get();
    }
    std::future<void> end = task.get_future();
    try {
        std::thread(std::move(task)).detach();
    } catch (const std::system_error&) {  // there are no more threads
        return f();
    }
    while (end.wait_for(between_questions) != std::future_status::ready) {
        io::ask_for_stop();
    }
    end.get();
}

/// METIS draws its random numbers by rand(), which has one state for the whole process. While an object of this class lives
/// that state is another one, and no other thread has such an object: so orders do not depend on solves that run at the same
/// time, and the numbers that the caller draws afterwards do not depend on METIS.
class own_random_numbers {
public:
    own_random_numbers() : lock_(one_at_a_time()), callers_(initstate(1, state_.data(), state_.size())) {}
    ~own_random_numbers() { setstate(callers_); }
    own_random_numbers(const own_random_numbers&) = delete;
    own_random_numbers& operator=(const own_random_numbers&) = delete;

private:
    static std::mutex& one_at_a_time()
    {
        static std::mutex mutex;
        return mutex;
    }

    std::lock_guard<std::mutex> lock_;
    std::array<char, 128> state_{};
    char* callers_;
};

/// A graph for METIS, and what it finds there: an order of nested dissection, or the sides of a separator.
struct metis_work {
    idx_t n = 0;
    std::vector<idx_t> begin, neighbor, unknown, place, side;
    int status = METIS_OK;

    void find_order()
    {
        unknown.resize(static_cast<std::size_t>(n));
        place.resize(static_cast<std::size_t>(n));
        run([this](idx_t* options) {
            return METIS_NodeND(&n, begin.data(), neighbor.data(), nullptr, options, unknown.data(), place.data());
        });
    }

    void find_separator()
    {
        side.resize(static_cast<std::size_t>(n));
        run([this, size = idx_t{0}](idx_t* options) mutable {
            return METIS_ComputeVertexSeparator(&n, begin.data(), neighbor.data(), nullptr, options, &size,
                                                side.data());
        });
    }

private:
    template <class F>
    void run(F f)
    {
        idx_t options[METIS_NOPTIONS];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        const own_random_numbers numbers;
        status = f(options);
    }
};

/// Runs METIS on a pattern that has entries.
std::shared_ptr<const metis_work> by_metis(const symmetric_pattern& pattern, void (metis_work::*f)())
{
    if (pattern.neighbor.size() > static_cast<std::size_t>(std::numeric_limits<idx_t>::max())) {
        throw unsupported_error("nested dissection takes matrices of up to 2^31 - 1 entries, not of " +
                                std::to_string(pattern.neighbor.size()));
    }
    const auto work = std::make_shared<metis_work>();
    work->n = static_cast<idx_t>(pattern.n);
    work->begin.assign(pattern.begin.begin(), pattern.begin.end());
    work->neighbor.assign(pattern.neighbor.begin(), pattern.neighbor.end());
    run_apart(pattern.neighbor.size(), [work, f] { ((*work).*f)(); });
    if (work->status != METIS_OK) {
        throw resource_error("nested dissection: METIS ends with " + std::to_string(work->status));
    }
    return work;
}

std::vector<std::int32_t> by_minimum_degree(const symmetric_pattern& pattern)
{
    using matrix_type = Eigen::SparseMatrix<char, Eigen::ColMajor, std::int64_t>;
    const auto n = static_cast<std::size_t>(pattern.n);
    using permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, std::int64_t>;
    const auto work = std::make_shared<std::pair<matrix_type, permutation>>();
    auto& [graph, found] = *work;
    graph.resize(pattern.n, pattern.n);  // with its diagonal, as Eigen wants it
    graph.resizeNonZeros(static_cast<Eigen::Index>(pattern.neighbor.size() + n));
    std::int64_t at = 0;
    for (index_t j = 0; j < pattern.n; ++j) {
        io::ask_for_stop_at(j);
        graph.outerIndexPtr()[j] = at;
        graph.innerIndexPtr()[at++] = j;
        for (index_t p = pattern.begin[j]; p < pattern.begin[j + 1]; ++p) {
            graph.innerIndexPtr()[at++] = pattern.neighbor[p];
        }
    }
    graph.outerIndexPtr()[pattern.n] = at;
    std::fill_n(graph.valuePtr(), at, char{1});
    run_apart(pattern.neighbor.size(), [work] { Eigen::internal::minimum_degree_ordering(work->first, work->second); });
    std::vector<std::int32_t> order(n);
    for (std::size_t k = 0; k < n; ++k) {
        order[k] = static_cast<std::int32_t>(found.indices()[static_cast<Eigen::Index>(k)]);
    }
    return order;
}

std::vector<std::int32_t> by_nested_dissection(const symmetric_pattern& pattern)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(pattern.n));
    std::iota(order.begin(), order.end(), 0);
    if (!pattern.neighbor.empty()) {
        const auto work = by_metis(pattern, &metis_work::find_order);
        std::copy(work->unknown.begin(), work->unknown.end(), order.begin());
    }
    return order;
}

std::vector<std::int32_t> by_reverse_cuthill_mckee(const symmetric_pattern& pattern)
{
    const auto n = static_cast<std::size_t>(pattern.n);
    const auto degree = [&](std::int32_t i) { return pattern.begin[i + 1] - pattern.begin[i]; };
    const auto by_degree = [&](std::int32_t i, std::int32_t j) {
        return std::pair(degree(i), i) < std::pair(degree(j), j);
    };
    std::vector<std::int32_t> order, level(n, -1);
    order.reserve(n);
    // Appends all unknowns that can be reached from `start`, level by level, and returns the last level.
    const auto search = [&](std::int32_t start) {
        std::size_t next = order.size();
        order.push_back(start);
        level[start] = 0;
        for (; next < order.size(); ++next) {
            const std::int32_t i = order[next];
            const auto first = static_cast<std::ptrdiff_t>(order.size());
            for (index_t p = pattern.begin[i]; p < pattern.begin[i + 1]; ++p) {
                const std::int32_t j = pattern.neighbor[p];
                if (level[j] < 0) {
                    level[j] = level[i] + 1;
                    order.push_back(j);
                }
            }
            std::sort(order.begin() + first, order.end(), by_degree);
        }
        return level[order.back()];
    };
    std::vector<std::int32_t> starts(n);
    std::iota(starts.begin(), starts.end(), 0);
    std::sort(starts.begin(), starts.end(), by_degree);
    for (std::int32_t start : starts) {
        io::ask_for_stop();
        if (level[start] >= 0) {
            continue;
        }
        const std::size_t first = order.size();
        for (std::int32_t depth = search(start), before = -1; depth > before; depth = search(start)) {
            before = depth;
            start = order.back();  // one of the farthest
            std::for_each(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                          [&](std::int32_t i) { level[i] = -1; });
            order.resize(first);
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace

symmetric_pattern pattern_of(const sparse_matrix& a, std::span<const std::int32_t> row_of_column)
{
    const index_t n = a.rows;
    std::vector<std::int32_t> place(static_cast<std::size_t>(n));  // place of a row of A among the rows of B
    std::iota(place.begin(), place.end(), 0);
    for (std::size_t j = 0; j < row_of_column.size(); ++j) {
        place[static_cast<std::size_t>(row_of_column[j])] = static_cast<std::int32_t>(j);
    }
    const auto for_each_entry = [&](const auto& f) {
        for (index_t i = 0; i < n; ++i) {
            io::ask_for_stop_at(i);
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                if (place[i] != a.column[p]) {
                    f(place[i], a.column[p]);
                    f(a.column[p], place[i]);
                }
            }
        }
    };
    symmetric_pattern all{.n = n, .begin = std::vector<index_t>(static_cast<std::size_t>(n) + 1, 0), .neighbor = {}};
    for_each_entry([&](std::int32_t i, std::int32_t) { ++all.begin[i + 1]; });
    std::partial_sum(all.begin.begin(), all.begin.end(), all.begin.begin());
    all.neighbor.resize(static_cast<std::size_t>(all.begin.back()));
    std::vector<index_t> next(all.begin.begin(), all.begin.end() - 1);
    for_each_entry([&](std::int32_t i, std::int32_t j) { all.neighbor[next[i]++] = j; });

    // an entry whose mirror image is stored too came twice
    index_t kept = 0;
    for (index_t i = 0; i < n; ++i) {
        io::ask_for_stop_at(i);
        const auto first = all.neighbor.begin() + all.begin[i], last = all.neighbor.begin() + all.begin[i + 1];
        std::sort(first, last);
        const auto end = std::unique(first, last);
        all.begin[i] = kept;
        kept = std::copy(first, end, all.neighbor.begin() + kept) - all.neighbor.begin();
    }
    all.begin[n] = kept;
    all.neighbor.resize(static_cast<std::size_t>(kept));
    return all;
}

std::vector<std::int32_t> find_order(const symmetric_pattern& pattern, ordering how)
{
    switch (how) {
        case ordering::minimum_degree:
            return by_minimum_degree(pattern);
        case ordering::nested_dissection:
            return by_nested_dissection(pattern);
        case ordering::reverse_cuthill_mckee:
            return by_reverse_cuthill_mckee(pattern);
    }
    return {};
}

std::vector<std::int32_t> find_separator(const symmetric_pattern& pattern)
{
    std::vector<std::int32_t> side(static_cast<std::size_t>(pattern.n));
    if (pattern.neighbor.empty()) {
        std::fill_n(side.begin(), side.size() / 2, 1);
        return side;
    }
    const auto work = by_metis(pattern, &metis_work::find_separator);
    std::copy(work->side.begin(), work->side.end(), side.begin());
    return side;
}

}  // namespace residua
