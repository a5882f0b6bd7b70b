#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level1/quotient.hpp>
#include <residua/blas/level1/sum_state.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/blas/multidigit/sum_state.hpp>
#include <residua/blas/rns/sum_state.hpp>
#include <residua/solvers/processes/partition.hpp>
#include <residua/solvers/processes/processes.hpp>
#include <residua/solvers/processes/shared_archive.hpp>
#include <residua/solvers/processes/vector_bytes.hpp>
#include <residua/solvers/space/shortened.hpp>
#include <residua/solvers/space/space_state.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The rows of which pieces of n rows consist, so that sums of every format go by their blocks (blas::block_of_sum).
constexpr index_t block_of_rows(index_t n)
{
    return std::lcm(std::lcm(blas::block_of_sum<double>(n), blas::block_of_sum<multidigit>(n)),
                    blas::block_of_sum<rns>(n));
}

/// The vector_space of vectors in pieces over several processes, each in a space S of its own: a vector is the rows of
/// this process, its size is that of the whole. Scalars are on the host, with the same bits on every process.
///
/// Sums, and what is made of them, are functions of the whole vectors. They are joined from the states of the pieces
/// (blas/level1/sum_state.hpp), and so have the bits that S gives for the whole vectors. All else is done where the
/// rows are. So a method makes the same decisions on every process, and the same numbers as on one.
///
/// Sums that are asked for by dot(x, y, s, i) wait in s until a scalar of s is needed. Then all of them travel
/// together.
///
/// together  dot(x, y), norm2 and norm_inf, and divide, axmy and fetched while sums wait; nothing else
template <array_space S>
class distributed_space : public S {
public:
    using local_space = S;
    using typename S::element;
    using typename S::scalar;
    using typename S::vector;
    using sum = blas::sum_state<element>;
    using host_vector = decltype(std::declval<const S&>().make_host_vector(0));

    /// The processes must outlive the space and its copies.
    ///
    /// throws  dimension_error unless there is a piece for each process, and pieces are whole blocks of sums of n terms
    distributed_space(S local, partition rows, processes& all) : S(std::move(local)), rows_(std::move(rows)), all_(&all)
    {
        require_equal("distributed_space", "pieces and processes", rows_.count(), all.count());
        rows_.require_blocks(blas::block_of_sum<element>(rows_.n()));
    }

    const S& local() const { return *this; }
    const partition& rows() const { return rows_; }
    processes& all() const { return *all_; }
    index_t first() const { return rows_.first(all_->rank()); }
    index_t last() const { return rows_.last(all_->rank()); }

    /// This space with another number of bits.
    distributed_space shortened(long bits) const
        requires shortenable_space<S>
    {
        return {S::shortened(bits), rows_, *all_};
    }

    /// The own rows of a vector of n elements.
    ///
    /// throws  dimension_error unless n is the size of the space
    vector make_vector(index_t n) const
    {
        require_equal("make_vector", "size and rows of all processes", n, rows_.n());
        return S::make_vector(last() - first());
    }
    vector make_vector(const std::vector<double>& values) const
    {
        require_equal("make_vector", "values and rows of all processes", static_cast<index_t>(values.size()),
                      rows_.n());
        return S::make_vector(std::vector<double>(values.begin() + first(), values.begin() + last()));
    }
    index_t size(const vector&) const { return rows_.n(); }

    /// f(piece) on process 0 for the rows of one process after the other; on the others f is not called.
    ///
    /// together
    template <class F>
    void for_each_piece(const vector& x, const F& f) const
    {
        for (index_t rank = 0; rank < rows_.count(); ++rank) {
            std::vector<std::byte> own;
            if (rank == all_->rank()) {
                host_vector here = S::fetched(x);
                own = bytes_of(here);
            }
            const std::vector<std::byte> bytes = gather(*all_, std::exchange(own, {}));
            if (all_->rank() == 0) {
                host_vector piece = this->make_host_vector(rows_.size(rank));
                set_bytes(piece, bytes);
                f(std::move(piece));
            }
        }
    }

    /// The rows of all processes on process 0; a vector without rows on the others.
    ///
    /// together
    host_vector gathered(const vector& x) const
    {
        host_vector whole = this->make_host_vector(all_->rank() == 0 ? rows_.n() : 0);
        index_t first = 0;
        for_each_piece(x, [&](const host_vector& piece) {
            blas::copy(host_executor{}, piece.view(), whole.view().part(first, first + piece.size()));
            first += piece.size();
        });
        return whole;
    }

