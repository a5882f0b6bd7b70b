#pragma once

#include <algorithm>
#include <vector>

#include <residua/blas/slices/product.hpp>

/// Products of a sparse matrix and a dense one by slices in binary64.
namespace residua::blas::detail {

/// A X, with the exponents of the rows of A and of the columns of X.
template <class Exec, class Rows>
class sparse_product {
public:
    /// places  of all entries of A, padding included
    sparse_product(const Exec& exec, const char* op, const sparse_rows<Rows>& a, index_t places,
                   matrix_view<Exec, const double> x)
        : exec_(exec),
          op_(op),
          a_(a),
          x_{x.data(), 1, x.ld, x.cols},
          inner_(x.rows),
          known_(4 * a.count + 2 * x.cols, exec),
          slice_(places, exec, uninitialized{}),
          found_(1, exec)
    {
        int* const first = known_.data();
        int* const of_columns = first + 4 * a.count;
        of_a_ = {first, first + a.count};
        of_x_ = {of_columns, of_columns + x.cols};
        const row_exponents rows{of_a_, first + 2 * a.count, first + 3 * a.count};
        for_indices(exec, op, a.count, look_at_row<Rows>{a, rows});
        longest_ = max_of(exec, rows.length, a.count);
        length_ = std::min<index_t>(longest_, most_slice_terms<double>);
        bits_ = slice_bits(slice_sum<double>::exact_bits, length_);
        slices_of_a_ = slices_needed(max_of(exec, rows.width, a.count), 0, bits_);
        slices_of_x_ = slices_needed(find_exponents(exec, x_, inner_, of_x_), 0, bits_);
    }

    /// Y <- A X, rounded once, by all slices. X is taken in parts of columns whose slices and sums take most_bytes.
    void whole(matrix_view<Exec, double> y, double most_bytes = 2e9)
    {
        int bits_of_terms = 2;
        while ((index_t{1} << bits_of_terms) < 4 * longest_) {
            ++bits_of_terms;
        }
        const int last = bits_ * (slices_of_a_ + slices_of_x_) - 2;  // bits from the exponents down to the units
        const int words = (last + bits_of_terms) / 64 + 1;
        const index_t panel = columns_at_once(most_bytes, slices_of_x_, words);
        slices<Exec, double> of_x(exec_, panel, inner_, false);
        for (index_t j = 0; j < x_.count; j += panel) {
            const index_t count = std::min(panel, x_.count - j);
            const index_t size = a_.count * count;
            buffer<Exec, std::uint64_t> sum(size * words, exec_);
            of_x.clear();
            std::vector<const double*> digits;
            digits.reserve(static_cast<std::size_t>(slices_of_x_));
            for (int t = 0; t < slices_of_x_; ++t) {
                digits.push_back(columns_part(of_x, j, count, digit_part{bits_, t}));
            }
            for (int s = 0; s < slices_of_a_; ++s) {
                const double* const digit = rows_part(digit_part{bits_, s});
                integer_sums sums{sum.data(), size, words};
                add(digit, digits, slices_of_x_, of_x.ld(), size, sums, [&](integer_sums& to, int g, int t) {
                    to.shift[g] = bits_ * (slices_of_a_ + slices_of_x_ - 2 - s - t);
                });
            }
            store(j, size, integer_sum{sum.data(), size, words}, -last, y);
        }
    }

