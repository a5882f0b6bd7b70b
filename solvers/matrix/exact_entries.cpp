#include <residua/solvers/matrix/exact_entries.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <utility>

#include <gmp.h>
#include <mpfr.h>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/real/read_decimal.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/digits.hpp>
#include <residua/io/room.hpp>
#include <residua/solvers/checkpoint/hashing_archive.hpp>
#include <residua/solvers/checkpoint/real_state.hpp>

namespace residua {
namespace {

/// An integer of GMP.
class integer {
public:
    integer() { mpz_init(value_); }
    ~integer() { mpz_clear(value_); }
    integer(const integer&) = delete;
    integer& operator=(const integer&) = delete;

    operator mpz_ptr() { return value_; }

private:
    mpz_t value_;
};

void set_digits(mpz_ptr to, std::string_view digits)
{
    mpz_set_ui(to, 0);
    for (std::string_view some; !digits.empty(); digits.remove_prefix(some.size())) {
        some = digits.substr(0, io::powers_of_ten.size() - 1);
        std::uint64_t number = 0;
        io::append_digits(some.data(), some.data() + some.size(), number);
        mpz_mul_ui(to, to, io::powers_of_ten[some.size()]);
        mpz_add_ui(to, to, number);
    }
}

/// x <- the sum of the terms, exactly; its memory is kept where it suffices.
void set_sum(real& x, std::span<const double> terms)
{
    int top = min_ulp_exponent;  // as exact_sum() has them
    int bottom = max_exponent + 1;
    for (const double t : terms) {
        if (t != 0.0 && is_finite(t)) {
            const int e = floor_log2(t);
            top = std::max(top, e);
            bottom = std::min(bottom, std::max(e - fraction_bits, min_ulp_exponent));
        }
    }
    const long carries = static_cast<long>(std::bit_width(terms.size()));
    mpfr_set_prec(x.mpfr(), std::max<long>(real::double_bits, top + 1 + carries - bottom));
    mpfr_set_d(x.mpfr(), terms[0], MPFR_RNDN);
    for (const double t : terms.subspan(1)) {
        mpfr_add_d(x.mpfr(), x.mpfr(), t, MPFR_RNDN);
    }
}

}  // namespace

exact_entries::exact_entries(std::vector<real> values)
{
    if (!values.empty()) {
        reals_ = std::make_shared<const std::vector<real>>(std::move(values));
    }
}

exact_entries::exact_entries(const std::vector<io::decimal_word>& words)
{
    constexpr std::size_t block = std::size_t{1} << 15;
    std::vector<std::string> of_blocks((words.size() + block - 1) / block);  // the digits of long decimals
    const auto for_blocks = [&](const auto& f) {
        io::for_each_task(static_cast<index_t>(of_blocks.size()), [&](index_t k) {
            const std::size_t first = static_cast<std::size_t>(k) * block;
            f(static_cast<std::size_t>(k), first, std::min(words.size(), first + block));
        });
    };
    auto decimals = io::vector_of<decimal>(words.size());
    for_blocks([&](std::size_t which, std::size_t first, std::size_t last) {
        std::string& digits = of_blocks[which];
        for (std::size_t k = first; k < last; ++k) {
            const io::scanned_value& value = words[k].value();
            decimal& d = decimals[k];
            d = {.coefficient = value.coefficient, .exponent = value.exponent, .negative = value.negative};
            if (!value.is_short) {
                const io::decimal_parts parts = io::take_apart(words[k]);
                d.coefficient = parts.is_zero() ? 0 : digits.size();
                d.exponent = static_cast<std::int32_t>(parts.exponent);
                d.size = static_cast<std::uint32_t>(parts.significant_digits) & 0x7fffffff;
                const std::size_t point = std::min(parts.digits.find('.'), parts.digits.size());
                digits.append(parts.digits, 0, point)
                    .append(parts.digits, point == parts.digits.size() ? point : point + 1);
            }
        }
    });
    std::vector<std::size_t> begin{0};
    for (const std::string& each : of_blocks) {
        begin.push_back(begin.back() + each.size());
    }
    std::string digits;
    digits.reserve(begin.back());
    io::take_pages(digits.data(), begin.back());
    digits.resize(begin.back());
    for_blocks([&](std::size_t which, std::size_t first, std::size_t last) {
        std::copy_n(of_blocks[which].data(), of_blocks[which].size(), digits.data() + begin[which]);
        for (std::size_t k = first; k < last; ++k) {
            decimals[k].coefficient += decimals[k].size > 0 ? begin[which] : 0;
        }
    });
    decimals_ = std::move(decimals);
    digits_ = std::make_shared<const std::string>(std::move(digits));
}

exact_entries::exact_entries(std::shared_ptr<const double> terms, std::size_t size, int each)
{
    if (size > 0) {
        terms_ = std::move(terms);
        sums_ = size;
        terms_each_ = static_cast<std::size_t>(each);
    }
}

/// x <- the decimal, rounded to `bits` bits; returns, as MPFR does, whether and how that rounded.
int exact_entries::set(real& x, std::size_t k, long bits) const
{
    if (x.precision() != bits) {
        x = real(0.0, bits);
    }
    const decimal& d = decimals_[k];
    const int rounded = d.size == 0 ? set_decimal(x, d.negative != 0, d.coefficient, d.exponent)
                                    : set_decimal(x, d.negative != 0, digits_of(d), d.exponent);
    if (const int e = exponent_of_two(k); e != 0) {
        mpfr_mul_2si(x.mpfr(), x.mpfr(), e, MPFR_RNDN);
    }
    return rounded;
}

const real& exact_entries::at(std::size_t k, long bits, real& room, bool& rounded) const
{
    if (are_decimals()) {
        rounded = set(room, k, bits) != 0 || rounded;
        return room;
    }
    const int e = exponent_of_two(k);
    if (reals_) {
        if (e == 0) {
            return (*reals_)[k];
        }
        room = ldexp((*reals_)[k], e);
        return room;
    }
    set_sum(room, terms_of(k));
    if (e != 0) {
        mpfr_mul_2si(room.mpfr(), room.mpfr(), e, MPFR_RNDN);
    }
    return room;
}

bool exact_entries::set_odd(real& x, std::size_t k, long bits) const
{
    const int rounded = set(x, k, bits);
    if (rounded != 0 && mpfr_min_prec(x.mpfr()) < bits) {  // the last bit is 0
        rounded < 0 ? mpfr_nextabove(x.mpfr()) : mpfr_nextbelow(x.mpfr());
    }
    return rounded != 0;
}

real exact_entries::at(std::size_t k, long bits) const
{
    real room;
    bool rounded = false;
    const real& entry = at(k, bits, room, rounded);
    if (&entry == &room) {
        return room;
    }
    return entry;
}

std::string exact_entries::written(std::size_t k) const
{
    constexpr std::size_t most_beside = 36;  // sign, coefficient and exponent
    const decimal& d = decimals_[k];
    std::string text;
    text.reserve(d.size + most_beside);
    text.append(d.negative, '-');
    d.size > 0 ? text.append(digits_of(d)) : text.append(std::to_string(d.coefficient));
    return text.append("e").append(std::to_string(d.exponent));
}

std::vector<real> exact_entries::in_bits(long bits) const
{
    std::vector<real> all;
    all.reserve(size());
    for (std::size_t k = 0; k < size(); ++k) {
        all.push_back(at(k, bits));
    }
    return all;
}

int exact_entries::sign(std::size_t k) const
{
    if (reals_) {
        return residua::sign((*reals_)[k]);
    }
    if (terms_) {
        return residua::sign(exact_sum(terms_of(k)));
    }
    const decimal& d = decimals_[k];
    return d.size == 0 && d.coefficient == 0 ? 0 : d.negative != 0 ? -1 : 1;
}

bool exact_entries::are_finite() const
{
    if (terms_) {
        return std::all_of(terms_.get(), terms_.get() + sums_ * terms_each_, [](double t) { return is_finite(t); });
    }
    return !reals_ || std::all_of(reals_->begin(), reals_->end(), [](const real& x) { return is_finite(x); });
}

bool exact_entries::compare(std::size_t p, std::size_t q, bool negated) const
{
    if (terms_ && !negated && exponent_of_two(p) == exponent_of_two(q) &&
        std::equal(terms_of(p).begin(), terms_of(p).end(), terms_of(q).begin())) {
        return true;
    }
    if (reals_ || terms_ || exponent_of_two(p) != exponent_of_two(q)) {
        constexpr long bits = 8192;
        const real a = at(p, bits);
        return negated ? a == -at(q, bits) : a == at(q, bits);
    }
    if (sign(p) != (negated ? -sign(q) : sign(q))) {
        return false;
    }
    const decimal& a = decimals_[p];
    const decimal& b = decimals_[q];
    if (a.size == 0 && b.size == 0 && (a.exponent == b.exponent || a.coefficient == 0)) {
        return a.coefficient == b.coefficient;
    }
    if (a.size == b.size && a.exponent == b.exponent) {
        return digits_of(a) == digits_of(b);
    }
    exact_entries both = gathered({static_cast<index_t>(p), static_cast<index_t>(q)});
    both.exponents_ = nullptr;  // they are the same
    return is_zero(both.sum(
        0, 2, [&](std::size_t k) { return k == 0 || negated ? 1 : -1; }, 64));
}

real exact_entries::weighted_sum(std::size_t first, std::span<const signed char> weights, long bits) const
{
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (are_decimals() && weights[k] != 0 && sign(first + k) != 0) {
            least = std::min<std::int64_t>(least, decimals_[first + k].exponent);
            most = std::max<std::int64_t>(most, decimals_[first + k].exponent);
        }
    }
    if (!are_decimals() || exponents_ || most - least > most_spread) {
        std::vector<real> terms;
        std::vector<mpfr_ptr> places;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            const real entry = at(first + k, bits + 64);
            terms.push_back(weights[k] < 0 ? -entry : weights[k] > 0 ? entry : real(0.0));
        }
        std::transform(terms.begin(), terms.end(), std::back_inserter(places), [](real& term) { return term.mpfr(); });
        real sum(0.0, bits);
        mpfr_sum(sum.mpfr(), places.data(), places.size(), MPFR_RNDN);
        return sum;
    }
    integer total, term, power;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const decimal& d = decimals_[first + k];
        if (weights[k] == 0 || sign(first + k) == 0) {
            continue;
        }
        if (d.size == 0) {
            mpz_set_ui(term, d.coefficient);
        } else {
            set_digits(term, digits_of(d));
        }
        const auto zeros = static_cast<std::size_t>(d.exponent - least);
        if (zeros < io::powers_of_ten.size()) {
            mpz_set_ui(power, io::powers_of_ten[zeros]);
        } else {
            mpz_ui_pow_ui(power, 10, zeros);
        }
        if ((weights[k] < 0) != (d.negative != 0)) {
            mpz_submul(total, term, power);
        } else {
            mpz_addmul(total, term, power);
        }
    }
    if (mpz_sgn(static_cast<mpz_srcptr>(total)) == 0) {
        return real(0.0, bits);
    }
    real sum(0.0, bits);
    if (std::abs(least) > most_spread) {
        std::string digits(mpz_sizeinbase(total, 10) + 2, '\0');
        mpz_get_str(digits.data(), 10, total);
        digits.resize(digits.find('\0'));
        const bool negative = digits.front() == '-';
        set_decimal(sum, negative, std::string_view(digits).substr(negative ? 1 : 0), least);
        return sum;
    }
    real exact(0.0, static_cast<long>(mpz_sizeinbase(total, 2)));
    mpfr_set_z(exact.mpfr(), total, MPFR_RNDN);
    mpz_ui_pow_ui(power, 10, static_cast<unsigned long>(std::abs(least)));
    if (least < 0) {
        mpfr_div_z(sum.mpfr(), exact.mpfr(), power, MPFR_RNDN);
    } else {
        mpfr_mul_z(sum.mpfr(), exact.mpfr(), power, MPFR_RNDN);
    }
    return sum;
}