    /// x <- the own rows of a vector that process 0 has, which go to one process after the other; of others it is not read.
    ///
    /// together
    void scatter(const host_vector& whole, vector& x) const
    {
        host_vector own = this->make_host_vector(last() - first());
        for (index_t rank = 0; rank < rows_.count(); ++rank) {
            processes::bytes_by_rank out(static_cast<std::size_t>(all_->count()));
            if (all_->rank() == 0) {
                host_vector piece = this->make_host_vector(rows_.size(rank));
                blas::copy(host_executor{}, whole.view().part(rows_.first(rank), rows_.last(rank)), piece.view());
                out[static_cast<std::size_t>(rank)] = bytes_of(piece);
            }
            const processes::bytes_by_rank in = all_->all_to_all(std::move(out));
            if (rank == all_->rank()) {
                set_bytes(own, in.front());
            }
        }
        x = this->placed(std::move(own));
    }

    /// The rows of all processes, in the state of process 0: as archive() in space_state.hpp has a whole vector.
    ///
    /// io        a shared_archive
    /// together
    void archive(state_archive& io, vector& x) const
    {
        const auto& shared = dynamic_cast<shared_archive&>(io);
        host_vector whole = io.reads() ? this->make_host_vector(all_->rank() == 0 ? rows_.n() : 0) : gathered(x);
        if (state_archive* const of_first = shared.of_first()) {
            detail::archive_memory(*of_first, whole);
        }
        if (io.reads()) {
            scatter(whole, x);
        }
    }

    scalar dot(const vector& x, const vector& y) const
    {
        std::vector<sum> one{state_of(x, y)};
        return joined(one).front();
    }

    /// max |x_i|, the first of equal ones; NaN if an element is.
    scalar norm_inf(const vector& x) const
    {
        const scalar largest = blas::norm_inf<element>(this->exec, x.view());
        std::vector<std::byte> message = bytes_of_scalar(largest);
        all_->join(message, [this](std::span<const std::byte> left, std::span<std::byte> right) {
            const scalar a = scalar_of(left);
            const scalar b = scalar_of(right);
            const bool a_is_nan = !(a == a);  // NOLINT(misc-redundant-expression)
            const bool b_is_nan = !(b == b);  // NOLINT(misc-redundant-expression)
            if (a_is_nan || (!b_is_nan && !(a < b))) {
                std::memcpy(right.data(), left.data(), right.size());
            }
        });
        return scalar_of(message);
    }

    scalar norm2(const vector& x) const { return norm2(x, dot(x, x)); }
    scalar norm2(const vector& x, const scalar& square) const
    {
        if constexpr (number<element>) {
            return blas::detail::scaled_norm2<element>(
                square, [&] { return norm_inf(x); }, [&](int e) { return sum_of_scaled_squares(x, e); });
        } else {
            return norm2_in_long_range(x, square);
        }
    }

    /// Scalars, and sums that have not been joined yet with the places of their results.
    struct scalars {
        std::vector<scalar> value;
        std::vector<index_t> place;
        std::vector<sum> waiting;
    };
    scalars make_scalars(index_t count) const
    {
        return {std::vector<scalar>(static_cast<std::size_t>(count), this->make_scalar(0.0)), {}, {}};
    }
    scalars make_scalars(const std::vector<scalar>& values) const { return {values, {}, {}}; }
    void dot(const vector& x, const vector& y, scalars& s, index_t i) const
    {
        s.place.push_back(i);
        s.waiting.push_back(state_of(x, y));
    }
    void divide(scalars& s, index_t i, index_t j, index_t k) const
    {
        join_waiting(s);
        s.value[k] = blas::quotient(s.value[i], s.value[j], this->make_scalar(0.0));
    }
    void axmy(scalars& s, index_t i, const vector& x, vector& y) const
    {
        join_waiting(s);
        this->axpy(-s.value[i], x, y);
    }
    using S::fetched;
    std::vector<scalar> fetched(scalars& s, index_t count) const
    {
        join_waiting(s);
        return {s.value.begin(), s.value.begin() + count};
    }

private:
    sum state_of(const vector& x, const vector& y) const
    {
        const blas::part_of_sum part{first(), rows_.n()};
        if constexpr (number<element>) {
            return blas::dot_state<element>(this->exec, x.view(), y.view(), part);
        } else {
            return blas::dot_state(this->exec, x.view(), y.view(), part);
        }
    }

