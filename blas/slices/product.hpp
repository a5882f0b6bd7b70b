#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/slices/for_indices.hpp>

/// Products of matrices by slices. A slice of A and one of B are multiplied in the arithmetic of T.
namespace residua::blas::detail {

/// The factors of A B, and the exponents of their rows and columns.
template <class Exec>
class sliced_factors {
public:
    sliced_factors(const Exec& exec, matrix_view<Exec, const double> a, matrix_view<Exec, const double> b)
        : exec_(exec),
          a_{a.data(), a.ld, 1, a.rows},
          b_{b.data(), 1, b.ld, b.cols},
          inner_(a.cols),
          known_(2 * (a.rows + b.cols), exec)
    {
        int* const first = known_.data();
        of_a_ = {first, first + a.rows};
        of_b_ = {first + 2 * a.rows, first + 2 * a.rows + b.cols};
        bits_of_a_ = find_exponents(exec, a_, inner_, of_a_);
        bits_of_b_ = find_exponents(exec, b_, inner_, of_b_);
    }

    /// Columns first, ..., first + count - 1 of B.
    sliced_vectors columns(index_t first, index_t count) const
    {
        return {b_.data + first * b_.across, b_.along, b_.across, count};
    }
    slice_exponents of_columns(index_t first) const { return {of_b_.exponent + first, of_b_.special + first}; }

    /// Writes columns first, ..., first + shape.cols - 1 of A B to C.
    template <class Sum>
    void store(const sliced_product& shape, index_t first, const Sum& sum, int scale, matrix_view<Exec, double> c) const
    {
        store_product<Sum> f;
        f.shape = shape;
        f.sum = sum;
        f.scale = scale;
        f.a = a_;
        f.b = columns(first, shape.cols);
        f.of_a = of_a_;
        f.of_b = of_columns(first);
        f.inner = inner_;
        f.c = c.data() + first * c.ld;
        f.ldc = c.ld;
        for_indices(exec_, "gemm_ozaki", shape.padded(), f);
    }

    const sliced_vectors& rows() const { return a_; }
    const slice_exponents& of_rows() const { return of_a_; }
    index_t inner() const { return inner_; }
    int bits_of_a() const { return bits_of_a_; }
    int bits_of_b() const { return bits_of_b_; }

private:
    Exec exec_;
    sliced_vectors a_;
    sliced_vectors b_;
    index_t inner_;
    buffer<Exec, int> known_;
    slice_exponents of_a_;
    slice_exponents of_b_;
    int bits_of_a_ = 0;
    int bits_of_b_ = 0;
};

/// The most terms that are summed in T. More would leave fewer bits for a digit, and so take more slices.
template <class T>
inline constexpr index_t most_slice_terms = sizeof(T) == 8   ? 8192
                                            : sizeof(T) == 4 ? 4096
                                                             : 16384;

/// The slices of some vectors, which are padded with zeros to whole groups if `pads_vectors`.
template <class Exec, class T>
class slices {
public:
    slices(const Exec& exec, index_t vectors, index_t length, bool pads_vectors = true)
        : exec_(exec),
          ld_(padded_slice(length)),
          words_((pads_vectors ? padded_slice(vectors) : vectors) * ld_),
          pads_vectors_(pads_vectors),
          found_(1, exec)
    {}

    /// Makes a slice. Returns null if all of it is zero and `skips_zeros` is set.
    template <class Part>
    const T* make(const sliced_vectors& from, const slice_exponents& known, index_t first, index_t length,
                  const Part& part, bool skips_zeros)
    {
        if (next_ == made_.size()) {
            made_.emplace_back(words_, exec_, uninitialized{});
        }
        make_slice<T, Part> f;
        f.from = from;
        f.known = known;
        f.first = first;
        f.length = length;
        f.ld = ld_;
        f.pads_vectors = pads_vectors_;
        f.to = made_[next_].data();
        f.part = part;
        if (skips_zeros) {
            found_ = buffer<Exec, int>(1, exec_);
            f.found = found_.data();
        }
        for_indices(exec_, "slices", f.calls(), f);
        if (skips_zeros && fetch(exec_, f.found) == 0) {
            return nullptr;
        }
        ++next_;
        return f.to;
    }

