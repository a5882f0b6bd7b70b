#include <residua/io/file_format.hpp>

#include <array>
#include <new>

#include <residua/io/column.hpp>
#include <residua/io/error.hpp>
#include <residua/io/harwell_boeing.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/matrix_market_header.hpp>
#include <residua/io/npy.hpp>
#include <residua/io/npz.hpp>

namespace residua::io {
namespace {

/// All formats beside MatrixMarket. The first one that a file begins as is its own.
constexpr std::array other_formats{
    file_format{"NumPy's .npy", true, begins_npy, rewrite_npy},
    file_format{"NumPy's .npz", true, begins_npz, rewrite_npz},
    file_format{"Harwell-Boeing", false, begins_harwell_boeing, rewrite_harwell_boeing},
    file_format{"a column of numbers", false, begins_column, rewrite_column},
};

}  // namespace

const file_format* other_format(std::string_view bytes)
{
    if (begins_matrix_market(bytes)) {
        return nullptr;
    }
    for (const file_format& each : other_formats) {
        if (each.begins(bytes)) {
            return &each;
        }
    }
    return nullptr;
}

text as_matrix_market(text file, file_part part)
{
    const file_format* const format = other_format(file.bytes);
    if (format == nullptr) {
        return file;
    }
    try {
        return format->rewrite(file, part);
    } catch (const std::bad_alloc&) {
        throw resource_error(file.name + ": not enough memory for what this file holds");
    } catch (const stopped_error&) {
        throw stopped_error(file.name + ": stopped while it was read");
    }
}

}  // namespace residua::io
