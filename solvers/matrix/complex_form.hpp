#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <residua/io/coo.hpp>
#include <residua/solvers/matrix/linear_system.hpp>

/// Complex systems as real ones of twice the order: docs/format-complex.md. The real form of a complex vector has the parts of
/// its numbers one after the other: re x_0, im x_0, re x_1, im x_1, ... That of a complex matrix has for each entry a + i b the
/// block [a -b; b a], without the parts that are zero.
namespace residua {

/// i times the complex vector whose real form this is, exactly.
std::vector<real> times_i(const std::vector<real>& form);

/// The real form of the complex matrix with real parts `a` and these imaginary parts.
///
/// shapes   imaginary as long as a.value, or empty: all are 0
/// is_zero  says of a T whether the number that it stands for is 0
/// order    `a` has its rows in ascending order, the columns of each too, and so has what is returned
template <class T, class IsZero>
io::coo<T> real_form(const io::coo<T>& a, const std::vector<T>& imaginary, const IsZero& is_zero)
{
    io::coo<T> form{2 * a.rows, 2 * a.cols, {}, {}, {}};
    const auto add = [&](index_t row, index_t col, T value) {
        form.row.push_back(row);
        form.col.push_back(col);
        form.value.push_back(std::move(value));
    };
    for (std::size_t first = 0, last = 0; first < a.row.size(); first = last) {
        const index_t row = 2 * a.row[first];
        while (last < a.row.size() && a.row[last] == a.row[first]) {
            ++last;
        }
        for (const index_t part : {0, 1}) {
            for (std::size_t k = first; k < last; ++k) {
                const index_t col = 2 * a.col[k];
                const bool has_imaginary = !imaginary.empty() && !is_zero(imaginary[k]);
                const bool has_real = !has_imaginary || !is_zero(a.value[k]);
                if (part == 0 && has_real) {
                    add(row, col, a.value[k]);
                }
                if (has_imaginary) {
                    add(row + part, col + 1 - part, part == 0 ? T(-imaginary[k]) : imaginary[k]);
                }
                if (part == 1 && has_real) {
                    add(row + 1, col + 1, a.value[k]);
                }
            }
        }
    }
    return form;
}

/// The real forms of complex vectors that are the columns of a matrix, as real_form() takes one.
template <class T>
io::coo<T> real_form_of_columns(const io::coo<T>& a, const std::vector<T>& imaginary)
{
    io::coo<T> form{2 * a.rows, a.cols, {}, {}, {}};
    for (std::size_t first = 0, last = 0; first < a.row.size(); first = last) {
        while (last < a.row.size() && a.row[last] == a.row[first]) {
            ++last;
        }
        for (const index_t part : {0, 1}) {
            for (std::size_t k = first; k < last; ++k) {
                form.row.push_back(2 * a.row[k] + part);
                form.col.push_back(a.col[k]);
                form.value.push_back(part == 0 ? a.value[k] : imaginary[k]);
            }
        }
    }
    return form;
}

/// The matrices of the real and of the imaginary parts of a complex matrix in real form, with entries in the same places:
/// make_complex() makes the form of them again.
///
/// throws  dimension_error if it has an odd number of rows
std::pair<linear_system, linear_system> parts_of(const linear_system& form);

/// The system with other numbers in the places of the complex matrix, and its right-hand side. Where a part of a number was
/// zero and is not, or the other way round, the form has entries in other places.
///
/// shapes   parts: two numbers, re and im, for each entry of the complex matrix, row by row
/// throws   dimension_error if there are more or fewer; as make_system()
linear_system changed_entries(const linear_system& form, std::span<const double> parts);
linear_system changed_entries(const linear_system& form, std::span<const real> parts);

/// Equations and unknowns of a system: half of those of a real form.
inline index_t equations(const linear_system& a) { return a.complex ? a.rows / 2 : a.rows; }
inline index_t unknowns(const linear_system& a) { return a.complex ? a.cols / 2 : a.cols; }

/// Entries of the complex matrix of a real form.
///
/// cost  one pass over half of the entries
index_t complex_entries(const linear_system& a);

}  // namespace residua
