#include <residua/solvers/planning/facts.hpp>

#include <limits>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/matrix/rows_elsewhere.hpp>
#include <residua/solvers/options/method_bytes.hpp>
#include <residua/solvers/planning/ladder.hpp>
#include <residua/solvers/planning/precision.hpp>
#include <residua/solvers/planning/rates.hpp>
#include <residua/solvers/precond/factor_kinds.hpp>

namespace residua {

system_sizes sizes_of(const sparse_matrix& a)
{
    return {a.rows, a.cols, a.nonzeros(), a.exact.bytes_each(), a.complex};
}

system_sizes sizes_of(const linear_system& a)
{
    system_sizes sizes = sizes_of(static_cast<const sparse_matrix&>(a));
    sizes.nonzeros = a.elsewhere != nullptr ? a.elsewhere->outline().nonzeros : sizes.nonzeros;
    return sizes;
}

factor_work work_of_factors(const scaled_matrix& matrix, sparse_analyses& analyses, const solve_options& options)
{
    const factor_kind first = kinds_of_factors(matrix, kind_of_long_factors(options)).front();
    const bool asked = needs_factors(options) || options.factor_bits > 0 || traits_of(options.method).dense;
    const auto n = static_cast<double>(matrix.rows);
    factor_work work{.kind = preconditioner_of(first), .unknowns = matrix.rows};
    work.dense = takes_dense_factors(matrix.rows, matrix.column.size());
    work.known = work.dense || asked || sizes_of(matrix).entries() <= most_automatic_entries;
    if (work.dense) {
        work.multiply_adds = (first == factor_kind::lu ? 1.0 : 0.5) * n * n * n / 3.0;
        if (matrix.complex && first != factor_kind::ldl) {
            work.multiply_adds *= 3.0 / 8.0;  // complex_elimination: three products of half of the size, not eight
        }
        work.entries = n * n;
    } else if (work.known) {
        const double most = asked ? std::numeric_limits<double>::infinity() : most_multiply_adds_in_reach();
        const std::shared_ptr<const sparse_analysis> analysis = analyses.of(matrix, first, most);
        work.least_multiply_adds = analysis->least_multiply_adds;
        work.known = analysis->least_multiply_adds == 0.0;
        if (!work.known) {
            return work;
        }
        const factor_cost cost = cost_of(analysis->tree, first != factor_kind::lu);
        work.multiply_adds = cost.multiply_adds;
        work.entries = cost.entries;
        work.front_bytes = bytes_of_fronts(*analysis, 0.0);
        work.front_numbers = bytes_of_fronts(*analysis, 1.0) - work.front_bytes;
    }
    return work;
}

factor_work work_of_qr(const system_sizes& sizes)
{
    const auto m = static_cast<double>(sizes.larger()), n = static_cast<double>(std::min(sizes.rows, sizes.cols));
    return {.kind = preconditioner::none,
            .unknowns = std::min(sizes.rows, sizes.cols),
            .rows = sizes.larger(),
            .known = true,
            .multiply_adds = 2.0 * (m - n / 3.0) * n * n,
            .entries = n * n};
}

double factor_work::bytes(const arithmetic& in) const
{
    if (rows > 0) {  // A, V and V' of a block, sums, what a product takes, and L
        return 6.0 * static_cast<double>(rows) * static_cast<double>(unknowns) * number_bytes(in);
    }
    return dense || in.format == number_format::rns ? engine_bytes(in, method::direct, unknowns, 0, false, 0)
                                                    : front_bytes + front_numbers * number_bytes(in);
}

void factor_work::add_to(arithmetic_seconds& seconds, long bits) const
{
    /// Nanoseconds that factors in more than binary64 take at any size: their space, and the copies of vectors.
    constexpr double long_factors_rate = 3e5;
    const auto b = static_cast<double>(bits);
    const operation_rates rates = rates_of(b);
    seconds.add(b, multiply_adds, rates.multiply_add);
    seconds.add(b, dense ? 0.0 : entries, rates.front_entry);
    seconds.add(0.0, bits > binary64_bits ? 1.0 : 0.0, long_factors_rate);
}

void system_facts::refuse(long bits, const std::string& because)
{
    if (refused_bits == 0 || bits < refused_bits) {
        refused_bits = bits;
        refused_because = because;
    }
}

system_facts facts_of(const sparse_matrix& a, const solve_options& options)
{
    sparse_analyses analyses;
    system_facts facts{.sizes = sizes_of(a), .structure = inspect(a)};
    facts.factors =
        work_of_factors(scale(a, facts.structure.symmetric, facts.structure.complex_symmetric), analyses, options);
    return facts;
}

index_t restart_of(const candidate& choice, const solve_options& options)
{
    return choice.restart > 0 ? choice.restart : options.restart;
}

double engine_bytes(const system_sizes& system, const solve_options& options, const arithmetic& in,
                    const candidate& choice, index_t residuals)
{
    const index_t restart = restart_of(choice, options);
    double bytes = engine_bytes(in, choice.method, system.larger(), system.nonzeros, system.bytes_of_exact == 0.0,
                                restart, residuals, system.complex);
    if (choice.method == method::gmres &&
        is_by_function(options.preconditioner)) {  // flexible: it keeps M v for each v
        const index_t length = std::min(restart, system.elements(choice.method));
        bytes += static_cast<double>(length) * system.n() * number_bytes(in);
    }
    return bytes;
}

double bytes_without_factors(const system_sizes& system, const solve_options& options, index_t right_hand_sides)
{
    const double n = system.n(), nonzeros = system.entries();
    const long bits = choose_precision(options, real(1.0));

    // x and r of all columns, d and the new x of those that are corrected at a time, in MPFR, 2p bits each: the
    // number's head, its limbs and malloc's share
    const index_t at_a_time = std::min(right_hand_sides, most_corrections);
    const double vectors = 2.0 * static_cast<double>(right_hand_sides) + 2.0 * static_cast<double>(at_a_time);
    double bytes = n * vectors * (48.0 + static_cast<double>(bits) / 4.0);
    bytes += n * (40.0 + static_cast<double>(bits) / 4.0);  // x in 32-bit words, for exact residuals
    bytes += static_cast<double>(right_hand_sides) * bytes_of_column;
    bytes += nonzeros * 12.0;  // values of the scaled matrix and exponents, where something is scaled
    bytes += nonzeros * system.bytes_of_exact;
    if (system.bytes_of_exact >
        0.0) {  // for exact residuals: in 2p bits, or in those that the entries have, with places
        bytes += nonzeros * (std::max(static_cast<double>(bits) / 4.0, system.bytes_of_exact) + 16.0);
    }
    const bool automatic = options.method == method::automatic;
    const bool square = system.rows == system.cols;
    const bool together = automatic ? square : traits_of(options.method).together;
    const candidate used{.method = !automatic ? options.method : square ? method::gmres : method::lsqr};
    if (traits_of(used.method).transpose ||
        !square) {  // A', while it is made, and for lsqr's residuals, with places and entries
        bytes += nonzeros * 40.0;
        bytes += 2.0 * nonzeros * system.bytes_of_exact;
    }
    const arithmetic in = arithmetic_of(options.format, bits, used.method);
    return bytes +
           (traits_of(used.method).dense ? 0.0 : engine_bytes(system, options, in, used, together ? at_a_time : 1));
}

}  // namespace residua
