#include <residua/solvers/precond/long_factors.hpp>

#include <algorithm>
#include <concepts>
#include <iterator>
#include <utility>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/blas/level1/convert.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {
namespace {

/// Dense factors, or fronts, of a space.
template <array_space S, class Factors>
class long_factors_in final : public long_factors {
public:
    long_factors_in(const S& space, index_t n, Factors factors) : space_(space), size_(n), factors_(std::move(factors))
    {}

    const std::string& failure() const override { return factors_.failure(); }
    factor_kind kind() const override
    {
        if constexpr (is_dense) {
            return factors_.is_cholesky() ? factor_kind::cholesky : factor_kind::lu;
        } else {
            return factors_.kind();
        }
    }
    index_t size() const override { return size_; }
    index_t products_on_device() const override { return factors_.products_on_device(); }
    std::variant<known_dense_factors, known_fronts> numbers() const override
    {
        if constexpr (is_dense) {
            const auto entry = [this](index_t i, index_t j) { return to_real(factors_.factors().get(i, j)); };
            return known_dense_factors{entry, factors_.pivots()};
        } else {
            return factors_.numbers(format());
        }
    }
    multidigit_format format() const override
    {
        return multidigit_format(
            std::clamp<long>(precision_of(space_), multidigit_least_bits, multidigit_format::most_bits));
    }

    std::optional<real> find_determinant() const override { return factors_.find_determinant(); }

    std::optional<inertia> find_inertia() const override
    {
        if constexpr (is_dense) {
            const bool definite = failure().empty() && kind() == factor_kind::cholesky;
            return definite ? std::optional(inertia{.positive = size_}) : std::nullopt;
        } else {
            return factors_.find_inertia();
        }
    }

    void solve(const vectors& x, bool transposed) const override
    {
        std::vector<typename S::vector> work;
        std::vector<long> top;
        for (vector<host_executor, multidigit>* each : x) {
            work.push_back(space_.make_vector(size_));
            top.push_back(put(*each, work.back()));
        }
        columns<S> all;
        std::transform(work.begin(), work.end(), std::back_inserter(all), [](auto& each) { return &each; });
        factors_.solve(all, transposed);
        for (std::size_t k = 0; k < x.size(); ++k) {
            take(work[k], top[k], *x[k]);
        }
    }

private:
    static constexpr bool is_dense = std::same_as<Factors, dense_factors<S>>;
    static constexpr bool in_rns = std::same_as<typename S::element, rns>;

    /// y <- 2^-e x, rounded; returns e.
    long put(const vector<host_executor, multidigit>& x, typename S::vector& y) const
    {
        if constexpr (in_rns) {
            for (index_t i = 0; i < x.size(); ++i) {
                y.set(i, space_.make_scalar(to_real(x.get(i))));
            }
            return 0;
        } else {
            return store(space_, x, nullptr, y);
        }
    }

    /// x <- 2^e y, rounded
    void take(const typename S::vector& y, long e, vector<host_executor, multidigit>& x) const
    {
        if constexpr (in_rns) {
            for (index_t i = 0; i < x.size(); ++i) {
                x.set(i, multidigit_number(x.format(), to_real(y.get(i))));
            }
        } else {
            blas::convert(space_.exec, y.view(), x.view(), {nullptr, e});
        }
    }

    S space_;
    index_t size_;
    Factors factors_;
};

template <array_space S>
std::unique_ptr<long_factors> factorize_in(const S& space, const scaled_matrix& m, const long_factor_options& options)
{
    const index_t n = m.rows;
    const std::vector<factor_kind> kinds = kinds_of_factors(m, options.kind);
    const elimination_options elimination{.products = {.device = options.device}, .keeper = options.keeper};
    if constexpr (!std::same_as<typename S::element, rns>) {
        if (are_made_by_fronts(m, kinds.front())) {
            sparse_analyses alone;
            sparse_analyses& analyses = options.analyses != nullptr ? *options.analyses : alone;
            const std::vector<real> exact = m.exact.in_bits(reading_bits_of(space));
            return std::make_unique<long_factors_in<S, multifrontal<S>>>(
                space, n, made_in_turn(kinds, [&](factor_kind kind) {
                    return multifrontal<S>(space, analyses.of(m, kind), m, exact, elimination);
                }));
        }
    }
    return std::make_unique<long_factors_in<S, dense_factors<S>>>(
        space, n, dense_factors<S>(space, dense_matrix(space, m), kinds.front() == factor_kind::cholesky, elimination));
}

}  // namespace

std::unique_ptr<long_factors> factorize_long(const arithmetic& in, const scaled_matrix& matrix,
                                             const long_factor_options& options)
{
    sparse_analyses alone;
    require_memory("the factorisation",
                   long_factors_bytes(in, matrix, options.analyses ? *options.analyses : alone, options.kind));
    std::unique_ptr<long_factors> result;
    const auto in_terms = [&]<int Terms>() {
        result = factorize_in(host_space<blas::format_of_terms<Terms>>{}, matrix, options);
    };
    switch (in.format) {
        case number_format::multidigit:
            return factorize_in(multidigit_space<host_executor>{{}, multidigit_format(in.bits)}, matrix, options);
        case number_format::rns:
            return factorize_in(rns_space<host_executor>{{}, rns_format(in.bits)}, matrix, options);
        default:
            if (!blas::with_compiled_terms<1, blas::compiled_terms.back()>(in.bits, in_terms)) {
                throw unsupported_error("no expansion of " + std::to_string(in.bits) + " bits");
            }
            return result;
    }
}

double long_factors_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                          preconditioner kind)
{
    const factor_kind first = kinds_of_factors(matrix, kind).front();
    if (in.format == number_format::rns || !are_made_by_fronts(matrix, first)) {
        return engine_bytes(in, method::direct, matrix.rows, 0, false, 0);
    }
    return bytes_of_fronts(*analyses.of(matrix, first), number_bytes(in));
}

double copied_factors_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                            preconditioner kind)
{
    const factor_kind first = kinds_of_factors(matrix, kind).front();
    const double n = static_cast<double>(matrix.rows);
    const double numbers = are_made_by_fronts(matrix, first)
                               ? cost_of(analyses.of(matrix, first)->tree, first != factor_kind::lu).entries
                               : n * n;
    return numbers * number_bytes(in);
}

double long_factors_device_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                                 preconditioner kind)
{
    const factor_kind first = kinds_of_factors(matrix, kind).front();
    if (in.format == number_format::rns || !are_made_by_fronts(matrix, first)) {
        return device_product_bytes(in, matrix.rows);
    }
    const assembly_tree& tree = analyses.of(matrix, first)->tree;
    index_t largest = 0;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        largest = std::max(largest, tree.order(f));
    }
    return device_product_bytes(in, 2 * largest);  // a product of dense factors has half of their rows
}

}  // namespace residua
