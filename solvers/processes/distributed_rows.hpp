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
/// they lie together, and then the others. Each row is a sum of one process, in the order that it has in the whole
/// matrix: so products and residuals have the bits that the whole matrix gives.
///
/// On a device, numbers for others are gathered there and copied to page-locked memory of the host, from which they are
/// sent while the device forms the rows that need none; those of others come the same way. So no library has to know of
/// devices but this one, and a process may have a device for itself or share it.
///
/// cost   a product: that of the rows; if others are needed, a copy of the own numbers of x, and the numbers that
///        travel
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
        : own_rows_(space.last() - space.first()), x_(space.local().make_vector(0)), gathered_(space.exec)
    {
        require_equal("distributed_rows", "rows of the matrix and own rows", rows.rows, own_rows_);
        require_equal("distributed_rows", "columns and rows of all processes", rows.cols, space.rows().n());
        const local_rows local = renumber_columns(rows, space.first(), space.last());
        make_room(space, local, plan_halo(space.all(), space.rows(), local.ghosts));
        local.for_each_part([&](index_t begin, index_t end) {
            with_entries(space, cut_rows(local.matrix, begin, end), [&](auto entries) {
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
    distributed_rows(const space_type& space, const std::shared_ptr<const stored_rows>& rows)
        requires(S::on_host)
        : own_rows_(space.last() - space.first()), x_(space.local().make_vector(0)), gathered_(space.exec)
    {
        make_room(space, rows->places, rows->plan);
        for (const stored_rows::part& each : rows->parts) {
            std::visit([&]<class M>(const M& a) { add_part(each.begin, each.end, std::shared_ptr<const M>(rows, &a)); },
                       each.rows);
        }
    }

    void apply(const space_type& space, const vector& x, vector& y) const
    {
        form(space, x, [&](const part& rows, const vector& all_x) {
            rows.product(space, all_x, y.view().part(rows.begin, rows.end));
        });
    }

    /// r = b - A x with every element rounded once.
    bool residual(const space_type& space, const vector& x, const vector& b, vector& r) const
    {
        form(space, x, [&](const part& rows, const vector& all_x) {
            rows.residual(space, all_x, b.view().part(rows.begin, rows.end), r.view().part(rows.begin, rows.end));
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
        halo_numbers<S> numbers;
    };
    struct delivery {
        index_t rank;
        typename S::permutation rows;
        halo_numbers<S> numbers;
    };

    void make_room(const space_type& space, const local_rows& local, const halo_plan& plan)
    {
        own_at_ = local.own_at;
        inner_parts_ = local.inner_begin < local.inner_end ? 1 : 0;
        for (const halo_plan::arrival& each : plan.arrivals) {
            const index_t at = local.ghosts_at + each.begin + (each.begin < local.ghosts_before() ? 0 : own_rows_);
            arrivals_.push_back({each.rank, at, {space.local(), each.end - each.begin}});
        }
        for (const halo_plan::delivery& each : plan.deliveries) {
            deliveries_.push_back({each.rank,
                                   space.make_permutation(each.rows, std::vector<int>(each.rows.size(), 0)),
                                   {space.local(), static_cast<index_t>(each.rows.size())}});
        }
        x_ = space.local().make_vector(arrivals_.empty() ? 0 : local.places());
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
    void fit_format(const S& space) const
    {
        if constexpr (shortenable_space<S>) {
            if (x_.format() == space.format) {
                return;
            }
            x_ = space.make_vector(x_.size());
            for (arrival& each : arrivals_) {
                each.numbers = {space, each.numbers.numbers().size()};
            }
            for (delivery& each : deliveries_) {
                each.numbers = {space, each.numbers.numbers().size()};
            }
        }
    }

    /// Gathers the numbers for others; a device begins with it.
    void gather_halo(const S& space, const vector& x) const
    {
        for (delivery& each : deliveries_) {
            space.permute(each.rows, x, each.numbers.numbers());
            each.numbers.queue_to_host();
        }
        if constexpr (!S::on_host) {
            gathered_.set();
        }
    }

    void begin_halo(processes& all) const
    {
        if constexpr (!S::on_host) {
            if (!deliveries_.empty() || !arrivals_.empty()) {
                gathered_.wait();  // also for numbers of others that an earlier product has copied to the device
            }
        }
        std::vector<processes::outgoing> out;
        for (delivery& each : deliveries_) {
            each.numbers.for_each_part([&](std::span<const std::byte> bytes) { out.push_back({each.rank, bytes}); });
        }
        std::vector<processes::incoming> in;
        for (arrival& each : arrivals_) {
            each.numbers.for_each_part([&](std::span<std::byte> bytes) { in.push_back({each.rank, bytes}); });
        }
        all.begin_exchange(out, in);
    }

    void end_halo(const S& space, processes& all) const
    {
        all.end_exchange();
        for (arrival& each : arrivals_) {
            each.numbers.queue_to_device();
            const vector& numbers = each.numbers.numbers();
            blas::copy(space.exec, numbers.view(), x_.view().part(each.at, each.at + numbers.size()));
        }
    }

    /// f(part, numbers) for all parts, as soon as the numbers of x that it needs are there, in the places of its
    /// columns.
    template <class F>
    void form(const space_type& space, const vector& x, const F& f) const
    {
        const S& local = space.local();
        fit_format(local);
        gather_halo(local, x);
        if constexpr (S::on_host) {
            begin_halo(space.all());
        }
        const auto form_part = [&](const part& each) { f(each, arrivals_.empty() ? x : x_); };
        if (!arrivals_.empty()) {
            blas::copy(local.exec, x.view(), x_.view().part(own_at_, own_at_ + own_rows_));
        }
        std::for_each(parts_.begin(), parts_.begin() + inner_parts_, form_part);
        if constexpr (!S::on_host) {
            begin_halo(space.all());  // while the device forms what was queued
        }
        end_halo(local, space.all());
        std::for_each(parts_.begin() + inner_parts_, parts_.end(), form_part);
    }

    index_t own_rows_;
    index_t own_at_ = 0;
    std::ptrdiff_t inner_parts_ = 0;
    std::vector<part> parts_;  ///< those that need own numbers alone come first
    /// The numbers of others before, own ones, the numbers of others behind; without others x itself takes its place.
    mutable vector x_;
    mutable std::vector<arrival> arrivals_;
    mutable std::vector<delivery> deliveries_;
    mutable typename halo_numbers<S>::mark gathered_;  ///< when the numbers for others are on the host
};

}  // namespace residua
