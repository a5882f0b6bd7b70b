#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/pair_eigenvalues.hpp>
#include <residua/solvers/base/permutation.hpp>
#include <residua/solvers/precond/dense_columns.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/precond/factors_of.hpp>
#include <residua/solvers/precond/triangular.hpp>

namespace residua {
namespace {

/// The determinant of the matrix that has these factors.
real determinant_of(const triangular_factors& factors)
{
    constexpr long bits = 96;
    real product(1.0, bits);
    long scaled_by = 0;
    for (index_t i = 0; i < factors.lower.rows; ++i) {
        io::ask_for_stop_at(i);
        const double l = factors.lower.values[factors.lower.row_begin[i + 1] - 1];
        const double u = factors.upper.values[factors.upper.row_begin[i]];
        product = product * real(l) * real(u);
        scaled_by += factors.row_exponent.empty() ? 0 : factors.row_exponent[i];
        scaled_by += factors.column_exponent.empty() ? 0 : factors.column_exponent[i];
    }
    const int sign = (factors.row_order.empty() ? 1 : sign_of(factors.row_order)) *
                     (factors.column_order.empty() ? 1 : sign_of(factors.column_order));
    return ldexp(sign < 0 ? -product : product, -scaled_by);
}

/// The determinant of the complex matrix whose real form has these factors.
complex_number<real> complex_determinant_of(const triangular_factors& factors, factor_kind kind)
{
    if (kind == factor_kind::cholesky) {
        return complex_number<real>(sqrt(determinant_of(factors)));
    }
    const std::vector<index_t> order(factors.row_order.begin(), factors.row_order.end());
    const complex_number<real> product = detail::complex_determinant(order, 96, [&](index_t i, index_t j) {
        return real(factors.upper.values[factors.upper.row_begin[i] + j - i]);
    });
    const long twice = std::reduce(factors.row_exponent.begin(), factors.row_exponent.end(), 0L) +
                       std::reduce(factors.column_exponent.begin(), factors.column_exponent.end(), 0L);
    return {ldexp(product.real(), -twice / 2), ldexp(product.imag(), -twice / 2)};
}

/// A pivot of D of L D L' whose rows were exchanged, which L and U have as pair_factors leaves it: [a, b; b, c].
struct exchanged_pair {
    double a, b, c;

    exchanged_pair(const triangular_factors& f, index_t k)
        : a(f.lower.values[f.lower.row_begin[k + 2] - 2] * f.upper.values[f.upper.row_begin[k]]),
          b(f.upper.values[f.upper.row_begin[k]]),
          c(f.upper.values[f.upper.row_begin[k] + 1])
    {}
};

/// Calls one(p) for each pivot of one row, and two(p) for each exchanged_pair. A pivot [a, b; b, c] whose rows were not
/// exchanged counts as two of one row, a and c - b^2 / a.
template <class One, class Two>
void for_each_pivot_of_ldl(const triangular_factors& f, const One& one, const Two& two)
{
    for (index_t k = 0; k < f.lower.rows; ++k) {
        if (f.row_order[k] != f.column_order[k]) {
            two(exchanged_pair(f, k));
            ++k;
        } else {
            one(f.upper.values[f.upper.row_begin[k]]);
        }
    }
}

/// L L', L U or L D L' of a dense matrix as triangles, in 11 to 53 bits.
class known_triangles final : public factor_numbers {
public:
    known_triangles(triangular_factors factors, factor_kind kind, long bits)
        : made_(std::make_shared<const triangular_factors>(std::move(factors))), kind_(kind), bits_(bits)
    {}

