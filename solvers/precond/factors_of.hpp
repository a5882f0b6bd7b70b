#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/precond/factorization.hpp>
#include <residua/solvers/precond/triangles_of_fronts.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {

/// C inverse(S) R r by `solve`, which takes columns of a space on the host.
///
/// seconds  as factorization::solve()
template <array_space S, class Solve>
std::vector<long_vector> solve_in(const S& space, const long_columns& r, const scaled_matrix& by,
                                  method_seconds* seconds, const Solve& solve)
{
    double* const transfers = seconds == nullptr ? nullptr : &seconds->transfers;
    const scaled_vectors<S> scaled(space, by);
    std::vector<typename S::vector> x;
    std::vector<long> top;
    timed(transfers, [&] {
        for (long_vector* each : r) {
            x.push_back(space.make_vector(each->size()));
            top.push_back(scaled.store(space, *each, x.back()));
        }
    });
    columns<S> all;
    std::transform(x.begin(), x.end(), std::back_inserter(all), [](auto& each) { return &each; });
    timed(seconds == nullptr ? nullptr : &seconds->preconditioner, [&] { solve(all); });
    std::vector<long_vector> d;
    timed(transfers, [&] {
        for (std::size_t k = 0; k < x.size(); ++k) {
            d.push_back(scaled.fetch(space, x[k], top[k]));
        }
    });
    return d;
}

/// Dense factors, or fronts, of a space.
template <array_space S, class Factors>
class factors_of final : public factor_numbers {
public:
    factors_of(const S& space, index_t n, Factors factors) : space_(space), size_(n), factors_(std::move(factors)) {}

    const std::string& failure() const override { return factors_.failure(); }
    factor_kind kind() const override
    {
        if constexpr (is_dense) {
            return factors_.is_cholesky() ? factor_kind::cholesky
                   : factors_.is_ldl()    ? factor_kind::ldl
                                          : factor_kind::lu;
        } else {
            return factors_.kind();
        }
    }
    bool are_fronts() const override { return !is_dense; }
    long bits() const override { return precision_of(space_); }
    index_t size() const override { return size_; }
    double entries() const override
    {
        if constexpr (is_dense) {
            return static_cast<double>(size_) * static_cast<double>(size_);
        } else {
            return factors_.entries();
        }
    }
    index_t products_on_device() const override { return factors_.products_on_device(); }
    bool computed_on_device() const override
    {
        if constexpr (is_dense) {
            return factors_.made_on_device() || products_on_device() > 0;
        } else {
            return factors_.fronts_on_device() > 0 || products_on_device() > 0;
        }
    }
    std::optional<real> find_determinant() const override { return factors_.find_determinant(); }
    std::optional<complex_number<real>> find_complex_determinant() const override
    {
        return factors_.find_complex_determinant();
    }
    std::optional<inertia> find_inertia() const override { return factors_.find_inertia(); }

    std::vector<real> pivot_numbers() const override
    {
        if constexpr (is_dense) {
            return factors_.pivot_numbers();
        } else {
            return {};
        }
    }

    double largest_product() const override
    {
        if constexpr (is_dense) {
            double largest = 0.0;
            for (const real& pivot : pivot_numbers()) {
                largest = std::max(largest, std::abs(to_double(pivot)));
            }
            return largest;
        } else if constexpr (in_binary64) {
            return residua::largest_product(factors_);
        } else {
            return 0.0;
        }
    }

    void solve(const columns<host_space<double>>& x, bool transposed) const override
    {
        if constexpr (in_binary64) {
            factors_.solve(x, transposed);
        } else {
            refuse("solves in binary64");
        }
    }
    std::vector<long_vector> solve(const long_columns& r, const scaled_matrix& by, bool transposed,
                                   method_seconds* seconds) const override
    {
        if constexpr (S::on_host) {
            return solve_in(space_of_solves(), r, by, seconds, [&](const auto& x) { factors_.solve(x, transposed); });
        } else {
            return solve_in(space_.host_counterpart(), r, by, seconds,
                            [&](const auto& x) { solve_on_device(x, transposed); });
        }
    }

    known_factors numbers() const override
    {
        if constexpr (is_dense && !S::on_host) {
            const auto here = std::make_shared<const decltype(factors_.on_host())>(factors_.on_host());
            const auto entry = [here](index_t i, index_t j) { return to_real(here->factors().get(i, j)); };
            return known_dense_factors{entry, factors_.pivots(), factors_.is_pair()};
        } else if constexpr (is_dense) {
            const auto entry = [this](index_t i, index_t j) { return to_real(factors_.factors().get(i, j)); };
            return known_dense_factors{entry, factors_.pivots(), factors_.is_pair()};
        } else if constexpr (std::same_as<solve_space, S>) {
            return factors_.numbers(
                multidigit_format(std::clamp<long>(bits(), multidigit_least_bits, multidigit_format::most_bits)));
        } else {
            refuse("numbers in another format");
        }
    }
    const multifrontal<host_space<double>>* fronts_in_binary64() const override
    {
        if constexpr (std::same_as<Factors, multifrontal<host_space<double>>>) {
            return &factors_;
        } else {
            return nullptr;
        }
    }

private:
    using solve_space = typename detail::solve_space_of<S>::type;
    static constexpr bool is_dense = std::same_as<Factors, dense_factors<S>>;
    static constexpr bool in_binary64 = std::same_as<solve_space, host_space<double>>;

    decltype(auto) space_of_solves() const { return detail::solve_space_of<S>::from(space_); }

    /// solve() for vectors on the host, which go to the device and back.
    template <class X>
    void solve_on_device(const std::vector<X*>& x, bool transposed) const
    {
        std::vector<typename S::vector> there;
        std::transform(x.begin(), x.end(), std::back_inserter(there),
                       [&](const X* each) { return space_.placed(*each); });
        columns<S> all;
        std::transform(there.begin(), there.end(), std::back_inserter(all), [](auto& each) { return &each; });
        factors_.solve(all, transposed);
        for (std::size_t k = 0; k < x.size(); ++k) {
            *x[k] = space_.fetched(there[k]);
        }
    }

    std::shared_ptr<const triangular_factors> make_triangles() const override
    {
        if constexpr (in_binary64 && !is_dense) {
            return std::make_shared<const triangular_factors>(triangles_of(factors_));
        } else {
            refuse("triangles");
        }
    }

    S space_;
    index_t size_;
    Factors factors_;
};

template <array_space S, class Factors>
factorization make_factorization(const S& space, index_t n, Factors factors)
{
    return factorization(std::make_shared<const factors_of<S, Factors>>(space, n, std::move(factors)));
}

}  // namespace residua
