#include <residua/solvers/files/read_rhs_part.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/files/lines_of_all.hpp>
#include <residua/solvers/processes/row_pieces.hpp>

namespace residua {
namespace {

/// The numbers in the lines of a process.
///
/// throws  input_error, io::stopped_error, std::bad_alloc
std::vector<double> own_numbers(const processes& all, const io::file_lines& file, index_t bytes_at_a_time,
                                io::binary64_tally& tally)
{
    std::vector<double> numbers;
    const index_t last = share_begin(file.bytes, all.count(), all.rank() + 1);
    for (index_t begin = share_begin(file.bytes, all.count(), all.rank()); begin < last; begin += bytes_at_a_time) {
        io::ask_for_stop();
        const index_t end = std::min(begin + bytes_at_a_time, last);
        const io::text text = io::lines_between(file, begin, end);
        const io::matrix_market_scanner scanner(text);
        const index_t parts = std::max<index_t>(1, io::detail::useful_parts(end - begin));
        const auto read = io::detail::read_all_parts(file.header, scanner.parts(parts), tally);
        for (std::size_t k = 0; k < read.parts.size(); ++k) {
            if (read.failures[k]) {
                std::rethrow_exception(read.failures[k]);
            }
            tally.add(read.parsers[k]);
            const std::vector<double>& some = read.parts[k].entries.value;
            numbers.insert(numbers.end(), some.begin(), some.end());
        }
    }
    return numbers;
}

/// The numbers of all, column after column, each on the process that has its row; empty on all unless there are as many
/// as `cols` columns have.
///
/// needs     not `failed` on any process, or it is empty too
/// together
std::optional<std::vector<double>> sent_to_owners(processes& all, const std::vector<double>& numbers, bool failed,
                                                  const partition& rows, index_t cols)
{
    const index_t n = std::max<index_t>(rows.n(), 1);
    const auto mine = failed ? index_t{-1} : static_cast<index_t>(numbers.size());
    std::vector<std::byte> message = gather(all, std::as_bytes(std::span(&mine, 1)));
    all.broadcast(message);
    std::vector<index_t> counts(message.size() / sizeof(index_t));
    std::memcpy(counts.data(), message.data(), message.size());
    index_t before = 0, sum = 0;
    bool any_failed = false;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        any_failed = any_failed || counts[rank] < 0;
        before += static_cast<index_t>(rank) < all.rank() ? counts[rank] : 0;
        sum += counts[rank];
    }
    if (any_failed || sum % n != 0 || sum / n != cols) {
        return std::nullopt;
    }
    std::vector<std::vector<double>> to(counts.size());
    for (index_t first = before; first < before + mine;) {
        const index_t row = first % n, owner = rows.owner(row);
        const index_t last = std::min(first - row + rows.last(owner), before + mine);
        std::vector<double>& some = to[static_cast<std::size_t>(owner)];
        some.insert(some.end(), numbers.begin() + (first - before), numbers.begin() + (last - before));
        first = last;
    }
    std::vector<double> own;
    for (const std::vector<double>& each : exchange_lists(all, std::move(to))) {
        own.insert(own.end(), each.begin(), each.end());
    }
    return own;
}

}  // namespace

std::optional<read_rhs_part> read_rhs_part_of(processes& all, const std::string& path, const partition& rows,
                                              index_t cols, index_t bytes_at_a_time)
{
    try {
        std::exception_ptr failure;
        const std::optional<io::file_lines> file = find_lines_on_all(
            all, path,
            [&](const io::matrix_market_header& h) {
                return h.format == io::matrix_format::array && h.object == io::matrix_object::matrix &&
                       h.symmetry == io::matrix_symmetry::general && h.field != io::matrix_field::complex &&
                       h.rows == rows.n() && (cols > 0 ? h.cols == cols : h.cols > 0);
            },
            failure);
        if (!file) {
            return std::nullopt;
        }
        io::binary64_tally tally;
        std::vector<double> numbers;
        bool failed = false;
        try {
            numbers = own_numbers(all, *file, bytes_at_a_time > 0 ? bytes_at_a_time : usual_bytes_at_a_time(), tally);
        } catch (const std::exception&) {  // process 0 says what it is, when it reads the file alone
            failed = true;
        }
        const io::stop_function goes_on;
        const io::interruption never(goes_on);  // nothing stops process 0 alone
        const index_t columns = file->header.cols;
        const std::optional<std::vector<double>> own =
            sent_to_owners(all, std::exchange(numbers, {}), failed, rows, columns);
        if (!own) {
            return std::nullopt;
        }
        tally = joined(all, tally);
        if (tally.inexact > 0) {
            return std::nullopt;
        }
        read_rhs_part read{.columns = {}, .tally = tally};
        const index_t mine = rows.size(all.rank());
        for (auto first = own->begin(); static_cast<index_t>(read.columns.size()) < columns; first += mine) {
            std::optional<number_part> part = number_part::exactly(all, rows, {first, first + mine});
            if (!part) {
                return std::nullopt;
            }
            read.columns.push_back(*std::move(part));
        }
        return read;
    } catch (const std::bad_alloc&) {
        all.end_all(path + ": not enough memory for the numbers of this process");
        throw;  // for compilers that do not see that a virtual function never returns
    }
}

}  // namespace residua
