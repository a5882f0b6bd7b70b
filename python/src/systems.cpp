#include "bind.hpp"

#include <residua/io/matrix_market.hpp>
#include <residua/io/matrix_market_writer.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/make_system.hpp>
#include <residua/solvers/matrix/structure.hpp>

namespace residua::python {
namespace {

system kept(linear_system made) { return {std::make_shared<const linear_system>(std::move(made))}; }

/// 2^-bits as the bound of what rounding has changed; bits = 0: nothing was rounded.
void set_reading_error(linear_system& made, long rounded_to_bits)
{
    if (rounded_to_bits > 0) {
        made.reading_error = ldexp(real(1.0), -rounded_to_bits);
    }
}

template <class Index>
system of_csr(index_t rows, index_t cols, const flat_array<Index>& row_begin, const flat_array<Index>& column,
              const flat_array<double>& value)
{
    const nb::gil_scoped_release release;
    return kept(make_system(csr_view<Index, double>{rows, cols, span_of(row_begin), span_of(column), span_of(value)}));
}

system of_coo(index_t rows, index_t cols, const flat_array<std::int64_t>& row, const flat_array<std::int64_t>& column,
              const flat_array<double>& value)
{
    const nb::gil_scoped_release release;
    return kept(make_system(coo_view<std::int64_t, double>{rows, cols, span_of(row), span_of(column), span_of(value)}));
}

system of_coo_reals(index_t rows, index_t cols, const flat_array<std::int64_t>& row,
                    const flat_array<std::int64_t>& column, const reals& value, long rounded_to_bits)
{
    const nb::gil_scoped_release release;
    linear_system made = make_system(coo_view<std::int64_t, real>{rows, cols, span_of(row), span_of(column), *value});
    set_reading_error(made, rounded_to_bits);
    return kept(std::move(made));
}

system of_coo_text(index_t rows, index_t cols, const flat_array<std::int64_t>& row,
                   const flat_array<std::int64_t>& column, const std::vector<std::string>& value)
{
    const nb::gil_scoped_release release;
    return kept(
        make_system(coo_view<std::int64_t, std::string>{rows, cols, span_of(row), span_of(column), std::span(value)}));
}

/// A matrix of numpy's by rows or by columns.
system of_dense(const nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>& a)
{
    const bool by_rows = a.stride(1) == 1 || a.shape(1) <= 1;
    const std::int64_t stride = by_rows ? a.stride(0) : a.stride(1);
    const auto rows = static_cast<index_t>(a.shape(0));
    const auto cols = static_cast<index_t>(a.shape(1));
    const index_t least = by_rows ? cols : rows;
    const index_t lines = by_rows ? rows : cols;
    if ((!by_rows && a.stride(0) != 1 && rows > 1) || (lines > 1 && stride < least)) {
        throw argument_error("an array of other strides than by rows or by columns");
    }
    const index_t step = lines > 1 ? stride : least;
    const index_t size = rows == 0 || cols == 0 ? 0 : (lines - 1) * step + least;
    const nb::gil_scoped_release release;
    return kept(make_system(dense_view<double>{rows,
                                               cols,
                                               {a.data(), static_cast<std::size_t>(size)},
                                               by_rows ? storage_order::row_major : storage_order::column_major,
                                               step}));
}

/// The complex matrix with these real and imaginary parts, whose entries are in the same places.
system of_parts(const system& real_part, const system& imaginary_part)
{
    const nb::gil_scoped_release release;
    return kept(make_complex(*real_part.matrix, *imaginary_part.matrix, {}));
}

nb::tuple parts(const system& a)
{
    std::pair<linear_system, linear_system> found;
    {
        const nb::gil_scoped_release release;
        found = parts_of(*a.matrix);
    }
    return nb::make_tuple(kept(std::move(found.first)), kept(std::move(found.second)));
}

bool is_exact_double(const system& a) { return a.matrix->exact.empty(); }

reals entries(const system& a, long bits)
{
    const linear_system& s = *a.matrix;
    if (s.exact.empty()) {
        return shared(residua::reals(std::span(s.values)));
    }
    return shared(s.exact.in_bits(bits));
}

bool same_pattern(const system& a, const system& b)
{
    const linear_system& p = *a.matrix;
    const linear_system& q = *b.matrix;
    if (p.complex != q.complex || p.rows != q.rows || p.cols != q.cols) {
        return false;
    }
    if (p.complex) {  // their forms leave out parts that are zero
        const linear_system of_p = parts_of(p).first, of_q = parts_of(q).first;
        return of_p.row_begin == of_q.row_begin && of_p.column == of_q.column;
    }
    return p.row_begin == q.row_begin && p.column == q.column;
}

/// Entry k, which is kept as a decimal: as it was written, unless it has more digits than 8256 bits tell apart.
std::string decimal_of(const linear_system& s, index_t k)
{
    const real whole = entry(s, k, decimal_bits());
    for (const long bits : {128L, 1024L}) {  // most decimals have few digits
        std::string text = shortest(entry(s, k, bits));
        if (real(std::string_view(text), decimal_bits()) == whole) {
            return text;
        }
    }
    return shortest(whole);
}

/// Entry k as a decimal that reads back as the same entry.
std::string text_of(const linear_system& s, index_t k)
{
    return s.exact.are_decimals() ? decimal_of(s, k) : shortest(entry(s, k, decimal_bits()));
}

/// The state from which of_state() makes the same matrix, beside its pattern and doubles(): if the entries are no
/// doubles, the entries as decimals or as numbers; and the bound of what reading has changed.
nb::tuple exact_state(const system& a)
{
    const linear_system& s = *a.matrix;
    if (s.exact.are_decimals()) {
        std::vector<std::string> texts;
        for (index_t k = 0; k < s.nonzeros(); ++k) {
            texts.push_back(decimal_of(s, k));
        }
        return nb::make_tuple(texts, nb::none(), s.reading_error);
    }
    nb::object numbers = nb::none();
    if (!s.exact.empty()) {
        numbers = nb::cast(shared(s.exact.in_bits(decimal_bits())));
    }
    return nb::make_tuple(nb::none(), numbers, s.reading_error);
}

system of_state(index_t rows, index_t cols, const flat_array<std::int64_t>& row_begin,
                const flat_array<std::int32_t>& column, const flat_array<double>& doubles,
                const std::optional<std::vector<std::string>>& decimals, const std::optional<reals>& numbers,
                const real& reading_error)
{
    const auto copied = [](const auto& from) { return std::vector(span_of(from).begin(), span_of(from).end()); };
    linear_system made;
    made.rows = rows;
    made.cols = cols;
    made.row_begin = std::vector<index_t>(span_of(row_begin).begin(), span_of(row_begin).end());
    made.column = copied(column);
    made.values = copied(doubles);
    if (decimals) {
        made.exact = exact_entries(std::vector<io::decimal_word>(decimals->begin(), decimals->end()));
    } else if (numbers) {
        made.exact = exact_entries(**numbers);
    }
    made.reading_error = reading_error;
    require_valid(made);
    return kept(std::move(made));
}

template <class T>
auto copy_of(const shared_vector<T>& numbers)
{
    return array_of(std::vector<T>(numbers.begin(), numbers.end()), {numbers.size()});
}

void write_matrix(const std::string& path, const system& a, const std::vector<std::string>& comments)
{
    const nb::gil_scoped_release release;
    const bool complex = a.matrix->complex;
    const auto [s, imaginary] = complex ? parts_of(*a.matrix) : std::pair(*a.matrix, linear_system());
    io::matrix_market_writer writer(
        path,
        {io::matrix_format::coordinate, complex ? io::matrix_field::complex : io::matrix_field::real,
         io::matrix_symmetry::general, s.rows, s.cols, s.nonzeros()},
        comments);
    for (index_t i = 0; i < s.rows; ++i) {
        for (index_t k = s.row_begin[static_cast<std::size_t>(i)]; k < s.row_begin[static_cast<std::size_t>(i) + 1];
             ++k) {
            const auto place = static_cast<std::size_t>(k);
            writer.write(i, s.column[place], text_of(s, k), complex ? text_of(imaginary, k) : "0");
        }
    }
    writer.close();
}

void write_array(const std::string& path, index_t rows, index_t cols, const reals& by_columns,
                 const std::vector<std::string>& comments, bool is_complex)
{
    const nb::gil_scoped_release release;
    io::write_array(path, rows, cols, std::span(*by_columns), shortest, comments, is_complex);
}

/// The numbers of an array file, by columns, of complex ones their parts, and its sizes; or a matrix.
nb::tuple read_file(const std::string& path)
{
    io::text text;
    bool is_array = false;
    bool is_complex = false;
    std::vector<std::vector<real>> columns;
    index_t rows = 0;
    index_t cols = 0;
    loaded_system loaded;
    {
        const nb::gil_scoped_release release;
        text = io::as_matrix_market(io::load(path), io::file_part::any);
        io::text_cursor cursor(text);
        const io::matrix_market_header header = io::read_header(cursor);
        is_array = header.format == io::matrix_format::array;
        rows = header.rows;
        cols = header.cols;
        if (is_array) {
            is_complex = header.field == io::matrix_field::complex;
            columns = load_columns(std::move(text), rows, cols, io::file_part::rhs, is_complex);
        } else {
            loaded = load_matrix(std::move(text));
        }
    }
    if (!is_array) {
        return nb::make_tuple(kept(std::move(loaded.system)), nb::none(), rows, cols, false, loaded.facts.warnings);
    }
    std::vector<real> all;
    for (std::vector<real>& column : columns) {
        std::move(column.begin(), column.end(), std::back_inserter(all));
    }
    return nb::make_tuple(nb::none(), shared(std::move(all)), rows, cols, is_complex, std::vector<std::string>());
}

}  // namespace

void bind_systems(nb::module_& m)
{
    const auto plain = [](const char* name) { return nb::arg(name).noconvert(); };
    nb::class_<system>(m, "System", "A matrix that does not change.")
        .def_static("of_csr32", of_csr<std::int32_t>, nb::arg("rows"), nb::arg("cols"), plain("row_begin"),
                    plain("column"), plain("value"))
        .def_static("of_csr64", of_csr<std::int64_t>, nb::arg("rows"), nb::arg("cols"), plain("row_begin"),
                    plain("column"), plain("value"))
        .def_static("of_coo", of_coo, nb::arg("rows"), nb::arg("cols"), plain("row"), plain("column"), plain("value"))
        .def_static("of_coo_reals", of_coo_reals, nb::arg("rows"), nb::arg("cols"), plain("row"), plain("column"),
                    nb::arg("value"), nb::arg("rounded_to_bits"))
        .def_static("of_coo_text", of_coo_text, nb::arg("rows"), nb::arg("cols"), plain("row"), plain("column"),
                    nb::arg("value"))
        .def_static("of_dense", of_dense, plain("a"))
        .def_static("of_state", of_state, nb::arg("rows"), nb::arg("cols"), plain("row_begin"), plain("column"),
                    plain("doubles"), nb::arg("decimals").none(), nb::arg("numbers").none(), nb::arg("reading_error"))
        .def_static("of_parts", of_parts, nb::arg("real_part"), nb::arg("imaginary_part"))
        .def("parts", parts)
        .def("as_complex",
             [](const system& a) {
                 const nb::gil_scoped_release release;
                 return kept(as_complex(*a.matrix));
             })
        .def_prop_ro("is_complex", [](const system& a) { return a.matrix->complex; })
        .def_prop_ro("rows", [](const system& a) { return equations(*a.matrix); })
        .def_prop_ro("cols", [](const system& a) { return unknowns(*a.matrix); })
        .def_prop_ro(
            "nnz",
            [](const system& a) { return a.matrix->complex ? complex_entries(*a.matrix) : a.matrix->nonzeros(); })
        .def_prop_ro("is_exact_double", is_exact_double)
        .def("same_pattern", same_pattern, nb::arg("other"))
        .def("row_begin", [](const system& a) { return copy_of(a.matrix->row_begin); })
        .def("column", [](const system& a) { return copy_of(a.matrix->column); })
        .def("doubles", [](const system& a) { return copy_of(a.matrix->values); })
        .def("entries", entries, nb::arg("bits"))
        .def("exact_state", exact_state)
        .def("is_symmetric", [](const system& a) { return inspect(*a.matrix).symmetric; })
        .def("row_sums", [](const system& a) { return shared(row_sums(*a.matrix)); });
    m.def("write_matrix", write_matrix, nb::arg("path"), nb::arg("a"), nb::arg("comments"));
    m.def("write_array", write_array, nb::arg("path"), nb::arg("rows"), nb::arg("cols"), nb::arg("by_columns"),
          nb::arg("comments"), nb::arg("is_complex"));
    m.def("read_file", read_file, nb::arg("path"));
}

}  // namespace residua::python
