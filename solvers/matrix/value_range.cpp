#include <residua/solvers/matrix/value_range.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/elements.hpp>

namespace residua {
namespace {

/// The extremes of every eighth number, so that the next minimum does not wait for the last.
struct lane {
    double least = std::numeric_limits<double>::infinity();  ///< other than zero
    double least_or_zero = std::numeric_limits<double>::infinity();
    double greatest = 0.0;

    void take(double size)
    {
        const double other_than_zero = size == 0.0 ? std::numeric_limits<double>::infinity() : size;
        least = std::min(least, other_than_zero);
        least_or_zero = std::min(least_or_zero, size);
        greatest = std::max(greatest, size);
    }
};

lane joined(const lane& a, const lane& b)
{
    return {std::min(a.least, b.least), std::min(a.least_or_zero, b.least_or_zero), std::max(a.greatest, b.greatest)};
}

}  // namespace

value_range::value_range(const sparse_matrix& system)
{
    const shared_vector<double>& v = system.values;
    const auto part = [&](std::size_t k, std::size_t end) {
        constexpr std::size_t at_a_time = 8;
        io::ask_for_stop();
        std::array<lane, at_a_time> lanes;
        for (; k + at_a_time <= end; k += at_a_time) {
            for (std::size_t l = 0; l < at_a_time; ++l) {
                lanes[l].take(std::abs(v[k + l]));
            }
        }
        for (; k < end; ++k) {
            lanes[0].take(std::abs(v[k]));
        }
        return std::accumulate(lanes.begin(), lanes.end(), lane{}, joined);
    };
    const lane all = fold_elements<lane>(v.size(), part, joined);
    least = std::min(least, all.least);
    greatest = std::max(greatest, all.greatest);
    const bool has_zero = all.least_or_zero == 0.0;
    is_told =
        least >= std::numeric_limits<double>::min() && std::isfinite(greatest) && (system.exact.empty() || !has_zero);
}

}  // namespace residua
