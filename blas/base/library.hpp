#pragma once

#include <string>

namespace residua::blas {

/// The library of BLAS and LAPACK that this process has loaded, and whose kernels it runs.
struct library_info {
    std::string name;            ///< "OpenBLAS"; for another library, the file that it is in
    std::string version;         ///< empty: unknown
    std::string core;            ///< OpenBLAS's name of the processor whose kernels run; empty: unknown
    std::string suggested_core;  ///< a newer core whose instructions this processor has; empty: none is known
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

/// Why factors take longer than necessary, and what to do, in one sentence. Empty if they do not, as far as is known.
std::string advice(const library_info& info);

namespace detail {

/// The value that OPENBLAS_CORETYPE should have on this processor, for an OpenBLAS that runs the kernels for `core`;
/// null if it needs none. May be called before the C++ library is initialised.
const char* better_core(const char* core) noexcept;

/// better_core() on a processor with or without AVX2 and FMA, and with or without the AVX-512 parts that OpenBLAS uses.
const char* better_core(const char* core, bool has_avx2, bool has_avx512) noexcept;

}  // namespace detail
}  // namespace residua::blas