void exact_entries::archive(state_archive& io)
{
    std::vector<real> reals = reals_ ? *reals_ : std::vector<real>{};
    std::vector<double> terms(terms_.get(), terms_.get() + sums_ * terms_each_);
    std::uint64_t terms_each = terms_each_;
    std::vector<int> exponents = exponents_ ? *exponents_ : std::vector<int>{};
    std::vector<decimal> decimals(decimals_.begin(), decimals_.end());
    std::string digits;  // of these decimals alone; gathered entries share a text with others
    for (decimal& each : decimals) {
        if (each.size > 0) {
            const std::string_view written = digits_of(each);
            each.coefficient = digits.size();
            digits += written;
        }
    }
    residua::archive(io, reals);
    io.list(terms);
    io.value(terms_each);
    io.list(decimals);
    io.text(digits);
    io.list(exponents);
    if (!io.reads()) {
        return;
    }
    *this = {};
    if (!terms.empty()) {
        const auto owner = std::make_shared<const std::vector<double>>(std::move(terms));
        *this = exact_entries(std::shared_ptr<const double>(owner, owner->data()), owner->size() / terms_each,
                              static_cast<int>(terms_each));
    }
    reals_ = reals.empty() ? nullptr : std::make_shared<const std::vector<real>>(std::move(reals));
    decimals_ = std::move(decimals);
    digits_ = std::make_shared<const std::string>(std::move(digits));
    exponents_ = exponents.empty() ? nullptr : std::make_shared<const std::vector<int>>(std::move(exponents));
}

double exact_entries::bytes_each() const
{
    if (reals_) {
        return 48.0 + static_cast<double>(reals_->front().precision()) / 8.0;
    }
    if (terms_) {
        return static_cast<double>(sizeof(double) * terms_each_);
    }
    return empty() ? 0.0 : 16.0 + static_cast<double>(digits_->size()) / static_cast<double>(size());
}

void exact_entries::add_to(content_hash& hash) const
{
    hash.add(size());
    if (reals_) {
        hashing_archive io(hash);
        for (real each : *reals_) {
            residua::archive(io, each);
        }
    }
    hash.add(terms_.get(), sums_ * terms_each_ * sizeof(double));
    for (const decimal& each : decimals_) {
        hash.add(each.exponent).add(each.negative == 1 ? '-' : '+');
        each.size > 0 ? hash.add(digits_of(each)) : hash.add(each.coefficient);
    }
    if (exponents_) {
        hash.add(exponents_->data(), exponents_->size() * sizeof(int));
    }
}

}  // namespace residua
