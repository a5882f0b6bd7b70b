#include <residua/solvers/planning/precision.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

void require_bits(number_format format, long bits)
{
    if (const precision_range has = precisions_of(format); !has.holds(bits)) {
        throw unsupported_error("the format " + std::string(to_string(format)) + " has " + std::to_string(has.least) +
                                " to " + std::to_string(has.most) + " bits, not " + std::to_string(bits));
    }
}

number_format longer_format(number_format asked)
{
    return asked == number_format::native ? number_format::automatic : asked;
}

long precision_above(const std::vector<long>& all, long bits)
{
    const auto next = std::upper_bound(all.begin(), all.end(), bits);
    return next == all.end() ? 0 : *next;
}

const std::vector<long>& available_precisions(number_format format)
{
    static const std::vector<long> native{binary64_bits};
    static_assert(binary64_bits * blas::compiled_terms.back() == most_expansion_bits);
    static const std::vector<long> longer{636, 848, 1272, 1696, 2544, 3392, multidigit_format::most_bits};
    static const std::vector<long> expansion = [] {
        std::vector<long> bits;
        for (const int terms : blas::compiled_terms) {
            if (terms > 1) {
                bits.push_back(binary64_bits * terms);
            }
        }
        bits.insert(bits.end(), longer.begin(), longer.end());
        return bits;
    }();
    static const std::vector<long> multidigit{
        128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, multidigit_format::most_bits};
    static const std::vector<long> all = [] {
        std::vector<long> bits = expansion;
        bits.insert(bits.begin(), binary64_bits);
        return bits;
    }();
    switch (format) {
        case number_format::native:
            return native;
        case number_format::expansion:
            return expansion;
        case number_format::multidigit:
            return multidigit;
        case number_format::rns: {
            static const std::vector<long> rns = [] {
                std::vector<long> bits;
                for (const long least : expansion) {
                    if (least <= rns_format::most_bits) {
                        bits.push_back(rns_format(least).precision_bits());
                    }
                }
                return bits;
            }();  // sets of moduli, which take milliseconds to find
            return rns;
        }
        default:
            return all;
    }
}

number_format format_of(long bits, method m)
{
    require_bits(number_format::automatic, bits);
    return format_row_of(bits, m).format;
}

precision_range precisions_of(number_format format)
{
    switch (format) {
        case number_format::multidigit:
            return {multidigit_least_bits, multidigit_format::most_bits};
        case number_format::rns:
            return {1, rns_format::most_bits};
        default:
            return {1, available_precisions(format).back()};
    }
}

const tuning::format_row& format_row_of(long bits, method m)
{
    return m == method::refine ? tuning::row_of(tuning::refine_formats, bits) : tuning::row_of(tuning::formats, bits);
}

arithmetic arithmetic_of(number_format asked, long bits, method m)
{
    return served_by(asked == number_format::automatic ? format_of(bits, m) : asked, bits);
}

bool refines_by(long factor_bits, const std::optional<condition_estimate>& condition)
{
    const double lost = condition ? std::log2(10.0 * condition->scaled) : 0.0;
    return lost < static_cast<double>(factor_bits);
}

index_t iteration_limit(const solve_options& options, index_t unknowns)
{
    return options.max_iterations > 0 ? options.max_iterations : default_iterations(unknowns);
}

long wanted_bits(const solve_options& options, const real& condition)
{
    const double digits = options.digits > 0 ? options.digits : 16.0;
    const double lost = condition > real(1.0) ? static_cast<double>(exponent(condition)) : 0.0;
    return static_cast<long>(std::ceil(lost + digits * std::log2(10.0))) + 8;
}

long choose_precision(const solve_options& options, const real& condition)
{
    const std::vector<long>& all = available_precisions(options.format);
    long wanted = options.precision_bits;
    if (wanted == 0) {
        wanted = std::max(wanted_bits(options, condition), options.factor_bits);
        return *std::lower_bound(all.begin(), all.end(), std::clamp(wanted, std::min(106L, all.back()), all.back()));
    }
    require_bits(options.format, wanted);
    switch (arithmetic_of(options.format, wanted).format) {
        case number_format::multidigit:
            return wanted;
        case number_format::rns:
            return rns_format(wanted).precision_bits();
        default:
            return *std::lower_bound(all.begin(), all.end(), wanted);
    }
}

arithmetic factors_in(long bits)
{
    if (bits <= binary32_bits) {
        return {number_format::native, bits <= low_bits ? low_bits : binary32_bits};
    }
    solve_options wanted;
    wanted.precision_bits = bits;
    const long served = choose_precision(wanted, real(0.0));
    return {format_of(served), served};
}

double gmres_ir_limit_bits(long factors, long krylov, long products)
{
    const auto f = static_cast<double>(factors), g = static_cast<double>(krylov), p = static_cast<double>(products);
    return std::min(f + g / 2.0, (2.0 * f + p) / 3.0);
}

bool may_need_factors(const solve_options& options)
{
    const method_traits& traits = traits_of(options.method);
    return options.method == method::automatic || traits.by_factors || traits.dense || options.estimate_condition ||
           options.digits > 0 || are_factors(options.preconditioner);
}

preconditioner kind_of_long_factors(const solve_options& options)
{
    return options.preconditioner == preconditioner::cholesky ? preconditioner::automatic : options.preconditioner;
}

bool needs_factors(const solve_options& options)
{
    return traits_of(options.method).by_factors
               ? options.factor_bits == 0 || factors_in(options.factor_bits).bits == binary64_bits
               : are_factors(options.preconditioner);
}

}  // namespace residua