    /// Drops all slices; new ones use their memory again.
    void clear() { next_ = 0; }

    index_t ld() const { return ld_; }

private:
    Exec exec_;
    index_t ld_;
    index_t words_;
    bool pads_vectors_;
    buffer<Exec, int> found_;
    std::vector<buffer<Exec, T>> made_;
    std::size_t next_ = 0;
};

/// C <- A B, rounded once, of all slices, or of products of digits s and t with s + t < most. Terms and columns are
/// taken in parts, so that the slices of A, and the slices of B with the sums, take most_bytes each.
template <class T, class Exec>
void integer_product(const Exec& exec, const sliced_factors<Exec>& factors, int most, matrix_view<Exec, double> c,
                     double most_bytes = 2e9)
{
    using sum_type = typename slice_sum<T>::type;
    const index_t inner = factors.inner();
    index_t length = std::min(inner, most_slice_terms<T>);
    const int b = std::min(slice_bits(slice_sum<T>::exact_bits, length), std::is_same_v<T, std::int8_t> ? 7 : 64);
    const auto count = [&](int bits) {
        const int needed = slices_needed(bits, 0, b);
        return most > 0 ? std::min(needed, most) : needed;
    };
    const int slices_of_a = count(factors.bits_of_a());
    const int slices_of_b = count(factors.bits_of_b());
    const int all_levels = slices_of_a + slices_of_b - 1;
    const int levels = most > 0 ? std::min(most, all_levels) : all_levels;
    int bits_of_terms = 2;
    while ((index_t{1} << bits_of_terms) < 4 * inner) {
        ++bits_of_terms;
    }
    const int last = b * (slices_of_a + slices_of_b) - 2;  // bits from the product of the exponents down to the units
    const int words = (last + bits_of_terms) / 64 + 1;

    const auto fitting = [&](double bytes_each, index_t wanted) {
        return std::min(wanted, std::max<index_t>(4 * slice_group, static_cast<index_t>(most_bytes / bytes_each)));
    };
    const index_t ld = padded_slice(c.rows);
    length = fitting(static_cast<double>(ld) * slices_of_a * sizeof(T), length);
    const double bytes_of_column = static_cast<double>(padded_slice(length)) * slices_of_b * sizeof(T) +
                                   static_cast<double>(ld) * (8.0 * words + sizeof(sum_type));
    const index_t panel = fitting(bytes_of_column, c.cols);
    const double exact_sums =
        std::ldexp(1.0 / static_cast<double>(std::max<index_t>(length, 1)), slice_sum<T>::exact_bits - (2 * b - 2));
    const int at_once = static_cast<int>(std::clamp(exact_sums, 1.0, 1e9));  // the products that may be added in T

    slices<Exec, T> of_a(exec, c.rows, length);
    slices<Exec, T> of_b(exec, panel, length);
    buffer<Exec, sum_type> product(ld * padded_slice(panel), exec, uninitialized{});
    for (index_t j = 0; j < c.cols; j += panel) {
        const sliced_product shape{c.rows, std::min(panel, c.cols - j), ld};
        buffer<Exec, std::uint64_t> sum(shape.padded() * words, exec);
        for (index_t first = 0; first < inner; first += length) {
            const index_t here = std::min(length, inner - first);
            std::vector<const T*> a_slice;
            std::vector<const T*> b_slice;
            a_slice.reserve(static_cast<std::size_t>(slices_of_a));
            b_slice.reserve(static_cast<std::size_t>(slices_of_b));
            of_a.clear();
            of_b.clear();
            for (int s = 0; s < slices_of_a; ++s) {
                a_slice.push_back(of_a.make(factors.rows(), factors.of_rows(), first, here, digit_part{b, s}, true));
            }
            for (int t = 0; t < slices_of_b; ++t) {
                b_slice.push_back(of_b.make(factors.columns(j, shape.cols), factors.of_columns(j), first, here,
                                            digit_part{b, t}, true));
            }
            for (int level = 0; level < levels; ++level) {
                int added = 0;
                const auto flush = [&] {
                    const int shift = b * (slices_of_a + slices_of_b - 2 - level);
                    for_indices(exec, "gemm_ozaki", shape.padded(),
                                add_integers<sum_type>{product.data(), sum.data(), shape.padded(), words, shift});
                    added = 0;
                };
                for (int s = std::max(0, level - slices_of_b + 1); s <= std::min(level, slices_of_a - 1); ++s) {
                    const T* const x = a_slice[static_cast<std::size_t>(s)];
                    const T* const y = b_slice[static_cast<std::size_t>(level - s)];
                    if (x == nullptr || y == nullptr) {
                        continue;
                    }
                    multiply_slices<T>(exec, shape, here, x, y, of_a.ld(), product.data(), added > 0);
                    if (++added == at_once) {
                        flush();
                    }
                }
                if (added > 0) {
                    flush();
                }
            }
        }
        factors.store(shape, j, integer_sum{sum.data(), shape.padded(), words}, -last, c);
    }
}

/// C <- A B by k slices, the last of which is all that the others leave. k (k - 1) / 2 products are exact, and k,
/// of factors smaller by 2^(-b (k - 1)), are rounded in T. k is `most`, or as many as A and B have together.
template <class T, class Exec>
void split_product(const Exec& exec, const sliced_factors<Exec>& factors, int most, matrix_view<Exec, double> c)
{
    const index_t inner = factors.inner();
    const index_t length = std::min(inner, most_slice_terms<T>);
    const int b = slice_bits(slice_sum<T>::exact_bits, length);
    const int all = slices_needed(factors.bits_of_a(), 0, b) + slices_needed(factors.bits_of_b(), 0, b);
    const int k = std::min(most, all);  // `all` slices leave nothing
    const sliced_product shape{c.rows, c.cols, padded_slice(c.rows)};
    const index_t size = shape.ld * padded_slice(c.cols);
    const bool sums = k > 2 || inner > length;
    buffer<Exec, T> product(k > 1 ? size : 0, exec, uninitialized{});
    buffer<Exec, T> rest(size, exec, uninitialized{});
    buffer<Exec, double> sum(sums ? size : 0, exec);
    slices<Exec, T> of_a(exec, c.rows, length);
    slices<Exec, T> of_b(exec, c.cols, length);
    const auto add = [&](const T* from) {
        for_indices(exec, "gemm_ozaki", shape.padded(), add_rounded<T>{from, sum.data()});
    };
    bool waiting = false;  // whether a product is not added yet
    for (index_t first = 0; first < inner; first += length) {
        const index_t here = std::min(length, inner - first);
        of_b.clear();
        const auto from_b = [&](const auto& part) {
            return of_b.make(factors.columns(0, c.cols), factors.of_columns(0), first, here, part, false);
        };
        std::vector<const T*> digit_of_b;
        std::vector<const T*> rest_of_b;
        for (int t = 0; t < k; ++t) {
            digit_of_b.push_back(t + 1 < k ? from_b(digit_part{b, t, true}) : nullptr);
            rest_of_b.push_back(from_b(rest_part{b, t}));
        }
        if (first > 0) {
            add(rest.data());
        }
        for (int s = 0; s < k; ++s) {
            of_a.clear();
            const auto from_a = [&](const auto& part) {
                return of_a.make(factors.rows(), factors.of_rows(), first, here, part, false);
            };
            const T* const a_slice = s + 1 < k ? from_a(digit_part{b, s, true}) : from_a(rest_part{b, s});
            for (int t = 0; s + t < k - 1; ++t) {
                if (waiting) {
                    add(product.data());
                }
                multiply_slices<T>(exec, shape, here, a_slice, digit_of_b[static_cast<std::size_t>(t)], of_a.ld(),
                                   product.data(), false);
                waiting = true;
            }
            multiply_slices<T>(exec, shape, here, a_slice, rest_of_b[static_cast<std::size_t>(k - 1 - s)], of_a.ld(),
                               rest.data(), s > 0);
        }
    }
    factors.store(shape, 0,
                  rounded_slices<T>{sums ? sum.data() : nullptr, waiting ? product.data() : nullptr, rest.data()},
                  2 - 2 * b, c);
}

}  // namespace residua::blas::detail
