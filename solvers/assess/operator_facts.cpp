#include <residua/solvers/assess/operator_facts.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

/// Numbers below 1 in magnitude, multiples of 2^-(bits - 1): their sums have `bits` bits.
std::vector<real> random_numbers(std::mt19937_64& generator, index_t count, long bits)
{
    constexpr long word = 64;
    std::vector<real> x;
    for (index_t i = 0; i < count; ++i) {
        real sum(0.0, bits + word);
        for (long have = 0; have < bits - 1; have += word) {
            const long taken = std::min(word, bits - 1 - have);
            sum = ldexp(sum, taken) + real(static_cast<std::uint64_t>(generator() >> (word - taken)), bits + word);
        }
        const bool negative = (generator() & 1U) != 0;
        const real magnitude = ldexp(sum, 1 - bits).with_precision(bits);
        x.push_back(negative ? -magnitude : magnitude);
    }
    return x;
}

std::vector<real> sum_of(const std::vector<real>& x, const std::vector<real>& y, int sign = 1)
{
    constexpr long guard = 64;
    std::vector<real> z;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long bits = std::max(x[i].precision(), y[i].precision()) + guard;
        z.push_back(x[i].with_precision(bits) + (sign < 0 ? -y[i] : y[i]));
    }
    return z;
}

real dot(const std::vector<real>& x, const std::vector<real>& y)
{
    real sum(0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const long bits = std::max(x[i].precision(), y[i].precision());
        sum = sum.with_precision(std::max(sum.precision(), bits)) + x[i].with_precision(bits) * y[i];
    }
    return sum;
}

/// |p - q| over a scale, 0 where that is 0.
real difference(const real& p, const real& q, const real& scale)
{
    return is_zero(scale) ? real(0.0) : abs(p - q) / scale;
}

std::vector<real> conjugate(std::vector<real> pairs)
{
    for (std::size_t i = 1; i < pairs.size(); i += 2) {
        pairs[i] = -pairs[i];
    }
    return pairs;
}

std::string shown(const real& x) { return to_string(x, 2); }

}  // namespace

operator_facts look_at(const given_operator& of, long given_bits, long needed_bits, const method_traits& traits)
{
    constexpr long lost_at_most = 20;
    constexpr double safety = 8.0;
    std::mt19937_64 generator(1);
    const std::vector<real> u = random_numbers(generator, of.cols, given_bits);
    const std::vector<real> v = random_numbers(generator, of.cols, given_bits);
    std::vector<real> both = sum_of(u, of.complex ? times_i(v) : v);
    for (real& each : both) {
        each = each.with_precision(given_bits);  // exactly
    }
    const std::vector<real> au = of.a(u);
    const std::vector<real> av = of.a(v);
    const real size = norm2(au) + norm2(av);
    const real off =
        is_zero(size) ? real(0.0) : norm2(sum_of(of.a(both), sum_of(au, of.complex ? times_i(av) : av), -1)) / size;
    if (ldexp(real(1.0), -lost_at_most) < off) {
        throw error("A: it is not linear: " +
                    std::string(of.complex ? "A (u + iv) and A u + i A v" : "A (u + v) and A u + A v") + " differ by " +
                    shown(off) + " of their size");
    }
    if (ldexp(real(1.0), lost_at_most - needed_bits) < off) {
        throw error("A: its products are right to about " + std::to_string(-exponent(off)) + " bits, and " +
                    std::to_string(needed_bits) +
                    " are needed: compute with all bits of the numbers as they come, or say that A is in binary64");
    }
    const real coarse = ldexp(real(1.0), -needed_bits / 2);
    if (traits.symmetric) {
        // u' A v = v' A u, where u' is the transpose of u, or for a hermitian A the conjugated one; of real parts of that
        const bool plain = of.complex && traits.complex_symmetric;
        const std::vector<real> left_u = plain ? conjugate(u) : u;
        const std::vector<real> left_v = plain ? conjugate(v) : v;
        const real size_of_both = norm2(u) * norm2(av) + norm2(v) * norm2(au);
        if (coarse < difference(dot(left_u, av), dot(left_v, au), size_of_both)) {
            const char* const kind = plain ? "complex symmetric" : of.complex ? "hermitian" : "symmetric";
            throw unsupported_error(std::string(traits.name) + " needs a " + kind +
                                    " A: for two vectors u and v, u' A v is not v' A u");
        }
    }
    if (traits.transpose) {
        const std::vector<real> w = random_numbers(generator, of.rows, given_bits);
        if (coarse < difference(dot(w, av), dot(of.a_t(w), v), norm2(w) * norm2(av))) {
            throw error(
                "A: its transposed products (rmatvec) are not by its transposed matrix: for two vectors u and v, "
                "u' A v is not v' A' u");
        }
    }
    const real floor = ldexp(real(1.0), -given_bits);
    const real norm_u = norm2(u);
    return {max(off * real(safety), floor), is_zero(norm_u) ? real(0.0) : norm2(au) / norm_u};
}

}  // namespace residua
