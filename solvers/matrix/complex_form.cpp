#include <residua/solvers/matrix/complex_form.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>

#include <residua/arith/complex/complex.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/numbers.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>

namespace residua {
namespace {

/// Two matrices with entries in the same places. A number of either is named by 2 k + 1 and 2 k + 2, for entry k of the first
/// and of the second, or by minus that for the other sign.
class two_parts {
public:
    two_parts(const linear_system& first, const linear_system& second) : parts_{&first, &second} {}

    bool is_zero(index_t name) const { return is_zero_entry(part(name), place(name)); }
    double rounded(index_t name) const
    {
        const double x = part(name).values[static_cast<std::size_t>(place(name))];
        return name < 0 ? -x : x;
    }
    /// Whether all numbers are decimals or binary64 numbers.
    bool have_decimals() const
    {
        return std::all_of(parts_.begin(), parts_.end(),
                           [](const linear_system* each) { return each->exact.empty() || each->exact.are_decimals(); });
    }
    /// The number itself, unless it is a decimal.
    real exact(index_t name) const
    {
        const real x = entry(part(name), place(name), real::double_bits);
        return name < 0 ? -x : x;
    }
    /// The number as a decimal, which has all of its digits.
    std::string decimal(index_t name) const
    {
        constexpr int digits_of_a_binary64 = 770;
        const exact_entries& exact = part(name).exact;
        const real x = exact.empty() ? real(rounded(std::abs(name))) : real();
        const std::string text = !exact.empty() ? exact.written(static_cast<std::size_t>(place(name)))
                                 : real(std::string_view(to_string(x)), 4 * digits_of_a_binary64) == x
                                     ? to_string(x)
                                     : to_string(x, digits_of_a_binary64);
        return name > 0 ? text : text.front() == '-' ? text.substr(1) : "-" + text;
    }

private:
    const linear_system& part(index_t name) const { return *parts_[(std::abs(name) - 1) % 2]; }
    static index_t place(index_t name) { return (std::abs(name) - 1) / 2; }

    std::array<const linear_system*, 2> parts_;
};

/// The places of the entries, and what two_parts calls their first numbers.
io::coo<index_t> names_of(const sparse_matrix& a)
{
    io::coo<index_t> all{a.rows, a.cols, {}, {}, {}};
    for (index_t i = 0; i < a.rows; ++i) {
        io::ask_for_stop_at(i);
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            all.row.push_back(i);
            all.col.push_back(a.column[k]);
            all.value.push_back(2 * k + 1);
        }
    }
    return all;
}

/// The matrix with these numbers in its places.
template <class T, class F>
io::coo<T> with_numbers(const io::coo<index_t>& names, const F& number)
{
    io::coo<T> made{names.rows, names.cols, names.row, names.col, {}};
    made.value.reserve(names.value.size());
    std::transform(names.value.begin(), names.value.end(), std::back_inserter(made.value), number);
    return made;
}

/// The form with other numbers in the places of the complex matrix; put(part, numbers) gives them to its real or imaginary
/// part.
template <class T, class Put>
linear_system with_numbers_of(const linear_system& form, std::span<const T> parts, const Put& put)
{
    auto [first, second] = parts_of(form);
    require_equal("update_values", "parts of numbers and twice the entries of the complex matrix",
                  static_cast<index_t>(parts.size()), 2 * first.nonzeros());
    std::array<std::vector<T>, 2> numbers;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        numbers[k % 2].push_back(parts[k]);
    }
    put(first, std::move(numbers[0]));
    put(second, std::move(numbers[1]));
    first.reading_error = second.reading_error = real(0.0);
    return make_complex(first, second, form.b);
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
    if (a.cols > std::numeric_limits<std::int32_t>::max() / 2) {
        throw dimension_error("as_complex: the matrix has " + std::to_string(a.cols) +
                              " columns; at most 2^30 - 1 complex ones are supported");
    }
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
    const two_parts parts(real_part, imaginary_part);
    const io::coo<index_t> first = names_of(real_part);
    std::vector<index_t> second;
    std::transform(first.value.begin(), first.value.end(), std::back_inserter(second),
                   [](index_t name) { return name + 1; });
    const io::coo<index_t> names = real_form(first, second, [&](index_t name) { return parts.is_zero(name); });
    const auto rounded = [&] { return with_numbers<double>(names, [&](index_t k) { return parts.rounded(k); }); };
    linear_system form;
    if (real_part.exact.empty() && imaginary_part.exact.empty()) {
        form = make_system(rounded(), std::move(b));
    } else if (parts.have_decimals()) {
        std::vector<std::string> texts;
        for (const index_t name : names.value) {
            texts.push_back(parts.decimal(name));
        }
        form = make_system(rounded(), exact_entries(std::vector<io::decimal_word>(texts.begin(), texts.end())),
                           std::move(b));
    } else if (real_part.exact.are_decimals() || imaginary_part.exact.are_decimals()) {
        throw unsupported_error("make_complex: decimals and other numbers that binary64 does not hold");
    } else {
        form = make_system(with_numbers<real>(names, [&](index_t name) { return parts.exact(name); }), std::move(b));
    }
    form.complex = true;
    form.reading_error = std::max(real_part.reading_error, imaginary_part.reading_error);
    form.other_reading = std::max(real_part.other_reading, imaginary_part.other_reading);
    return form;
}

