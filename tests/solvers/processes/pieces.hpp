#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/processes/distributed_rows.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/processes/partition.hpp>
#include <residua/solvers/space/any_operator.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/thread_processes.hpp"

/// Vectors and matrices in pieces, and how they are compared with whole ones.
namespace residua::support {

/// The number of joins that sums which travel together take. Multi-digit floats take one more, for common units.
template <class S>
inline constexpr index_t joins_of_sums = std::is_same_v<typename S::element, multidigit> ? 2 : 1;

/// n rows cut at random multiples of `block` into pieces, some of which may be empty.
inline partition random_partition(biased_random& random, index_t n, index_t block, index_t count)
{
    const auto blocks = static_cast<int>((n + block - 1) / block);
    std::vector<index_t> begin{0, n};
    for (index_t cut = 1; cut < count; ++cut) {
        begin.push_back(std::min(random.integer(0, blocks) * block, n));
    }
    std::sort(begin.begin(), begin.end());
    return partition(begin);
}

/// All numbers of a vector, or of the own rows, as they lie in memory one by one.
template <class S>
std::vector<std::byte> bytes_of(const S& space, const typename S::vector& x)
{
    std::vector<std::byte> bytes;
    const auto& on_host = space.fetched(x);
    auto one = space.make_host_vector(1);
    for (index_t i = 0; i < x.size(); ++i) {
        one.set(0, on_host.get(i));
        one.for_each_buffer([&](auto& words) {
            const auto of_words = std::as_bytes(words.span());
            bytes.insert(bytes.end(), of_words.begin(), of_words.end());
        });
    }
    return bytes;
}

template <class S>
std::vector<std::byte> bytes_of(const S& space, const typename S::scalar& a)
{
    auto one = space.make_host_vector(1);
    one.set(0, a);
    return bytes_of(space.host_counterpart(), one);
}

/// The own rows of a whole vector, which is on the host.
template <class S>
typename S::vector piece_of(const distributed_space<S>& space, const typename distributed_space<S>::host_vector& whole)
{
    auto piece = space.make_host_vector(space.last() - space.first());
    for (index_t i = space.first(); i < space.last(); ++i) {
        piece.set(i - space.first(), whole.get(i));
    }
    return space.placed(std::move(piece));
}

/// The bytes of the own rows within those of a whole vector.
template <class S>
std::vector<std::byte> own_part_of(const distributed_space<S>& space, const std::vector<std::byte>& whole)
{
    const auto each = static_cast<std::ptrdiff_t>(whole.size()) / space.rows().n();
    return {whole.begin() + each * space.first(), whole.begin() + each * space.last()};
}

/// A matrix with entries near the diagonal and a few far away; some rows are empty.
inline sparse_matrix random_matrix(biased_random& random, index_t n, bool long_entries)
{
    sparse_matrix a{.rows = n, .cols = n, .row_begin = {0}, .column = {}, .values = {}};
    std::vector<real> exact;
    for (index_t i = 0; i < n; ++i) {
        std::map<index_t, double> row;
        const int entries = random.one_in(10) ? 0 : random.integer(1, 9);
        for (int k = 0; k < entries; ++k) {
            const index_t j = random.one_in(n > 2000 ? 500 : 20) ? random.integer(0, static_cast<int>(n) - 1)
                                                                 : i + random.integer(-40, 40);
            if (j >= 0 && j < n) {
                row[j] = random.full(-20, 20);
            }
        }
        for (const auto& [j, value] : row) {
            a.column.push_back(static_cast<std::int32_t>(j));
            a.values.push_back(value);
            exact.push_back(real(value, 400) + real(random.full(-80, -70), 400));
        }
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }
    if (long_entries) {
        a.exact = exact_entries(exact);
    }
    return a;
}

/// Rows of the processes as an operator.
template <class S>
any_operator<distributed_space<S>> own_rows_in(const distributed_space<S>& space, const sparse_matrix& own)
{
    using D = distributed_space<S>;
    using vector = typename D::vector;
    const auto rows = std::make_shared<distributed_rows<S>>(space, own);
    any_operator<D> result;
    result.function = [rows](const D& on, const vector& x, vector& y) { rows->apply(on, x, y); };
    result.exact_residual = [rows](const D& on, const vector& x, const vector& b, vector& r) {
        rows->residual(on, x, b, r);
    };
    return result;
}

/// The own rows of a whole matrix as an operator.
template <class S>
any_operator<distributed_space<S>> rows_in(const distributed_space<S>& space, const sparse_matrix& whole)
{
    return own_rows_in<S>(space, cut_rows(whole, space.first(), space.last()));
}

/// f(space, process) on each of so many processes, with rows that are cut at random.
template <class S, class F>
void run_in_pieces(const S& local, biased_random& random, index_t n, index_t count, const F& f)
{
    const partition rows = random_partition(random, n, blas::block_of_sum<typename S::element>(n), count);
    run_processes(count, [&](thread_process& process) { f(distributed_space<S>(local, rows, process), process); });
}

}  // namespace residua::support
