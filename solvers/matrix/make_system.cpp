#include <residua/solvers/matrix/make_system.hpp>

#include <cmath>
#include <limits>
#include <numeric>

namespace residua {
namespace {

constexpr index_t most_columns_of_a_system = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t largest_power_of_ten = 300'000'000;  // MPFR's range ends at 10^323 million
constexpr long most_bits_of_a_sum = 1L << 20;

std::size_t as_size(index_t i) { return static_cast<std::size_t>(i); }

[[noreturn]] void refuse(const std::string& why) { throw dimension_error("make_system: " + why); }

/// "row 2, column 5 (from 0)", where entry k is.
std::string place_of(const detail::csr_pattern& p, std::size_t k)
{
    const auto row = std::upper_bound(p.row_begin.begin(), p.row_begin.end(), static_cast<index_t>(k));
    return "row " + std::to_string(row - p.row_begin.begin() - 1) + ", column " + std::to_string(p.column[k]) +
           " (from 0)";
}

[[noreturn]] void refuse_value(const detail::csr_pattern& p, std::size_t k, const std::string& why)
{
    throw unsupported_error("make_system: the entry in " + place_of(p, k) + " is " + why);
}

template <class T>
void require_finite(const detail::csr_pattern& p, const std::vector<T>& values)
{
    const auto wrong = std::find_if(values.begin(), values.end(), [](const T& x) { return !is_finite(x); });
    if (wrong != values.end()) {
        refuse_value(p, static_cast<std::size_t>(wrong - values.begin()), to_string(*wrong) + ", not a finite number");
    }
}

/// The sum, with the precision that it needs.
real exact_sum_of(std::span<const real> terms)
{
    long top = std::numeric_limits<long>::min();
    long bottom = std::numeric_limits<long>::max();
    for (const real& a : terms) {
        if (!is_zero(a)) {
            top = std::max(top, exponent(a));
            bottom = std::min(bottom, exponent(a) - a.precision());
        }
    }
    const long bits = top > bottom ? top - bottom + 64 : real::double_bits;
    if (bits > most_bits_of_a_sum) {
        throw unsupported_error("make_system: the exact sum of entries in one place has " + std::to_string(bits) +
                                " bits; at most " + std::to_string(most_bits_of_a_sum) + " are held");
    }
    real sum(0.0, bits);
    for (const real& a : terms) {
        sum += a;
    }
    return sum;
}

/// The sum of the entries in each place.
template <class T>
std::vector<real> sums_of_runs(const std::vector<T>& values, const std::vector<index_t>& begin)
{
    std::vector<real> sums;
    sums.reserve(begin.size());
    for (std::size_t run = 0; run < begin.size(); ++run) {
        const std::size_t first = as_size(begin[run]);
        const std::size_t last = run + 1 < begin.size() ? as_size(begin[run + 1]) : values.size();
        const std::span<const T> terms(values.data() + first, last - first);
        if constexpr (std::same_as<T, double>) {
            sums.push_back(exact_sum(terms));
        } else {
            sums.push_back(terms.size() == 1 ? terms[0] : exact_sum_of(terms));
        }
    }
    return sums;
}

/// Keeps the first entry in each place.
void merge(detail::csr_pattern& p, const std::vector<index_t>& begin)
{
    for (std::size_t run = 0; run < begin.size(); ++run) {
        p.column[run] = p.column[as_size(begin[run])];
    }
    p.column.resize(begin.size());
    for (index_t& position : p.row_begin) {
        position = std::lower_bound(begin.begin(), begin.end(), position) - begin.begin();
    }
}

linear_system with_pattern(detail::csr_pattern p, std::vector<real> b)
{
    if (!b.empty() && static_cast<index_t>(b.size()) != p.rows) {
        refuse("b has " + std::to_string(b.size()) + " numbers, the matrix " + std::to_string(p.rows) + " rows");
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (!is_finite(b[i])) {
            throw unsupported_error("make_system: b[" + std::to_string(i) + "] is " + to_string(b[i]) +
                                    ", not a finite number");
        }
    }
    linear_system system;
    system.rows = p.rows;
    system.cols = p.cols;
    system.row_begin = std::move(p.row_begin);
    system.column = std::move(p.column);
    system.b = std::move(b);
    return system;
}

/// The binary64 number nearest to a sum of others: from rounded sums if their error bound decides it, otherwise exact.
double nearest(std::span<const double> terms)
{
    const double s = terms[0] + terms[1];
    const double v = s - terms[0];
    double rest = (terms[0] - (s - v)) + (terms[1] - v);
    double size = std::abs(rest);
    for (std::size_t k = 2; k < terms.size(); ++k) {
        rest += terms[k];
        size += std::abs(terms[k]);
    }
    const double error = size * 0x1p-46;  // bound of the errors of at most 40 sums
    const double low = s + (rest - error);
    return low == s + (rest + error) ? low : to_double(exact_sum(terms));
}

}  // namespace

namespace detail {

void require_sizes(index_t rows, index_t cols, std::size_t columns, std::size_t values, int base)
{
    if (base != 0 && base != 1) {
        refuse("base is " + std::to_string(base) + "; it is 0 or 1");
    }
    if (rows < 0 || cols < 0) {
        refuse("a matrix has no " + std::to_string(rows) + " x " + std::to_string(cols) + " entries");
    }
    if (cols > most_columns_of_a_system) {
        refuse(std::to_string(cols) + " columns; at most 2^31 - 1 are supported");
    }
    if (columns != values) {
        refuse_array(values, std::to_string(columns) + " values, one for each column number");
    }
}

void require_positions(const char* array, index_t lines, std::size_t positions)
{
    if (positions != as_size(lines) + 1) {
        refuse(std::string(array) + " has " + std::to_string(positions) + " positions; " + std::to_string(lines) + " " +
               (array[0] == 'r' ? "rows" : "columns") + " need " + std::to_string(lines + 1));
    }
}

void refuse_position(const char* array, std::size_t k, index_t position, const std::string& why)
{
    refuse(std::string(array) + "[" + std::to_string(k) + "], from 0, is " + std::to_string(position) + ", but " + why);
}

void refuse_index(const char* array, std::size_t k, index_t index, int base, index_t size)
{
    refuse(std::string(array) + "[" + std::to_string(k) + "] is " + std::to_string(index) + "; a matrix of " +
           std::to_string(size) + " " + array + "s has those from " + std::to_string(base) + " to " +
           std::to_string(base + size - 1));
}

void refuse_array(std::size_t values, const std::string& needed)
{
    refuse("there are " + std::to_string(values) + " values; the matrix needs " + needed);
}

index_t dense_stride(index_t rows, index_t cols, storage_order order, index_t stride, std::size_t values)
{
    require_sizes(rows, cols, 0, 0, 0);
    const index_t inner = order == storage_order::row_major ? cols : rows;
    const index_t outer = order == storage_order::row_major ? rows : cols;
    const index_t step = stride == 0 ? inner : stride;
    if (step < inner) {
        refuse("a stride of " + std::to_string(stride) + " is less than the " + std::to_string(inner) +
               " numbers of a " + (order == storage_order::row_major ? "row" : "column"));
    }
    const auto there = static_cast<index_t>(values);
    const bool none = inner == 0 || outer == 0;
    if (!none && (there < inner || outer - 1 > (there - inner) / step)) {
        refuse_array(values,
                     std::to_string(rows) + " x " + std::to_string(cols) + " at a stride of " + std::to_string(step));
    }
    return step;
}

arrangement arrange(csr_pattern& p)
{
    require_positions("row_begin", p.rows, p.row_begin.size());
    const auto entries = static_cast<index_t>(p.column.size());
    if (p.row_begin.front() != 0) {
        refuse_position("row_begin", 0, p.row_begin.front(), "the first row begins at the first entry, which is 0");
    }
    bool sorted = true;
    bool repeated = false;
    for (std::size_t i = 0; i + 1 < p.row_begin.size(); ++i) {
        const index_t begin = p.row_begin[i];
        const index_t end = p.row_begin[i + 1];
        if (end < begin || end > entries) {
            refuse_position("row_begin", i + 1, end,
                            end < begin ? "the position before it is " + std::to_string(begin)
                                        : "there are " + std::to_string(entries) + " entries");
        }
        for (index_t k = begin + 1; k < end; ++k) {
            const std::int32_t before = p.column[as_size(k - 1)];
            const std::int32_t here = p.column[as_size(k)];
            sorted = sorted && before <= here;
            repeated = repeated || before == here;
        }
    }
    if (p.row_begin.back() != entries) {
        refuse_position("row_begin", p.row_begin.size() - 1, p.row_begin.back(),
                        "there are " + std::to_string(entries) + " entries");
    }
    require_inside("column", std::span<const std::int32_t>(p.column), 0, p.cols);
    arrangement a;
    if (!sorted) {
        a.order.resize(p.column.size());
        std::iota(a.order.begin(), a.order.end(), index_t{0});
        for (std::size_t i = 0; i + 1 < p.row_begin.size(); ++i) {
            const auto first = a.order.begin() + p.row_begin[i];
            const auto last = a.order.begin() + p.row_begin[i + 1];
            std::stable_sort(first, last, [&](index_t left, index_t right) {
                return p.column[as_size(left)] < p.column[as_size(right)];
            });
        }
        io::detail::permute(p.column, a.order);
    }
    if (!sorted || repeated) {
        bool any = false;
        for (std::size_t i = 0; i + 1 < p.row_begin.size(); ++i) {
            for (index_t k = p.row_begin[i]; k < p.row_begin[i + 1]; ++k) {
                const bool again = k > p.row_begin[i] && p.column[as_size(k)] == p.column[as_size(k - 1)];
                any = any || again;
                if (!again) {
                    a.begin.push_back(k);
                }
            }
        }
        if (!any) {
            a.begin.clear();
        }
    }
    return a;
}

linear_system finish(csr_pattern p, const arrangement& a, std::vector<double> values, std::vector<real> b)
{
    require_finite(p, values);
    if (!a.begin.empty()) {
        std::vector<real> sums = sums_of_runs(values, a.begin);
        merge(p, a.begin);
        return finish(std::move(p), {}, std::move(sums), std::move(b));
    }
    linear_system system = with_pattern(std::move(p), std::move(b));
    system.values = std::move(values);
    return system;
}

linear_system finish(csr_pattern p, const arrangement& a, std::vector<real> values, std::vector<real> b)
{
    require_finite(p, values);
    if (!a.begin.empty()) {
        values = sums_of_runs(values, a.begin);
        merge(p, a.begin);
    }
    linear_system system = with_pattern(std::move(p), std::move(b));
    system.values = rounded_to<double>(values);
    bool all_doubles = true;
    for (std::size_t k = 0; k < values.size() && all_doubles; ++k) {
        all_doubles = mpfr_cmp_d(values[k].mpfr(), system.values[k]) == 0;
    }
    if (!all_doubles) {
        system.exact = exact_entries(std::move(values));
    }
    return system;
}

linear_system finish(csr_pattern p, const arrangement& a, const std::vector<std::string_view>& values,
                     std::vector<real> b)
{
    std::vector<io::decimal_word> words;
    words.reserve(values.size());
    std::vector<double> nearest_doubles;
    nearest_doubles.reserve(values.size());
    bool all_doubles = true;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!io::is_decimal(values[k])) {
            refuse_value(p, k, "\"" + std::string(values[k].substr(0, 40)) + "\", not a decimal");
        }
        words.emplace_back(values[k]);
        const io::decimal_parts parts = io::take_apart(values[k]);
        if (std::max(parts.exponent + parts.significant_digits, -parts.exponent) > largest_power_of_ten) {
            refuse_value(p, k, "a decimal beyond 10^(+-300000000)");
        }
        const io::binary64_result rounded = io::round_to_binary64(words.back());
        nearest_doubles.push_back(rounded.value);
        all_doubles = all_doubles && rounded.status == io::binary64_status::exact;
    }
    if (all_doubles) {
        return finish(std::move(p), a, std::move(nearest_doubles), std::move(b));
    }
    for (std::size_t k = 1; k < a.begin.size(); ++k) {
        if (a.begin[k] > a.begin[k - 1] + 1) {
            refuse_value(p, as_size(a.begin[k - 1]), "given more than once; decimals are not added");
        }
    }
    if (!a.begin.empty() && as_size(a.begin.back()) + 1 < values.size()) {
        refuse_value(p, values.size() - 1, "given more than once; decimals are not added");
    }
    linear_system system = with_pattern(std::move(p), std::move(b));
    system.values = std::move(nearest_doubles);
    system.exact = exact_entries(words);
    return system;
}