std::pair<linear_system, linear_system> parts_of(const linear_system& form)
{
    require_equal("parts_of", "rows of a real form and twice half of them", form.rows, form.rows / 2 * 2);
    linear_system first;
    first.rows = form.rows / 2;
    first.cols = form.cols / 2;
    first.reading_error = form.reading_error;
    std::vector<index_t> row_begin{0};
    std::vector<std::int32_t> column;
    std::array<std::vector<index_t>, 2> source;
    const index_t zero = form.nonzeros();
    for (index_t i = 0; i < form.rows; i += 2) {
        io::ask_for_stop_at(i);
        index_t p = form.row_begin[i];  // entries 2 j of row i are real parts, those of row i + 1 imaginary ones
        index_t q = form.row_begin[i + 1];
        const index_t ends[] = {form.row_begin[i + 1], form.row_begin[i + 2]};
        while (p < ends[0] || q < ends[1]) {
            if (p < ends[0] && form.column[p] % 2 != 0) {
                ++p;
            } else if (q < ends[1] && form.column[q] % 2 != 0) {
                ++q;
            } else {
                const bool has_first = p < ends[0] && (q == ends[1] || form.column[p] <= form.column[q]);
                const bool has_second = q < ends[1] && (p == ends[0] || form.column[q] <= form.column[p]);
                column.push_back(form.column[has_first ? p : q] / 2);
                source[0].push_back(has_first ? p : zero);
                source[1].push_back(has_second ? q : zero);
                p += has_first;
                q += has_second;
            }
        }
        row_begin.push_back(static_cast<index_t>(column.size()));
    }
    first.row_begin = std::move(row_begin);
    first.column = std::move(column);
    linear_system second = first;
    const exact_entries exact =
        form.exact.empty() ? exact_entries() : form.exact.joined({real(0.0)}, real::double_bits);
    for (const std::size_t part : {0U, 1U}) {
        linear_system& to = part == 0 ? first : second;
        std::vector<double> values;
        for (const index_t k : source[part]) {
            values.push_back(k == zero ? 0.0 : form.values[k]);
        }
        to.values = std::move(values);
        to.exact = exact.empty() ? exact_entries() : exact.gathered(source[part]);
    }
    return {std::move(first), std::move(second)};
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

linear_system changed_entries(const linear_system& form, std::span<const double> parts)
{
    return with_numbers_of(form, parts, [](linear_system& to, std::vector<double> numbers) {
        to.values = std::move(numbers);
        to.exact = {};
    });
}

linear_system changed_entries(const linear_system& form, std::span<const real> parts)
{
    return with_numbers_of(form, parts, [](linear_system& to, std::vector<real> numbers) {
        std::vector<double> nearest = rounded_to<double>(numbers);
        const bool same = std::equal(numbers.begin(), numbers.end(), nearest.begin(),
                                     [](const real& x, double rounded) { return x == real(rounded); });
        to.values = std::move(nearest);
        to.exact = same ? exact_entries() : exact_entries(std::move(numbers));
    });
}

}  // namespace residua
