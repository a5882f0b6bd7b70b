#pragma once

namespace residua::blas {

/// How many bits exact sums of products keep of their factors.
struct exact_options {
    /// Bits of a number below the largest of its row or column; 0: all. A number of a row with all |terms| < 2^E, E as
    /// small as possible, is cut, towards zero, to a multiple of 2^(E - bits): each term of an expansion by itself.
    long bits = 0;
    /// Of C only the elements in and below the diagonal are wanted. Others may be made all the same, or be left as they are.
    bool lower = false;
};

}  // namespace residua::blas