linear_system finish(csr_pattern p, const arrangement& a, std::shared_ptr<const double> terms, int each,
                     std::vector<real> b)
{
    const std::size_t size = p.column.size();
    const auto count = static_cast<std::size_t>(each);
    std::vector<double> values;
    values.reserve(size);
    bool all_doubles = true;
    for (std::size_t k = 0; k < size; ++k) {
        const std::span<const double> entry(terms.get() + k * count, count);
        const auto wrong = std::find_if(entry.begin(), entry.end(), [](double t) { return !is_finite(t); });
        if (wrong != entry.end()) {
            refuse_value(p, k, "a sum with the term " + to_string(*wrong) + ", not a finite number");
        }
        values.push_back(nearest(entry));
        all_doubles = all_doubles && std::all_of(entry.begin() + 1, entry.end(), [](double t) { return t == 0.0; });
    }
    if (all_doubles && a.begin.empty()) {
        return finish(std::move(p), a, std::move(values), std::move(b));
    }
    exact_entries exact(std::move(terms), size, each);
    if (!a.begin.empty()) {
        return finish(std::move(p), a, exact.in_bits(real::double_bits), std::move(b));
    }
    linear_system system = with_pattern(std::move(p), std::move(b));
    system.values = std::move(values);
    system.exact = std::move(exact);
    return system;
}

}  // namespace detail

