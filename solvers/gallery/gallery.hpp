#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/coo.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// Options of test matrices. A kind uses those that its `gallery_kind` names.
struct gallery_options {
    index_t n = 0;    ///< order, or grid points or elements along each side for those on grids
    real cond{1e12};  ///< wanted 2-norm condition number
    std::uint64_t seed = 1;
    real angle{1.2};         ///< theta of kahan, radians
    real peclet{0.5};        ///< cell Peclet number of convection-diffusion
    real ratio{"0.3", 256};  ///< Poisson's ratio of elasticity3d
    real wavenumber{0.5};    ///< of helmholtz2d and shifted-laplacian2d: radians from one grid point to the next
    bool definite = false;   ///< randsvd: symmetric, or hermitian, positive definite
    bool complex = false;    ///< randsvd: complex
    int digits = 0;          ///< decimals that entries are right to, at least; 0: gallery_digits()
};

struct gallery_entry {
    index_t row = 0;
    real value;
    real imaginary = 0.0;  ///< 0 of real matrices
};

/// A test matrix, one column at a time. `column` appends the entries of a column from top to
/// bottom, for a symmetric or hermitian matrix only those on and below the diagonal.
struct gallery_matrix {
    index_t order = 0;
    double entries = 0.0;  ///< in all columns together; a double, since there may be absurdly many
    bool symmetric = false;
    bool dense = false;
    bool complex = false;
    bool hermitian = false;
    std::function<void(index_t column, std::vector<gallery_entry>& entries)> column;
    index_t nodes = 0;  ///< of a kind with several unknowns a node, which are next to each other; 0: a row is a node
    /// where a node is, in sides of an element
    std::function<std::array<index_t, 3>(index_t node)> coordinates = {};
};

/// The options that a kind takes besides n.
struct gallery_uses {
    bool cond = false;
    bool seed = false;
    bool angle = false;
    bool peclet = false;
    bool definite = false;
    bool digits = false;  ///< entries are not integers, and may need rounding
    bool ratio = false;
    bool wavenumber = false;
    bool complex = false;      ///< gallery_options::complex
    bool coordinates = false;  ///< gallery_matrix::coordinates is there
};

/// A kind of test matrix; its formula is in `about`.
struct gallery_kind {
    std::string_view name;
    std::string_view about;
    gallery_uses uses;
    gallery_matrix (*make)(const gallery_options& options);  ///< callers use make_gallery()
};

/// All kinds, in the order in which help lists them.
const std::vector<gallery_kind>& gallery();

/// The kind of a name.
///
/// throws  unsupported_error that lists the names
const gallery_kind& gallery_kind_of(std::string_view name);

/// The significant digits of entries that binary64 cannot hold: options.digits, by default 40. For randsvd the default
/// is 24 beyond those of its condition number, so that rounding does not spoil the condition.
int gallery_digits(const gallery_kind& kind, const gallery_options& options);

/// The matrix of a kind. Options that the kind does not use are ignored.
///
/// cost    that of the columns when they are asked for; randsvd makes the whole matrix, 4 n^2 log2(n) products of a
///         number with an integer
/// order   the same numbers on every machine and for any number of threads
/// throws  dimension_error unless 1 <= n and the order stays below 2^31; error unless 1 <= cond < infinity and
///         digits >= 0; resource_error if randsvd does not fit in memory
gallery_matrix make_gallery(const gallery_kind& kind, const gallery_options& options);

/// All entries in the order of make_system(), for a symmetric or hermitian matrix those above the diagonal too; of a complex
/// matrix those of its real form (linear_system::complex).
///
/// throws  resource_error if memory does not suffice
io::coo<real> all_entries(const gallery_matrix& a);

}  // namespace residua
