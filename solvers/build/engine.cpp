#include <residua/solvers/build/engine.hpp>

#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/solvers/build/format_engine.hpp>

namespace residua {

// These are compiled in krylov_expansions.cpp.
#define RESIDUA_INSTANTIATE(...)                                                           \
    extern template krylov_method<host_space<__VA_ARGS__>, bicgstabl_workspace> bicgstabl; \
    extern template krylov_method<host_space<__VA_ARGS__>, idr_workspace> idr;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
#undef RESIDUA_INSTANTIATE

#if defined(RESIDUA_CUDA)
#define RESIDUA_INSTANTIATE(...)                                                                               \
    extern template krylov_method<expansion_space<cuda_executor, __VA_ARGS__>, bicgstabl_workspace> bicgstabl; \
    extern template krylov_method<expansion_space<cuda_executor, __VA_ARGS__>, idr_workspace> idr;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
#undef RESIDUA_INSTANTIATE
#endif

namespace {

/// What numbers of a format take in memory: in a vector, and alone on the host.
struct number_bytes {
    double stored = 0.0;
    double alone = 0.0;
};

number_bytes bytes_of(const arithmetic& in)
{
    switch (in.format) {
        case number_format::multidigit:
            return {multidigit_format(in.bits).bytes(), sizeof(multidigit_number)};
        case number_format::rns:
            return {rns_format(in.bits).bytes(), sizeof(rns_number)};
        default: {
            const double bytes = 8.0 * static_cast<double>(in.bits / 53);
            return {bytes, bytes};
        }
    }
}

/// f(T{}) for the format of so many bits.
template <class F>
auto with_format(long bits, F&& f)
{
    switch (bits) {
        case 53:
            return f(double{});
        case 106:
            return f(expansion<double, 2>{});
        case 159:
            return f(expansion<double, 3>{});
        case 212:
            return f(expansion<double, 4>{});
        case 318:
            return f(expansion<double, 6>{});
        case 424:
            return f(expansion<double, 8>{});
        case 636:
            return f(expansion<double, 12>{});
        case 848:
            return f(expansion<double, 16>{});
        case 1272:
            return f(expansion<double, 24>{});
        case 1696:
            return f(expansion<double, 32>{});
        default:
            throw unsupported_error("no expansion of " + std::to_string(bits) + " bits");
    }
}

template <number T>
struct spaces_of {
    template <class Exec>
    using type = expansion_space<Exec, T>;
};

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
    switch (in.format) {
        case number_format::multidigit:
            return make_multidigit_engine(in.bits, request);
        case number_format::rns:
            return make_rns_engine(in.bits, request);
        default:
            return with_format(in.bits, [&]<class T>(T) { return engine_on<spaces_of<T>::template type>(request); });
    }
}

bool uses_transpose(method m) { return m == method::bicg || m == method::lsqr; }

double engine_bytes(const arithmetic& in, method method, index_t n, index_t nonzeros, bool exact, index_t restart,
                    index_t residuals)
{
    const auto [number, alone] = bytes_of(in);
    const double rows = static_cast<double>(n);
    if (method == method::direct) {
        return number * rows * rows * 5.0;  // the entries, the factors, a copy for Cholesky, and two for products
    }
    const double value = exact ? 8.0 : number;
    double vectors = method == method::idr ? 11.0 + 3.0 * static_cast<double>(default_idr_vectors) : 18.0;
    double hessenberg = 0.0;
    if (method == method::gmres || method == method::gmres_ir) {
        const index_t kept = method == method::gmres ? restart : std::max(restart, least_gmres_ir_restart);
        const double length = static_cast<double>(std::min(kept, std::max<index_t>(n, 1)));
        vectors += length;
        hessenberg = (length + 1.0) * length * alone;
    }
    if (method == method::gmres_ir) {  // four vectors in twice the bits
        vectors += 8.0;
    }
    if (residuals > 1) {  // refinement takes them together, and three matrices of them
        vectors += 8.0 * static_cast<double>(residuals);
    }
    const double matrices = uses_transpose(method) ? 2.0 : 1.0;
    return hessenberg + matrices * static_cast<double>(nonzeros) * (value + 4.0) * 2.0 + rows * vectors * number;
}

double applied_factors_bytes(const arithmetic& in, index_t n)
{
    return 2.0 * bytes_of(in).stored * static_cast<double>(n) * static_cast<double>(n);
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

}  // namespace residua
