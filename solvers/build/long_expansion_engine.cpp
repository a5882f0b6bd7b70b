// Engines in expansions of 12 terms and more.

#include <residua/solvers/build/format_engine.hpp>

namespace residua {

std::unique_ptr<correction_engine> make_long_expansion_engine(long bits, const engine_request& request)
{
    return expansion_engine<most_short_expansion_bits / 53 + 1, blas::compiled_terms.back()>(bits, request);
}

}  // namespace residua
