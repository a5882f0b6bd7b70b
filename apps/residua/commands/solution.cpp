#include "solution.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

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

/// The precision, in bits, in which a decimal of so many digits is read. It tells neighbouring decimals apart.
constexpr long bits_of_text(int digits) { return 4L * digits + 128; }

/// x as a reader of its text gets it: each element is parsed from `digits` digits, to more bits than text and x have.
std::vector<real> read_back(const std::vector<real>& x, int digits)
{
    constexpr double operations_of_digit = 50.0;
    const double work = operations_of_digit * digits * static_cast<double>(x.size());
    std::vector<real> y(x.size());
    parallel_ranges(static_cast<index_t>(x.size()), 64, work, [&](index_t begin, index_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const long bits = std::max<long>(x[i].precision(), bits_of_text(digits));
            y[i] = real(plain_text(x[i], digits), bits);
        }
    });
    return y;
}

/// x as a reader of its text gets it, where x is, and whether that is x itself.
struct text_of_x {
    long_vector y;
    bool is_x = true;
};

text_of_x text_of(const std::vector<real>& x, int digits)
{
    const std::vector<real> y = read_back(x, digits);
    return {long_vector::exactly(y), y == x};
}

text_of_x text_of(const solution& x, int digits)
{
    if (x.in_pieces() == nullptr) {
        return text_of(x.here(), digits);
    }
    const long most = std::max<long>(x.bits(), bits_of_text(digits));
    if (most > multidigit_format::most_bits) {
        return text_of(x.in_pieces()->numbers(), digits);
    }
    text_of_x all;
    long bits = multidigit_least_bits;
    bool are_held = true;
    const numbers_elsewhere::pointer y =
        x.in_pieces()->elsewhere()->mapped(most, [&](numbers_elsewhere::numbers piece) {
            text_of_x part = text_of(long_vector(host_executor{}, piece, x.in_pieces()->bits()).numbers(), digits);
            all.is_x = all.is_x && part.is_x;
            are_held = are_held && !part.y.in_mpfr();
            if (!are_held) {
                return numbers_elsewhere::numbers(multidigit_format(most), piece.size());
            }
            bits = std::max(bits, part.y.bits());
            part.y.hold_in(most);
            return *part.y.on(host_executor{});
        });
    if (!are_held) {
        return text_of(x.in_pieces()->numbers(), digits);
    }
    all.y = long_vector(y->rounded(bits), bits);  // those that exactly() has
    return all;
}

/// The stopping test that x passed, or came closest to. x rounded to fewer digits has to pass it, too.
class stopping_test {
public:
    stopping_test(const linear_system& system, const given_rhs& b, const solve_report& report)
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
    bool is_passed_with(int digits, const solution& x) const
    {
        const scaled_double growth = scaled_double(std::sqrt(static_cast<double>(system_.rows))) * norm_of_matrix() *
                                     scaled_double(x.norm_inf()) * scaled_double(pow(real(10.0), 1 - digits));
        return !transposed_ && scaled_double(residual_) + growth < scaled_double(limit_);
    }

    /// The number of decimal digits that x needs in addition; 0 if it passes.
    int lacks(const long_vector& x) const
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
    residual_evaluation residual_of(const long_vector& x) const
    {
        matrix_storage storage(system_);
        long_vector b = b_.exactly();
        std::optional<residual_matrix> a = residual_matrix::of(system_, storage);
        if (a && !b.in_mpfr() && !x.in_mpfr()) {
            return evaluate_exactly(*a, b, x);
        }
        const bool is_here = system_.elsewhere == nullptr;
        return evaluate_residual(is_here ? system_ : *with_entries_here(system_), b_.numbers(), x.numbers(),
                                 ldexp(limit_, -32));
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
    const given_rhs& b_;
    real residual_, limit_;
    real norm_ = 0.0;
    real normal_limit_ = 0.0;
    std::optional<linear_system> transposed_;
};

/// The precision of the longest element, and of binary64 at least.
long most_bits(const std::vector<real>& v)
{
    long bits = real::double_bits;
    for (const real& element : v) {
        bits = std::max(bits, element.precision());
    }
    return bits;
}

/// relative_error() of numbers that come in parts.
class sum_of_errors {
public:
    explicit sum_of_errors(long bits) : bits_(bits), largest_(0.0, bits), scale_(0.0, bits) {}