    /// Y <- A X by k slices, as in split_product(): k (k - 1) / 2 products are exact, and k are those of the rests.
    void split(int most, matrix_view<Exec, double> y, double most_bytes = 2e9)
    {
        const int k = std::min(most, slices_of_a_ + slices_of_x_);  // all slices leave nothing
        const index_t panel = columns_at_once(most_bytes, 2 * k - 1, 2);
        slices<Exec, double> of_x(exec_, panel, inner_, false);
        for (index_t j = 0; j < x_.count; j += panel) {
            const index_t count = std::min(panel, x_.count - j);
            const index_t size = a_.count * count;
            buffer<Exec, double> sum(k > 1 ? size : 0, exec_);
            buffer<Exec, double> rest(size, exec_);
            of_x.clear();
            std::vector<const double*> digits;
            std::vector<const double*> rests;
            for (int t = 0; t < k; ++t) {
                digits.push_back(t + 1 < k ? columns_part(of_x, j, count, digit_part{bits_, t, true}) : nullptr);
                rests.push_back(columns_part(of_x, j, count, rest_part{bits_, t}));
            }
            for (int s = 0; s < k; ++s) {
                const double* const from_a =
                    s + 1 < k ? rows_part(digit_part{bits_, s, true}) : rows_part(rest_part{bits_, s});
                add(from_a, digits, k - 1 - s, of_x.ld(), size, binary64_sums{sum.data()},
                    [](binary64_sums&, int, int) {});
                const double* const from_x = rests[static_cast<std::size_t>(k - 1 - s)];
                if (from_a != nullptr && from_x != nullptr) {
                    for_indices(exec_, op_, size,
                                add_row_rests<Rows>{slice_of_a(from_a), from_x, of_x.ld(), rest.data()});
                }
            }
            store(j, size, rounded_slices<double>{k > 1 ? sum.data() : nullptr, nullptr, rest.data()}, 2 - 2 * bits_,
                  y);
        }
    }

private:
    index_t columns_at_once(double most_bytes, int slices_of_x, int words) const
    {
        const double bytes =
            8.0 * (static_cast<double>(padded_slice(inner_)) * slices_of_x + static_cast<double>(a_.count) * words);
        return std::min(x_.count, std::max<index_t>(1, static_cast<index_t>(most_bytes / bytes)));
    }

    sliced_vectors columns(index_t first, index_t count) const
    {
        return {x_.data + first * x_.across, x_.along, x_.across, count};
    }
    slice_exponents of_columns(index_t first) const { return {of_x_.exponent + first, of_x_.special + first}; }
    sparse_rows<Rows> slice_of_a(const double* value) const { return {a_.rows, a_.count, value}; }

    /// Makes a slice of columns of X. Returns null if all of it is zero.
    template <class Part>
    const double* columns_part(slices<Exec, double>& to, index_t first, index_t count, const Part& part) const
    {
        return to.make(columns(first, count), of_columns(first), 0, inner_, part, true);
    }

    /// Makes a slice of A in the place of the one before. Returns null if all of it is zero.
    template <class Part>
    const double* rows_part(const Part& part)
    {
        found_ = buffer<Exec, int>(1, exec_);
        for_indices(exec_, op_, a_.count,
                    split_row<Rows, Part>{a_, of_a_.exponent, slice_.data(), found_.data(), part});
        return fetch(exec_, found_.data()) != 0 ? slice_.data() : nullptr;
    }

    /// Adds the products of a slice of A with those of the first `count` slices of X that are not null.
    /// prepare(sums, g, t) is called for slice t, which is number g of a pass.
    template <class Sums, class Prepare>
    void add(const double* slice, const std::vector<const double*>& of_x, int count, index_t ldx, index_t size,
             Sums sums, const Prepare& prepare) const
    {
        if (slice == nullptr) {
            return;
        }
        add_row_products<Rows, Sums> f{slice_of_a(slice), {}, 0, ldx, length_, sums};
        const auto pass = [&] {
            for_indices(exec_, op_, size, f);
            f.slices = 0;
        };
        for (int t = 0; t < count; ++t) {
            const double* const x = of_x[static_cast<std::size_t>(t)];
            if (x != nullptr) {
                prepare(f.sums, f.slices, t);
                f.x[f.slices++] = x;
                if (f.slices == slices_of_pass) {
                    pass();
                }
            }
        }
        if (f.slices > 0) {
            pass();
        }
    }

    template <class Sum>
    void store(index_t first, index_t size, const Sum& sum, int scale, matrix_view<Exec, double> y) const
    {
        for_indices(exec_, op_, size,
                    store_row<Rows, Sum>{a_, columns(first, 0), of_a_, of_columns(first), sum, scale,
                                         y.data() + first * y.ld, y.ld});
    }

    Exec exec_;
    const char* op_;
    sparse_rows<Rows> a_;
    sliced_vectors x_;
    index_t inner_;
    index_t longest_ = 0;
    index_t length_ = 0;  ///< the most terms of exact sums
    int bits_ = 0;        ///< of a digit
    int slices_of_a_ = 0;
    int slices_of_x_ = 0;
    buffer<Exec, int> known_;
    slice_exponents of_a_;
    slice_exponents of_x_;
    buffer<Exec, double> slice_;
    buffer<Exec, int> found_;
};

}  // namespace residua::blas::detail
