// Engines in binary64 and in expansions.

#include <string>

#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/build/format_engine.hpp>

namespace residua {
namespace {

template <number T>
struct spaces_of {
    template <class Exec>
    using type = blas_space<Exec, T>;
};

}  // namespace

std::unique_ptr<correction_engine> make_expansion_engine(long bits, const engine_request& request)
{
    std::unique_ptr<correction_engine> engine;
    if (!blas::with_compiled_terms(bits, [&]<int Terms>() {
            engine = engine_on<spaces_of<blas::format_of_terms<Terms>>::template type>(request);
        })) {
        throw unsupported_error("no expansion of " + std::to_string(bits) + " bits");
    }
    return engine;
}

}  // namespace residua