namespace {

template <class T>
linear_system from_coordinates(const io::coo<T>& a, std::vector<real> b)
{
    return make_system(
        coo_view<index_t, T>{.rows = a.rows, .cols = a.cols, .row = a.row, .column = a.col, .value = a.value},
        std::move(b));
}

}  // namespace

linear_system make_system(const io::coo<double>& a, std::vector<real> b) { return from_coordinates(a, std::move(b)); }
linear_system make_system(const io::coo<real>& a, std::vector<real> b) { return from_coordinates(a, std::move(b)); }

linear_system make_system(const io::coo<double>& rounded, exact_entries exact, std::vector<real> b)
{
    if (exact.size() != rounded.value.size()) {
        refuse(std::to_string(rounded.value.size()) + " rounded entries and " + std::to_string(exact.size()) +
               " exact ones");
    }
    detail::require_sizes(rounded.rows, rounded.cols, rounded.col.size(), rounded.value.size(), 0);
    if (rounded.row.size() != rounded.col.size() || !io::is_row_major(rounded.row, rounded.col)) {
        refuse("entries that have exact ones beside them come by rows and columns, each place once");
    }
    detail::require_inside("row", std::span<const index_t>(rounded.row), 0, rounded.rows);
    detail::require_inside("column", std::span<const index_t>(rounded.col), 0, rounded.cols);
    linear_system system =
        with_pattern({rounded.rows, rounded.cols, io::detail::row_beginnings(rounded.rows, rounded.row),
                      detail::rebased<std::int32_t>(std::span<const index_t>(rounded.col), 0)},
                     std::move(b));
    system.values = rounded.value;
    system.exact = std::move(exact);
    return system;
}

}  // namespace residua
