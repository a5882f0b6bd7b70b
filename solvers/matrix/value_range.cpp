#include <residua/solvers/matrix/value_range.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <residua/io/interruption.hpp>

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

}  // namespace

value_range::value_range(const sparse_matrix& system)
{
    constexpr std::size_t at_a_time = 8, between_stops = 4096;
    const shared_vector<double>& v = system.values;
    std::array<lane, at_a_time> lanes;
    for (std::size_t k = 0; k < v.size();) {
        io::ask_for_stop();
        const std::size_t end = std::min(v.size(), k + between_stops);
        for (; k + at_a_time <= end; k += at_a_time) {
            for (std::size_t l = 0; l < at_a_time; ++l) {
                lanes[l].take(std::abs(v[k + l]));
            }
        }
        for (; k < end; ++k) {
            lanes[0].take(std::abs(v[k]));
        }
    }
    bool has_zero = false;
    for (const lane& each : lanes) {
        least = std::min(least, each.least);
        greatest = std::max(greatest, each.greatest);
        has_zero = has_zero || each.least_or_zero == 0.0;
    }
    is_told =
        least >= std::numeric_limits<double>::min() && std::isfinite(greatest) && (system.exact.empty() || !has_zero);
}

}  // namespace residua
