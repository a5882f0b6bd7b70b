// Engines in binary64 and in expansions of up to 8 terms.

#include <residua/solvers/build/format_engine.hpp>

namespace residua {

std::unique_ptr<correction_engine> make_short_expansion_engine(long bits, const engine_request& request)
{
    return expansion_engine<1, most_short_expansion_bits / 53>(bits, request);
}

}  // namespace residua
