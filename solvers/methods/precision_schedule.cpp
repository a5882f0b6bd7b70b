#include <residua/solvers/methods/precision_schedule.hpp>

#include <algorithm>
#include <cmath>

namespace residua {
namespace {

/// Precisions that fill the digits of 52 bits in which hosts sum products (arith/multidigit/lanes), and those of 32 bits
/// nearly: 114, 166, 218, ...
constexpr long step_bits = 52;
constexpr long least_bits = 3 * step_bits - 42;

constexpr long guard_bits = 20;  ///< for up to 2^10 iterations, and one more each time they double
constexpr long settled_bits = 16;
constexpr long unseen_bits = 64;

/// The least e with x <= 2^e, or the one above; x > 0. Infinity has one that no schedule reaches.
long exponent_above(double x)
{
    constexpr long beyond = 1L << 30;
    return std::isfinite(x) ? std::ilogb(x) + 1 : beyond;
}

long guard_after(index_t k)
{
    long guard = guard_bits;
    for (index_t of = k >> 10; of > 0; of >>= 1) {
        ++guard;
    }
    return guard;
}

/// The precision of the schedule that has at least `bits` bits.
long served(long bits)
{
    return bits <= least_bits ? least_bits : least_bits + (bits - least_bits + step_bits - 1) / step_bits * step_bits;
}

}  // namespace

precision_schedule::precision_schedule(long bits, double tolerance, double matrix_norm)
    : bits_(bits), tolerance_(tolerance), matrix_norm_(std::isfinite(matrix_norm) ? matrix_norm : 0.0)
{}

long precision_schedule::needed_bits(index_t k, double residual) const
{
    const bool settled = exponent_above(residual) + growth_ + settled_bits <= std::ilogb(first_);
    return exponent_above(residual) - std::ilogb(tolerance_) + growth_ + guard_after(k) + (settled ? 0 : unseen_bits);
}

bool precision_schedule::is_due(index_t k, double residual)
{
    if (k == 0) {
        first_ = start_ = residual;
        return false;
    }
    const bool usable = matrix_norm_ > 0.0 && tolerance_ > 0.0 && first_ > 0.0 && std::isfinite(first_);
    return usable && residual > 0.0 && served(needed_bits(k, residual)) < bits_;
}

bool precision_schedule::falls(index_t k, double residual, double sum, const seen_spectrum& seen)
{
    growth_ = std::max(growth_, exponent_above(matrix_norm_ * sum / start_));
    if (const auto ends = seen.ends()) {
        growth_ = std::max(growth_, exponent_above(ends->largest / ends->smallest));
    } else {
        return false;
    }
    if (!is_due(k, residual)) {
        return false;
    }
    bits_ = served(needed_bits(k, residual));
    start_ = residual;
    return true;
}

}  // namespace residua
