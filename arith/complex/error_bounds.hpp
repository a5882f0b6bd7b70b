#pragma once

namespace residua {

/// What the operations of a part are off by, in units of its u: 2^-53 for binary64, 2^-53 to the power N for
/// an expansion of N terms, 2^-p for p bits, and the u of its set for an RNS float.
struct part_bounds {
    double sum;       ///< x + y, relative
    double products;  ///< a b + c d, relative to itself, or to |a b| + |c d| if `cancels`
    bool cancels;
    double quotient;  ///< x / y, relative
    double root;      ///< sqrt(x), relative
};

/// Error bounds of complex operations, in the units of the bounds above. docs/format-complex.md derives them from bounds of real
/// operations. They hold where nothing overflows or underflows. Higher powers of u are left out if they are below 2^-10 of the rest.
struct complex_bounds {
    /// z w, part by part: relative to the part of z w, or to |a c| + |b d| and |a d| + |b c|.
    double product;
    double product_normwise;  ///< relative to |z w|
    double norm;              ///< relative
    double abs;               ///< relative
    double root;              ///< sqrt(z), relative, in each part
    /// z / w, part by part: quotient |part of z / w| + quotient_cancelled (|a c| + |b d|, or |b c| + |a d|) / |w|^2
    double quotient;
    double quotient_cancelled;
    double quotient_normwise;  ///< relative to |z / w|
};

constexpr complex_bounds bounds_of_complex(const part_bounds& part)
{
    constexpr double slack = 1.001;
    constexpr double root_of_two = 1.4142135623730951;
    const double cancelled = part.cancels ? part.products : 0.0;
    const double relative = part.products + part.quotient + (part.cancels ? 0.0 : part.products);
    const double abs = part.products / 2 + part.root;
    complex_bounds r{};
    r.product = slack * part.products;
    r.product_normwise = slack * part.products * (part.cancels ? root_of_two : 1.0);
    r.norm = slack * part.products;
    r.abs = slack * abs;
    r.root = slack * ((part.sum + abs) / 2 + part.root + part.quotient);
    r.quotient = slack * relative;
    r.quotient_cancelled = slack * cancelled;
    r.quotient_normwise = slack * (relative + root_of_two * cancelled);
    return r;
}

}  // namespace residua