    const std::string& failure() const override { return factors_.failure; }
    factor_kind kind() const override { return kind_; }
    bool are_fronts() const override { return false; }
    long bits() const override { return bits_; }
    index_t size() const override { return factors_.lower.rows; }
    double entries() const override
    {
        return static_cast<double>(factors_.lower.column.size() + factors_.upper.column.size());
    }
    std::optional<real> find_determinant() const override { return determinant_of(factors_); }
    std::optional<complex_number<real>> find_complex_determinant() const override
    {
        return factors_.complex ? std::optional(complex_determinant_of(factors_, kind_)) : std::nullopt;
    }
    std::optional<inertia> find_inertia() const override
    {
        if (kind_ != factor_kind::ldl) {
            return kind_ == factor_kind::cholesky ? std::optional(inertia{.positive = size()}) : std::nullopt;
        }
        inertia found;
        for_each_pivot_of_ldl(
            factors_, [&](double p) { ++(p > 0.0 ? found.positive : found.negative); },
            [&](const exchanged_pair& p) {
                const bool is_definite = p.a / p.b * (p.c / p.b) > 1.0;
                ++(is_definite && p.a < 0.0 ? found.negative : found.positive);
                ++(is_definite && p.a > 0.0 ? found.positive : found.negative);
            });
        return found;
    }
    std::vector<real> pivot_numbers() const override
    {
        std::vector<real> numbers;
        if (kind_ == factor_kind::ldl) {
            for_each_pivot_of_ldl(
                factors_, [&](double p) { numbers.emplace_back(p); },
                [&](const exchanged_pair& p) {
                    auto [larger, other] = pair_eigenvalues(real(p.a), real(p.b), real(p.c));
                    numbers.insert(numbers.end(), {std::move(larger), std::move(other)});
                });
            return numbers;
        }
        for (index_t i = 0; i < size(); ++i) {
            const real l(factors_.lower.values[factors_.lower.row_begin[i + 1] - 1]);
            numbers.push_back(l * real(factors_.upper.values[factors_.upper.row_begin[i]]));
        }
        return numbers;
    }

    double largest_product() const override
    {
        const auto largest = [](const sparse_matrix& t, const std::vector<int>& exponent,
                                const std::vector<std::int32_t>& order, bool by_rows) {
            double most = 0.0;
            for (index_t i = 0; i < t.rows; ++i) {
                io::ask_for_stop_at(i);
                for (index_t p = t.row_begin[i]; p < t.row_begin[i + 1]; ++p) {
                    const std::size_t line = by_rows ? i : t.column[p];
                    const std::size_t of = order.empty() ? line : order[line];
                    most =
                        std::max(most, detail::scaled_by(std::abs(t.values[p]), exponent.empty() ? 0 : -exponent[of]));
                }
            }
            return most;
        };
        return largest(factors_.lower, factors_.row_exponent, factors_.row_order, true) *
               largest(factors_.upper, factors_.column_exponent, factors_.column_order, false);
    }

    void solve(const columns<host_space<double>>& x, bool transposed) const override
    {
        auto& by = solver_[transposed ? 1 : 0];
        if (!by) {
            by = std::make_unique<solver>(triangles(transposed));
        }
        for (vector<host_executor, double>* each : x) {
            by->m.apply({}, *each, by->result);
            std::swap(*each, by->result);
        }
    }
    std::vector<long_vector> solve(const long_columns& r, const scaled_matrix& by, bool transposed,
                                   method_seconds* seconds) const override
    {
        return solve_in(host_space<double>{}, r, by, seconds, [&](const auto& x) { solve(x, transposed); });
    }
    known_factors numbers() const override { refuse("numbers in another format"); }

private:
    struct solver {
        explicit solver(const triangular_factors& factors) : m({}, factors), result(factors.lower.rows) {}

        triangular_preconditioner<host_space<double>> m;
        vector<host_executor, double> result;
    };

    std::shared_ptr<const triangular_factors> make_triangles() const override { return made_; }

    std::shared_ptr<const triangular_factors> made_;
    const triangular_factors& factors_ = *made_;
    factor_kind kind_;
    long bits_;
    mutable std::unique_ptr<solver> solver_[2];  ///< with the factors, and with their transpose
};

}  // namespace

factorization by_triangles(triangular_factors factors, factor_kind kind, long bits)
{
    return factorization(std::make_shared<const known_triangles>(std::move(factors), kind, bits));
}

factorization factorize_native(const sparse_matrix& a, factor_kind kind, sparse_analyses& analyses,
                               const factor_options& options)
{
    require_factor_bits(options.bits);
    if (takes_dense_factors(a.rows, a.column.size())) {
        triangular_factors made = kind == factor_kind::cholesky ? factorize_cholesky(a, options)
                                  : kind == factor_kind::ldl    ? factorize_ldl(a, options)
                                                                : factorize_lu(a, options);
        return by_triangles(std::move(made), kind, options.bits);
    }
    const auto made = [&]<class T>(host_space<T> in) {
        const std::shared_ptr<const sparse_analysis> analysis = analyses.of(a, kind);
        require_memory("the sparse factorisation", bytes_of_fronts(*analysis, sizeof(T)));
        return make_factorization(in, a.rows,
                                  multifrontal<host_space<T>>(in, analysis, a, std::vector<real>{},
                                                              elimination_options{.keeper = options.keeper}));
    };
    return options.bits > binary32_bits ? made(host_space<double>{}) : made(host_space<float>{});
}

}  // namespace residua
