#include <residua/io/npz.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/io/market_text.hpp>
#include <residua/io/matrix_market_header.hpp>
#include <residua/io/npy.hpp>
#include <residua/io/zip.hpp>

namespace residua::io {
namespace {

constexpr index_t no_limit = std::numeric_limits<index_t>::max();

/// An array in an archive, with its bytes.
class npz_array {
public:
    npz_array(const text& archive, const zip_member& member)
        : bytes_(unzip(archive, member)), array_(archive.name + ": " + quote(member.name), bytes_)
    {}

    npy_array* operator->() { return &array_; }
    npy_array& operator*() { return array_; }

private:
    text_bytes bytes_;
    npy_array array_;
};

class npz_reader {
public:
    explicit npz_reader(const text& file) : file_(file), members_(zip_members(file)) {}

    text read()
    {
        if (has("format.npy") && has("shape.npy")) {
            return sparse();
        }
        if (members_.size() != 1) {
            std::string names;
            for (std::size_t k = 0; k < std::min<std::size_t>(members_.size(), 8); ++k) {
                names += (k == 0 ? "" : ", ") + quote(members_[k].name);
            }
            throw unsupported_error(
                file_.name + ": a zip archive of " + std::to_string(members_.size()) + " members (" + names +
                "); only a matrix by scipy.sparse.save_npz or a single array by numpy.savez is read");
        }
        npz_array only(file_, members_.front());
        return dense_text(*only, file_);
    }

private:
    bool has(std::string_view name) const
    {
        return std::any_of(members_.begin(), members_.end(), [&](const zip_member& m) { return m.name == name; });
    }

    npz_array array(const std::string& name) const
    {
        for (const zip_member& each : members_) {
            if (each.name == name) {
                return npz_array(file_, each);
            }
        }
        throw input_error(file_.name, 0, "a sparse matrix of scipy's without its member " + quote(name));
    }

    text sparse();
    text compressed(const matrix_market_header& as, bool by_rows);
    text coordinates(const matrix_market_header& as);
    void require_size(npz_array& array, index_t size) const;

    const text& file_;
    std::vector<zip_member> members_;
};

text npz_reader::sparse()
{
    const std::string kind = array("format.npy")->letters();
    npz_array shape = array("shape.npy");
    require_size(shape, 2);
    const matrix_market_header as{.rows = shape->integer(0, 0, no_limit), .cols = shape->integer(1, 0, no_limit)};
    if (kind == "csr" || kind == "csc") {
        return compressed(as, kind == "csr");
    }
    if (kind == "coo") {
        return coordinates(as);
    }
    throw unsupported_error(file_.name + ": a sparse matrix of scipy's format " + quote(kind) +
                            " is not read; write it by scipy.sparse.save_npz('A.npz', A.tocsr())");
}

text npz_reader::compressed(const matrix_market_header& as, bool by_rows)
{
    npz_array begin = array("indptr.npy");
    npz_array index = array("indices.npy");
    npz_array value = array("data.npy");
    const index_t lines = by_rows ? as.rows : as.cols;
    require_size(begin, lines == no_limit ? lines : lines + 1);
    matrix_market_header header = as;
    header.stored = begin->integer(lines, 0, std::min(index->size(), value->size()));
    header.field = value->field();
    market_text made(header);
    npy_array::decimal_buffer buffer;
    npy_array::decimal_buffer second;
    index_t k = begin->integer(0, 0, 0);
    for (index_t line = 0; line < lines; ++line) {
        ask_for_stop_at(line);
        for (const index_t end = begin->integer(line + 1, k, header.stored); k < end; ++k) {
            const index_t other = index->integer(k, 0, (by_rows ? as.cols : as.rows) - 1);
            made.add(by_rows ? line : other, by_rows ? other : line, value->decimal(k, buffer),
                     value->imaginary(k, second));
        }
    }
    return made.finish(file_, value->meaning());
}

text npz_reader::coordinates(const matrix_market_header& as)
{
    npz_array row = array("row.npy");
    npz_array col = array("col.npy");
    npz_array value = array("data.npy");
    matrix_market_header header = as;
    header.stored = value->size();
    require_size(row, header.stored);
    require_size(col, header.stored);
    header.field = value->field();
    market_text made(header);
    npy_array::decimal_buffer buffer;
    npy_array::decimal_buffer second;
    for (index_t k = 0; k < header.stored; ++k) {
        ask_for_stop_at(k);
        made.add(row->integer(k, 0, as.rows - 1), col->integer(k, 0, as.cols - 1), value->decimal(k, buffer),
                 value->imaginary(k, second));
    }
    return made.finish(file_, value->meaning());
}

void npz_reader::require_size(npz_array& array, index_t size) const
{
    if (array->size() != size) {
        throw input_error(array->name(), 0,
                          "has " + std::to_string(array->size()) +
                              " elements, where a sparse matrix of scipy's needs " + std::to_string(size));
    }
}

}  // namespace

bool begins_npz(std::string_view bytes) { return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"); }

text rewrite_npz(const text& file, file_part) { return npz_reader(file).read(); }

}  // namespace residua::io
