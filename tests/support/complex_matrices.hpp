#pragma once

#include <cstddef>
#include <vector>

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
