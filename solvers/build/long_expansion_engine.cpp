// Engines in expansions of 12 terms and more.

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/solvers/build/format_engine.hpp>

namespace residua {

std::unique_ptr<correction_engine> make_long_expansion_engine(long bits, const engine_request& request)
{
    switch (bits) {
        case 636:
            return expansion_engine<expansion<double, 12>>(request);
        case 848:
            return expansion_engine<expansion<double, 16>>(request);
        case 1272:
            return expansion_engine<expansion<double, 24>>(request);
        case 1696:
            return expansion_engine<expansion<double, 32>>(request);
        default:
            throw unsupported_error("no expansion of " + std::to_string(bits) + " bits");
    }
}

}  // namespace residua
