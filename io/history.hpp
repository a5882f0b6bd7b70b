#pragma once

#include <string>
#include <string_view>

#include <residua/io/error.hpp>

namespace residua::io {

/// The first line of a convergence history in CSV.
inline constexpr std::string_view history_header =
    "iteration,recursive_relative_residual,true_relative_residual,seconds,precision_bits\n";

/// One step of a solve. Residuals are decimals, since they may leave the range of a double;
/// `exact` is empty where the true residual was not computed.
struct history_step {
    index_t iteration = 0;
    std::string recursive;
    std::string exact;
    double seconds = 0.0;
    long precision_bits = 0;
};

/// The line of a step, with its end of line.
std::string to_csv(const history_step& step);

}  // namespace residua::io
