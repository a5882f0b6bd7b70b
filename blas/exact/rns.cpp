#include <residua/blas/exact/rns.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include <residua/arith/multidigit/digits.hpp>
#include <residua/arith/rns/rns_float.hpp>
#include <residua/arith/slices/round.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas::detail {
namespace {

using set_type = rns_format::set_type;
using residua::detail::rns_tiles;

constexpr int most_width = rns_precision(rns_most_moduli) + 1;
constexpr int most_words = (most_width + 2) / 64 + 1;  // of X <= 2^most_width, bounded by twice that, and a sign
constexpr int most_digits = (most_width + 31) / 32;

/// |x| for a nonzero finite x, as a whole number times 2^exponent, or -|x|, as x is.
long_integer significand_of(const set_type& set, rns_float<rns_most_moduli>& x, std::uint64_t (&word)[most_words])
{
    using namespace residua::detail;
    const int words = (bound_bits(x.range) + 1) / 64 + 1;  // X <= 2^bound_bits, and a sign
    for (int w = 0; w < words; ++w) {
        word[w] = low_bits<std::uint64_t>(set, x.digit);
        for_residues(set, [&](int k) { x.digit[k] = drop_long(x.digit[k], word[w], 64, set.modulus(k)); });
    }
    std::uint64_t carry = 1;
    for (int w = 0; x.negative && w < words; ++w) {
        word[w] = add_with_carry(~word[w], std::uint64_t{0}, carry);
    }
    return {word, 1, words};
}

/// Numbers i + j ld of `from` for i < rows and j < cols, one after the other.
std::shared_ptr<const vector<host_executor, multidigit>> to_digits(const rns_format& format,
                                                                   const rns_tiles<true>& from, index_t rows,
                                                                   index_t cols, index_t ld)
{
    const set_type& set = format.set();
    const long p = std::max<long>(set.constants.width, multidigit_least_bits);
    auto numbers = std::make_shared<vector<host_executor, multidigit>>(multidigit_format(p), rows * cols);
    const exact_digits_result to{numbers->view().start, static_cast<int>(p)};
    std::atomic<std::int64_t> too_far = 0;  // an exponent that is
    const double operations = 2.0 * set.held() * (set.constants.width / 64 + 1) * static_cast<double>(rows * cols);
    parallel_ranges(rows * cols, 32, operations, [&](index_t begin, index_t end) {
        std::uint64_t word[most_words];
        for (index_t q = begin; q < end; ++q) {
            auto x = residua::detail::load(set, from, q % rows + q / rows * ld);
            if (is_zero(x) || !is_finite(x)) {
                to.store_special(q, is_zero(x) ? 0.0 : not_a_number);
            } else if (x.exponent < -most_exact_exponent || x.exponent > most_exact_exponent) {
                too_far = x.exponent;
            } else {
                to.store(q, significand_of(set, x, word), x.exponent);
            }
        }
    });
    if (too_far != 0) {
        throw unsupported_error("exact products: an RNS float has the exponent " + std::to_string(too_far) +
                                ", above " + std::to_string(most_exact_exponent) + " in size");
    }
    return numbers;
}

exact_rns operand(std::shared_ptr<const vector<host_executor, multidigit>> numbers, index_t along, index_t across)
{
    return {{numbers->view().start, along, across}, std::move(numbers)};
}

}  // namespace

exact_rns exact_vectors(const matrix_view<host_executor, const rns>& a, bool rows)
{
    return operand(to_digits(a.format, a.start, a.rows, a.cols, a.ld), rows ? a.rows : 1, rows ? 1 : a.rows);
}

exact_rns exact_vectors(const vector_view<host_executor, const rns>& x)
{
    return operand(to_digits(x.format, x.start, 1, x.size, x.stride), 1, 0);
}

void exact_rns_result::store(index_t k, const long_integer& x, std::int64_t scale) const
{
    using namespace residua::detail;
    const set_type& set = format.set();
    const long_magnitude magnitude = x.absolute();
    if (magnitude.is_zero()) {
        return store_special(k, 0.0);
    }
    // 0.d_{n-1} ... d_0 2^e, whose digits without the zeros at their end are those of X
    const int n = (set.constants.width + 31) / 32;
    std::uint32_t d[most_digits + 2];
    const std::int64_t e =
        scale + round_to_digits(magnitude, set.constants.width, [&](int j, std::uint32_t digit) { d[j] = digit; });
    d[n] = d[n + 1] = 0;
    int zeros = 0;
    while (d[zeros / 32] == 0) {
        zeros += 32;
    }
    zeros += trailing_zeros(d[zeros / 32]);
    const auto digit_at = [&](int place) {
        const std::uint64_t pair = static_cast<std::uint64_t>(d[place / 32 + 1]) << 32 | d[place / 32];
        return static_cast<std::uint32_t>(pair >> (place % 32));
    };
    rns_float<rns_most_moduli> r;
    const int bits = 32 * n - zeros;
    const int below = std::max(0, bits - 60);
    const std::uint64_t top = static_cast<std::uint64_t>(digit_at(zeros + below + 32)) << 32 | digit_at(zeros + below);
    r.range = make_range(top, top + (below > 0 ? 1 : 0), below);
    r.negative = magnitude.negative;
    r.exponent = e - bits;
    head(r) = checked(r);

    // Montgomery's reduction takes a digit at a time from the end: 2^(-32 digits) X is left.
    const int digits = (bits + 31) / 32;
    for_residues(set, [&](int i) {
        const rns_modulus& q = set.modulus(i);
        std::uint32_t rest = 0;
        for (int j = 0; j < digits; ++j) {
            rest = reduce(static_cast<std::uint64_t>(rest) + digit_at(zeros + 32 * j), q.m, q.inverse);
        }
        r.digit[i] = montgomery(rest, set.power(digits - 1, i), q.m, q.inverse);
    });
    residua::detail::store(set, start, k, r);
}

void exact_rns_result::store_special(index_t k, double x) const
{
    residua::detail::store(format.set(), start, k,
                           x == 0.0 ? rns_zero<rns_most_moduli>() : rns_not_finite<rns_most_moduli>());
}

}  // namespace residua::blas::detail
