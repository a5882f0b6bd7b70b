#include "solution.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include <residua/blas/base/parallel.hpp>
#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/session/prepared.hpp>
#include <residua/solvers/space/exact_residual.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include <apps/residua/text/lines.hpp>
#include <apps/residua/text/number_text.hpp>

namespace residua {
namespace {

using blas::detail::parallel_ranges;

/// x as a reader of its text gets it: each element is parsed from `digits` digits, to more bits than text and x have.
std::vector<real> read_back(const std::vector<real>& x, int digits)
{
    constexpr double operations_of_digit = 50.0;
    const double work = operations_of_digit * digits * static_cast<double>(x.size());
    std::vector<real> y(x.size());
    parallel_ranges(static_cast<index_t>(x.size()), 64, work, [&](index_t begin, index_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const long bits = std::max<long>(x[i].precision(), 4L * digits + 128);
            y[i] = real(plain_text(x[i], digits), bits);
        }
    });
    return y;
}

/// The stopping test that x passed, or came closest to. x rounded to fewer digits has to pass it, too.
class stopping_test {
public:
    stopping_test(const linear_system& system, const std::vector<real>& b, const solve_report& report)
        : system_(system),
          b_(b),
          residual_(reported(report.relative_residual * report.rhs_norm)),
          limit_(max(max(report.rtol * report.rhs_norm, report.atol), residual_))
    {
        if (report.least_squares) {
            transposed_ = transpose(system);
            norm_ = matrix_norm_frobenius(system);
            normal_limit_ = max(report.rtol, reported(*report.normal_residual)) * norm_;
        }
    }

    bool can_be_passed() const { return is_finite(limit_) && is_finite(normal_limit_); }

    /// Whether x surely passes when it is rounded to `digits` decimal digits. Rounding adds to ||b - A x||_2 at most
    /// sqrt(m) ||A||_inf ||x||_inf 10^(1 - digits) / 2, and the test assumes twice as much.
    bool is_passed_with(int digits, const std::vector<real>& x) const
    {
        const scaled_double growth = scaled_double(std::sqrt(static_cast<double>(system_.rows))) * norm_of_matrix() *
                                     scaled_double(norm_inf(x)) * scaled_double(pow(real(10.0), 1 - digits));
        return !transposed_ && scaled_double(residual_) + growth < scaled_double(limit_);
    }

    /// The number of decimal digits that x needs in addition; 0 if it passes.
    int lacks(const std::vector<real>& x) const
    {
        const residual_evaluation at = residual_of(x);
        int lacks = digits_between(at.norm2 + at.error, limit_);
        if (lacks == 0 && transposed_) {
            const real limit = normal_limit_ * at.norm2;
            const normal_evaluation normal = evaluate_normal(*transposed_, norm_, at, ldexp(limit, -32));
            lacks = digits_between(normal.norm2 + normal.error, limit);
        }
        return lacks;
    }

private:
    scaled_double norm_of_matrix() const
    {
        return system_.elsewhere != nullptr ? system_.elsewhere->outline().norm_inf : matrix_norm_inf(system_);
    }

    /// b - A x, by exact sums where multi-digit floats hold all numbers.
    residual_evaluation residual_of(const std::vector<real>& x) const
    {
        matrix_storage storage(system_);
        long_vector b = long_vector::exactly(b_);
        const long_vector at = long_vector::exactly(x);
        std::optional<residual_matrix> a = residual_matrix::of(system_, storage);
        if (a && !b.in_mpfr() && !at.in_mpfr()) {
            return evaluate_exactly(*a, b, at);
        }
        const bool is_here = system_.elsewhere == nullptr;
        return evaluate_residual(is_here ? system_ : *with_entries_here(system_), b_, x, ldexp(limit_, -32));
    }

    /// An upper bound of a figure that the report gives with six digits.
    static real reported(const real& figure) { return figure + ldexp(figure, -20); }

    static int digits_between(const real& norm, const real& limit)
    {
        constexpr long most_at_once = 1000;
        if (norm <= limit) {
            return 0;
        }
        const long bits = is_zero(limit) ? 64 : std::clamp(exponent(norm) - exponent(limit), 3L, most_at_once);
        return static_cast<int>(bits * 31 / 100) + 2;
    }

