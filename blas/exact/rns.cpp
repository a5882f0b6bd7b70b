#include <residua/blas/exact/rns.hpp>

#include <algorithm>
#include <atomic>
#include <string>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas::detail {

std::int64_t make_digits(const host_executor&, index_t n, const exact_rns_digits& numbers)
{
    std::atomic<std::int64_t> too_far = 0;
    const exact_rns_set& set = *numbers.set;
    const int words = set.constants.width / 64 + 1;
    const double operations = 2.0 * set.held() * words * static_cast<double>(n);
    parallel_ranges(n, 32, operations, [&](index_t begin, index_t end) {
        for (index_t q = begin; q < end; ++q) {
            if (const std::int64_t exponent = numbers.make(q); exponent != 0) {
                too_far = exponent;
            }
        }
    });
    return too_far;
}

const exact_rns_set* set_on(const host_executor&, const rns_format& format) { return &format.set(); }

template <class Exec>
std::shared_ptr<const vector<Exec, multidigit>> digits_of(const Exec& exec, const rns_format& format,
                                                          const residua::detail::rns_tiles<true>& from, index_t rows,
                                                          index_t cols, index_t ld)
{
    const long p = std::max<long>(format.set().constants.width, multidigit_least_bits);
    auto numbers = std::make_shared<vector<Exec, multidigit>>(multidigit_format(p), rows * cols, exec);
    const std::int64_t too_far = make_digits(
        exec, rows * cols, {set_on(exec, format), from, rows, ld, {numbers->view().start, static_cast<int>(p)}});
    if (too_far != 0) {
        throw unsupported_error("exact products: an RNS float has the exponent " + std::to_string(too_far) +
                                ", above " + std::to_string(most_exact_exponent) + " in size");
    }
    return numbers;
}

#define RESIDUA_INSTANTIATE(Exec)                                       \
    template std::shared_ptr<const vector<Exec, multidigit>> digits_of( \
        const Exec&, const rns_format&, const residua::detail::rns_tiles<true>&, index_t, index_t, index_t);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
