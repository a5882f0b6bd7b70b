#include <residua/solvers/session/determinant.hpp>

#include <cmath>
#include <memory>
#include <numeric>

#include <residua/solvers/matrix/matching.hpp>
#include <residua/solvers/solver.hpp>

namespace residua {
namespace {

constexpr double error_unasked = -10.0;
constexpr double error_of_signs = -10.0;  // log2, relative to inverse(S): so small that no eigenvalue changes its sign

struct factor_choice {
    long bits;
    double error;  ///< log2 of n (cond(S) + 3) 2^-bits: the error of the factors, and 3 n roundings
};

/// The factors of lowest precision with an error of up to 2^wanted; empty: they are out of reach, or A looks singular.
std::optional<factor_choice> choose_factors(prepared_system& prepared, double wanted)
{
    if (prepared.make_inverse(0) == nullptr) {
        return std::nullopt;
    }
    const double condition = lost_bits(*prepared.made().condition());
    const double lost = condition + std::log2((1.0 + 3.0 * std::exp2(-condition)) * prepared.made().weight() *
                                              static_cast<double>(prepared.system().rows));
    for (const long bits : available_precisions()) {
        const double error = lost - static_cast<double>(bits);
        if (bits >= prepared.made().trusted_bits() && error <= wanted) {
            const bool known = bits == prepared.made().trusted_bits();
            return known || bits <= prepared.reach().automatic ? std::optional(factor_choice{bits, error})
                                                               : std::nullopt;
        }
    }
    return std::nullopt;
}

/// The product of the pivots of a complex S, by these factors of its real form or, if they do not show it, by others.
std::optional<complex_number<real>> complex_determinant(prepared_system& prepared, const factorization& factors,
                                                        long bits)
{
    if (auto known = factors.find_complex_determinant()) {
        return known;
    }
    sparse_analyses in_pairs(true);
    return factorize_long(factors_in(bits), prepared.matrix(),
                          {.kind = preconditioner::lu,
                           .device = prepared.factor_device(),
                           .analyses = &in_pairs,
                           .keeper = prepared.states()})
        .find_complex_determinant();
}

}  // namespace

std::optional<determinant_estimate> find_determinant(prepared_system& prepared, int digits)
{
    if (prepared.system().rows == 0) {
        return determinant_estimate{.value = real(1.0), .relative_error = real(0.0)};
    }
    if (prepared.rank()) {
        return determinant_estimate{.value = real(0.0), .relative_error = real(0.0)};
    }
    const double wanted = digits > 0 ? -digits * std::log2(10.0) : error_unasked;
    const std::optional<factor_choice> choice = choose_factors(prepared, wanted);
    if (!choice) {
        return structural_rank(prepared.matrix()) < prepared.matrix().rows
                   ? std::optional(determinant_estimate{.value = real(0.0), .relative_error = real(0.0)})
                   : std::nullopt;
    }
    const factorization& factors = prepared.make_factors_in(choice->bits).factors;
    const std::optional<real> of_scaled = factors.find_determinant();
    if (!of_scaled || is_zero(*of_scaled) || !is_finite(*of_scaled)) {
        return std::nullopt;
    }
    const scaled_matrix& matrix = prepared.matrix();
    const long scaled_by = std::reduce(matrix.row_exponent.begin(), matrix.row_exponent.end(), 0L) +
                           std::reduce(matrix.column_exponent.begin(), matrix.column_exponent.end(), 0L);
    const double whole = std::floor(choice->error);
    determinant_estimate found{.value = ldexp(*of_scaled, -scaled_by),
                               .relative_error = ldexp(real(std::exp2(choice->error - whole)), std::lround(whole))};
    if (!prepared.system().complex) {
        return found;
    }
    found.value = sqrt(found.value);  // the determinant of the real form is the square of the modulus
    if (prepared.structure().symmetric) {
        const std::optional<inertia> signs = find_inertia(prepared);
        if (signs && signs->negative / 2 % 2 != 0) {
            found.value = -found.value;
        }
        return signs ? std::optional(found) : std::nullopt;
    }
    const std::optional<complex_number<real>> product = complex_determinant(prepared, factors, choice->bits);
    if (product) {
        const complex_number<real> of_matrix = ldexp(*product, -scaled_by / 2);
        const real modulus = abs(of_matrix), difference = abs(modulus - found.value);
        found.value = modulus;
        found.parts = {of_matrix.real(), of_matrix.imag()};
        return difference <= ldexp(found.relative_error, 1) * modulus ? std::optional(found) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<inertia> find_inertia(prepared_system& prepared)
{
    const index_t n = prepared.system().rows;
    if (const std::optional<known_rank>& known = prepared.rank()) {
        std::optional<inertia> found{inertia{}};
        if (known->shown_by != nullptr) {
            found = known->shown_by->inertia();
        } else if (known->rank() > 0) {
            solve_options options;
            options.interrupted = prepared.clock().interruption();
            found = solver(part_of(prepared.system(), known->part), std::move(options)).inertia();
        }
        if (found) {
            found->zero = n - known->rank();
        }
        return found;
    }
    const std::optional<factor_choice> choice =
        n > 0 ? choose_factors(prepared, error_of_signs) : std::optional<factor_choice>();
    if (!choice) {
        return n > 0 ? std::nullopt : std::optional<inertia>(inertia{});
    }
    if (choice->bits == prepared.made().trusted_bits()) {
        if (const auto known = prepared.make_factors_in(choice->bits).factors.find_inertia()) {
            return known;
        }
    }
    return factorize_long(factors_in(choice->bits), prepared.matrix(),
                          {.kind = preconditioner::ldl,
                           .device = prepared.factor_device(),
                           .analyses = &prepared.analyses(),
                           .keeper = prepared.states()})
        .find_inertia();
}

}  // namespace residua
