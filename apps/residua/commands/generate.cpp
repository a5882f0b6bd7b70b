#include <cmath>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/real_bytes.hpp>

#include <apps/residua/cli/interrupt.hpp>
#include <apps/residua/cli/output_file.hpp>
#include <apps/residua/text/lines.hpp>
#include <apps/residua/text/number_text.hpp>

#include "commands.hpp"

namespace residua {
namespace {

/// throws  resource_error if the file system has too little room for the file
void require_disk(const std::string& path, const gallery_matrix& a, int digits)
{
    if (path == "-") {
        return;
    }
    const double indices = a.dense ? 0.0 : 2.0 * std::ceil(std::log10(static_cast<double>(a.order) + 1.0));
    const double bytes = a.entries * (indices + 3.0);  // an entry takes its indices and one digit at least
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    std::error_code unknown;
    const std::filesystem::space_info space = std::filesystem::space(folder, unknown);
    if (!unknown && bytes > static_cast<double>(space.available)) {
        throw resource_error(
            fmt::format("{}: {:.4g} entries of up to {} digits need {} at least, but the disk has {} left", path,
                        a.entries, digits, bytes_text(bytes), bytes_text(static_cast<double>(space.available))));
    }
}

/// number  a part of the entry
/// throws  usage_error if binary64 holds no normal number that close
double nearest_binary64(const real& number, const gallery_entry& entry, index_t column)
{
    const double nearest = to_double(number);
    if (!std::isfinite(nearest) || (std::abs(nearest) < 0x1p-1022 && !is_zero(number))) {
        throw usage_error(fmt::format("--binary64: entry ({}, {}) = {} is outside its normal range", entry.row + 1,
                                      column + 1, short_text(number)));
    }
    return nearest;
}

struct placed_entry {
    index_t column = 0;
    gallery_entry entry;
};

/// Writes the entries, with their positions unless the file is dense, and clears them.
void write_entries(output_file& file, std::vector<placed_entry>& entries, const gallery_matrix& a,
                   const generate_args& args)
{
    constexpr double digits_of_binary64 = 50.0;  // some entries are short, others have hundreds
    const int digits = gallery_digits(*args.kind, args.options);
    const bool exact = args.binary64 || !args.kind->uses.digits;
    const auto text_of = [&](const real& x) { return exact ? exact_text(x) : plain_text(x, digits); };
    write_lines(file, static_cast<index_t>(entries.size()),
                (a.complex ? 2.0 : 1.0) * (exact ? digits_of_binary64 : digits), [&](index_t k, std::string& text) {
                    const placed_entry& e = entries[static_cast<std::size_t>(k)];
                    if (!a.dense) {
                        fmt::format_to(std::back_inserter(text), "{} {} ", e.entry.row + 1, e.column + 1);
                    }
                    text += text_of(e.entry.value);
                    if (a.complex) {
                        text += ' ';
                        text += text_of(e.entry.imaginary);
                    }
                    text += '\n';
                });
    entries.clear();
}

void write_matrix(output_file& file, const gallery_matrix& a, const generate_args& args)
{
    file.write(fmt::format("%%MatrixMarket matrix {} {} {}\n% residua generate {}\n% {}: {}\n",
                           a.dense ? "array" : "coordinate", a.complex ? "complex" : "real",
                           a.hermitian   ? "hermitian"
                           : a.symmetric ? "symmetric"
                                         : "general",
                           args.command, args.kind->name, args.kind->about));
    file.write(fmt::format("{0} {0}", a.order));
    file.write(a.dense ? "\n" : fmt::format(" {:.0f}\n", a.entries));

    constexpr std::size_t most_at_once = 4096;
    std::vector<gallery_entry> column;
    std::vector<placed_entry> entries;
    for (index_t j = 0; j < a.order; ++j) {
        io::ask_for_stop();
        column.clear();
        a.column(j, column);
        for (gallery_entry& entry : column) {
            if (args.binary64) {
                entry.value = nearest_binary64(entry.value, entry, j);
                entry.imaginary = nearest_binary64(entry.imaginary, entry, j);
            }
            entries.push_back({j, std::move(entry)});
        }
        if (entries.size() >= most_at_once || j + 1 == a.order) {
            write_entries(file, entries, a, args);
        }
    }
    file.close();
}

/// An array with a row for each node.
void write_coordinates(output_file& file, const gallery_matrix& a, const generate_args& args)
{
    constexpr std::size_t directions = 3;
    file.write(fmt::format("%%MatrixMarket matrix array real general\n% residua generate {}\n{} {}\n", args.command,
                           a.nodes, directions));
    for (std::size_t k = 0; k < directions; ++k) {
        write_lines(file, a.nodes, 10.0, [&](index_t node, std::string& text) {
            fmt::format_to(std::back_inserter(text), "{}\n", a.coordinates(node)[k]);
        });
    }
    file.close();
}

gallery_matrix made(const generate_args& args)
{
    try {
        return make_gallery(*args.kind, args.options);
    } catch (const dimension_error& e) {
        throw usage_error(fmt::format("--n {}: {}", args.options.n, e.what()));
    }
}

}  // namespace

exit_code run_generate(const generate_args& args)
{
    const interrupt_guard guard;
    output_file file(args.output);
    output_file coordinates(args.coordinates);
    return until_stopped(0.0, args.output, [&] {
        const gallery_matrix a = made(args);
        require_disk(args.output, a, gallery_digits(*args.kind, args.options));
        require_memory("a column of the matrix", a.dense ? real_bytes(static_cast<double>(a.order), 256) : 0.0);
        try {
            write_matrix(file, a, args);
            if (coordinates.is_open()) {
                write_coordinates(coordinates, a, args);
            }
        } catch (const error&) {
            file.abandon();  // an incomplete matrix is of no use
            coordinates.abandon();
            throw;
        }
        return exit_code::done;
    });
}

}  // namespace residua
