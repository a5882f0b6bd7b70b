#pragma once

#include <residua/solvers/gallery/gallery.hpp>

namespace residua::detail {

/// throws  dimension_error unless 1 <= n and n^dimensions < 2^31
index_t gallery_order(index_t n, int dimensions = 1);

/// throws  dimension_error unless a matrix may have that order
void require_order(double order);

// These functions make the kinds; options.digits is never 0 here. In dense.cpp:
gallery_matrix make_hilbert(const gallery_options& options);
gallery_matrix make_invhilbert(const gallery_options& options);
gallery_matrix make_lotkin(const gallery_options& options);
gallery_matrix make_vandermonde(const gallery_options& options);
gallery_matrix make_pascal(const gallery_options& options);
gallery_matrix make_frank(const gallery_options& options);
gallery_matrix make_kahan(const gallery_options& options);

// In sparse.cpp:
gallery_matrix make_wilkinson(const gallery_options& options);
gallery_matrix make_poisson1d(const gallery_options& options);
gallery_matrix make_poisson2d(const gallery_options& options);
gallery_matrix make_poisson3d(const gallery_options& options);
gallery_matrix make_convection_diffusion(const gallery_options& options);
gallery_matrix make_toeplitz(const gallery_options& options);
gallery_matrix make_graded(const gallery_options& options);

// In complex.cpp:
gallery_matrix make_helmholtz2d(const gallery_options& options);
gallery_matrix make_shifted_laplacian2d(const gallery_options& options);
gallery_matrix make_scattering1d(const gallery_options& options);
gallery_matrix make_hermitian_toeplitz(const gallery_options& options);
/// D A E with diagonal D and E of random complex numbers of modulus 1, E = D^H for a symmetric A: a complex matrix with the singular
/// values of A.
gallery_matrix with_phases(gallery_matrix a, const gallery_options& options);

// In elasticity.cpp:
gallery_matrix make_elasticity3d(const gallery_options& options);

// In randsvd.cpp:
gallery_matrix make_randsvd(const gallery_options& options);

}  // namespace residua::detail
