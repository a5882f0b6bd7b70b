#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/blas/rns/level1.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/space/exact_entry.hpp>
#include <residua/solvers/space/long_vector.hpp>
#include <residua/solvers/space/true_residual.hpp>
#include <residua/solvers/space/vector_space.hpp>

/// Brings A x = b to a space, which solves with R A C: the matrix, residuals, and corrections of x.
namespace residua {

/// x = 2^-e v, rounded, with its largest element in [1/2, 1); returns e.
template <array_space S>
long store(const S& space, const std::vector<real>& v, typename S::vector& x)
{
    const long top = largest_exponent(v);
    auto rounded = space.make_host_vector(static_cast<index_t>(v.size()));
    for (std::size_t i = 0; i < v.size(); ++i) {
        rounded.view().store(static_cast<index_t>(i), space.make_scalar(ldexp(v[i], -top)));
    }
    x = space.placed(std::move(rounded));
    return top;
}

/// The exponent of the largest of some numbers, as store() takes it out: 0 for zero and for what is not finite.
inline long exponent_to_store(const multidigit_number& largest)
{
    return largest == multidigit_number(largest.format()) || !is_finite(largest) ? 0 : exponent(largest);
}

/// store() for multi-digit floats where the space is, each multiplied by 2^powers_i first; null: by 1.
template <array_space S, class Exec>
long store(const S& space, const vector<Exec, multidigit>& v, const int* powers, typename S::vector& x)
{
    if (powers == nullptr) {
        const long top = exponent_to_store(blas::norm_inf<multidigit>(space.exec, v.view()));
        blas::convert(space.exec, v.view(), x.view(), {nullptr, -top});
        return top;
    }
    vector<Exec, multidigit> scaled(v.format(), v.size(), space.exec);
    blas::convert(space.exec, v.view(), scaled.view(), {powers, 0});
    return store(space, scaled, nullptr, x);
}

/// Residuals and corrections of A x = b on their way into a space that has R A C, and out of it.
template <array_space S>
class scaled_vectors {
public:
    /// The matrix must outlive the object.
    scaled_vectors(const S& space, const scaled_matrix& m) : matrix_(m)
    {
        if (m.is_scaled()) {
            rows_ = placed(space, m.row_exponent);
            columns_ = placed(space, m.column_exponent);
        }
    }

    /// x = 2^-e R r, and r moves to where the space is; returns e.
    long store(const S& space, long_vector& r, typename S::vector& x) const
    {
        if constexpr (takes_multidigit) {
            if (const auto* v = r.on(space.exec)) {
                return residua::store(space, *v, rows_ ? rows_->data() : nullptr, x);
            }
        }
        std::vector<real> scaled = r.numbers();
        for (std::size_t i = 0; i < scaled.size(); ++i) {
            scaled[i] = ldexp(scaled[i], matrix_.row_exponent[i]);
        }
        return residua::store(space, scaled, x);
    }

    /// 2^e C x, rounded to the precision of the space, where that is; for RNS floats in MPFR.
    long_vector fetch(const S& space, const typename S::vector& x, long e) const
    {
        if constexpr (takes_multidigit) {
            const long bits = precision_of(space);
            const multidigit_format format(std::max<long>(bits, multidigit_least_bits));
            vector<executor, multidigit> d(format, space.size(x), space.exec);
            blas::convert(space.exec, x.view(), d.view(), {columns_ ? columns_->data() : nullptr, e});
            return {space.exec, std::move(d), bits};
        } else {
            std::vector<real> d(static_cast<std::size_t>(space.size(x)));
            const auto& solution = space.fetched(x);
            for (std::size_t j = 0; j < d.size(); ++j) {
                d[j] = ldexp(to_real(solution.view().load(static_cast<index_t>(j))), matrix_.column_exponent[j] + e);
            }
            return long_vector(std::move(d));
        }
    }

private:
    using executor = std::remove_const_t<decltype(S::exec)>;
    static constexpr bool takes_multidigit =
        number<typename S::element> || std::same_as<typename S::element, multidigit>;

    static buffer<executor, int> placed(const S& space, const std::vector<int>& exponent)
    {
        buffer<host_executor, int> e(static_cast<index_t>(exponent.size()));
        std::copy(exponent.begin(), exponent.end(), e.data());
        return space.placed(std::move(e));
    }

    const scaled_matrix& matrix_;
    std::optional<buffer<executor, int>> rows_, columns_;  ///< exponents; empty: zeros
};

/// x, rounded to `bits` bits, where the space is; for RNS floats exactly, in MPFR.
template <array_space S>
long_vector to_long_vector(const S& space, const typename S::vector& x, long bits)
{
    if constexpr (std::same_as<typename S::element, rns>) {
        const auto& here = space.fetched(x);
        std::vector<real> numbers;
        for (index_t i = 0; i < here.size(); ++i) {
            numbers.push_back(to_real(here.get(i)));
        }
        return long_vector(std::move(numbers));
    } else {
        const multidigit_format format(std::clamp<long>(bits, multidigit_least_bits, multidigit_format::most_bits));
        vector<std::remove_const_t<decltype(S::exec)>, multidigit> v(format, x.size(), space.exec);
        blas::convert(space.exec, x.view(), v.view());
        return {space.exec, std::move(v), bits};
    }
}

/// x <- v, rounded to the precision of the space; v moves to where the space is
template <array_space S>
void from_long_vector(const S& space, long_vector& v, typename S::vector& x)
{
    if constexpr (!std::same_as<typename S::element, rns>) {
        if (const auto* const numbers = v.on(space.exec)) {
            blas::convert(space.exec, numbers->view(), x.view());
            return;
        }
    }
    const std::vector<real> numbers = v.numbers();
    auto here = space.make_host_vector(v.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        here.set(static_cast<index_t>(i), space.make_scalar(numbers[i]));
    }
    x = space.placed(std::move(here));
}

inline constexpr double operations_of_rounded = 1e4;  ///< for an entry, roughly

/// R A C as a dense matrix of a space on the host. Entries that are too long for the format are rounded.
template <array_space S>
typename S::matrix dense_matrix(const S& space, const scaled_matrix& m)
{
    auto dense = space.make_matrix(m.rows, m.cols);
    const auto set_rows = [&](index_t begin, index_t end) {
        real room;
        for (index_t i = begin; i < end; ++i) {
            io::ask_for_stop();
            for (index_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k) {
                const auto place = static_cast<std::size_t>(k);
                dense.set(
                    i, m.column[place],
                    m.exact.empty() ? space.make_scalar(m.values[place]) : exact_entry(space, m.exact, place, room));
            }
        }
    };
    if constexpr (std::same_as<typename S::element, rns>) {
        set_rows(0, m.rows);  // the words of several numbers lie in one
    } else {
        constexpr index_t tile = number<typename S::element> ? 1 : 32;
        const double operations =
            (m.exact.empty() ? 20.0 : operations_of_rounded) * static_cast<double>(m.column.size());
        blas::detail::parallel_ranges(m.rows, tile, operations, set_rows);
    }
    return dense;
}

}  // namespace residua
