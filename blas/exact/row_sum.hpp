#pragma once

#include <cstdint>
#include <type_traits>

#include <residua/blas/exact/long_products.hpp>
#include <residua/blas/exact/parts.hpp>
#include <residua/blas/sparse/stored_rows.hpp>

/// Elements of A x or b - A x as exact sums of any spread, each by one thread, on host and device.
namespace residua::blas::detail {

/// The product A x, or the residual b - A x. `Of` has the entries of A, `X` a vector.
template <class Of, class X>
struct sparse_exact_product {
    stored_rows rows;
    Of a;
    X x;
    X b;
    bool subtracts = false;  ///< b - A x instead of A x
    long bits = 0;           ///< the bits that are kept of each factor; 0: all
};

/// The exponent of a finite number: all of its terms are below 2^top. It is vector_extent::none for zero and others.
template <class X>
RESIDUA_HD std::int64_t finite_top(const X& x, index_t l)
{
    const double kind = x.kind(l, 0);
    std::int64_t top = vector_extent::none;
    if (kind - kind == 0.0) {
        RESIDUA_KEEP_LOOP
        for (int t = 0; t < X::terms; ++t) {
            const auto part = part_of(x, l, t);
            top = part.exponent > top ? part.exponent : top;
        }
    }
    return top;
}

/// The exact sum of a row in words of 64 bits, `stride` apart.
///
/// Sums of binary64 numbers and of expansions take as many words as their products may need. A sum of multi-digit
/// floats has a window, which moves down from the largest terms to the least. If the sum in the window is far above all
/// terms to come, its head is taken out. The last bits, which stay, and the terms to come then only decide a tie.
///
/// from  docs/error_bounds.md, theorem 24
template <class Of, class X>
class row_sum {
public:
    /// The number of words for sums that are rounded to p bits.
    static int words(const sparse_exact_product<Of, X>& product, int p)
    {
        if constexpr (bounded) {
            return (most_exponent - least_end) / 64 + 1;
        } else {
            return words_for(product_bits(product), p);
        }
    }

    /// The number of words for products of multi-digit floats of product_bits bits, whose exponents are not bounded.
    RESIDUA_HD static constexpr int words_for(int product_bits, int p)
    {
        return (2 * product_bits + p + 384) / 64 + 2 + head_words(p);
    }

    RESIDUA_HD row_sum(const sparse_exact_product<Of, X>& product, std::int64_t top_of_x, int p,
                       const long_integer& memory)
        : product_{product},
          unit_of_x_{unit_below(top_of_x)},
          window_{memory.word, memory.stride, memory.words - head_words(p)},
          head_{memory.word + window_.words * memory.stride, memory.stride, head_words(p)}
    {}

    /// Number k of a result <- the sum of row i, rounded once
    ///
    /// cost  the products of all digits, and a pass over the row for every window
    template <class Result>
    RESIDUA_HD void store(index_t i, const Result& to, index_t k)
    {
        double special = 0.0;
        if (is_special(i, special)) {
            to.store_special(k, special);
            return;
        }
        find_unit(i);
        add_all(i);
        if (has_head_) {
            take_back();
        }
        const int first = empty_words();
        const long_integer rest{window_.word + first * window_.stride, window_.stride, window_.words - first};
        to.store(k, rest, low_ + 64 * std::int64_t{first});
    }

private:
    static constexpr bool bounded = !std::is_same_v<exact_digits, X>;
    static constexpr int bits_of_counts = 44;  // for 2^31 + 1 entries and 32 terms of either factor
    static constexpr int most_exponent = 2 * (max_exponent + 1) + bits_of_counts;
    static constexpr int least_end = 2 * (min_ulp_exponent + 1) - 128;

    RESIDUA_HD static constexpr int head_words(int p) { return bounded ? 0 : p / 64 + 4; }

    /// The number of bits of the digits of a product, or of b times 1 if that has more.
    RESIDUA_HD static int product_bits(const sparse_exact_product<Of, X>& of)
    {
        const int entry = digits_of_parts(of.a) + digits_of_parts(of.x);
        const int other = of.subtracts ? binary64_part::digits + digits_of_parts(of.b) : 0;
        return 32 * (entry > other ? entry : other);
    }

    RESIDUA_HD std::int64_t unit_below(std::int64_t top) const
    {
        return product_.bits == 0 || top == vector_extent::none ? vector_extent::none : top - product_.bits;
    }

    /// Calls f(a, b, negative) for all products of nonzero terms, cut, and for the terms of b.
    template <class F>
    RESIDUA_HD void for_each_product(index_t i, const F& f) const
    {
        product_.rows.walk(i, [&](index_t at, index_t j) {
            RESIDUA_KEEP_LOOP
            for (int t = 0; t < Of::terms; ++t) {
                auto a = part_of(product_.a, at, t);
                a.cut(unit_of_a_);
                RESIDUA_KEEP_LOOP
                for (int s = 0; s < X::terms && !a.is_zero(); ++s) {
                    auto x = part_of(product_.x, j, s);
                    x.cut(unit_of_x_);
                    if (!x.is_zero()) {
                        f(a, x, (a.negative != x.negative) != product_.subtracts);
                    }
                }
            }
        });
        RESIDUA_KEEP_LOOP
        for (int s = 0; s < X::terms && product_.subtracts; ++s) {
            const auto b = part_of(product_.b, i, s);
            if (!b.is_zero()) {
                f(binary64_part(1.0), b, b.negative);
            }
        }
    }

