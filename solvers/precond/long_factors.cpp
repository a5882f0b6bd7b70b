#include <residua/solvers/precond/factorize.hpp>

#include <algorithm>
#include <concepts>
#include <utility>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/precond/factors_of.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {
namespace {

template <array_space S>
factorization factorize_in(const S& space, const scaled_matrix& m, const long_factor_options& options)
{
    const index_t n = m.rows;
    const std::vector<factor_kind> kinds = kinds_of_factors(m, options.kind);
    const elimination_options elimination{.products = {.device = options.device}, .keeper = options.keeper};
    if constexpr (!std::same_as<typename S::element, rns>) {
        if (are_made_by_fronts(m, kinds.front())) {
            sparse_analyses alone;
            sparse_analyses& analyses = options.analyses != nullptr ? *options.analyses : alone;
            const std::vector<real> exact = m.exact.in_bits(reading_bits_of(space));
            return made_in_turn(kinds, [&](factor_kind kind) {
                return make_factorization(space, n,
                                          multifrontal<S>(space, analyses.of(m, kind), m, exact, elimination));
            });
        }
    }
    return make_factorization(
        space, n, dense_factors<S>(space, dense_matrix(space, m), kinds.front() == factor_kind::cholesky, elimination));
}

/// Bytes of the factors while they are made, of the first kind that is tried. Factors by fronts are analysed for this.
double long_factors_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                          preconditioner kind)
{
    const factor_kind first = kinds_of_factors(matrix, kind).front();
    if (in.format == number_format::rns || !are_made_by_fronts(matrix, first)) {
        return engine_bytes(in, method::direct, matrix.rows, 0, false, 0);
    }
    return bytes_of_fronts(*analyses.of(matrix, first), number_bytes(in));
}

}  // namespace

factorization factorize_long(const arithmetic& in, const scaled_matrix& matrix, const long_factor_options& options)
{
    sparse_analyses alone;
    require_memory("the factorisation",
                   long_factors_bytes(in, matrix, options.analyses ? *options.analyses : alone, options.kind));
    factorization result;
    const auto in_terms = [&]<int Terms>() {
        result = factorize_in(host_space<blas::format_of_terms<Terms>>{}, matrix, options);
    };
    switch (in.format) {
        case number_format::multidigit:
            return factorize_in(multidigit_space<host_executor>{{}, multidigit_format(in.bits)}, matrix, options);
        case number_format::rns:
            return factorize_in(rns_space<host_executor>{{}, rns_format(in.bits)}, matrix, options);
        default:
            if (!blas::with_compiled_terms(in.bits, in_terms)) {
                throw unsupported_error("no expansion of " + std::to_string(in.bits) + " bits");
            }
            return result;
    }
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
