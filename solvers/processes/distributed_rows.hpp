#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <residua/blas/exact/spmv_exact.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/matrix/matrix_storage.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/processes/halo_numbers.hpp>
#include <residua/solvers/processes/row_pieces.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

namespace residua {

/// A matrix of which each process has the rows that it has of vectors, as an operator of a distributed_space.
///
/// A product first sends what other processes need. Meanwhile it forms the rows that need own numbers alone, as far as
/// they lie together, and then the others, from a short vector of the numbers of others and the own numbers that they
/// need. Each row is a sum of one process, in the order that it has in the whole matrix: so products and residuals have
/// the bits that the whole matrix gives.
///
/// On a device, numbers for others are gathered and copied to the page-locked memory of a route, which sends them; those
/// of others come the same way, and the rows that need them are formed. All of that is queued in a stream beside the rows
/// that need none. So no library has to know of devices but this one, and a process may have a device for itself or
/// share it.
///
/// cost   a product: that of the rows; if others are needed, a copy of the own numbers that rows with numbers of others
///        need, and the numbers that travel
template <array_space S>
    requires S::has_triangles  // and so permute
class distributed_rows {
public:
    using space_type = distributed_space<S>;
    using vector = typename S::vector;

    /// rows  the rows of this process, whose columns are those of the whole matrix
    ///
    /// throws    dimension_error if these are not as many rows and columns as the space has. Entries that are no
    ///           binary64 numbers are rounded to the space
    /// together
    distributed_rows(const space_type& space, const sparse_matrix& rows)
        : own_rows_(space.last() - space.first()), x_(space.local().make_vector(0))
    {
        require_equal("distributed_rows", "rows of the matrix and own rows", rows.rows, own_rows_);
        require_equal("distributed_rows", "columns and rows of all processes", rows.cols, space.rows().n());
        const local_rows local = renumber_columns(rows, space.first(), space.last());
        make_room(space, local, plan_halo(space.all(), space.rows(), local.ghosts));
        local.for_each_part([&](index_t begin, index_t end) {
            with_entries(space, local.part(begin, end), [&](auto entries) {
                std::visit(
                    [&](auto a) {
                        add_part(
                            begin, end,
                            std::make_shared<const decltype(space.placed(std::move(a)))>(space.placed(std::move(a))));
                    },
                    stored_for_products(std::move(entries)));
            });
        });
    }

    /// The same for rows that are stored already, of which no copy is made.
    ///
    /// together
    distributed_rows(const space_type& space, const std::shared_ptr<const stored_rows>& rows)
        requires(S::on_host)
        : own_rows_(space.last() - space.first()), x_(space.local().make_vector(0))
    {
        make_room(space, rows->places, rows->plan);
        for (const stored_rows::part& each : rows->parts) {
            std::visit([&]<class M>(const M& a) { add_part(each.begin, each.end, std::shared_ptr<const M>(rows, &a)); },
                       each.rows);
        }
    }

    void apply(const space_type& space, const vector& x, vector& y) const
    {
        form(space, x, [&](const S& on, const part& rows, const vector& numbers) {
            rows.product(on, numbers, y.view().part(rows.begin, rows.end));
        });
    }

    /// r = b - A x with every element rounded once.
    bool residual(const space_type& space, const vector& x, const vector& b, vector& r) const
    {
        form(space, x, [&](const S& on, const part& rows, const vector& numbers) {
            rows.residual(on, numbers, b.view().part(rows.begin, rows.end), r.view().part(rows.begin, rows.end));
        });
        return true;
    }

private:
    using output = decltype(std::declval<vector&>().view());
    using input = decltype(std::declval<const vector&>().view());

    /// Rows that are multiplied at once.
    struct part {
        index_t begin, end;
        std::function<void(const S&, const vector&, const output&)> product;
        std::function<void(const S&, const vector&, const input&, const output&)> residual;
    };
    struct arrival {
        index_t rank;
        index_t at;  ///< in x_
        vector numbers;
    };
    /// Own numbers in x_.
    struct run {
        index_t begin, end;
        index_t at;
    };
    struct delivery {
        index_t rank;
        typename S::permutation rows;
        vector numbers;
    };

    void make_room(const space_type& space, const local_rows& local, const halo_plan& plan)
    {
        const S& on = space.local();
        inner_parts_ = local.inner_begin < local.inner_end ? 1 : 0;
        const auto border = static_cast<index_t>(local.border.size());
        for (const halo_plan::arrival& each : plan.arrivals) {
            const index_t at = each.begin + (each.begin < local.ghosts_before ? 0 : border);
            arrivals_.push_back({each.rank, at, on.make_vector(each.end - each.begin)});
        }
        for (const halo_plan::delivery& each : plan.deliveries) {
            deliveries_.push_back({each.rank, on.make_permutation(each.rows, std::vector<int>(each.rows.size(), 0)),
                                   on.make_vector(static_cast<index_t>(each.rows.size()))});
        }
        x_ = on.make_vector(local.places());
        for (index_t k = 0; k < border; ++k) {
            const index_t own = local.border[static_cast<std::size_t>(k)];
            if (runs_.empty() || own != runs_.back().end) {
                runs_.push_back({own, own, local.ghosts_before + k});
            }
            ++runs_.back().end;
        }
        make_route(space);
    }

