#include <residua/solvers/processes/number_part.hpp>

#include <algorithm>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/solvers/processes/distributed_space.hpp>
#include <residua/solvers/processes/vector_bytes.hpp>
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
        return zeros(all, rows, multidigit_least_bits);
    }
    const space_of_numbers space = space_of(all, rows, multidigit_format(bits));
    numbers own(multidigit_format(bits), 0);
    space.scatter(whole != nullptr ? *whole : own, own);
    return {all, rows, std::move(own)};
}

std::optional<number_part> number_part::exactly(processes& all, const partition& rows, const std::vector<real>& own)
{
    long_vector here = long_vector::exactly(own);
    if (maximum(all, here.in_mpfr() ? 1 : 0) > 0) {
        return std::nullopt;
    }
    here.hold_in(maximum(all, here.bits()));
    return number_part(all, rows, *here.on(host_executor{}));
}

number_part number_part::zeros(processes& all, const partition& rows, long bits)
{
    return {all, rows, numbers(multidigit_format(bits), rows.size(all.rank()))};
}

void number_part::put(index_t begin, index_t end, const numbers* part)
{
    const index_t owner = rows_.owner(begin);
    processes::bytes_by_rank out(static_cast<std::size_t>(all_->count()));
    if (all_->rank() == 0) {
        numbers copy = *part;
        out[static_cast<std::size_t>(owner)] = bytes_of(copy);
    }
    const processes::bytes_by_rank in = all_->all_to_all(std::move(out));
    if (owner == all_->rank()) {
        numbers came(own_.format(), end - begin);
        set_bytes(came, in.front());
        blas::copy(host_executor{}, came.view(), own_.view().part(begin - first(), end - first()));
    }
}

number_part::numbers number_part::between(index_t begin, index_t end) const
{
    std::vector<std::byte> bytes;
    if (rows_.owner(begin) == all_->rank()) {
        numbers part(own_.format(), end - begin);
        blas::copy(host_executor{}, own_.view().part(begin - first(), end - first()), part.view());
        bytes = bytes_of(part);
    }
    bytes = gather(*all_, bytes);
    numbers part(own_.format(), all_->rank() == 0 ? end - begin : 0);
    set_bytes(part, bytes);
    return part;
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
