// Engines in binary64 and in expansions of up to 8 terms.

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/solvers/build/format_engine.hpp>

namespace residua {

std::unique_ptr<correction_engine> make_short_expansion_engine(long bits, const engine_request& request)
{
    switch (bits) {
        case 53:
            return expansion_engine<double>(request);
        case 106:
            return expansion_engine<expansion<double, 2>>(request);
        case 159:
            return expansion_engine<expansion<double, 3>>(request);
        case 212:
            return expansion_engine<expansion<double, 4>>(request);
        case 318:
            return expansion_engine<expansion<double, 6>>(request);
        case 424:
            return expansion_engine<expansion<double, 8>>(request);
        default:
            throw unsupported_error("no expansion of " + std::to_string(bits) + " bits");
    }
}

}  // namespace residua
