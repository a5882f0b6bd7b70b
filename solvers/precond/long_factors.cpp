#include <residua/solvers/precond/factorize.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/precond/factors_of.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {
namespace {

#if defined(RESIDUA_CUDA)

/// Rows from which on a device makes all of dense factors. With fewer the host takes less than 0.1 s at 848 bits, and
/// most products of a device would be too small to fill it.
constexpr index_t least_rows_on_device = 256;

/// Whether a device has room for n x n factors, a copy for Cholesky, and what the largest product takes.
bool has_room(const cuda_executor& device, const arithmetic& in, index_t n, bool symmetric)
{
    const double entries = static_cast<double>(n) * static_cast<double>(n + 31);  // columns begin at tiles
    const double bytes = (symmetric ? 2.0 : 1.0) * entries * number_bytes(in) + device_product_bytes(in, n);
    return bytes <= static_cast<double>(free_device_memory(device));
}

/// Dense factors that are made in the memory of a device. Multi-digit floats stay there.
template <array_space S>
factorization factorize_on(const cuda_executor& device, const S& space, const scaled_matrix& m, bool symmetric)
{
    const auto there = detail::on_device(device, space);
    using device_space = std::remove_const_t<decltype(there)>;
    dense_factors<device_space> factors(there, there.placed(dense_matrix(space, m)), symmetric);
    if constexpr (dense_factors<device_space>::solves_there) {
        return make_factorization(there, m.rows, std::move(factors));
    } else {
        return make_factorization(space, m.rows, factors.on_host());
    }
}

#endif

template <array_space S>
factorization factorize_in([[maybe_unused]] const arithmetic& in, const S& space, const scaled_matrix& m,
                           const long_factor_options& options)
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
    const bool symmetric = kinds.front() == factor_kind::cholesky;
#if defined(RESIDUA_CUDA)
    if constexpr (detail::is_eliminated_on_device<typename S::element>) {
        if (options.device && n >= least_rows_on_device && has_room(*options.device, in, n, symmetric)) {
            return factorize_on(*options.device, space, m, symmetric);
        }
    }
#endif
    return make_factorization(space, n, dense_factors<S>(space, dense_matrix(space, m), symmetric, elimination));
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
        result = factorize_in(in, host_space<blas::format_of_terms<Terms>>{}, matrix, options);
    };
    switch (in.format) {
        case number_format::multidigit:
            return factorize_in(in, multidigit_space<host_executor>{{}, multidigit_format(in.bits)}, matrix, options);
        case number_format::rns:
            return factorize_in(in, rns_space<host_executor>{{}, rns_format(in.bits)}, matrix, options);
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
