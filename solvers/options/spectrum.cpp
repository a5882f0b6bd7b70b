#include <residua/solvers/options/spectrum.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {

void seen_spectrum::add_step(double alpha) { steps_.push_back(1.0 / alpha); }

void seen_spectrum::add_direction(double beta)
{
    if (!steps_.empty()) {
        couplings_.push_back(beta * steps_.back());
    }
}

void seen_spectrum::add_pivot(double pivot)
{
    const double size = std::abs(pivot);
    of_pivots_.smallest = pivots_ == 0 ? size : std::min(of_pivots_.smallest, size);
    of_pivots_.largest = std::max(of_pivots_.largest, size);
    ++pivots_;
}

std::size_t seen_spectrum::values_below(double shift) const
{
    std::size_t count = 0;
    double s = -shift;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        double pivot = s + steps_[k];
        count += pivot < 0.0 ? 1 : 0;
        if (k + 1 == steps_.size()) {
            break;
        }
        pivot = pivot == 0.0 ? std::numeric_limits<double>::min() : pivot;
        const double ratio = s / pivot;
        s = (std::isnan(ratio) ? 1.0 : ratio) * couplings_[k] - shift;
    }
    return count;
}

std::optional<spectrum_ends> seen_spectrum::ends() const
{
    if (steps_.empty()) {
        const bool usable = pivots_ > 0 && of_pivots_.smallest > 0.0 && std::isfinite(of_pivots_.largest);
        return usable ? std::optional(of_pivots_) : std::nullopt;
    }
    double trace = 0.0;
    double least = steps_.front();
    for (std::size_t k = 0; k < steps_.size(); ++k) {
        trace += steps_[k] + (k > 0 ? couplings_[k - 1] : 0.0);
        least = std::min(least, steps_[k]);
    }
    if (!(least > 0.0) || !std::isfinite(trace)) {
        return std::nullopt;
    }
    // the bound from which on this many values are below it
    const auto value_above = [&](std::size_t values, double low, double high) {
        while (low * (1.0 + 0x1p-10) < high) {
            const double middle = std::sqrt(low) * std::sqrt(high);
            (values_below(middle) < values ? low : high) = middle;
        }
        return high;
    };
    // 1 / alpha_k = 1 / inverse(T_k)_kk >= the smallest value of T_k, the leading block, >= that of T
    const double tiniest = std::numeric_limits<double>::min();
    const double count = static_cast<double>(steps_.size());
    return spectrum_ends{.smallest = value_above(1, tiniest, least * (1.0 + 0x1p-10)),
                         .largest = value_above(steps_.size(), trace / count * (1.0 - 0x1p-10), trace)};
}

void seen_spectrum::archive(state_archive& io)
{
    io.list(steps_);
    io.list(couplings_);
    io.value(pivots_);
    io.value(of_pivots_);
}

}  // namespace residua
