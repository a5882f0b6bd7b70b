#include <residua/solvers/files/read_part.hpp>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <residua/io/file_lines.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/files/lines_of_all.hpp>
#include <residua/solvers/files/placed_entries.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/processes/row_pieces.hpp>

namespace residua {
namespace {

/// Why a process could not read its lines; the greatest is what all end with. Of wrong lines the first one is told.
enum class fault : std::int64_t { none, wrong, no_file, lack, stopped };

std::string text_of(const std::vector<std::byte>& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A place in the file, which counts rows and columns from 0.
struct position {
    index_t row, column;
    auto operator<=>(const position&) const = default;
};

/// The lines of a process.
class own_lines {
public:
    own_lines(processes& all, io::file_lines file, bool transposed, index_t bytes_at_a_time)
        : all_(all),
          file_(std::move(file)),
          transposed_(transposed),
          bytes_at_a_time_(bytes_at_a_time > 0 ? bytes_at_a_time : usual_bytes_at_a_time())
    {}

    /// Whether this reads what has such a header.
    static bool takes(const io::matrix_market_header& h)
    {
        return h.format == io::matrix_format::coordinate && h.object == io::matrix_object::matrix &&
               h.field != io::matrix_field::complex && h.rows == h.cols &&
               h.cols <= std::numeric_limits<std::int32_t>::max();
    }

    index_t first() const { return share_begin(file_.bytes, all_.count(), all_.rank()); }
    index_t last() const { return share_begin(file_.bytes, all_.count(), all_.rank() + 1); }

    /// Reads the next lines, whose entries go to their owners.
    void read_some(const partition& rows, entry_lists& to)
    {
        if (fault_ != fault::none) {
            return;
        }
        try {
            io::ask_for_stop();
            const index_t begin = std::min(first() + done_, last());
            const index_t end = std::min(begin + bytes_at_a_time_, last());
            done_ += bytes_at_a_time_;
            if (begin == end) {
                return;
            }
            const io::text text = io::lines_between(file_, begin, end);
            const io::matrix_market_scanner scanner(text);
            const index_t parts = std::max<index_t>(1, io::detail::useful_parts(end - begin));
            const auto read = io::detail::read_all_parts(file_.header, scanner.parts(parts), tally_);
            for (std::size_t k = 0; k < read.parts.size(); ++k) {
                if (read.failures[k]) {
                    fault_ = fault::wrong;
                    return;
                }
                lines_ += read.scanners[k].lines();
                entries_ += read.scanners[k].entries();
                tally_.add(read.parsers[k]);
                send(read.parts[k].entries, rows, to);
            }
        } catch (const io::stopped_error&) {
            fault_ = fault::stopped;
            words_ = file_.name + ": stopped while it was read";
        } catch (const input_error&) {
            fault_ = fault::no_file;
        } catch (const resource_error& lack) {
            fault_ = fault::lack;
            words_ = lack.what();
        } catch (const std::bad_alloc&) {
            fault_ = fault::lack;
            words_ = file_.name + ": not enough memory to read a part of it";
        }
    }

    /// Whether all have read what the file announces. If not, process 0 throws, unless another process cannot read the
    /// file.
    ///
    /// together
    bool are_right() const
    {
        struct counts {
            index_t lines, entries;
            fault what;
        };
        const counts mine{lines_, entries_, fault_};
        std::vector<std::byte> message = gather(all_, std::as_bytes(std::span(&mine, 1)));
        all_.broadcast(message);
        std::vector<counts> of_all(message.size() / sizeof(counts));
        std::memcpy(of_all.data(), message.data(), message.size());
        const auto worst = std::max_element(of_all.begin(), of_all.end(),
                                            [](const counts& a, const counts& b) { return a.what < b.what; });
        index_t lines = 0, entries = 0;
        auto wrong = of_all.begin();
        const auto ends = [&](const counts& each) {
            return each.what != fault::none || entries + each.entries > file_.header.stored;
        };
        for (; wrong != of_all.end() && !ends(*wrong); ++wrong) {
            lines += wrong->lines;
            entries += wrong->entries;
        }
        if (wrong == of_all.end() && entries == file_.header.stored) {
            return true;
        }
        if (worst->what == fault::no_file) {
            return false;
        }
        while (wrong == of_all.end() || (wrong->lines + wrong->entries == 0 && wrong != of_all.begin() &&
                                         wrong->what == fault::none)) {  // the last one finds that lines are missing
            --wrong;
            lines -= wrong->lines;
            entries -= wrong->entries;
        }
        const auto by = worst->what > fault::wrong ? worst : wrong;
        const bool is_mine = by - of_all.begin() == all_.rank();
        const std::string words = !is_mine ? std::string() : fault_ > fault::wrong ? words_ : why_wrong(lines, entries);
        const std::string why = text_of(gather(all_, std::as_bytes(std::span(words))));
        if (all_.rank() == 0) {
            switch (by->what) {
                case fault::stopped:
                    throw io::stopped_error(why);
                case fault::lack:
                    throw resource_error(why);
                default:
                    throw input_error(why);
            }
        }
        return false;
    }

    /// The place in the file of an entry.
    position place_of(index_t row, index_t column) const
    {
        return transposed_ ? position{column, row} : position{row, column};
    }
    bool is_stored(const position& at) const
    {
        return file_.header.symmetry == io::matrix_symmetry::general || at.row >= at.column;
    }

    /// The warning about so many lines whose values were added to an earlier one, as reading in one go has it.
    ///
    /// summed   where they are, ascending
    /// throws   input_error, io::stopped_error
    std::string warn_of_sums(const std::vector<position>& summed, index_t lines) const
    {
        std::vector<bool> is_seen(summed.size());
        const io::text head{.name = file_.name, .bytes = file_.head};
        io::text_cursor sizes(head);
        io::read_header(sizes);
        index_t line = sizes.line() + 1;
        for (index_t begin = 0; begin < file_.bytes; begin += bytes_at_a_time_) {
            io::ask_for_stop();
            const io::text text = io::lines_between(file_, begin, std::min(begin + bytes_at_a_time_, file_.bytes));
            const io::matrix_market_scanner scanner(text);
            for (io::matrix_market_scanner& part : scanner.parts(1)) {
                for (io::scanned_entry entry; part.next(entry);) {
                    const position at{entry.row, entry.col};
                    const auto place = std::lower_bound(summed.begin(), summed.end(), at);
                    if (place == summed.end() || *place != at) {
                        continue;
                    }
                    const auto k = static_cast<std::size_t>(place - summed.begin());
                    if (is_seen[k]) {
                        entry.line += line;
                        return io::detail::words_of_sums(file_.name, entry, lines);
                    }
                    is_seen[k] = true;
                }
                line += part.lines();
            }
        }
        return {};
    }

    index_t rounds() const { return (file_.bytes / all_.count() + bytes_at_a_time_) / bytes_at_a_time_; }
    const io::matrix_market_header& header() const { return file_.header; }
    const io::binary64_tally& tally() const { return tally_; }

private:
    void send(const io::coo<double>& a, const partition& rows, entry_lists& to) const
    {
        const std::vector<index_t>& row = transposed_ ? a.col : a.row;
        const std::vector<index_t>& column = transposed_ ? a.row : a.col;
        index_t rank = all_.rank();
        index_t first = rows.first(rank), last = rows.last(rank);
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (row[k] < first || row[k] >= last) {
                rank = rows.owner(row[k]);
                first = rows.first(rank);
                last = rows.last(rank);
            }
            to[static_cast<std::size_t>(rank)].push_back(
                {static_cast<std::int32_t>(row[k] - first), static_cast<std::int32_t>(column[k]), a.value[k]});
        }
    }

    /// What is wrong in the own lines, with so many lines and entries before them.
    std::string why_wrong(index_t lines, index_t entries) const
    {
        try {
            const io::text text = io::lines_between(file_, first(), last());
            const io::matrix_market_scanner scanner(text);
            const std::vector<io::matrix_market_scanner> whole = scanner.parts(1);
            io::matrix_market_scanner from =
                whole.empty() ? scanner : scanner.resumed_at(whole.front(), lines, entries);
            io::scanned_entry entry;
            while (from.next(entry)) {
            }
            return file_.name + ": changed while it was read";
        } catch (const error& wrong) {
            return wrong.what();
        } catch (const std::bad_alloc&) {
            return file_.name + ": not enough memory to say what is wrong in it";
        }
    }

    processes& all_;
    io::file_lines file_;
    bool transposed_;
    index_t bytes_at_a_time_;
    index_t done_ = 0;  ///< of the own bytes
    index_t lines_ = 0, entries_ = 0;
    io::binary64_tally tally_;
    fault fault_ = fault::none;
    std::string words_;
};

}  // namespace

std::optional<read_part> read_part_of(processes& all, const std::string& path, bool transposed, index_t bytes_at_a_time)
{
    std::exception_ptr failure;
    std::optional<io::file_lines> file = find_lines_on_all(all, path, own_lines::takes, failure);
    if (failure) {
        std::rethrow_exception(failure);
    }
    if (!file) {
        return std::nullopt;
    }
    try {
        const index_t n = file->header.rows;
        const partition rows = partition::even(n, block_of_rows(n), all.count());
        own_lines lines(all, *std::move(file), transposed, bytes_at_a_time);
        std::vector<entry_lists> came(static_cast<std::size_t>(all.count()));
        const index_t rounds = maximum(all, lines.rounds());
        for (index_t round = 0; round < rounds; ++round) {
            entry_lists to(came.size());
            lines.read_some(rows, to);
            entry_lists from = exchange_lists(all, std::move(to));
            for (std::size_t rank = 0; rank < came.size(); ++rank) {
                from[rank].shrink_to_fit();
                came[rank].push_back(std::move(from[rank]));
            }
        }
        if (!lines.are_right()) {
            return std::nullopt;
        }
        const io::binary64_tally tally = joined(all, lines.tally());
        std::vector<position> summed;
        sparse_matrix own = rows_of(came, rows.size(all.rank()), n, [&](index_t i, index_t j) {
            if (const position at = lines.place_of(rows.first(all.rank()) + i, j); lines.is_stored(at)) {
                summed.push_back(at);
            }
        });
        const std::vector<std::byte> bytes = gather(all, std::as_bytes(std::span(summed)));
        read_part result{matrix_part(all, rows, std::move(own)), lines.header(), tally};
        if (!bytes.empty()) {
            summed.resize(bytes.size() / sizeof(position));
            std::memcpy(summed.data(), bytes.data(), bytes.size());
            const auto count = static_cast<index_t>(summed.size());
            std::sort(summed.begin(), summed.end());
            summed.erase(std::unique(summed.begin(), summed.end()), summed.end());
            result.warning = lines.warn_of_sums(summed, count);
        }
        return result;
    } catch (const std::bad_alloc&) {
        all.end_all(path + ": not enough memory for the rows of this process");
        throw;  // for compilers that do not see that a virtual function never returns
    }
}

}  // namespace residua
