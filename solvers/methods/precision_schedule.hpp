#pragma once

#include <residua/io/error.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>
#include <residua/solvers/options/spectrum.hpp>

namespace residua {

/// When a Krylov method that sums x goes on in fewer bits, and in how many. Residuals are relative to ||b||.
///
/// From iterate k on r, p and the sum d of further steps have so few bits u = 2^-p that each step moves b - A x from r_k by
/// 2^-guard of the tolerance at most, as error_bounds.md, section 17, has it: u g ||r_k|| <= 2^-guard tol. The growth g stands
/// for || |A| || ||d|| / ||r_k||. It is predicted by the largest one so far: that of the sum since the last change, and
/// the condition by the Ritz values that were seen. Neither says much before the method has seen where b lies: until the
/// residual has fallen by g and 16 bits more, p has 64 bits more.
///
/// All is decided in integers, from exponents: the same on every machine, on host and device.
///
/// cost   of a decision: some comparisons; where bits may fall, the norm of d and the Ritz values
/// from   inexact products, which may be the less accurate the smaller the residual is [SS03; vdES04]; sums of steps in
///        groups [SvdV96]
class precision_schedule {
public:
    /// bits         of the method's first iterations
    /// tolerance    the tolerance of the residual, at which the method ends
    /// matrix_norm  a bound of || |A| ||_2; 0: the bits stay
    precision_schedule(long bits, double tolerance, double matrix_norm);

    long bits() const { return bits_; }

    /// Whether fewer bits would do from iterate k on, if the growth is no larger than the largest so far.
    bool is_due(index_t k, double residual);

    /// Notes the growth up to iterate k, and lowers bits() where that allows it; returns whether it did.
    ///
    /// sum  ||d|| / ||b||, where d is the sum of the steps since the last change
    bool falls(index_t k, double residual, double sum, const seen_spectrum& seen);

    void archive(state_archive& io)
    {
        io.value(bits_);
        io.value(first_);
        io.value(start_);
        io.value(growth_);
    }

private:
    long needed_bits(index_t k, double residual) const;

    long bits_;
    double tolerance_, matrix_norm_;
    double first_ = 0.0;  ///< the residual of iterate 0
    double start_ = 0.0;  ///< the residual at the last change
    long growth_ = 0;     ///< log2 of the largest growth, rounded up
};

}  // namespace residua
