#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <residua/arith/complex/complex.hpp>
#include <residua/solvers/base/determinant.hpp>

#include "rational_matrix.hpp"

/// Small complex systems in exact rational arithmetic, as their real forms.
namespace residua::support {

/// The real form of the matrix with these parts.
inline rational_matrix form_of(const rational_matrix& re, const rational_matrix& im)
{
    rational_matrix form;
    for (std::size_t i = 0; i < re.size(); ++i) {
        rational_vector upper, lower;
        for (std::size_t j = 0; j < re[i].size(); ++j) {
            upper.insert(upper.end(), {re[i][j], -im[i][j]});
            lower.insert(lower.end(), {im[i][j], re[i][j]});
        }
        form.insert(form.end(), {upper, lower});
    }
    return form;
}

/// The entries of a system, as rational numbers.
inline rational_matrix rationals(const linear_system& a)
{
    rational_matrix all(static_cast<std::size_t>(a.rows), rational_vector(static_cast<std::size_t>(a.cols)));
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            all[static_cast<std::size_t>(i)][static_cast<std::size_t>(a.column[p])] = a.values[p];
        }
    }
    return all;
}

/// The parts of det A, A the complex matrix with this real form, by elimination.
inline std::pair<mpq_class, mpq_class> complex_determinant(rational_matrix form)
{
    mpq_class re = 1, im = 0;
    for (std::size_t k = 0; k < form.size(); k += 2) {
        std::size_t p = k;
        while (p < form.size() && form[p][k] == 0 && form[p + 1][k] == 0) {
            p += 2;
        }
        if (p >= form.size()) {
            return {0, 0};
        }
        if (p != k) {
            std::swap(form[p], form[k]);
            std::swap(form[p + 1], form[k + 1]);
            re = -re;
            im = -im;
        }
        const mpq_class a = form[k][k], b = form[k + 1][k], size = a * a + b * b, before = re;
        re = before * a - im * b;
        im = before * b + im * a;
        for (std::size_t i = k + 2; i < form.size(); i += 2) {
            const mpq_class x = (form[i][k] * a + form[i + 1][k] * b) / size,  // the quotient x + iy of a column
                y = (form[i + 1][k] * a - form[i][k] * b) / size;
            for (std::size_t j = k; j < form.size() && (x != 0 || y != 0); ++j) {
                form[i][j] -= x * form[k][j] - y * form[k + 1][j];
                form[i + 1][j] -= x * form[k + 1][j] + y * form[k][j];
            }
        }
    }
    return {re, im};
}

/// Whether a determinant of a complex matrix is within its error of the one of this real form, and its modulus, too.
inline bool is_true(const determinant_estimate& found, const rational_matrix& form)
{
    constexpr long bits = 2000;
    const auto [re, im] = complex_determinant(form);
    const complex_number<real> exact(to_real(re, bits), to_real(im, bits));
    const real allowed = found.relative_error * abs(exact);
    return found.parts && abs(complex_number<real>(found.parts->first, found.parts->second) - exact) <= allowed &&
           abs(found.value - abs(exact)) <= allowed;
}

inline rational_matrix random_form(random_integers& random, std::size_t rows, std::size_t cols, int zeros = 3)
{
    const rational_matrix re = random.matrix(rows, cols, 4, zeros);
    return form_of(re, random.matrix(rows, cols, 4, zeros));
}

inline rational_matrix sum(rational_matrix a, const rational_matrix& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            a[i][j] += b[i][j];
        }
    }
    return a;
}

inline linear_system complex_system(const rational_matrix& form, const rational_vector& b)
{
    linear_system system = system_of(form, b);
    system.complex = true;
    return system;
}

inline rational_vector times(const rational_matrix& a, const rational_vector& x)
{
    return transposed(product(a, transposed({x})))[0];
}

inline std::vector<real> as_reals(const rational_vector& v)
{
    std::vector<real> all;
    for (const mpq_class& x : v) {
        all.push_back(to_real(x, 200));
    }
    return all;
}

inline rational_vector some_vector(random_integers& random, std::size_t n) { return random.matrix(1, n, 9, 0)[0]; }

}  // namespace residua::support
