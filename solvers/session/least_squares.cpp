#include <residua/solvers/session/least_squares.hpp>

#include <algorithm>
#include <utility>

#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/assess/normal_inverse.hpp>

namespace residua {
namespace {

std::vector<real> negated(std::vector<real> v)
{
    for (real& each : v) {
        each = -each;
    }
    return v;
}

/// A'y within an error.
residual_evaluation exact_product(const linear_system& transposed, const std::vector<real>& y, const real& wanted_error)
{
    return evaluate_residual(transposed, std::vector<real>(static_cast<std::size_t>(transposed.rows), real(0.0)),
                             negated(y), wanted_error);
}

/// A'y with an error of at most 2^-bits of its norm, or below `negligible`.
residual_evaluation product_with_transpose(const linear_system& transposed, const std::vector<real>& y, long bits,
                                           const real& negligible)
{
    residual_evaluation product = exact_product(transposed, y, max(ldexp(norm2(y), -bits), negligible));
    for (int k = 0; k < 3 && max(ldexp(product.norm2, -bits), negligible) < product.error; ++k) {
        const real wanted = is_zero(product.norm2) ? ldexp(product.error, -2 * bits) : ldexp(product.norm2, -bits - 1);
        product = exact_product(transposed, y, max(wanted, negligible));
    }
    return product;
}

real dot(const std::vector<real>& x, const std::vector<real>& y)
{
    constexpr long bits = 256;
    real sum(0.0, bits);
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum += x[i].with_precision(bits) * y[i].with_precision(bits);
    }
    return abs(sum);
}

}  // namespace

bool is_by_qr(const session& s, const candidate& choice)
{
    return choice.method == method::direct && s.prepared.is_least_squares();
}

long_vector side_of_normal(const session& s, const solve_column& c, long bits)
{
    if (s.system().rows < s.system().cols) {
        return c.at_x.r;
    }
    // each number of A'r is to have so many bits, though a column of A may be far smaller than others
    const line_sizes sizes = sizes_of_lines(s.prepared.matrix());
    return product_with_transpose(s.prepared.transpose_of_a(), c.at_x.r.numbers(),
                                  bits + 20 + sizes.greatest - sizes.least, ldexp(c.at_x.error, sizes.least - 1))
        .r;
}

long_vector correction_by_normal(const session& s, long_vector z, long bits)
{
    if (s.system().rows >= s.system().cols) {
        return z;
    }
    const long carried = carried_bits(bits);
    residual_evaluation d = product_with_transpose(s.prepared.transpose_of_a(), z.numbers(), carried, real(0.0));
    return d.r.rounded(carried);
}

std::optional<real> error_by_qr(session& s, const solve_column& c)
{
    corrector& by = s.correctors.get(c.used, c.report.precision_bits, static_cast<index_t>(s.columns.size()));
    const factorization* const factors = by.engine != nullptr ? by.engine->factors() : nullptr;
    if (factors == nullptr || !factors->exist()) {
        return std::nullopt;
    }
    const linear_system& a = s.system();
    const scaled_matrix& scaled = s.prepared.matrix();
    const bool wide = a.rows < a.cols;
    const normal_inverse inverse = find_normal_inverse(scaled, *factors, factors->bits());
    const real norm = real(norm_estimate_safety) * to_real(inverse.norm);  // of inverse(A'A), or of inverse(A A')
    const std::vector<real> x = c.x.numbers();
    const real size = c.x.norm_inf();
    const real goal = ldexp(pow(real(10.0, 64), -std::max(s.options().digits, 1)) * size, -10);

    // what an error of r adds to e: the pseudo-inverse of A has the root of the norm of inverse(A'A)
    const real root = sqrt(norm);
    const residual_evaluation at = evaluate_residual(a, c.b.numbers(), x, goal / root, c.reading_error);
    std::vector<real> side = at.r.numbers();
    real unknown = root * at.error;
    if (!wide) {
        const residual_evaluation normal = exact_product(s.prepared.transpose_of_a(), side, goal / norm);
        side = normal.r.numbers();
        unknown = unknown + norm * normal.error;
    }
    long_vector v(side);  // in the bits of the factors, since rounding errors of A'r are multiplied by inverse(A'A)
    const std::vector<real> solved = factors->solve({&v}, scaling_of_normal(scaled), nullptr).front().numbers();
    const real energy = sqrt(dot(side, solved));  // ||R e||_2, or ||e||_2 of the wide matrix
    const real unsure = min(ldexp(real(1.0), static_cast<long>(inverse.lost) + 4 - factors->bits()), real(1.0));
    real error = unknown;
    if (wide) {
        error = error + (real(1.0) + unsure) * energy + ldexp(norm2(x), 1 - c.report.solution_bits);
    } else {
        error = error + norm_inf(solved) + unsure * root * energy;
    }
    return error * real(1.0 + 0x1p-20) / size;  // for roundings of norms
}

}  // namespace residua
