#pragma once

#include <string>

namespace residua::blas {

/// The library of BLAS and LAPACK that this process has loaded, and whose kernels it runs.
struct library_info {
    std::string name;            ///< OpenBLAS; of another library the file that it is in
    std::string version;         ///< empty: unknown
    std::string core;            ///< the processor whose kernels run, by OpenBLAS's name for it; empty: unknown
    std::string suggested_core;  ///< a newer one that this processor has the instructions of; empty: none is known
};

/// OpenBLAS chooses its kernels when it is loaded. A processor that it does not know gets those of an old one, which
/// take about three times as long; the variable OPENBLAS_CORETYPE in the environment, set to `suggested_core` before the
/// library is loaded, gives it newer ones. Where it was set, nothing is suggested.
///
/// cost     nothing, after the first call
/// throws   std::bad_alloc
const library_info& library();

/// "OpenBLAS 0.3.21, kernels for Haswell".
std::string to_string(const library_info& info);

/// Why factors take longer than they need, and what to do, in one sentence. Empty: they do not, as far as is known.
std::string advice(const library_info& info);

namespace detail {

/// What OPENBLAS_CORETYPE should be on this processor, for an OpenBLAS that runs the kernels for `core`; null: as it is. May
/// be called before the C++ library is initialised.
const char* better_core(const char* core) noexcept;

/// The same on a processor with or without AVX2 and FMA, and with or without those parts of AVX-512 that OpenBLAS uses.
const char* better_core(const char* core, bool has_avx2, bool has_avx512) noexcept;

}  // namespace detail
}  // namespace residua::blas
