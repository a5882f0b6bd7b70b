#include <algorithm>
#include <cmath>

#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/base/format_space.hpp>
#include <residua/solvers/format_engine.hpp>
#include <residua/solvers/gmres_ir.hpp>

namespace residua {
namespace {

template <vector_space S>
any_operator<S> matrix_in(const S& space, const engine_request& request)
{
    any_operator<S> result = matrix_in(space, request.matrix);
    result.seconds = request.seconds == nullptr ? nullptr : &request.seconds->products;
    return result;
}

/// M by long factors: solved with in the space, so that M is one linear operator to its precision.
template <vector_space S>
any_operator<S> long_factors_in(const S& space, const long_factors& factors)
{
    const index_t n = factors.size();
    auto entries = space.make_matrix(n, n);
    for (index_t j = 0; j < n; ++j) {
        for (index_t i = 0; i < n; ++i) {
            entries.set(i, j, space.make_scalar(factors.entry(i, j)));
        }
    }
    any_operator<S> result;
    result.function = [m = std::make_shared<const dense_factors<S>>(space, std::move(entries), factors.pivots())](
                          const S& on, const typename S::vector& x, typename S::vector& y) {
        on.copy(x, y);
        m->solve(y);
    };
    return result;
}

template <vector_space S>
any_operator<S> factors_in(const S& space, const engine_request& request)
{
    any_operator<S> result;
    if (request.long_factors != nullptr) {
        result = long_factors_in(space, *request.long_factors);
    } else {
        result.function = [m = std::make_shared<triangular_preconditioner<S>>(space, *request.factors)](
                              const S& on, const typename S::vector& x, typename S::vector& y) { m->apply(on, x, y); };
    }
    result.seconds = request.seconds == nullptr ? nullptr : &request.seconds->preconditioner;
    return result;
}

/// GMRES in G with products in P, whose bits corrections have.
template <vector_space G, vector_space P>
class gmres_ir_engine final : public correction_engine {
public:
    /// So many bits has G: a correction gives half of them, a few more take what is left of the tolerance.
    gmres_ir_engine(long bits, const G& krylov, const P& products, const engine_request& request)
        : least_(std::ldexp(1.0, static_cast<int>(-bits / 2))),
          scaled_(request.matrix),
          products_(products),
          matrix_(matrix_in(products, request)),
          factors_(factors_in(products, request)),
          transfers_(request.seconds == nullptr ? nullptr : &request.seconds->transfers),
          corrections_(
              krylov, products, matrix_, factors_, request.matrix.a.n, {},
              std::min(std::max(request.restart, least_gmres_ir_restart), std::max<index_t>(request.matrix.a.n, 1))),
          r_(products.make_vector(request.matrix.a.n)),
          d_(products.make_vector(request.matrix.a.n))
    {}

    void correct(std::vector<correction>& columns) override
    {
        for (correction& column : columns) {
            const long top = timed(transfers_, [&] { return store_scaled(products_, scaled_, column.r, r_); });
            stop_rule rule = column.rule;
            rule.relative_residual = std::max(rule.relative_residual, least_);
            column.report = corrections_.correct(products_, r_, d_, rule);
            timed(transfers_, [&] { fetch_scaled(products_, scaled_, d_, top, column.d); });
        }
    }

    bool usable() const override { return true; }
    bool positive_definite() const override { return false; }
    bool on_device() const override { return false; }
    void solve_in_place(std::vector<real>&, bool) override
    {
        throw unsupported_error("GMRES-IR has no factors of its own");
    }

private:
    double least_;  ///< tolerance of a correction
    const scaled_matrix& scaled_;
    P products_;
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

}  // namespace

std::unique_ptr<correction_engine> make_gmres_ir_engine(const arithmetic& in, const engine_request& request)
{
    if (in.format == number_format::multidigit) {
        const multidigit_space<host_executor> krylov{{}, multidigit_format(in.bits)};
        const long bits = std::min<long>(2 * in.bits, multidigit_format::most_bits);
        return make(in.bits, krylov, multidigit_space<host_executor>{{}, multidigit_format(bits)}, request);
    }
    switch (in.format == number_format::rns ? 0 : in.bits) {
        case 53:
            return make(in.bits, host_space<double>{}, host_space<expansion<double, 2>>{}, request);
        case 106:
            return make(in.bits, host_space<expansion<double, 2>>{}, host_space<expansion<double, 4>>{}, request);
        case 159:
            return make(in.bits, host_space<expansion<double, 3>>{}, host_space<expansion<double, 6>>{}, request);
        case 212:
            return make(in.bits, host_space<expansion<double, 4>>{}, host_space<expansion<double, 8>>{}, request);
        default:
            throw unsupported_error("gmres-ir takes binary64, expansions of up to 212 bits and multi-digit floats");
    }
}

}  // namespace residua