    /// Whether a number of the row is not finite; `sum` becomes the sum of the products that are not finite.
    RESIDUA_HD bool is_special(index_t i, double& sum) const
    {
        bool found = false;
        const auto add = [&](double term) {
            if (!(term - term == 0.0)) {
                sum += term;
                found = true;
            }
        };
        product_.rows.walk(i, [&](index_t at, index_t j) {
            const double product = product_.a.kind(at, 0) * product_.x.kind(j, 0);
            add(product_.subtracts ? -product : product);
        });
        if (product_.subtracts) {
            add(product_.b.kind(i, 0));
        }
        return found;
    }

    RESIDUA_HD void find_unit(index_t i)
    {
        std::int64_t top = vector_extent::none;
        if (product_.bits > 0) {
            product_.rows.walk(i, [&](index_t at, index_t) {
                const std::int64_t here = finite_top(product_.a, at);
                top = here > top ? here : top;
            });
        }
        unit_of_a_ = unit_below(top);
    }

    RESIDUA_HD void add_all(index_t i)
    {
        fill(window_, 0, 0);
        has_head_ = false;
        if constexpr (bounded) {
            low_ = least_end;
            for_each_product(i, [&](const auto& a, const auto& b, bool negative) {
                add_product(window_, a, b, a.exponent + b.exponent - 32 * (a.digits + b.digits) - low_, negative);
            });
        } else {
            add_by_windows(i);
        }
    }

    RESIDUA_HD std::int64_t capacity() const { return 64 * std::int64_t{window_.words} - 4; }

    /// Adds the terms of row i, by a pass for each window. Terms below 2^`below` are not in the window yet.
    RESIDUA_HD void add_by_windows(index_t i)
    {
        const int term_bits = product_bits(product_);
        std::int64_t below = -vector_extent::none;
        for (;;) {
            std::int64_t top = vector_extent::none;
            for_each_product(i, [&](const auto& a, const auto& b, bool) {
                const std::int64_t e = a.exponent + b.exponent;
                top = e < below && e > top ? e : top;
            });
            if (top == vector_extent::none) {
                return;
            }
            const long_magnitude sum = window_.absolute();
            const std::int64_t end = sum.is_zero() ? vector_extent::none : low_ + sum.bits();
            if (end - (top - term_bits) >= capacity()) {
                if (has_head_) {
                    return;  // the terms to come cannot change the sign any more
                }
                take_head(sum.bits());
                continue;
            }
            const std::int64_t above = top + bits_of_counts > end ? top + bits_of_counts : end;
            const std::int64_t low = above + 1 - capacity();
            if (end != vector_extent::none) {
                shift_up(window_, low_ - low);
            }
            low_ = low;
            for_each_product(i, [&](const auto& a, const auto& b, bool negative) {
                const std::int64_t e = a.exponent + b.exponent;
                if (e < below && e - term_bits >= low) {
                    add_product(window_, a, b, e - 32 * (a.digits + b.digits) - low, negative);
                }
            });
            below = low + term_bits;
        }
    }

    /// head <- the sum, which has `bits` bits, rounded to a multiple of 2^head_low; the window keeps the rest
    RESIDUA_HD void take_head(std::int64_t bits)
    {
        const std::int64_t up = capacity() - bits;
        shift_up(window_, up);
        low_ -= up;
        const int first = window_.words - (head_.words - 1);
        const std::uint64_t sign = 0 - (window_.word[(window_.words - 1) * window_.stride] >> 63);
        std::uint64_t carry = window_.word[(first - 1) * window_.stride] >> 63;
        const bool negative = carry != 0;  // the sign of the rest
        for (int k = 0; k < head_.words; ++k) {
            const std::uint64_t w = (k + 1 < head_.words ? window_.word[(first + k) * window_.stride] : sign) + carry;
            carry = carry != 0 && w == 0 ? 1 : 0;
            head_.word[k * head_.stride] = w;
        }
        fill(window_, first, negative ? ~std::uint64_t{0} : 0);
        head_low_ = low_ + 64 * std::int64_t{first};
        has_head_ = true;
    }

    /// The window <- four times the head, plus the sign of the rest.
    RESIDUA_HD void take_back()
    {
        const long_magnitude rest = window_.absolute();
        const int sign = rest.is_zero() ? 0 : rest.negative ? -1 : 1;
        for (int k = 0; k < head_.words; ++k) {
            window_.word[k * window_.stride] = head_.word[k * head_.stride];
        }
        fill(window_, head_.words, 0 - (head_.word[(head_.words - 1) * head_.stride] >> 63));
        shift_up(window_, 2);
        window_.add(sign, 0);
        low_ = head_low_ - 2;
    }

    /// The zero words at the low end of the window, or all but one: rounding to expansions reads them for each term.
    RESIDUA_HD int empty_words() const
    {
        int count = 0;
        while (count + 1 < window_.words && window_.word[count * window_.stride] == 0) {
            ++count;
        }
        return count;
    }

    /// Words `first` and above <- w
    RESIDUA_HD static void fill(const long_integer& x, int first, std::uint64_t w)
    {
        RESIDUA_KEEP_LOOP
        for (int k = first; k < x.words; ++k) {
            x.word[k * x.stride] = w;
        }
    }

    const sparse_exact_product<Of, X>& product_;
    std::int64_t unit_of_x_;
    std::int64_t unit_of_a_ = vector_extent::none;
    long_integer window_;  ///< an integer, in units of 2^low
    long_integer head_;    ///< an integer, in units of 2^head_low
    std::int64_t low_ = 0;
    std::int64_t head_low_ = 0;
    bool has_head_ = false;
};

}  // namespace residua::blas::detail
