#pragma once

namespace residua {

/// How decimals in A and in b become numbers. `binary64`: the nearest one; `decimal`: as written, to decimal_bits();
/// `automatic`, for each of the two files: binary64 unless a number has more than 17 significant digits or leaves binary64's
/// range, and not every number is what its binary64 number prints as with as many digits.
enum class entry_reading { automatic, binary64, decimal };

}  // namespace residua
