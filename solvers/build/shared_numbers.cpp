// Numbers of several processes: the side of process 0, which calls for the others' work.
#include <residua/solvers/build/shared_numbers.hpp>

#include <optional>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/solvers/build/shared_engine.hpp>

namespace residua {
namespace {

constexpr index_t rows_at_a_time = index_t{1}
                                   << 16;  // some MB in 212 bits, whose message takes far longer than its start

}  // namespace

shared_numbers::shared_numbers(processes& all, index_t number, number_part part)
    : all_(all), number_(number), part_(std::move(part))
{}

shared_numbers::~shared_numbers()
{
    try {
        service_order forget{.what = service_call::forget_numbers, .number = number_};
        broadcast(all_, forget);
    } catch (const error&) {  // NOLINT(bugprone-empty-catch): the others are gone
    }
}

numbers_elsewhere::pointer shared_numbers::rounded(long bits) const
{
    const service_order order{
        .what = service_call::round_numbers, .number = number_, .bits = bits, .made = all_.next_number()};
    std::optional<number_part> part = ask(all_, order, [&] { return part_.rounded(bits); });
    return part ? std::make_shared<const shared_numbers>(all_, order.made, *std::move(part)) : nullptr;
}

numbers_elsewhere::pointer shared_numbers::plus(const numbers_elsewhere& d, long bits) const
{
    const auto& term = dynamic_cast<const shared_numbers&>(d);
    const service_order order{.what = service_call::add_numbers,
                              .number = number_,
                              .bits = bits,
                              .made = all_.next_number(),
                              .operands = {term.number()}};
    number_part part = ask(all_, order, [&] { return part_.plus(term.part(), bits); });
    return std::make_shared<const shared_numbers>(all_, order.made, std::move(part));
}

multidigit_number shared_numbers::norm2() const
{
    return ask(all_, {.what = service_call::norm2, .number = number_}, [&] { return part_.norm2(); });
}

multidigit_number shared_numbers::norm_inf() const
{
    return ask(all_, {.what = service_call::norm_inf, .number = number_}, [&] { return part_.norm_inf(); });
}

numbers_elsewhere::numbers shared_numbers::gathered() const
{
    numbers whole(format(), size());
    index_t first = 0;
    for_each_piece([&](const numbers& piece) {
        blas::copy(host_executor{}, piece.view(), whole.view().part(first, first + piece.size()));
        first += piece.size();
    });
    return whole;
}

void shared_numbers::for_each_piece(const std::function<void(numbers)>& f) const
{
    part_.rows().for_some_rows(rows_at_a_time, [&](index_t first, index_t last) { f(between(first, last)); });
}

numbers_elsewhere::pointer shared_numbers::mapped(long bits, const std::function<numbers(numbers)>& f) const
{
    const service_order order{
        .what = service_call::zero_numbers, .number = number_, .bits = bits, .made = all_.next_number()};
    number_part zeros = ask(all_, order, [&] { return number_part::zeros(all_, part_.rows(), bits); });
    auto result = std::make_shared<shared_numbers>(all_, order.made, std::move(zeros));
    part_.rows().for_some_rows(rows_at_a_time, [&](index_t first, index_t last) {
        const numbers part = f(between(first, last));
        require_equal("mapped", "numbers and rows", part.size(), last - first);
        require_equal("mapped", "bits of the numbers and of what holds them", part.format().precision_bits(), bits);
        result->put(first, last, part);
    });
    return result;
}

numbers_elsewhere::numbers shared_numbers::between(index_t first, index_t last) const
{
    return ask(all_, {.what = service_call::give_numbers, .number = number_, .first = first, .last = last},
               [&] { return part_.between(first, last); });
}

void shared_numbers::put(index_t first, index_t last, const numbers& part)
{
    ask(all_, {.what = service_call::put_numbers, .number = number_, .first = first, .last = last},
        [&] { part_.put(first, last, &part); });
}

}  // namespace residua
