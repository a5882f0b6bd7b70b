#include <algorithm>
#include <memory>
#include <span>
#include <string>

#include <gmp.h>
#include <mpfr.h>

#include <residua/arith/real/limbs.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/files/save.hpp>
#include <residua/solvers/matrix/numbers.hpp>

#include "errors.hpp"
#include "handles.hpp"
#include "numbers.hpp"

namespace residua::capi {
namespace {

const std::vector<real>& column_of(const residua_vector* vector, std::int64_t column)
{
    const std::vector<std::vector<real>>& all = handle(vector, "vector").columns;
    if (column < 0 || column >= static_cast<std::int64_t>(all.size())) {
        throw invalid_argument("there is no column " + std::to_string(column) + "; the vector has " +
                               std::to_string(all.size()));
    }
    return all[static_cast<std::size_t>(column)];
}

/// throws  invalid_argument if there is too little room for the numbers of x, each of which has `each` parts
void require_room(const std::vector<real>& x, int each, std::int64_t size, const char* parts, const void* to)
{
    const std::size_t needed = x.size() * static_cast<std::size_t>(each);
    if (size < 0 || static_cast<std::size_t>(size) < needed) {
        throw invalid_argument("room for " + std::to_string(size) + " " + parts + "; x has " + std::to_string(needed));
    }
    if (!x.empty()) {
        require_pointer(to, "x");
    }
}

/// throws  invalid_argument if a number cannot have `each` parts
void require_each(int each, int most, const char* parts)
{
    if (each < 1 || each > most) {
        throw invalid_argument(std::to_string(each) + " " + parts + "; there are from 1 to " + std::to_string(most));
    }
}

/// Each number of x as `terms` doubles side by side.
void put_terms(const std::vector<real>& x, int terms, double* to, std::int64_t size)
{
    require_each(terms, most_terms, "terms");
    require_room(x, terms, size, "doubles", to);
    const auto each = static_cast<std::size_t>(terms);
    for (std::size_t i = 0; i < x.size(); ++i) {
        split_nearest(x[i], std::span<double>(to + i * each, each));
    }
}

/// throws  invalid_argument if x is not finite
limb_number finite_limbs_of(const real& x)
{
    if (!is_finite(x)) {
        throw invalid_argument("x has the number " + to_string(x) + ", which limbs do not hold");
    }
    return limbs_of(x.mpfr());
}

/// A number as limbs; the last limb has its highest bit set.
void put_limbs(const real& x, int limbs, std::int32_t& sign, std::int64_t& exponent, std::uint64_t* limb)
{
    const limb_number from = finite_limbs_of(x);
    const std::span<std::uint64_t> to(limb, static_cast<std::size_t>(limbs));
    std::fill(to.begin(), to.end(), std::uint64_t{0});
    sign = residua::sign(x);
    exponent = sign == 0 ? 0 : round_limbs(from, 64L * limbs, to);
}

io::matrix_market_header header_of(const io::text& text)
{
    io::text_cursor cursor(text);
    return io::read_header(cursor);
}

}  // namespace
}  // namespace residua::capi

using namespace residua::capi;

int residua_vector_new(int64_t rows, int64_t columns, residua_numbers x, residua_vector** vector)
{
    return guarded_making(__func__, vector, "vector", [&] {
        if (rows < 0 || columns < 1) {
            throw invalid_argument("there are no " + std::to_string(columns) + " columns of " + std::to_string(rows) +
                                   " numbers");
        }
        auto made = std::make_unique<residua_vector>();
        made->complex = are_complex(x, "x");
        for (std::int64_t j = 0; j < columns; ++j) {
            made->columns.push_back(parts_of(x, j * rows, rows, "x", made->complex));
        }
        return made;
    });
}

