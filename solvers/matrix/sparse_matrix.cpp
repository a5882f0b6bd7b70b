#include <residua/solvers/matrix/sparse_matrix.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <residua/blas/base/parallel.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {
namespace {

constexpr long bits_of_decimal_sums = 8256;  // as many as decimals of a right-hand side are read to

}  // namespace

void archive(state_archive& io, sparse_matrix& a)
{
    io.value(a.rows);
    io.value(a.cols);
    io.list(a.row_begin.own());
    io.list(a.column.own());
    io.list(a.values.own());
    a.exact.archive(io);
    io.value(a.complex);
}

scaled_double leading_part(const sparse_matrix& a, index_t k)
{
    const auto place = static_cast<std::size_t>(k);
    if (a.exact.empty() || std::isnormal(a.values[place])) {
        return scaled_double(a.values[place]);
    }
    return scaled_double(a.exact.at(place, 64));
}

long entry_exponent(const sparse_matrix& a, index_t k)
{
    const auto place = static_cast<std::size_t>(k);
    if (a.exact.empty() || std::isnormal(a.values[place])) {
        return std::ilogb(a.values[place]) + 1L;
    }
    return exponent(a.exact.at(place, 64));
}

void require_valid(const sparse_matrix& system)
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

namespace {

real row_sum(const sparse_matrix& system, index_t i)
{
    const index_t begin = system.row_begin[i];
    const index_t end = system.row_begin[i + 1];
    if (system.exact.empty()) {
        return exact_sum({system.values.data() + begin, system.values.data() + end});
    }
    if (system.exact.are_decimals()) {
        return system.exact.sum(
            static_cast<std::size_t>(begin), static_cast<std::size_t>(end), [](std::size_t) { return 1; },
            bits_of_decimal_sums);
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
    return sum;
}

}  // namespace

std::vector<real> row_sums(const sparse_matrix& system)
{
    constexpr double operations_of_term = 300.0;
    std::vector<real> sums(static_cast<std::size_t>(system.rows));
    const double terms = static_cast<double>(system.rows) + static_cast<double>(system.nonzeros());
    blas::detail::parallel_weighted_ranges(
        system.rows, [&](index_t i) { return system.row_begin[i]; }, operations_of_term * terms,
        [&](index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) {
                io::ask_for_stop_at(i);
                sums[static_cast<std::size_t>(i)] = row_sum(system, i);
            }
        });
    return sums;
}

}  // namespace residua
