#include <residua/solvers/system/linear_system.hpp>

#include <cmath>
#include <limits>
#include <utility>

namespace residua {
namespace {

constexpr long bits_of_decimal_sums = 8256;  // as many as decimals of a right-hand side are read to

double nearest_double(double x) { return x; }
double nearest_double(const real& x) { return to_double(x); }

template <class T>
linear_system compress(const io::coo<T>& a, std::vector<real> b)
{
    if (!b.empty() && static_cast<index_t>(b.size()) != a.rows) {
        throw dimension_error("the right-hand side has " + std::to_string(b.size()) + " entries, the matrix " +
                              std::to_string(a.rows) + " rows");
    }
    if (a.cols > std::numeric_limits<std::int32_t>::max()) {
        throw dimension_error("the matrix has " + std::to_string(a.cols) + " columns; at most 2^31 - 1 are supported");
    }
    if (a.row.size() != a.col.size() || a.value.size() != a.col.size()) {
        throw dimension_error("the matrix has " + std::to_string(a.row.size()) + " row numbers, " +
                              std::to_string(a.col.size()) + " column numbers and " + std::to_string(a.value.size()) +
                              " values");
    }
    for (std::size_t k = 0; k < a.col.size(); ++k) {
        const bool inside = 0 <= a.row[k] && a.row[k] < a.rows && 0 <= a.col[k] && a.col[k] < a.cols;
        const bool ordered = k == 0 || std::pair(a.row[k - 1], a.col[k - 1]) < std::pair(a.row[k], a.col[k]);
        if (!inside || !ordered) {
            throw dimension_error("entry " + std::to_string(k) + " at (" + std::to_string(a.row[k]) + ", " +
                                  std::to_string(a.col[k]) + ") of the " + std::to_string(a.rows) + " x " +
                                  std::to_string(a.cols) + " matrix is " +
                                  (inside ? "out of order or repeated" : "outside"));
        }
    }
    linear_system system;
    system.rows = a.rows;
    system.cols = a.cols;
    system.b = std::move(b);
    system.row_begin.assign(static_cast<std::size_t>(a.rows) + 1, 0);
    system.column.reserve(a.col.size());
    system.values.reserve(a.col.size());
    for (std::size_t k = 0; k < a.col.size(); ++k) {
        ++system.row_begin[a.row[k] + 1];
        system.column.push_back(static_cast<std::int32_t>(a.col[k]));
        system.values.push_back(nearest_double(a.value[k]));
    }
    for (index_t i = 0; i < a.rows; ++i) {
        system.row_begin[i + 1] += system.row_begin[i];
    }
    return system;
}

}  // namespace

linear_system make_system(const io::coo<double>& a, std::vector<real> b) { return compress(a, std::move(b)); }

linear_system make_system(const io::coo<double>& rounded, exact_entries exact, std::vector<real> b)
{
    if (exact.size() != rounded.value.size()) {
        throw dimension_error("the matrix has " + std::to_string(rounded.value.size()) + " rounded entries and " +
                              std::to_string(exact.size()) + " exact ones");
    }
    linear_system system = compress(rounded, std::move(b));
    system.exact = std::move(exact);
    return system;
}

scaled_double leading_part(const linear_system& a, index_t k)
{
    const auto place = static_cast<std::size_t>(k);
    if (a.exact.empty() || std::isnormal(a.values[place])) {
        return scaled_double(a.values[place]);
    }
    return scaled_double(a.exact.at(place, 64));
}

long entry_exponent(const linear_system& a, index_t k)
{
    const auto place = static_cast<std::size_t>(k);
    if (a.exact.empty() || std::isnormal(a.values[place])) {
        return std::ilogb(a.values[place]) + 1L;
    }
    return exponent(a.exact.at(place, 64));
}

linear_system make_system(const io::coo<real>& a, std::vector<real> b)
{
    linear_system system = compress(a, std::move(b));
    bool all_doubles = true;
    for (std::size_t k = 0; k < a.value.size() && all_doubles; ++k) {
        all_doubles = a.value[k] == real(system.values[k]);
    }
    if (!all_doubles) {
        system.exact = a.value;
    }
    return system;
}

void require_valid(const linear_system& system)
{
    const auto rows = static_cast<std::size_t>(system.rows);
    const auto stored = static_cast<index_t>(system.column.size());
    if (system.rows < 0 || system.cols < 0 || system.row_begin.size() != rows + 1 || system.row_begin[0] != 0 ||
        system.row_begin[rows] != stored) {
        throw dimension_error("the rows of the matrix must begin at " + std::to_string(rows + 1) +
                              " positions from 0 to its " + std::to_string(stored) + " entries");
    }
    if (system.values.size() != system.column.size() ||
        (!system.exact.empty() && system.exact.size() != system.column.size())) {
        throw dimension_error("the matrix has " + std::to_string(stored) + " columns of entries, but " +
                              std::to_string(system.values.size()) + " values and " +
                              std::to_string(system.exact.size()) + " exact ones");
    }
    for (std::size_t i = 0; i < rows; ++i) {
        const index_t begin = system.row_begin[i];
        const index_t end = system.row_begin[i + 1];
        bool valid = begin <= end && end <= stored;
        for (index_t k = begin; valid && k < end; ++k) {
            valid = (k == begin ? 0 <= system.column[k] : system.column[k - 1] < system.column[k]) &&
                    system.column[k] < system.cols;
        }
        if (!valid) {
            throw dimension_error("row " + std::to_string(i) + " of the matrix has columns outside, out of order or " +
                                  "repeated, or it ends before it begins");
        }
    }
}

std::vector<real> row_sums(const linear_system& system)
{
    std::vector<real> sums(system.rows);
    for (index_t i = 0; i < system.rows; ++i) {
        const index_t begin = system.row_begin[i];
        const index_t end = system.row_begin[i + 1];
        if (system.exact.empty()) {
            sums[i] = exact_sum({system.values.data() + begin, system.values.data() + end});
            continue;
        }
        if (system.exact.are_decimals()) {
            sums[i] = system.exact.sum(
                static_cast<std::size_t>(begin), static_cast<std::size_t>(end), [](std::size_t) { return 1; },
                bits_of_decimal_sums);
            continue;
        }
        // wide enough that no addition rounds: from the greatest bit to the smallest one
        long top = std::numeric_limits<long>::min();
        long bottom = std::numeric_limits<long>::max();
        for (index_t k = begin; k < end; ++k) {
            if (const real a = system.exact.at(k, real::double_bits); !is_zero(a)) {
                top = std::max(top, exponent(a));
                bottom = std::min(bottom, exponent(a) - a.precision());
            }
        }
        real sum(0.0, top > bottom ? std::min(top - bottom + 64, 1L << 20) : real::double_bits);
        for (index_t k = begin; k < end; ++k) {
            sum += system.exact.at(k, real::double_bits);
        }
        sums[i] = std::move(sum);
    }
    return sums;
}

}  // namespace residua
