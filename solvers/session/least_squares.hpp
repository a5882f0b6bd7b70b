#pragma once

#include <optional>
#include <vector>

#include <residua/solvers/session/session.hpp>

/// Least squares by QR, whose factors solve with A'A or, if A has fewer rows than columns, with A A': corrections of x by the
/// seminormal equations, d = inverse(R'R) A'r or d = A' inverse(R'R) r. The products with A' are made in as many bits as it
/// takes, so that each correction reduces the error by about u times the condition of A, not of A'A, and the residual need
/// not vanish [Bjo87]; a shortest x stays one, since each correction is a sum of rows of A.
namespace residua {

/// Whether a column is corrected by QR.
bool is_by_qr(const session& s, const candidate& choice);

/// What the factors solve with: A'r, or r.
long_vector side_of_normal(const session& s, const solve_column& c, long bits);

/// The correction of x by what they gave, in carried_bits(bits).
long_vector correction_by_normal(const session& s, long_vector z, long bits);

/// An estimate of ||x - x*||_inf / ||x||_inf, x not zero, x* the least-squares solution or the shortest one. The error e has A'A
/// e = A'r or e = A' inverse(A A') r, and so it is computed by the factors, with what their own error, that of r and the bits of
/// x may add. Empty: there are no factors.
///
/// cost  24 solves with R'R, A'r and a residual
/// from  [Bjo87], [Bjo96]
std::optional<real> error_by_qr(session& s, const solve_column& c);

}  // namespace residua