int residua_vector_read(const char* path, residua_vector** vector)
{
    return guarded_making(__func__, vector, "vector", [&] {
        require_pointer(path, "path");
        residua::io::text text = residua::io::as_matrix_market(residua::io::load(path), residua::io::file_part::rhs);
        const residua::io::matrix_market_header header = header_of(text);
        if (header.cols < 1) {
            throw invalid_argument(text.name + ": there is no column in it");
        }
        auto read = std::make_unique<residua_vector>();
        read->complex = header.field == residua::io::matrix_field::complex;
        read->columns = residua::load_columns(std::move(text), header.rows, header.cols, residua::io::file_part::rhs,
                                              read->complex);
        return read;
    });
}

int residua_vector_write(const residua_vector* vector, const char* path, int digits)
{
    return guarded(__func__, [&] {
        const residua_vector& from = handle(vector, "vector");
        require_pointer(path, "path");
        require_digits(digits);
        residua::save_columns(path, from.columns, digits, from.complex);
    });
}

int residua_vector_size(const residua_vector* vector, int64_t* rows, int64_t* columns)
{
    return guarded(__func__, [&] {
        const residua_vector& all = handle(vector, "vector");
        put(rows, static_cast<std::int64_t>(all.columns.front().size() / (all.complex ? 2 : 1)));
        put(columns, static_cast<std::int64_t>(all.columns.size()));
    });
}

int residua_vector_is_complex(const residua_vector* vector, int* is_complex)
{
    return guarded(__func__, [&] {
        require_pointer(is_complex, "is_complex");
        *is_complex = handle(vector, "vector").complex ? 1 : 0;
    });
}

int residua_vector_doubles(const residua_vector* vector, int64_t column, double* x, int64_t size)
{
    return guarded(__func__, [&] { put_terms(column_of(vector, column), 1, x, size); });
}

int residua_vector_terms(const residua_vector* vector, int64_t column, int terms, double* x, int64_t size)
{
    return guarded(__func__, [&] { put_terms(column_of(vector, column), terms, x, size); });
}

int residua_vector_limbs(const residua_vector* vector, int64_t column, int limbs, int32_t* sign, int64_t* exponent,
                         uint64_t* limb, int64_t size)
{
    return guarded(__func__, [&] {
        const std::vector<residua::real>& x = column_of(vector, column);
        require_each(limbs, most_limbs, "limbs");
        require_room(x, limbs, size, "limbs", limb);
        if (!x.empty()) {
            require_pointer(sign, "sign");
            require_pointer(exponent, "exponent");
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            put_limbs(x[i], limbs, sign[i], exponent[i], limb + i * static_cast<std::size_t>(limbs));
        }
    });
}

int residua_vector_mpfr(const residua_vector* vector, int64_t column, void* x, int64_t size)
{
    return guarded(__func__, [&] {
        const std::vector<residua::real>& from = column_of(vector, column);
        require_room(from, 1, size, "numbers", x);
        for (std::size_t i = 0; i < from.size(); ++i) {
            mpfr_set(static_cast<mpfr_ptr>(x) + i, from[i].mpfr(), MPFR_RNDN);
        }
    });
}

int residua_vector_mpf(const residua_vector* vector, int64_t column, void* x, int64_t size)
{
    return guarded(__func__, [&] {
        const std::vector<residua::real>& from = column_of(vector, column);
        require_room(from, 1, size, "numbers", x);
        for (std::size_t i = 0; i < from.size(); ++i) {
            store(finite_limbs_of(from[i]), static_cast<mpf_ptr>(x) + i);
        }
    });
}

int residua_vector_decimal(const residua_vector* vector, int64_t column, int64_t i, int digits, char* text, size_t size,
                           size_t* needed)
{
    return guarded(__func__, [&] {
        const std::vector<residua::real>& x = column_of(vector, column);
        if (i < 0 || i >= static_cast<std::int64_t>(x.size())) {
            throw invalid_argument("there is no number " + std::to_string(i) + "; x has " + std::to_string(x.size()));
        }
        require_digits(digits);
        const residua::real& number = x[static_cast<std::size_t>(i)];
        put_text(digits == 0 ? to_string(number) : to_string(number, digits), text, size, needed);
    });
}

void residua_vector_free(residua_vector* vector) { delete vector; }
