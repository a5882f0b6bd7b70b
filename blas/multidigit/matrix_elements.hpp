#pragma once

#include <residua/blas/level2/combine.hpp>
#include <residua/blas/multidigit/elements.hpp>

/// Operations on entries of matrices take these steps; elements.hpp has the steps of those on vectors.
namespace residua::blas::detail {

template <class Digit, int N>
RESIDUA_HD multidigit_float<Digit, N> number_at(const entry_places<multidigit>& a, index_t i, index_t j)
{
    return residua::detail::load<Digit, N>(a.start, i * a.row + j * a.col);
}

/// x(i, j), its negative or its magnitude, or its product with a scalar or an entry.
struct multidigit_entry_term {
    enum class factor : std::uint8_t { none, minus_one, magnitude, scalar, entry };

    entry_places<multidigit> x;
    factor kind = factor::none;
    multidigit_scalar scalar{};
    entry_places<multidigit> by;
};

/// w(i, j) <- the first term, rounded, or its sum with the second term, rounded once more, for entries with i - j in a
/// range. Element q has i = q mod rows, j = q / rows.
struct multidigit_combine {
    int p = 0;
    index_t rows = 1;
    diagonals of;
    int terms = 1;
    multidigit_entry_term term[2];
    multidigit_tiles<false> to;
    index_t to_col = 0;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t q) const
    {
        const index_t j = q / rows;
        const index_t i = q - j * rows;
        if (!of.have(i, j)) {
            return;
        }
        auto w = residua::detail::multidigit_special<Digit, N>(residua::detail::multidigit_zero_code);
        RESIDUA_KEEP_LOOP
        for (int k = 0; k < terms; ++k) {
            const multidigit_entry_term& t = term[k];
            auto x = number_at<Digit, N>(t.x, i, j);
            using factor = multidigit_entry_term::factor;
            if (t.kind == factor::scalar || t.kind == factor::entry) {
                const auto by = t.kind == factor::scalar ? residua::detail::leading_digits<Digit, N>(t.scalar)
                                                         : number_at<Digit, N>(t.by, i, j);
                w = fma(by, x, w, p);
            } else {
                x = t.kind == factor::minus_one ? negated(x) : t.kind == factor::magnitude ? abs(x) : x;
                w = k == 0 ? x : add(w, x, p);
            }
        }
        residua::detail::store(to, i + j * to_col, w);
    }
};

/// x_j <- inverse(T) x_j, for column j of a matrix; T is a triangle of n rows, entry (i, k) at i + k ld.
struct multidigit_solve_column {
    int p = 0;
    bool lower = true;
    bool unit = false;
    index_t n = 0;
    multidigit_tiles<true> t;
    index_t ld = 0;
    multidigit_tiles<false> x;
    index_t x_col = 0;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t j) const
    {
        const multidigit_tiles<true> known = x.from(j * x_col);
        RESIDUA_KEEP_LOOP
        for (index_t step = 0; step < n; ++step) {
            const index_t i = lower ? step : n - 1 - step;
            multidigit_sum<Digit, N> sum;
            sum.add(residua::detail::load<Digit, N>(known, i), p);
            RESIDUA_KEEP_LOOP
            for (index_t before = 0; before < step; ++before) {
                const index_t k = lower ? before : n - 1 - before;
                sum.add_product(residua::detail::load<Digit, N>(t, i + k * ld),
                                negated(residua::detail::load<Digit, N>(known, k)), p);
            }
            auto rest = sum.result(p);
            if (!unit) {
                rest = div(rest, residua::detail::load<Digit, N>(t, i + i * ld), p);
            }
            residua::detail::store(x, i + j * x_col, rest);
        }
    }
};

}  // namespace residua::blas::detail