    /// The elements y(i) that x[i] should be.
    template <class F>
    void add(const std::vector<real>& x, const F& y)
    {
        std::mutex merging;
        constexpr double operations_of_bit = 1.0;
        const double work = operations_of_bit * static_cast<double>(bits_) * static_cast<double>(x.size());
        parallel_ranges(static_cast<index_t>(x.size()), 64, work, [&](index_t begin, index_t end) {
            real far(0.0, bits_);
            real size(0.0, bits_);
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                far = max(far, abs(x[i].with_precision(bits_) - y(i)));
                size = max(size, abs(y(i)));
            }
            const std::lock_guard lock(merging);
            largest_ = max(largest_, far);
            scale_ = max(scale_, size);
        });
    }

    real relative() const { return is_zero(scale_) ? largest_ : largest_ / scale_; }

private:
    long bits_;
    real largest_, scale_;
};

}  // namespace

long solution::bits() const
{
    return in_pieces_ != nullptr ? std::max<long>(in_pieces_->bits(), real::double_bits) : most_bits(here_);
}

bool solution::is_zero() const
{
    return in_pieces_ != nullptr
               ? in_pieces_->is_zero()
               : std::all_of(here_.begin(), here_.end(), [](const real& x) { return residua::is_zero(x); });
}

bool solution::is_finite() const
{
    return in_pieces_ != nullptr
               ? in_pieces_->is_finite()
               : std::all_of(here_.begin(), here_.end(), [](const real& x) { return residua::is_finite(x); });
}

real solution::norm_inf() const { return in_pieces_ != nullptr ? in_pieces_->norm_inf() : residua::norm_inf(here_); }

void solution::for_each_part(const std::function<void(index_t first, const std::vector<real>& part)>& f) const
{
    if (in_pieces_ != nullptr) {
        in_pieces_->for_each_part(f);
    } else {
        f(0, here_);
    }
}

int sufficient_digits(const linear_system& system, const given_rhs& b, const solution& x, const solve_report& report)
{
    int digits = round_trip_digits(report.solution_bits);
    const stopping_test test(system, b, report);
    if (!test.can_be_passed() || !x.is_finite() || test.is_passed_with(digits, x)) {
        return digits;
    }
    for (;;) {
        const text_of_x text = text_of(x, digits);
        const int lacks = test.lacks(text.y);
        if (lacks == 0 || text.is_x) {
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
        const double characters = static_cast<double>(parts) * (column.digits + sign_point_end);
        column.x.for_each_part([&](index_t, const std::vector<real>& x) {
            write_lines(file, static_cast<index_t>(x.size()) / parts, characters, [&](index_t i, std::string& text) {
                for (index_t part = 0; part < parts; ++part) {
                    const real& element = x[static_cast<std::size_t>(parts * i + part)];
                    if (!is_finite(element)) {
                        throw error(file.path() + ": x has an entry that is not finite");
                    }
                    text += plain_text(element, column.digits);
                    text += part + 1 < parts ? ' ' : '\n';
                }
            });
        });
    }
    file.close();
}

real relative_error(const std::vector<real>& x, const std::vector<real>& y)
{
    sum_of_errors sum(std::max(most_bits(x), most_bits(y)));
    sum.add(x, [&](std::size_t i) -> const real& { return y[i]; });
    return sum.relative();
}

real relative_error_to_ones(const solution& x, bool complex)
{
    const real one(1);
    const real zero(0.0);
    sum_of_errors sum(x.bits());
    x.for_each_part([&](index_t, const std::vector<real>& part) {
        sum.add(part, [&](std::size_t i) -> const real& { return complex && i % 2 != 0 ? zero : one; });
    });
    return sum.relative();
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
