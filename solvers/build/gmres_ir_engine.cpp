#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include <residua/arith/multidigit/number.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/methods/gmres_ir.hpp>
#include <residua/solvers/precond/factorization.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/matrix_operator.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {
namespace {

template <array_space S>
any_operator<S> matrix_in(const S& space, const engine_request& request)
{
    any_operator<S> result = matrix_in(space, request.matrix, request.storage);
    result.seconds = request.seconds == nullptr ? nullptr : &request.seconds->products;
    return result;
}

template <array_space S>
auto copied(const S& space, const factorization& factors, const known_dense_factors& numbers)
{
    const index_t n = factors.size();
    auto entries = space.make_matrix(n, n);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            entries.set(i, j, space.make_scalar(numbers.entry(i, j)));
        }
    }
    const bool is_cholesky = factors.kind() == factor_kind::cholesky;
    return std::make_shared<const dense_factors<S>>(space, std::move(entries), numbers.pivots, is_cholesky,
                                                    numbers.is_pair);
}

template <array_space S>
auto copied(const S& space, const factorization&, const known_fronts& numbers)
{
    return std::make_shared<const multifrontal<S>>(space, numbers);
}

/// M by high-precision factors, which solve in the space: so M is one linear operator to its precision.
template <array_space S>
any_operator<S> long_factors_in(const S& space, const factorization& factors)
{
    any_operator<S> result;
    std::visit(
        [&](const auto& numbers) {
            result.function = [m = copied(space, factors, numbers)](const S& on, const typename S::vector& x,
                                                                    typename S::vector& y) {
                on.copy(x, y);
                m->solve(y);
            };
        },
        factors.numbers());
    return result;
}

template <array_space S>
any_operator<S> factors_in(const S& space, const engine_request& request)
{
    any_operator<S> result;
    const factorization* const complete = request.factors;
    if (complete != nullptr && complete->bits() > binary64_bits) {
        if constexpr (S::on_host) {  // where such factors are
            result = long_factors_in(space, *complete);
        }
    } else {
        const triangular_factors& factors = complete != nullptr ? complete->triangles() : *request.triangles;
        result.function =
            [m = std::make_shared<triangular_preconditioner<S>>(space, factors, request.triangles_on_host)](
                const S& on, const typename S::vector& x, typename S::vector& y) { m->apply(on, x, y); };
    }
    result.seconds = request.seconds == nullptr ? nullptr : &request.seconds->preconditioner;
    return result;
}

/// GMRES in G with products in P. Corrections have the precision of P.
template <array_space G, array_space P>
class gmres_ir_engine final : public correction_engine {
public:
    /// G has `bits` bits. One correction reduces the residual by at most half of them; a few reach a smaller tolerance.
    gmres_ir_engine(long bits, const G& krylov, const P& products, const engine_request& request)
        : least_(std::ldexp(1.0, static_cast<int>(-bits / 2))),
          products_(products),
          vectors_(products, request.matrix),
          matrix_(matrix_in(products, request)),
          factors_(factors_in(products, request)),
          transfers_(request.seconds == nullptr ? nullptr : &request.seconds->transfers),
          corrections_(krylov, products, matrix_, factors_, request.matrix.rows, {},
                       gmres_ir_cycle_length(request.matrix.rows, request.restart)),
          r_(products.make_vector(request.matrix.rows)),
          d_(products.make_vector(request.matrix.rows))
    {}

    void correct(std::vector<correction>& columns) override
    {
        for (correction& column : columns) {
            long top = 0;
            timed(products_, transfers_, [&] { top = vectors_.store(products_, column.r, r_); });
            stop_rule rule = column.rule;
            rule.relative_residual = std::max(rule.relative_residual, least_);
            column.report = corrections_.correct(products_, r_, d_, rule);
            timed(products_, transfers_, [&] { column.d = vectors_.fetch(products_, d_, top); });
        }
    }

    bool together() const override { return false; }

    bool on_device() const override { return !P::on_host; }

private:
    double least_;  ///< the smallest tolerance of a correction
    P products_;
    scaled_vectors<P> vectors_;
    any_operator<P> matrix_;
    any_operator<P> factors_;
    double* transfers_;  ///< seconds; null: not measured
    gmres_corrections<G, P, any_operator<P>, any_operator<P>> corrections_;
    typename P::vector r_, d_;
};

template <class G, class P>
std::unique_ptr<correction_engine> make(long bits, const G& krylov, const P& products, const engine_request& request)
{
    return std::make_unique<gmres_ir_engine<G, P>>(bits, krylov, products, request);
}

/// Makes the engine with the spaces of an executor.
template <class Exec>
std::unique_ptr<correction_engine> make_on(const Exec& exec, const arithmetic& in, const engine_request& request)
{
    if (in.format == number_format::multidigit) {
        const multidigit_space<Exec> krylov{exec, multidigit_format(in.bits)};
        const multidigit_space<Exec> products{exec, multidigit_format(products_of(in).bits)};
        return make(in.bits, krylov, products, request);
    }
    std::unique_ptr<correction_engine> engine;
    const auto in_terms = [&]<int Terms>() {
        if constexpr (blas::is_compiled(2 * Terms)) {
            using krylov = blas_space<Exec, blas::format_of_terms<Terms>>;
            using products = blas_space<Exec, blas::format_of_terms<2 * Terms>>;
            engine = make(in.bits, krylov{exec}, products{exec}, request);
        }
    };
    if (in.format == number_format::rns || !blas::with_compiled_terms(in.bits, in_terms) || engine == nullptr) {
        throw unsupported_error("gmres-ir takes binary64, expansions of up to 212 bits and multi-digit floats");
    }
    return engine;
}

}  // namespace

std::unique_ptr<correction_engine> make_gmres_ir_engine(const arithmetic& in, const engine_request& request)
{
    if (!request.device) {
        return make_on(host_executor{}, in, request);
    }
#if defined(RESIDUA_CUDA)
    return make_on(*request.device, in, request);
#else
    throw unsupported_error("this build computes on the host only: " + why_no_cuda_device());
#endif
}

}  // namespace residua
