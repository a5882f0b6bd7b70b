#include <residua/arith/residue/moduli_set.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <gmp.h>

#include <residua/io/error.hpp>

namespace residua {
namespace {

/// A whole number of GMP.
class integer {
public:
    explicit integer(long x = 0) { mpz_init_set_si(z_, x); }
    integer(const integer&) = delete;
    integer& operator=(const integer&) = delete;
    ~integer() { mpz_clear(z_); }

    mpz_ptr get() { return z_; }

private:
    mpz_t z_;
};

void multiply(const std::vector<std::int64_t>& factors, std::size_t without, integer& product)
{
    mpz_set_ui(product.get(), 1);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        if (i != without) {
            mpz_mul_ui(product.get(), product.get(), static_cast<unsigned long>(factors[i]));
        }
    }
}

/// The inverse of x mod m, coprime.
std::int64_t inverse(std::int64_t x, std::int64_t m)
{
    std::int64_t r = m;
    std::int64_t next = (x % m + m) % m;
    std::int64_t y = 0;
    std::int64_t next_y = 1;
    while (next != 0) {
        const std::int64_t q = r / next;
        r = std::exchange(next, r - q * next);
        y = std::exchange(next_y, y - q * next_y);
    }
    return y;
}

modulus_range range_of_word(int word_bits)
{
    if (word_bits < 3 || word_bits > 31) {
        throw dimension_error("moduli of " + std::to_string(word_bits) + " bits");
    }
    return {std::int64_t{1} << word_bits, 2};
}

}  // namespace

moduli_set::moduli_set(int word_bits, long product_bits)
    : moduli_set(range_of_word(word_bits), range_of_word(word_bits), product_bits)
{}

moduli_set::moduli_set(modulus_range narrow, modulus_range next, long product_bits)
{
    const auto is_range = [](modulus_range r) {
        return 2 <= r.least && r.least <= r.most && r.most <= std::int64_t{1} << 31;
    };
    if (!is_range(narrow) || !is_range(next) || product_bits < 1) {
        throw dimension_error("moduli from " + std::to_string(narrow.least) + " to " + std::to_string(narrow.most) +
                              " and from " + std::to_string(next.least) + " to " + std::to_string(next.most) +
                              " with a product of " + std::to_string(product_bits) + " bits");
    }
    integer product(1);
    const auto is_enough = [&] { return mpz_sizeinbase(product.get(), 2) > static_cast<std::size_t>(product_bits); };
    const auto take = [&](modulus_range range) {
        for (std::int64_t m = range.most; m >= range.least && !is_enough(); --m) {
            if (mpz_gcd_ui(nullptr, product.get(), static_cast<unsigned long>(m)) == 1) {
                modulus_.push_back(m);
                mpz_mul_ui(product.get(), product.get(), static_cast<unsigned long>(m));
            }
        }
    };
    take(narrow);
    narrow_ = size();
    take(next);
    if (!is_enough()) {
        throw unsupported_error("moduli up to " + std::to_string(std::max(narrow.most, next.most)) +
                                " have no product of " + std::to_string(product_bits) + " bits");
    }
    product_bits_ = static_cast<long>(mpz_sizeinbase(product.get(), 2)) - 1;
    integer rest;
    for (std::size_t i = 0; i < modulus_.size(); ++i) {
        const std::int64_t m = modulus_[i];
        mpz_divexact_ui(rest.get(), product.get(), static_cast<unsigned long>(m));
        const auto r = static_cast<std::int64_t>(mpz_fdiv_ui(rest.get(), static_cast<unsigned long>(m)));
        weight_.push_back(centred_residue(inverse(r, m), m));
    }
}

std::int64_t moduli_set::power_of_two(int i, long k) const
{
    const std::int64_t m = modulus(i);
    std::int64_t r = 1 % m;
    for (std::int64_t square = 2 % m; k > 0; k /= 2, square = square * square % m) {
        if (k % 2 != 0) {
            r = r * square % m;
        }
    }
    return centred_residue(r, m);
}

std::vector<std::int64_t> moduli_set::digits(int i, int bits) const
{
    integer rest;
    multiply(modulus_, static_cast<std::size_t>(i), rest);
    std::vector<std::uint64_t> word(mpz_sizeinbase(rest.get(), 2) / 64 + 2);  // the last remains zero
    mpz_export(word.data(), nullptr, -1, sizeof(std::uint64_t), 0, 0, rest.get());
    const std::int64_t base = std::int64_t{1} << bits;
    std::vector<std::int64_t> d;
    std::int64_t carry = 0;
    for (std::size_t k = 0; k < 64 * word.size() - 64; k += static_cast<std::size_t>(bits)) {
        const std::size_t from = k % 64;
        std::uint64_t x = word[k / 64] >> from;
        if (from + static_cast<std::size_t>(bits) > 64) {
            x |= word[k / 64 + 1] << (64 - from);
        }
        std::int64_t digit = static_cast<std::int64_t>(x & static_cast<std::uint64_t>(base - 1)) + carry;
        carry = 2 * digit >= base ? 1 : 0;
        digit -= carry * base;
        d.push_back(digit);
    }
    d.push_back(carry);
    while (!d.empty() && d.back() == 0) {
        d.pop_back();
    }
    return d;
}

}  // namespace residua
