#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/exact/level_sums.hpp>
#include <residua/blas/exact/spmv_exact.hpp>

#include "tests/blas/exact/exact_oracle.hpp"

/// Rows for exact sums, and all ways to sum them, compared.
namespace residua::support {

inline constexpr long every_bit = 6000;  // bits that are as good as all, and only row_sum keeps so many

/// Rows whose entries and factors are chosen one by one: each entry has a column of its own.
template <class T, class V>
class row_list {
public:
    void begin_row(const T& b)
    {
        b_.push_back(b);
        begin_.push_back(begin_.back());
    }
    void add(const V& a, const T& x)
    {
        value_.push_back(a);
        x_.push_back(x);
        ++begin_.back();
    }

    index_t rows() const { return static_cast<index_t>(b_.size()); }
    index_t length(index_t i) const
    {
        return begin_[static_cast<std::size_t>(i) + 1] - begin_[static_cast<std::size_t>(i)];
    }
    vector<host_executor, T> x() const { return make_vector(x_); }
    vector<host_executor, T> b() const { return make_vector(b_); }
    csr<host_executor, V> matrix() const
    {
        csr<host_executor, V> a(rows(), static_cast<index_t>(x_.size()), make_vector(value_));
        std::copy(begin_.begin(), begin_.end(), a.row_begin().begin());
        for (std::size_t p = 0; p < x_.size(); ++p) {
            a.col()[p] = static_cast<column_t>(p);
        }
        return a;
    }

    /// Row i of A x or b - A x, exactly; NaN if something is not finite.
    real sum(index_t i, bool subtracts) const
    {
        const auto at = static_cast<std::size_t>(i);
        real s = subtracts ? sum_of(b_[at]) : real(0.0, oracle_bits);
        for (auto p = static_cast<std::size_t>(begin_[at]); p < static_cast<std::size_t>(begin_[at + 1]); ++p) {
            const real product = sum_of(value_[p]) * sum_of(x_[p]);
            s = subtracts ? s - product : s + product;
        }
        return s;
    }

private:
    template <class N>
    static real sum_of(const N& x)
    {
        real s(0.0, oracle_bits);
        for (const real& part : exact_format<N>::parts(x)) {
            s += part;
        }
        return s;
    }

    std::vector<index_t> begin_{0};
    std::vector<V> value_;
    std::vector<T> x_, b_;
};

/// The values of a matrix, with NaN for padding.
template <class V>
vector<host_executor, V> values_with_padding(const sliced_ell<host_executor, V>& a)
{
    const auto slice_rows = blas::detail::slice_rows;
    vector<host_executor, V> value(a.value().size);
    for (index_t s = 0; s < a.slices(); ++s) {
        for (index_t k = a.slice_begin()[s]; k < a.slice_begin()[s + 1]; ++k) {
            for (index_t l = 0; l < slice_rows; ++l) {
                const bool is_entry = k - a.slice_begin()[s] < a.length()[s * slice_rows + l];
                const index_t p = k * slice_rows + l;
                value.set(p, is_entry ? a.value().load(p) : V{std::numeric_limits<double>::quiet_NaN()});
            }
        }
    }
    return value;
}

/// A x or b - A x by level_sums: y keeps the elements that are lost.
template <class T, class V>
std::vector<bool> sum_by_levels(const row_list<T, V>& list, bool subtracts, vector<host_executor, T>& y)
{
    const sliced_ell<host_executor, V> a(list.matrix());
    const auto x = list.x(), b = list.b();
    const auto value = values_with_padding(a);
    std::vector<bool> held;
    for (index_t s = 0; s < a.slices(); ++s) {
        blas::detail::level_sums<T, V> sums;
        const index_t first = s * blas::detail::slice_rows;
        const index_t count = std::min(blas::detail::slice_rows, list.rows() - first);
        if (subtracts) {
            const auto view = b.view();
            sums.begin(view.part(first, first + count));
        } else {
            sums.clear();
        }
        blas::detail::for_pieces(a, s, a.entries(), [&](auto piece) {
            piece.value = value.view().part(piece.value.data() - a.value().data(), value.size());
            sums.add(piece, x, subtracts ? -1.0 : 1.0);
        });
        sums.round();
        for (index_t l = 0; l < count; ++l) {
            held.push_back(!sums.is_lost(l));
            if (held.back()) {
                sums.store(l, y, first + l);
            }
        }
    }
    return held;
}

/// Compares all ways to sum, bit for bit. Returns how many sums level_sums held.
template <class T, class V>
index_t expect_exact(const row_list<T, V>& list)
{
    const host_executor exec;
    const exact_format<T> format;
    const auto a = list.matrix();
    const sliced_ell<host_executor, V> sliced(a);
    const auto x = list.x(), b = list.b();
    index_t all_held = 0;
    for (const bool subtracts : {false, true}) {
        auto any_spread = format.zeros(list.rows());
        auto y = format.zeros(list.rows());
        auto z = b;
        auto by_levels = format.zeros(list.rows());
        if (subtracts) {
            blas::residual_exact<T, V>(exec, a, x, b, any_spread, {every_bit});
            blas::residual_exact<T, V>(exec, a, x, b, y);
            blas::residual_exact<T, V>(exec, sliced, x, z, z);
        } else {
            blas::spmv_exact<T, V>(exec, a, x, any_spread, {every_bit});
            blas::spmv_exact<T, V>(exec, a, x, y);
            blas::spmv_exact<T, V>(exec, sliced, x, z);
        }
        const auto held = sum_by_levels(list, subtracts, by_levels);
        for (index_t i = 0; i < list.rows(); ++i) {
            const bool is_held = held[static_cast<std::size_t>(i)];
            const T right = any_spread.get(i);
            const real exact = list.sum(i, subtracts);
            const auto same = [&](const T& found) {
                return exact_format<T>::same(found, right) ||
                       (std::isnan(exact_format<T>::leading(found)) && std::isnan(exact_format<T>::leading(right)));
            };
            EXPECT_TRUE(!is_finite(exact) || exact_format<T>::same(right, format.from(exact))) << i;
            EXPECT_TRUE(same(y.get(i))) << "row " << i << " of " << list.length(i) << " entries, " << subtracts;
            EXPECT_TRUE(same(z.get(i))) << "row " << i << " of " << list.length(i) << " entries, sliced, " << subtracts;
            EXPECT_TRUE(!is_held || exact_format<T>::same(by_levels.get(i), right)) << "row " << i << ", " << subtracts;
            EXPECT_TRUE(!is_held || is_finite(exact)) << i;
            all_held += is_held ? 1 : 0;
        }
    }
    return all_held;
}

}  // namespace residua::support