    template <class List>
    static std::vector<route::end> ends_of(List& list)
    {
        std::vector<route::end> ends;
        for (auto& each : list) {
            ends.push_back({each.rank, bytes_of_words(each.numbers)});
        }
        return ends;
    }

    void make_route(const space_type& space) const
    {
        copies_.reset();  // before the memory that it has locked
        route_ = space.all().make_route(ends_of(deliveries_), ends_of(arrivals_));
        copies_ = std::make_unique<halo_copies<S>>(space.local(), *route_);
        most_bytes_ = bytes_of_number(space.local());
    }

    static std::size_t bytes_of_number(const S& space)
    {
        auto one = space.make_vector(1);
        return bytes_of_words(one);
    }

    template <class Matrix>
    void add_part(index_t begin, index_t end, const std::shared_ptr<const Matrix>& a)
    {
        using element = typename S::element;
        using value = typename Matrix::value_type;
        const auto product = [a](const S& on, const vector& x, const output& y) {
            blas::spmv(on.exec, on.make_scalar(1.0), *a, x.view(), on.make_scalar(0.0), y);
        };
        const auto residual = [a](const S& on, const vector& x, const input& b, const output& r) {
            blas::residual_exact<element, value>(on.exec, *a, x.view(), b, r);
        };
        parts_.push_back({begin, end, product, residual});
    }

    /// Gives the vectors of this object the format of the space, which may have been shortened.
    void fit_format(const space_type& space) const
    {
        if constexpr (shortenable_space<S>) {
            const S& on = space.local();
            if (x_.format() == on.format) {
                return;
            }
            x_ = on.make_vector(x_.size());
            for (delivery& each : deliveries_) {
                each.numbers = on.make_vector(each.numbers.size());
            }
            for (arrival& each : arrivals_) {
                each.numbers = on.make_vector(each.numbers.size());
            }
            if (bytes_of_number(on) > most_bytes_) {
                make_route(space);
            } else {
                route_->set_lengths(ends_of(deliveries_), ends_of(arrivals_));
            }
        }
    }

    void gather_halo(const S& beside, const vector& x) const
    {
        route_->next();
        copies_->begin();
        for (delivery& each : deliveries_) {
            beside.permute(each.rows, x, each.numbers);
        }
        copies_->put(deliveries_, *route_);
        for (const run& each : runs_) {
            const index_t size = each.end - each.begin;
            blas::copy(beside.exec, x.view().part(each.begin, each.end), x_.view().part(each.at, each.at + size));
        }
    }

    void send_halo() const
    {
        copies_->wait();
        route_->send();
    }

    void receive_halo(const S& beside) const
    {
        route_->receive();
        copies_->take(*route_, arrivals_);
        for (const arrival& each : arrivals_) {
            blas::copy(beside.exec, each.numbers.view(), x_.view().part(each.at, each.at + each.numbers.size()));
        }
    }

    /// f(space, part, numbers) for all parts, as soon as the numbers of x that it needs are there, in the places of its
    /// columns.
    template <class F>
    void form(const space_type& space, const vector& x, const F& f) const
    {
        const S& local = space.local();
        const auto inner = [&] {
            std::for_each(parts_.begin(), parts_.begin() + inner_parts_, [&](const part& each) { f(local, each, x); });
        };
        fit_format(space);
        if (arrivals_.empty() && deliveries_.empty()) {
            return inner();
        }
        const S& beside = copies_->beside(local);
        gather_halo(beside, x);
        if constexpr (S::on_host) {
            send_halo();
            inner();
        } else {
            inner();
            send_halo();  // while the device forms what was queued
        }
        receive_halo(beside);
        std::for_each(parts_.begin() + inner_parts_, parts_.end(), [&](const part& each) { f(beside, each, x_); });
        copies_->end();
    }

    index_t own_rows_;
    std::ptrdiff_t inner_parts_ = 0;
    std::vector<part> parts_;  ///< those that need own numbers alone come first
    /// What the other rows need, as far as it is there: numbers of processes before, own ones, numbers of those behind.
    mutable vector x_;
    std::vector<run> runs_;
    mutable std::vector<arrival> arrivals_;
    mutable std::vector<delivery> deliveries_;
    mutable std::unique_ptr<route> route_;
    mutable std::size_t most_bytes_ = 0;  ///< of a number that the route has room for
    mutable std::unique_ptr<halo_copies<S>> copies_;
};

}  // namespace residua
