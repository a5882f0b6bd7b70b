#include <residua/solvers/precond/factorize.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/dense_qr.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/precond/factors_of.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {
namespace {

/// Factors of a kind; if L L' fails, L D L'.
template <array_space S>
dense_factors<S> dense_factors_of(const S& space, typename S::matrix a, factor_kind kind,
                                  const elimination_options& options)
{
    return kind == factor_kind::ldl ? dense_factors<S>::ldl(space, std::move(a), options)
                                    : dense_factors<S>(space, std::move(a), kind == factor_kind::cholesky, options);
}

#if defined(RESIDUA_CUDA)

/// Rows from which on a device makes all of dense factors. With fewer the host takes less than 0.1 s at 848 bits, and
/// most products of a device would be too small to fill it.
constexpr index_t least_rows_on_device = 256;
/// The most terms that exact sums have on a device.
constexpr index_t most_rows_of_qr_on_device = 131056;

/// Whether a device has room for n x n factors, a copy for Cholesky or for L D L', and what the largest product takes.
bool has_room(const cuda_executor& device, const arithmetic& in, index_t n, bool symmetric)
{
    const double entries = static_cast<double>(n) * static_cast<double>(n + 31);  // columns begin at tiles
    const double bytes = (symmetric ? 2.0 : 1.0) * entries * number_bytes(in) + device_product_bytes(in, n);
    return bytes <= static_cast<double>(free_device_memory(device));
}

/// Dense factors that are made in the memory of a device. Multi-digit floats stay there.
template <array_space S>
factorization factorize_on(const cuda_executor& device, const S& space, const scaled_matrix& m, factor_kind kind)
{
    const auto there = detail::on_device(device, space);
    using device_space = std::remove_const_t<decltype(there)>;
    dense_factors<device_space> factors =
        dense_factors_of(there, there.placed(dense_matrix(space, m)), kind, {.complex = m.complex});
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
    const elimination_options elimination{
        .products = {.device = options.device}, .keeper = options.keeper, .complex = m.complex};
    if constexpr (!std::same_as<typename S::element, rns>) {
        if (!takes_dense_factors(n, m.column.size())) {
            sparse_analyses alone;
            sparse_analyses& analyses = options.analyses != nullptr ? *options.analyses : alone;
            const std::vector<real> exact = m.exact.in_bits(reading_bits_of(space));
            return made_in_turn(kinds, [&](factor_kind kind) {
                return make_factorization(space, n,
                                          multifrontal<S>(space, analyses.of(m, kind), m, exact, elimination));
            });
        }
    }
    const factor_kind kind = m.complex_symmetric ? factor_kind::lu : kinds.front();  // sparse ones in RNS floats, too
#if defined(RESIDUA_CUDA)
    if constexpr (detail::is_eliminated_on_device<typename S::element>) {
        const bool in_complex_numbers = m.complex && kind != factor_kind::ldl;  // of which the device makes products
        if (options.device && !in_complex_numbers && n >= least_rows_on_device &&
            has_room(*options.device, in, n, kind != factor_kind::lu)) {
            return factorize_on(*options.device, space, m, kind);
        }
    }
#endif
    return make_factorization(space, n, dense_factors_of(space, dense_matrix(space, m), kind, elimination));
}

/// The number of the first row of L whose diagonal is no usable pivot; -1: there is none.
template <array_space S>
index_t unusable_pivot(const S& space, const typename S::matrix& l)
{
    for (index_t k = 0; k < l.cols(); ++k) {
        const auto pivot = l.get(k, k);
        if (pivot == space.make_scalar(0.0) || !is_finite(pivot)) {
            return k;
        }
    }
    return -1;
}

/// The factorisation with L, the factor of a dense_qr on the host or on a device.
template <array_space S, class Host>
factorization factorization_by(const S& space, const Host& here, const dense_qr<S>& qr)
{
    if (!qr.failure().empty()) {
        return factorization(qr.failure(), factor_kind::cholesky);
    }
    typename S::matrix l = qr.lower_triangle();
    const index_t n = l.cols();
    const auto make = [&](const auto& in, auto known) -> factorization {
        using known_space = std::remove_cvref_t<decltype(in)>;
        return make_factorization(in, n, dense_factors<known_space>(in, std::move(known), {}, true));
    };
    index_t k = -1;
    if constexpr (S::on_host) {
        k = unusable_pivot(here, l);
    } else {
        k = unusable_pivot(here, to_host(space.exec, l));
    }
    if (k >= 0) {
        return factorization("QR: line " + std::to_string(k + 1) + " of the matrix depends on those before it",
                             factor_kind::cholesky);
    }
    if constexpr (dense_factors<S>::solves_there) {
        return make(space, std::move(l));
    } else {
        return make(here, to_host(space.exec, l));
    }
}

template <array_space S>
factorization factorize_qr_in([[maybe_unused]] const arithmetic& in, const S& space, const scaled_matrix& m,
                              const long_factor_options& options)
{
    typename S::matrix a = dense_matrix(space, m);
    if (m.rows < m.cols) {
        typename S::matrix transposed = space.make_matrix(m.cols, m.rows);
        detail::transpose(a.view(), transposed.view());
        a = std::move(transposed);
    }
#if defined(RESIDUA_CUDA)
    if constexpr (detail::is_eliminated_on_device<typename S::element>) {
        if (options.device && a.cols() >= least_rows_on_device && a.rows() <= most_rows_of_qr_on_device &&
            has_room(*options.device, in, a.rows(), true)) {
            const auto there = detail::on_device(*options.device, space);
            using device_space = std::remove_const_t<decltype(there)>;
            return factorization_by(there, space, dense_qr<device_space>(there, there.placed(std::move(a))));
        }
    }
#endif
    return factorization_by(space, space, dense_qr<S>(space, std::move(a), {.products = {.device = options.device}}));
}

/// Calls f(space) with the space of a format on the host.
template <class F>
factorization in_format(const arithmetic& in, const F& f)
{
    factorization result;
    const auto in_terms = [&]<int Terms>() { result = f(host_space<blas::format_of_terms<Terms>>{}); };
    switch (in.format) {
        case number_format::multidigit:
            return f(multidigit_space<host_executor>{{}, multidigit_format(in.bits)});
        case number_format::rns:
            return f(rns_space<host_executor>{{}, rns_format(in.bits)});
        default:
            if (!blas::with_compiled_terms(in.bits, in_terms)) {
                throw unsupported_error("no expansion of " + std::to_string(in.bits) + " bits");
            }
            return result;
    }
}

/// Bytes of the factors while they are made, of the first kind that is tried. Factors by fronts are analysed for this.
double long_factors_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                          preconditioner kind)
{
    if (in.format == number_format::rns || takes_dense_factors(matrix.rows, matrix.column.size())) {
        return engine_bytes(in, method::direct, matrix.rows, 0, false, 0);
    }
    return bytes_of_fronts(*analyses.of(matrix, kinds_of_factors(matrix, kind).front()), number_bytes(in));
}

}  // namespace

factorization factorize_long(const arithmetic& in, const scaled_matrix& matrix, const long_factor_options& options)
{
    sparse_analyses alone;
    require_memory("the factorisation",
                   long_factors_bytes(in, matrix, options.analyses ? *options.analyses : alone, options.kind));
    return in_format(in, [&](const auto& space) { return factorize_in(in, space, matrix, options); });
}

factorization factorize_qr(const arithmetic& in, const scaled_matrix& matrix, const long_factor_options& options)
{
    return in_format(in, [&](const auto& space) { return factorize_qr_in(in, space, matrix, options); });
}

double long_factors_device_bytes(const arithmetic& in, const scaled_matrix& matrix, sparse_analyses& analyses,
                                 preconditioner kind)
{
    if (in.format == number_format::rns || takes_dense_factors(matrix.rows, matrix.column.size())) {
        return device_product_bytes(in, matrix.rows);
    }
    const assembly_tree& tree = analyses.of(matrix, kinds_of_factors(matrix, kind).front())->tree;
    index_t largest = 0;
    for (index_t f = 0; f < tree.fronts(); ++f) {
        largest = std::max(largest, tree.order(f));
    }
    return device_product_bytes(in, 2 * largest);  // a product of dense factors has half of their rows
}

}  // namespace residua
