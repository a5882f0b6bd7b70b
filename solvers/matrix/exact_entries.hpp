#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/base/shared_vector.hpp>

namespace residua {

class content_hash;
class state_archive;
namespace io {
class decimal_word;
}

/// Entries of a matrix that binary64 does not hold: reals, sums of a few binary64 numbers, or decimals as they were written,
/// each times a power of two.
///
/// A decimal is its digits and its exponent, and nothing of it is lost: whoever needs an entry names a precision, and
/// gets the nearest number of that precision. Copies share what does not differ.
///
/// cost  16 bytes for a decimal of up to 19 digits, for a longer one its digits too; for a sum 8 bytes a term
class exact_entries {
public:
    exact_entries() = default;
    exact_entries(std::vector<real> values);
    /// Decimals from words that are within MPFR's range.
    explicit exact_entries(const std::vector<io::decimal_word>& words);
    /// Entry k is the sum of terms[each k], ..., terms[each k + each - 1], exactly.
    exact_entries(std::shared_ptr<const double> terms, std::size_t size, int each);

    bool empty() const { return size() == 0; }
    std::size_t size() const { return reals_ ? reals_->size() : terms_ ? sums_ : decimals_.size(); }
    bool are_decimals() const { return !decimals_.empty(); }

    /// Entry k: a decimal rounded to `bits` bits, a real or a sum as it is.
    ///
    /// room     where the number is put if it has no place of its own; what is returned may be `room`
    /// rounded  becomes true if the number is not the entry itself
    /// errors   |err| <= 2^-bits |entry|
    const real& at(std::size_t k, long bits, real& room, bool& rounded) const;
    real at(std::size_t k, long bits) const;
    /// x <- a decimal rounded to odd: if it is no number of `bits` bits, the neighbour whose last bit is 1.
    ///
    /// needs    are_decimals()
    /// returns  whether x is not the entry itself
    bool set_odd(real& x, std::size_t k, long bits) const;
    /// Decimal k as text, with the digits that were written: "-125e-402".
    ///
    /// needs    are_decimals(), not scaled
    std::string written(std::size_t k) const;
    /// All entries, as at(k, bits) gives them.
    std::vector<real> in_bits(long bits) const;

    /// -1, 0 or 1.
    int sign(std::size_t k) const;
    bool are_finite() const;
    /// Whether entry p is entry q, or -q; exact.
    bool equal(std::size_t p, std::size_t q) const { return compare(p, q, false); }
    bool opposite(std::size_t p, std::size_t q) const { return compare(p, q, true); }

    /// The sum of weight(k) times entry k over k = first, ..., last - 1, weights being -1, 0 or 1.
    ///
    /// errors  one rounding to `bits` bits, for reals, sums and for decimals whose last digits are within
    ///         10^most_spread of each other; otherwise |err| <= 2^-bits times the sum of the entries' sizes
    template <class Weight>
    real sum(std::size_t first, std::size_t last, const Weight& weight, long bits) const
    {
        std::vector<signed char> weights;
        for (std::size_t k = first; k < last; ++k) {
            weights.push_back(static_cast<signed char>(weight(k)));
        }
        return weighted_sum(first, weights, bits);
    }
    static constexpr std::int64_t most_spread = 20000;

    /// The entries source[0], source[1], ...
    exact_entries gathered(const std::vector<index_t>& source) const;
    /// These entries, and behind them reals, which are rounded to `bits` bits if these are decimals. These are not scaled.
    exact_entries joined(const std::vector<real>& reals, long bits) const;
    /// Entry k times 2^exponents[k].
    exact_entries scaled(const std::vector<int>& exponents) const;

    void add_to(content_hash& hash) const;
    /// Writes the entries into a state, or reads them from one.
    void archive(state_archive& io);

    /// Bytes of an entry as it is stored, roughly; 0 if there are none.
    double bytes_each() const;

private:
    struct decimal {
        std::uint64_t coefficient = 0;  ///< or where its digits begin in *digits_
        std::int32_t exponent = 0;
        std::uint32_t size : 31 = 0;  ///< how many digits; 0: the coefficient has them
        std::uint32_t negative : 1 = 0;
    };

    std::string_view digits_of(const decimal& d) const { return {digits_->data() + d.coefficient, d.size}; }
    int set(real& x, std::size_t k, long bits) const;
    std::span<const double> terms_of(std::size_t k) const { return {terms_.get() + k * terms_each_, terms_each_}; }
    int exponent_of_two(std::size_t k) const { return exponents_ ? (*exponents_)[k] : 0; }
    bool compare(std::size_t p, std::size_t q, bool negated) const;
    real weighted_sum(std::size_t first, std::span<const signed char> weights, long bits) const;

    std::shared_ptr<const std::vector<real>> reals_;
    std::shared_ptr<const double> terms_;
    std::size_t sums_ = 0;
    std::size_t terms_each_ = 0;
    shared_vector<decimal> decimals_;
    std::shared_ptr<const std::string> digits_;
    std::shared_ptr<const std::vector<int>> exponents_;  ///< null: zeros
};

}  // namespace residua
