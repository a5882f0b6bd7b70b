#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/permutation.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>
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

/// L L' or L U as triangles, such as the machine's library makes of dense matrices.
class known_triangles final : public factor_numbers {
public:
    known_triangles(triangular_factors factors, factor_kind kind, long bits)
        : factors_(std::move(factors)), kind_(kind), bits_(bits)
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
    std::optional<inertia> find_inertia() const override
    {
        return kind_ == factor_kind::cholesky ? std::optional(inertia{.positive = size()}) : std::nullopt;
    }
    std::vector<real> pivot_numbers() const override
    {
        std::vector<real> numbers;
        for (index_t i = 0; i < size(); ++i) {
            const real l(factors_.lower.values[factors_.lower.row_begin[i + 1] - 1]);
            numbers.push_back(l * real(factors_.upper.values[factors_.upper.row_begin[i]]));
        }
        return numbers;
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

    triangular_factors make_triangles() const override { return factors_; }

    triangular_factors factors_;
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
    if (!are_made_by_fronts(a, kind, options.bits)) {
        triangular_factors made =
            kind == factor_kind::cholesky ? factorize_cholesky(a, options) : factorize_lu(a, options);
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