    /// The sums of all rows, from the states of this process's rows, together.
    std::vector<scalar> joined(const std::vector<sum>& sums) const
    {
        std::vector<scalar> results;
        if (all_->count() == 1) {
            all_->join({}, {});
            std::transform(sums.begin(), sums.end(), std::back_inserter(results), blas::rounded<element>);
            return results;
        }
        if constexpr (!sum::traits::joins_nodes) {
            return joined_blocks(sums);
        }
        const auto number_format = sums.front().format();
        const std::size_t each = blas::most_bytes<element>(number_format, rows_.n());
        const auto put = [&](const sum& state, std::span<std::byte> place) {
            const std::vector<std::byte> bytes = blas::to_bytes(state);
            std::memcpy(place.data(), bytes.data(), bytes.size());
        };
        std::vector<std::byte> message(each * sums.size());
        const std::span<std::byte> places(message);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            put(sums[i], places.subspan(i * each, each));
        }
        all_->join(message, [&](std::span<const std::byte> left, std::span<std::byte> right) {
            for (std::size_t at = 0; at < right.size(); at += each) {
                sum both = blas::sum_from_bytes<element>(number_format, left.subspan(at, each));
                both.append(blas::sum_from_bytes<element>(number_format, right.subspan(at, each)));
                put(both, right.subspan(at, each));
            }
        });
        for (std::size_t i = 0; i < sums.size(); ++i) {
            results.push_back(
                blas::rounded(blas::sum_from_bytes<element>(number_format, places.subspan(i * each, each))));
        }
        return results;
    }

    /// joined() where states have every block, which all have to be cut to the units of the coarsest one before they
    /// add up: one message for these, and one for the sums of the blocks of each process.
    std::vector<scalar> joined_blocks(const std::vector<sum>& sums) const
    {
        const auto number_format = sums.front().format();
        const index_t words = sums.front().nodes().words();
        std::vector<std::int64_t> tops;
        for (const sum& each : sums) {
            tops.push_back(blas::detail::top_of_blocks(number_format, each.nodes().count(), each.nodes().sum(0)));
        }
        maximum(*all_, std::span(tops));

        std::vector<std::uint64_t> message(sums.size() * static_cast<std::size_t>(words));
        for (std::size_t i = 0; i < sums.size(); ++i) {
            blas::detail::merge_blocks(number_format, sums[i].nodes().count(), sums[i].nodes().sum(0), tops[i],
                                       message.data() + static_cast<index_t>(i) * words);
        }
        std::vector<std::uint64_t> both(2 * static_cast<std::size_t>(words));
        const std::size_t bytes = static_cast<std::size_t>(words) * sizeof both[0];
        all_->join(std::as_writable_bytes(std::span(message)),
                   [&](std::span<const std::byte> left, std::span<std::byte> right) {
                       for (std::size_t i = 0; i < sums.size(); ++i) {
                           const std::span<std::byte> place = right.subspan(i * bytes, bytes);
                           std::memcpy(both.data(), left.data() + i * bytes, bytes);
                           std::memcpy(both.data() + words, place.data(), bytes);
                           blas::detail::merge_blocks(number_format, 2, both.data(), tops[i], both.data());
                           std::memcpy(place.data(), both.data(), bytes);
                       }
                   });
        std::vector<scalar> results;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            results.push_back(
                blas::detail::rounded_blocks(number_format, 1, message.data() + static_cast<index_t>(i) * words));
        }
        return results;
    }

    void join_waiting(scalars& s) const
    {
        if (s.waiting.empty()) {
            return;
        }
        const std::vector<scalar> results = joined(s.waiting);
        for (std::size_t i = 0; i < results.size(); ++i) {
            s.value[s.place[i]] = results[i];
        }
        s.place.clear();
        s.waiting.clear();
    }

    /// sum (2^e x_i)^2. Terms are scaled one by one, in two steps, as blas::norm2 does it: 2^e itself may be out of
    /// range.
    scalar sum_of_scaled_squares(const vector& x, int e) const
        requires number<element>
    {
        vector scaled = x;
        for (const int part : {e / 2, e - e / 2}) {
            this->scal(this->make_scalar(std::ldexp(1.0, part)), scaled);
        }
        return dot(scaled, scaled);
    }

    /// norm2 of formats whose exponents go far beyond binary64: as blas::norm2.
    scalar norm2_in_long_range(const vector& x, const scalar& square) const
    {
        const scalar zero = this->make_scalar(0.0);
        if constexpr (std::same_as<element, multidigit>) {
            if (!is_finite(square) || square == zero) {
                const scalar largest = norm_inf(x);
                if (!is_finite(largest) || largest == zero) {
                    return largest;
                }
                const long e = exponent(largest);
                vector scaled = x;
                blas::convert(this->exec, x.view(), scaled.view(), {nullptr, -e});
                return ldexp(sqrt(dot(scaled, scaled)), e);
            }
        }
        return sqrt(square);
    }

    /// A number in the words that a vector of one element has.
    std::vector<std::byte> bytes_of_scalar(const scalar& a) const
    {
        host_vector one = this->make_host_vector(1);
        one.set(0, a);
        return bytes_of(one);
    }
    scalar scalar_of(std::span<const std::byte> bytes) const
    {
        host_vector one = this->make_host_vector(1);
        set_bytes(one, bytes);
        return one.get(0);
    }

    partition rows_;
    processes* all_;
};

}  // namespace residua
