#pragma once

#include <cmath>
#include <cstdint>

#include <residua/arith/expansion/functions.hpp>
#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/level2/combine.hpp>

/// The steps of combine.hpp for one result in binary64 and expansions, on every executor.
namespace residua::blas::detail {

template <class T>
RESIDUA_HD T number_at(const entry_places<T>& a, index_t i, index_t j)
{
    return vector_view<void, const T>(a.start, 0).load(i * a.row + j * a.col);
}

template <class T>
RESIDUA_HD T number_in(const T& a)
{
    return a;
}
template <class T>
RESIDUA_HD T number_in(const scalar_argument<T>& a)
{
    return a.load();
}

template <class T>
RESIDUA_HD T magnitude_of(const T& x)
{
    if constexpr (number_traits<T>::terms == 1) {
        return std::fabs(x);
    } else {
        return abs(x);
    }
}

enum class multiplier : std::uint8_t { none, number, entry, magnitude };

/// An entry_term as kernels take it.
template <class Exec, class T>
struct entry_product {
    entry_places<T> x;
    multiplier kind;
    factor_of<Exec, T> number;
    entry_places<T> by;

    entry_product(const entry_term<Exec, T>& term)
        : x(term.x),
          kind(term.magnitude ? multiplier::magnitude
               : term.number  ? multiplier::number
               : term.entry   ? multiplier::entry
                              : multiplier::none),
          number(term.number.value_or(factor_of<Exec, T>(T{1.0}))),
          by(term.entry.value_or(term.x))
    {}

    RESIDUA_HD T value(index_t i, index_t j) const
    {
        const T v = number_at(x, i, j);
        if (kind == multiplier::magnitude) {
            return magnitude_of(v);
        }
        if (kind == multiplier::number) {
            return scal_element<T>(number_in<T>(number), v);
        }
        if (kind == multiplier::entry) {
            if constexpr (number_traits<T>::terms == 1) {
                return mul_rn(number_at(by, i, j), v);
            } else {
                return number_at(by, i, j) * v;
            }
        }
        return v;
    }

    /// z + value, rounded as one multiply-add
    RESIDUA_HD T added_to(const T& z, index_t i, index_t j) const
    {
        return axpy_element<T>(kind == multiplier::entry ? number_at(by, i, j) : number_in<T>(number),
                               number_at(x, i, j), z);
    }
};

/// An entry_sum as kernels take it. Element q has i = q mod rows, j = q / rows.
template <class Exec, class T>
struct combine_numbers {
    matrix_view<Exec, T> to;
    diagonals of;
    entry_product<Exec, T> first;
    bool adds;
    entry_product<Exec, T> second;

    combine_numbers(const entry_sum<Exec, T>& sum)
        : to(sum.to), of(sum.of), first(sum.first), adds(sum.second), second(sum.second.value_or(sum.first))
    {}

    RESIDUA_HD void operator()(index_t q) const { store(q % to.rows, q / to.rows); }

    RESIDUA_HD void store(index_t i, index_t j) const
    {
        if (of.have(i, j)) {
            const T sum = first.value(i, j);
            to.column(j).store(i, adds ? second.added_to(sum, i, j) : sum);
        }
    }
};

/// x_j <- inverse(T) x_j
template <class Exec, class T>
struct solve_column {
    bool lower;
    bool unit;
    matrix_view<Exec, const T> t;
    matrix_view<Exec, T> x;

    RESIDUA_HD void operator()(index_t j) const
    {
        const auto known = x.column(j);
        for (index_t step = 0; step < x.rows; ++step) {
            const index_t i = lower ? step : x.rows - 1 - step;
            accumulator_of<T> sum{known.load(i)};
            for (index_t before = 0; before < step; ++before) {
                const index_t k = lower ? before : x.rows - 1 - before;
                add_product(sum, t.column(k).load(i), T{-known.load(k)});
                if ((before + 1) % renormalization_period<T> == 0) {
                    renormalize(sum);
                }
            }
            const T rest = sum.result();
            known.store(i, unit ? rest : T{rest / t.column(i).load(i)});
        }
    }
};

}  // namespace residua::blas::detail
