#include <residua/arith/residue/moduli_set.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <gmp.h>

#include <residua/io/error.hpp>

namespace residua {
namespace {

static_assert(GMP_NUMB_BITS == 64 && sizeof(mp_limb_t) == sizeof(std::uint64_t));

/// An integer of GMP.
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
    const mp_limb_t* const word = mpz_limbs_read(product.get());
    product_.assign(word, word + mpz_size(product.get()));
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
    mpz_t product;
    mpz_roinit_n(product, product_.data(), static_cast<mp_size_t>(product_.size()));
    integer rest;
    mpz_divexact_ui(rest.get(), product, i < size() ? static_cast<unsigned long>(modulus(i)) : 1);
    const mp_limb_t* const word = mpz_limbs_read(rest.get());
    const auto all = static_cast<long>(64 * mpz_size(rest.get()));
    const std::int64_t base = std::int64_t{1} << bits;
    std::vector<std::int64_t> d;
    std::int64_t carry = 0;
    for (long bit = 0; bit < all || carry != 0; bit += bits) {
        std::uint64_t low = bit < all ? word[bit / 64] >> (bit % 64) : 0;
        if (bit % 64 + bits > 64 && bit / 64 + 1 < all / 64) {
            low |= word[bit / 64 + 1] << (64 - bit % 64);
        }
        const std::int64_t digit = static_cast<std::int64_t>(low & static_cast<std::uint64_t>(base - 1)) + carry;
        carry = 2 * digit >= base ? 1 : 0;
        d.push_back(digit - carry * base);
    }
    while (!d.empty() && d.back() == 0) {
        d.pop_back();
    }
    return d;
}

}  // namespace residua