    const linear_system& system_;
    const std::vector<real>& b_;
    real residual_, limit_;
    real norm_ = 0.0;
    real normal_limit_ = 0.0;
    std::optional<linear_system> transposed_;
};

/// The precision of the longest element, and of binary64 at least.
long most_bits(std::initializer_list<const std::vector<real>*> vectors)
{
    long bits = real::double_bits;
    for (const std::vector<real>* v : vectors) {
        for (const real& element : *v) {
            bits = std::max(bits, element.precision());
        }
    }
    return bits;
}

/// relative_error() in this precision for the y whose elements are y(i).
template <class F>
real relative_error_of(const std::vector<real>& x, long bits, const F& y)
{
    real largest(0.0, bits);
    real scale(0.0, bits);
    std::mutex merging;
    constexpr double operations_of_bit = 1.0;
    const double work = operations_of_bit * static_cast<double>(bits) * static_cast<double>(x.size());
    parallel_ranges(static_cast<index_t>(x.size()), 64, work, [&](index_t begin, index_t end) {
        real far(0.0, bits);
        real size(0.0, bits);
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            far = max(far, abs(x[i].with_precision(bits) - y(i)));
            size = max(size, abs(y(i)));
        }
        const std::lock_guard lock(merging);
        largest = max(largest, far);
        scale = max(scale, size);
    });
    return is_zero(scale) ? largest : largest / scale;
}

}  // namespace

int sufficient_digits(const linear_system& system, const std::vector<real>& b, const std::vector<real>& x,
                      const solve_report& report)
{
    int digits = round_trip_digits(report.solution_bits);
    const stopping_test test(system, b, report);
    if (!test.can_be_passed() ||
        !std::all_of(x.begin(), x.end(), [](const real& element) { return is_finite(element); })) {
        return digits;
    }
    if (test.is_passed_with(digits, x)) {
        return digits;
    }
    for (;;) {
        const std::vector<real> y = read_back(x, digits);
        const int lacks = test.lacks(y);
        if (lacks == 0 || y == x) {
            return digits;
        }
        digits += lacks;
    }
}

void write_solution(output_file& file, const linear_system& system, const std::vector<solution_column>& columns,
                    const std::string& comment)
{
    std::string one_line = comment;
    std::replace(one_line.begin(), one_line.end(), '\n', ' ');
    file.write(fmt::format("%%MatrixMarket matrix array {} general\n% {}\n{} {}\n", system.complex ? "complex" : "real",
                           one_line, unknowns(system), columns.size()));
    const index_t parts = system.complex ? 2 : 1;
    for (const solution_column& column : columns) {
        constexpr double sign_point_end = 3.0;
        write_lines(file, unknowns(system), static_cast<double>(parts) * (column.digits + sign_point_end),
                    [&](index_t i, std::string& text) {
                        for (index_t part = 0; part < parts; ++part) {
                            const real& element = column.x[static_cast<std::size_t>(parts * i + part)];
                            if (!is_finite(element)) {
                                throw error(file.path() + ": x has an entry that is not finite");
                            }
                            text += plain_text(element, column.digits);
                            text += part + 1 < parts ? ' ' : '\n';
                        }
                    });
    }
    file.close();
}

real relative_error(const std::vector<real>& x, const std::vector<real>& y)
{
    return relative_error_of(x, most_bits({&x, &y}), [&](std::size_t i) -> const real& { return y[i]; });
}

real relative_error_to_ones(const std::vector<real>& x, bool complex)
{
    const real one(1);
    const real zero(0.0);
    return relative_error_of(x, most_bits({&x}),
                             [&](std::size_t i) -> const real& { return complex && i % 2 != 0 ? zero : one; });
}

exit_code exit_code_of(solve_status status, bool digits_reached)
{
    switch (status) {
        case solve_status::converged:
            return digits_reached ? exit_code::done : exit_code::not_converged;
        case solve_status::not_converged:
        case solve_status::stagnated:
        case solve_status::time_limit:
            return exit_code::not_converged;
        case solve_status::breakdown:
            return exit_code::breakdown;
        case solve_status::interrupted:
            return exit_code::interrupted;
    }
    return exit_code::not_converged;
}

}  // namespace residua
