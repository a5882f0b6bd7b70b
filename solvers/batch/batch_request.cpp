#include <residua/solvers/batch/batch_request.hpp>

#include <algorithm>
#include <string>

namespace residua::detail {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw unsupported_error("solve_batch: " + why); }

}  // namespace

int terms_for(const batch_options& options, int of_entries)
{
    if (options.digits < 0 || options.digits > digits_in(most_terms)) {
        refuse(std::to_string(options.digits) + " digits were asked for, and a batch has up to " +
               std::to_string(digits_in(most_terms)) + "; solve() has more");
    }
    int terms = options.digits == 0 && options.precision_bits == 0 ? 2 : 1;
    while (digits_in(terms) < options.digits) {
        ++terms;
    }
    if (options.precision_bits == 0) {
        return std::max(terms, of_entries);
    }
    const long given = options.precision_bits / 53;
    if (options.precision_bits % 53 != 0 || given < 1 || given > most_terms) {
        refuse("a precision of " + std::to_string(options.precision_bits) +
               " bits was asked for, and a batch has 53, 106, 159 and 212; solve() has others");
    }
    if (given < of_entries || given < terms) {
        refuse("a precision of " + std::to_string(options.precision_bits) + " bits holds neither entries of " +
               std::to_string(of_entries) + " terms nor more than " +
               std::to_string(digits_in(static_cast<int>(given))) + " digits; ask for " +
               std::to_string(53 * std::max(terms, of_entries)));
    }
    return static_cast<int>(given);
}

void require_sizes(index_t n, index_t count, index_t entries, index_t right_hand_sides)
{
    if (n < 1 || count < 0) {
        throw dimension_error("solve_batch: " + std::to_string(count) + " systems of " + std::to_string(n) +
                              " unknowns; a system has one at least");
    }
    if (n > largest_batch_order) {
        refuse(std::to_string(n) + " unknowns, and a batch has systems of up to " +
               std::to_string(largest_batch_order) + "; solve() takes larger ones one by one");
    }
    if (count > (index_t{1} << 50) / (n * n) || entries != n * n * count || right_hand_sides != n * count) {
        throw dimension_error("solve_batch: " + std::to_string(count) + " systems of " + std::to_string(n) +
                              " unknowns have n^2 entries and n right-hand sides each; there are " +
                              std::to_string(entries) + " entries and " + std::to_string(right_hand_sides) +
                              " right-hand sides");
    }
}

}  // namespace residua::detail
