#include <residua/solvers/processes/number_part.hpp>

#include <algorithm>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/long_vector.hpp>

namespace residua {
namespace {

using space_of_numbers = distributed_space<multidigit_space<host_executor>>;

space_of_numbers space_of(processes& all, const partition& rows, const multidigit_format& format)
{
    return {{{}, format}, rows, all};
}

}  // namespace

number_part::number_part(processes& all, partition rows, numbers own)
    : all_(&all), rows_(std::move(rows)), own_(std::move(own))
{
    require_equal("number_part", "numbers and own rows", own_.size(), rows_.size(all.rank()));
}

number_part number_part::hand_out(processes& all, const partition& rows, const numbers* whole)
{
    const long of_first = all.rank() == 0 && whole != nullptr ? whole->format().bits() : 0;
    const long bits = maximum(all, of_first);
    if (bits == 0) {
        return {all, rows, numbers(multidigit_format(multidigit_least_bits), rows.size(all.rank()))};
    }
    const space_of_numbers space = space_of(all, rows, multidigit_format(bits));
    numbers own(multidigit_format(bits), 0);
    space.scatter(whole != nullptr ? *whole : own, own);
    return {all, rows, std::move(own)};
}

void number_part::for_each_piece(const std::function<void(numbers)>& f) const
{
    space_of(*all_, rows_, own_.format()).for_each_piece(own_, f);
}

number_part::numbers number_part::converted(const multidigit_format& format) const
{
    numbers result(format, own_.size());
    blas::convert(host_executor{}, own_.view(), result.view());
    return result;
}

std::optional<number_part> number_part::rounded(long bits) const
{
    if (bits >= multidigit_least_bits) {
        return number_part(*all_, rows_, converted(multidigit_format(bits)));
    }
    long_vector own = long_vector(host_executor{}, own_, own_.format().precision_bits()).rounded(bits);
    if (maximum(*all_, own.in_mpfr() ? 1 : 0) > 0) {
        return std::nullopt;
    }
    return number_part(*all_, rows_, *own.on(host_executor{}));
}

number_part number_part::plus(const number_part& d, long bits) const
{
    const multidigit_format format(std::max<long>(bits, multidigit_least_bits));
    numbers sum = converted(format);
    const numbers term = d.converted(format);
    blas::axpy(host_executor{}, multidigit_number(format, 1.0), term.view(), sum.view());
    return {*all_, rows_, std::move(sum)};
}

multidigit_number number_part::norm2() const { return space_of(*all_, rows_, own_.format()).norm2(own_); }

multidigit_number number_part::norm_inf() const { return space_of(*all_, rows_, own_.format()).norm_inf(own_); }

}  // namespace residua
