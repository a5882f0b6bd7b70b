#include <residua/solvers/options/method_bytes.hpp>

#include <algorithm>

namespace residua {
namespace {

/// Vectors that an engine has besides its method's: residual and correction, three of a preconditioner, two of
/// transfers.
constexpr double vectors_of_engine = 7.0;
/// Vectors of complex scalars besides these: J x, and two for the complex linear part of a preconditioner.
constexpr double vectors_of_complex_scalars = 1.0, vectors_of_linear_part = 2.0;

}  // namespace

double engine_bytes(const arithmetic& in, method method, index_t n, index_t nonzeros, bool exact, index_t restart,
                    index_t residuals, bool complex)
{
    const method_traits& traits = traits_of(method);
    const bool has_complex_scalars = complex && traits.complex_scalars;
    const method_memory kept = traits.memory(has_complex_scalars ? n / 2 : n, restart);
    const double number = number_bytes(in);
    const double rows = static_cast<double>(n);
    if (traits.dense) {
        return rows * kept.vectors * number;
    }
    const double value = exact ? 8.0 : number;
    double vectors = kept.vectors + vectors_of_engine;
    if (residuals >
        1) {  // taken together: right-hand side, solution, three of the method, and three matrices of products
        vectors += 8.0 * static_cast<double>(residuals);
    }
    const double matrices = traits.transpose ? 2.0 : 1.0;
    if (has_complex_scalars) {
        vectors += vectors_of_complex_scalars + matrices * vectors_of_linear_part;
    }
    const double parts = has_complex_scalars ? 2.0 : 1.0;
    return parts * kept.scalars * scalar_bytes(in) + matrices * static_cast<double>(nonzeros) * (value + 4.0) * 2.0 +
           rows * vectors * number;
}

double device_product_bytes(const arithmetic& in, index_t n)
{
    constexpr double most_sums = 8e9;  // at a time: blas/exact/gemm_exact.cu
    const double quarter = 0.25 * static_cast<double>(n) * static_cast<double>(n);
    const double sum_bits = 2.0 * static_cast<double>(in.bits) + 64.0;
    const double planes = 3.0 * sum_bits / 14.0;  // a residue of two digits takes three
    const double whole = static_cast<double>(in.bits) / 8.0 + 16.0;
    const double sums = quarter * (4.0 * planes + sum_bits / 8.0 + 8.0);
    return 3.0 * quarter * number_bytes(in) + 2.0 * quarter * (planes + whole) + std::min(sums, most_sums);
}

}  // namespace residua
