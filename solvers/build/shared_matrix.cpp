// Matrices of several processes: what process 0 calls for.
#include <residua/solvers/build/shared_matrix.hpp>

#include <span>
#include <utility>

#include <residua/solvers/build/shared_engine.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/processes/distributed_space.hpp>

namespace residua {

shared_matrix::shared_matrix(processes& all, index_t number, matrix_part part)
    : all_(all), number_(number), part_(std::move(part))
{}

shared_matrix::~shared_matrix()
{
    try {
        service_order forget{.what = service_call::forget_matrix, .number = number_};
        broadcast(all_, forget);
    } catch (const error&) {  // NOLINT(bugprone-empty-catch): the others are gone
    }
}

std::unique_ptr<shared_matrix> shared_matrix::hand_out(processes& all, const sparse_matrix& whole)
{
    return or_end_all(all, [&] {
        const partition rows = partition::even(whole.rows, block_of_rows(whole.rows), all.count());
        service_order take{.what = service_call::take_matrix, .number = all.next_number(), .begin = rows.beginnings()};
        broadcast(all, take);
        return std::make_unique<shared_matrix>(all, take.number, matrix_part::hand_out(all, rows, &whole));
    });
}

template <class F>
auto shared_matrix::ask(service_call what, long bits, const F& f) const
{
    return or_end_all(all_, [&] {
        service_order order{.what = what, .number = number_, .bits = bits};
        broadcast(all_, order);
        return f();
    });
}

void shared_matrix::look()
{
    outline_ = ask(service_call::outline, 0, [&] { return part_.outline(); });
}

sparse_matrix shared_matrix::whole() const
{
    return ask(service_call::give_matrix, 0, [&] { return part_.gathered(); });
}

rows_elsewhere::numbers shared_matrix::residual(const numbers& b, const numbers& x) const
{
    const long bits = x.format().bits();
    return ask(service_call::residual, bits, [&] { return part_.residual(bits, &b, &x); });
}

scaled_doubles shared_matrix::residual_sizes(const scaled_doubles& b, const scaled_doubles& x) const
{
    return ask(service_call::residual_sizes, 0, [&] { return part_.residual_sizes(&b, &x); });
}

std::vector<real> shared_matrix::row_sums() const
{
    return ask(service_call::row_sums, 0, [&] { return part_.row_sums(); });
}

shared_preconditioner shared_matrix::make_preconditioner(preconditioner p, const preconditioner_options& options) const
{
    return or_end_all(all_, [&] {
        service_order invert{.what = service_call::invert,
                             .number = number_,
                             .made = all_.next_number(),
                             .preconditioner = p,
                             .definite = options.definite,
                             .indefinite_matrix = options.indefinite_matrix};
        broadcast(all_, invert);
        preconditioner_part part = make_preconditioner_part(all_, part_, p, options);
        shared_preconditioner result{.inverse = {}, .polynomial = part.polynomial, .failure = std::move(part.failure)};
        if (part.inverse) {
            result.inverse = std::make_unique<shared_matrix>(all_, invert.made, *std::move(part.inverse));
        }
        return result;
    });
}

preconditioner_part make_preconditioner_part(processes& all, const matrix_part& a, preconditioner p,
                                             const preconditioner_options& options)
{
    preconditioner_part result;
    const index_t first = a.rows().first(all.rank());
    if (p == preconditioner::chebyshev) {
        result.polynomial = find_chebyshev_interval(all, a.rows(), a.own());
        result.failure = result.polynomial->failure;  // the same on all
        if (!result.failure.empty()) {
            return result;
        }
    }
    approximate_inverse own =
        p == preconditioner::block_jacobi
            ? invert_blocks(a.own(), options.definite, first)
            : invert_diagonal(a.own(),
                              p == preconditioner::chebyshev || (options.definite && options.indefinite_matrix), first);
    // the first of those who have none says why
    const index_t behind = own.failure.empty() ? 0 : all.count() - all.rank();
    const index_t most = maximum(all, behind);
    if (most == 0) {
        result.inverse.emplace(all, a.rows(), std::move(own.matrix));
        return result;
    }
    const std::string& mine = behind == most ? own.failure : result.failure;
    for (const std::byte each : gather(all, std::as_bytes(std::span(mine)))) {
        result.failure += static_cast<char>(each);
    }
    return result;
}

}  // namespace residua
