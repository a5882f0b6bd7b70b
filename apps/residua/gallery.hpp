#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// What a kind of test matrix can be told. Kinds use what their `gallery_kind` says.
struct gallery_options {
    index_t n = 0;    ///< order, or grid points along each side for the stencils
    real cond{1e12};  ///< wanted 2-norm condition number
    std::uint64_t seed = 1;
    real angle{1.2};        ///< theta of kahan, radians
    real peclet{0.5};       ///< cell Peclet number of convection-diffusion
    bool definite = false;  ///< randsvd: symmetric positive definite
    int digits = 40;        ///< decimals that the caller will write; entries are right to more
};

struct gallery_entry {
    index_t row = 0;
    real value;
};

/// A test matrix, one column at a time. `column` appends its entries from top to bottom; of a
/// symmetric matrix only those on and below the diagonal.
struct gallery_matrix {
    index_t order = 0;
    double entries = 0.0;  ///< that all columns give together; a double, since it may be absurd
    bool symmetric = false;
    bool dense = false;
    std::function<void(index_t column, std::vector<gallery_entry>& entries)> column;
};

/// The options that a kind takes besides n.
struct gallery_uses {
    bool cond = false;
    bool seed = false;
    bool angle = false;
    bool peclet = false;
    bool definite = false;
    bool digits = false;  ///< entries are not integers, and may need rounding
};

struct gallery_kind {
    std::string_view name;
    std::string_view about;
    gallery_uses uses;
    gallery_matrix (*make)(const gallery_options& options);
};

/// All kinds, in the order in which the help lists them.
const std::vector<gallery_kind>& gallery();

/// throws  usage_error unless 1 <= n and the order stays below 2^31
index_t gallery_order(index_t n, int dimensions = 1);

// gallery_dense.cpp
gallery_matrix make_hilbert(const gallery_options& options);
gallery_matrix make_invhilbert(const gallery_options& options);
gallery_matrix make_lotkin(const gallery_options& options);
gallery_matrix make_vandermonde(const gallery_options& options);
gallery_matrix make_pascal(const gallery_options& options);
gallery_matrix make_frank(const gallery_options& options);
gallery_matrix make_kahan(const gallery_options& options);

// gallery_sparse.cpp
gallery_matrix make_wilkinson(const gallery_options& options);
gallery_matrix make_poisson1d(const gallery_options& options);
gallery_matrix make_poisson2d(const gallery_options& options);
gallery_matrix make_poisson3d(const gallery_options& options);
gallery_matrix make_convection_diffusion(const gallery_options& options);
gallery_matrix make_toeplitz(const gallery_options& options);
gallery_matrix make_graded(const gallery_options& options);

// gallery_randsvd.cpp
gallery_matrix make_randsvd(const gallery_options& options);

}  // namespace residua
