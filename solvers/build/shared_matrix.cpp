// Matrices of several processes: what process 0 calls for.
#include <residua/solvers/build/shared_matrix.hpp>

#include <span>
#include <utility>

#include <residua/solvers/build/shared_engine.hpp>
#include <residua/solvers/build/shared_numbers.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/processes/distributed_space.hpp>

namespace residua {
namespace {

const shared_numbers& in_pieces(const numbers_elsewhere& v) { return dynamic_cast<const shared_numbers&>(v); }

}  // namespace

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

void shared_matrix::look()
{
    outline_ = ask(all_, {.what = service_call::outline, .number = number_}, [&] { return part_.outline(); });
}

sparse_matrix shared_matrix::whole() const
{
    return ask(all_, {.what = service_call::give_matrix, .number = number_}, [&] { return part_.gathered(); });
}

numbers_elsewhere::pointer shared_matrix::handed_out(const numbers* whole) const
{
    const service_order order{.what = service_call::take_numbers, .number = number_, .made = all_.next_number()};
    number_part part = ask(all_, order, [&] { return number_part::hand_out(all_, part_.rows(), whole); });
    return std::make_shared<const shared_numbers>(all_, order.made, std::move(part));
}

numbers_elsewhere::pointer shared_matrix::residual(const numbers_elsewhere& b, const numbers_elsewhere& x) const
{
    const shared_numbers& of_b = in_pieces(b);
    const shared_numbers& of_x = in_pieces(x);
    const service_order order{.what = service_call::residual,
                              .number = number_,
                              .made = all_.next_number(),
                              .operands = {of_b.number(), of_x.number()}};
    number_part part = ask(all_, order, [&] { return part_.residual(of_b.part(), of_x.part()); });
    return std::make_shared<const shared_numbers>(all_, order.made, std::move(part));
}

scaled_double shared_matrix::largest_ratio(const numbers_elsewhere& r, const numbers_elsewhere& b,
                                           const numbers_elsewhere& x) const
{
    const shared_numbers& of_r = in_pieces(r);
    const shared_numbers& of_b = in_pieces(b);
    const shared_numbers& of_x = in_pieces(x);
    return ask(all_,
               {.what = service_call::largest_ratio,
                .number = number_,
                .operands = {of_r.number(), of_b.number(), of_x.number()}},
               [&] { return part_.largest_ratio(of_r.part(), of_b.part(), of_x.part()); });
}

numbers_elsewhere::pointer shared_matrix::named(const named_rhs& which) const
{
    const service_order order{
        .what = service_call::name_numbers, .number = number_, .rhs = which, .made = all_.next_number()};
    std::optional<number_part> part = ask(all_, order, [&] { return part_.named(which); });
    return part ? std::make_shared<const shared_numbers>(all_, order.made, *std::move(part)) : nullptr;
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
    approximate_inverse own = p == preconditioner::block_jacobi ? invert_blocks(a.own(), options.definite, first)
                              : p == preconditioner::chebyshev  ? invert_diagonal(a.own(), true, first)
                                                                : jacobi_of(a.own(), options, first);
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
