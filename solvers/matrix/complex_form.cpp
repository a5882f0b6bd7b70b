#include <residua/solvers/matrix/complex_form.hpp>

#include <algorithm>

#include <residua/arith/complex/complex.hpp>
#include <residua/arith/multidigit/number.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>

namespace residua {
namespace {

/// Bits in which decimals are put together.
constexpr long bits_of_decimals = 2 * multidigit_format::most_bits + 64;

/// Coordinates of the entries as reals.
///
/// rounded  becomes true if one is a decimal that bits_of_decimals do not hold
io::coo<real> coordinates(const linear_system& a, bool& rounded)
{
    io::coo<real> all{a.rows, a.cols, {}, {}, {}};
    real room;
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            const auto place = static_cast<std::size_t>(k);
            all.row.push_back(i);
            all.col.push_back(a.column[k]);
            all.value.push_back(a.exact.empty() ? real(a.values[k])
                                                : a.exact.at(place, bits_of_decimals, room, rounded));
        }
    }
    return all;
}

}  // namespace

std::vector<real> with_zero_parts(std::vector<real> numbers)
{
    std::vector<real> form(2 * numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        form[2 * k] = std::move(numbers[k]);
    }
    return form;
}

std::vector<complex_number<real>> complex_numbers(std::span<const real> form)
{
    if (form.size() % 2 != 0) {
        throw dimension_error("complex_numbers: " + std::to_string(form.size()) +
                              " numbers are no pairs of real and imaginary parts");
    }
    std::vector<complex_number<real>> numbers;
    numbers.reserve(form.size() / 2);
    for (std::size_t k = 0; k < form.size(); k += 2) {
        numbers.emplace_back(form[k], form[k + 1]);
    }
    return numbers;
}

std::vector<real> times_i(const std::vector<real>& form)
{
    std::vector<real> image(form.size());
    for (std::size_t k = 0; k + 1 < form.size(); k += 2) {
        image[k] = -form[k + 1];
        image[k + 1] = form[k];
    }
    return image;
}

linear_system as_complex(const linear_system& given)
{
    const sparse_matrix a = given.elsewhere != nullptr ? given.elsewhere->whole() : static_cast<sparse_matrix>(given);
    linear_system form;
    form.rows = 2 * a.rows;
    form.cols = 2 * a.cols;
    form.complex = true;
    form.reading_error = given.reading_error;
    form.rhs_reading_errors = given.rhs_reading_errors;
    form.other_reading = given.other_reading;
    form.b = with_zero_parts(given.b);
    std::vector<index_t> row_begin{0};
    std::vector<std::int32_t> column;
    std::vector<double> values;
    std::vector<index_t> source;
    for (index_t i = 0; i < form.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t k = a.row_begin[i / 2]; k < a.row_begin[i / 2 + 1]; ++k) {
            column.push_back(static_cast<std::int32_t>(2 * a.column[k] + i % 2));
            values.push_back(a.values[k]);
            source.push_back(k);
        }
        row_begin.push_back(static_cast<index_t>(column.size()));
    }
    form.row_begin = std::move(row_begin);
    form.column = std::move(column);
    form.values = std::move(values);
    form.exact = a.exact.empty() ? exact_entries() : a.exact.gathered(source);
    return form;
}

linear_system make_complex(const linear_system& real_part, const linear_system& imaginary_part, std::vector<real> b)
{
    const bool same = real_part.rows == imaginary_part.rows && real_part.cols == imaginary_part.cols &&
                      std::equal(real_part.row_begin.begin(), real_part.row_begin.end(),
                                 imaginary_part.row_begin.begin(), imaginary_part.row_begin.end()) &&
                      std::equal(real_part.column.begin(), real_part.column.end(), imaginary_part.column.begin(),
                                 imaginary_part.column.end());
    if (!same) {
        throw dimension_error("make_complex: the real and the imaginary parts of entries are not in the same places");
    }
    bool rounded = false;
    const std::vector<real> imaginary = coordinates(imaginary_part, rounded).value;
    linear_system form = make_system(
        real_form(coordinates(real_part, rounded), imaginary, [](const real& x) { return is_zero(x); }), std::move(b));
    form.complex = true;
    form.reading_error = max(max(real_part.reading_error, imaginary_part.reading_error),
                             rounded ? ldexp(real(1.0), -bits_of_decimals) : real(0.0));
    form.other_reading = std::max(real_part.other_reading, imaginary_part.other_reading);
    return form;
}

std::vector<real> row_sums(const linear_system& a)
{
    const sparse_matrix& all = a;
    if (!a.complex) {
        return row_sums(all);
    }
    std::vector<index_t> row_begin{0};  // of the columns of real parts alone
    std::vector<std::int32_t> column;
    std::vector<double> values;
    std::vector<index_t> source;
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (a.column[k] % 2 == 0) {
                column.push_back(a.column[k]);
                values.push_back(a.values[k]);
                source.push_back(k);
            }
        }
        row_begin.push_back(static_cast<index_t>(column.size()));
    }
    return row_sums(sparse_matrix{a.rows, a.cols, std::move(row_begin), std::move(column), std::move(values),
                                  a.exact.empty() ? exact_entries() : a.exact.gathered(source)});
}

index_t complex_entries(const linear_system& a)
{
    index_t count = 0;
    for (index_t i = 0; i < a.rows; i += 2) {
        std::int32_t before = -1;
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            count += a.column[k] / 2 != before;
            before = a.column[k] / 2;
        }
    }
    return count;
}

bool is_complex_symmetric(const linear_system& a)
{
    // The block of (i, j) transposed, [a b; -b a], is the block of (j, i), [c -d; d c], with d = -b: the form and its
    // transpose differ in the signs of imaginary parts.
    if (!a.complex || a.rows != a.cols) {
        return false;
    }
    std::vector<index_t> next(a.row_begin.begin(), a.row_begin.end() - 1);
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            const index_t j = a.column[p];
            const index_t q = next[j]++;
            if (q == a.row_begin[j + 1] || a.column[q] != i) {
                return false;
            }
            const bool opposite = (i + j) % 2 != 0;
            const bool equal = a.exact.empty() ? a.values[q] == (opposite ? -a.values[p] : a.values[p])
                               : opposite      ? a.exact.opposite(p, q)
                                               : a.exact.equal(p, q);
            if (!equal) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace residua
