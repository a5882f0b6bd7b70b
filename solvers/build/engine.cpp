#include <residua/solvers/build/engine.hpp>

#include <algorithm>

#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/solvers/build/kept_corrections.hpp>

namespace residua {

namespace {

/// What numbers of a format take in memory: in a vector, and alone on the host.
struct bytes_of_number {
    double stored = 0.0;
    double alone = 0.0;
};

bytes_of_number bytes_of(const arithmetic& in)
{
    switch (in.format) {
        case number_format::multidigit:
            return {multidigit_format(in.bits).bytes(), sizeof(multidigit_number)};
        case number_format::rns:
            return {rns_format(in.bits).bytes(), sizeof(rns_number)};
        default: {
            const long terms = in.bits / 53;
            const double bytes = 8.0 * static_cast<double>(terms);
            return {bytes, bytes};
        }
    }
}

/// Vectors that an engine has besides those of its method: residual and correction, three of a preconditioner, two of
/// transfers.
constexpr double vectors_of_engine = 7.0;

}  // namespace

bool built_with_cuda() noexcept
{
#if defined(RESIDUA_CUDA)
    return true;
#else
    return false;
#endif
}

std::unique_ptr<correction_engine> make_engine(const arithmetic& in, const engine_request& request)
{
    if (request.method == method::gmres_ir) {
        return make_gmres_ir_engine(in, request);
    }
    if (request.method == method::direct) {
        return make_direct_engine(in, request);
    }
    switch (in.format) {
        case number_format::multidigit:
            return make_multidigit_engine(in.bits, request);
        case number_format::rns:
            return make_rns_engine(in.bits, request);
        default:
            return in.bits <= most_short_expansion_bits ? make_short_expansion_engine(in.bits, request)
                                                        : make_long_expansion_engine(in.bits, request);
    }
}

bool uses_transpose(method m) { return traits_of(m).transpose; }

double engine_bytes(const arithmetic& in, method method, index_t n, index_t nonzeros, bool exact, index_t restart,
                    index_t residuals)
{
    const method_traits& traits = traits_of(method);
    const method_memory kept = traits.memory(n, restart);
    const auto [number, alone] = bytes_of(in);
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
    return kept.scalars * alone + matrices * static_cast<double>(nonzeros) * (value + 4.0) * 2.0 +
           rows * vectors * number;
}

double number_bytes(const arithmetic& in) { return bytes_of(in).stored; }

arithmetic products_of(const arithmetic& in)
{
    return {in.format == number_format::native ? number_format::expansion : in.format,
            std::min<long>(2 * in.bits, multidigit_format::most_bits)};
}

double device_product_bytes(const arithmetic& in, index_t n)
{
    constexpr double most_sums = 8e9;  // at a time: blas/exact/gemm_exact.cu
    const double quarter = 0.25 * static_cast<double>(n) * static_cast<double>(n);
    const double sum_bits = 2.0 * static_cast<double>(in.bits) + 64.0;
    const double planes = 3.0 * sum_bits / 14.0;  // a residue of two digits takes three
    const double whole = static_cast<double>(in.bits) / 8.0 + 16.0;
    const double sums = quarter * (4.0 * planes + sum_bits / 8.0 + 8.0);
    return 3.0 * quarter * bytes_of(in).stored + 2.0 * quarter * (planes + whole) + std::min(sums, most_sums);
}

void correction_engine::correct(std::vector<correction>& columns)
{
    if (checkpoint_ == nullptr) {
        return compute(columns);
    }
    correct_with(*checkpoint_, key_, together(), columns, [this](std::vector<correction>& some) { compute(some); });
}

}  // namespace residua
