#pragma once

#include <string>

#include <residua/arith/real/real.hpp>

namespace residua {

/// x rounded to `significant_digits` digits, without trailing zeros, as people write it: "2",
/// "0.125", "-1.5e-07".
std::string plain_text(const real& x, int significant_digits);

/// All digits of x: reading them back gives x itself at any precision that holds it.
std::string exact_text(const real& x);

/// x with three significant digits, for people: "3.14e-61"; also "0", "inf" and "nan".
std::string short_text(const real& x);

/// "1.5 GiB (1610612736 bytes)"
std::string bytes_text(double bytes);

/// "1.5 GiB"
std::string short_bytes_text(double bytes);

}  // namespace residua
