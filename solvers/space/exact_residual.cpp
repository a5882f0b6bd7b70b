#include <residua/solvers/space/exact_residual.hpp>

#include <algorithm>
#include <atomic>
#include <type_traits>
#include <utility>
#include <variant>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/exact/spmv_exact.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/matrix/exact_numbers.hpp>
#include <residua/solvers/matrix/make_csr.hpp>

namespace residua {
namespace {

using numbers = long_vector::numbers_on<host_executor>;

/// Brings the numbers to the host in this precision, which holds them.
template <class Exec>
numbers held_in(const multidigit_format& format, const Exec& exec, const long_vector::numbers_on<Exec>& x)
{
    numbers result(format, x.size());
    if constexpr (std::is_same_v<Exec, host_executor>) {
        blas::convert(exec, x.view(), result.view());
    } else {
        const numbers here = to_host(exec, x);
        blas::convert(host_executor{}, here.view(), result.view());
    }
    return result;
}

/// The residual with binary64 entries. x, b and r have one precision, for which the sums are fastest.
long_vector residual(matrix_storage& a, long_vector& b, const long_vector& x)
{
    const long bits = std::max(b.held_bits(), x.held_bits());
    if (x.held_bits() < bits) {
        long_vector longer = x;
        longer.hold_in(bits);
        return residual(a, b, longer);
    }
    b.hold_in(bits);
    return x.visit([&](const auto& exec, const auto& at) {
        std::decay_t<decltype(at)> r(multidigit_format(bits), b.size(), exec);
        std::visit(
            [&](const auto& matrix) {
                blas::residual_exact<multidigit, double>(exec, matrix, at.view(), b.on(exec)->view(), r.view());
            },
            *a.for_few(exec));
        return long_vector(exec, std::move(r), bits);
    });
}

/// The residual of a matrix whose rows are with several processes. x, b and r are with them too, in one precision.
long_vector residual_elsewhere(const residual_matrix& a, long_vector& b, long_vector x)
{
    a.move(b);
    a.move(x);
    const long bits = std::max(b.held_bits(), x.held_bits());
    b.hold_in(bits);
    x.hold_in(bits);
    return {a.elsewhere()->residual(*b.elsewhere(), *x.elsewhere()), bits};
}

constexpr long common_bits = 256;  // the least precision: storing entries anew takes longer than sums in more bits

/// The residual with entries of more bits. All have the least precision that holds all: time goes with its square.
long_vector residual(residual_matrix& a, const long_vector& b, const long_vector& x)
{
    const long bits = std::max({b.bits(), x.bits(), a.bits(), common_bits});
    const multidigit_format format(bits);
    const auto held = [&](const auto& exec, const auto& v) { return held_in(format, exec, v); };
    const numbers x_here = x.visit(held), b_here = b.visit(held);
    numbers r(format, b.size());
    blas::residual_exact<multidigit, multidigit>(host_executor{}, a.in(format), x_here.view(), b_here.view(), r.view());
    return {host_executor{}, std::move(r), bits};
}

constexpr index_t elements_together = 32;  // whole tiles, whose numbers have words of their own

/// Calls f(begin, end, room) for parts of the entries; f reads entries into `room`.
template <class F>
void for_entries(const linear_system& a, const F& f)
{
    constexpr double operations_of_entry = 100.0;
    blas::detail::parallel_ranges(a.nonzeros(), elements_together,
                                  operations_of_entry * static_cast<double>(a.nonzeros()),
                                  [&](index_t begin, index_t end) {
                                      real room;
                                      f(begin, end, room);
                                  });
}

/// The bits of multi-digit floats that hold all entries; 0: none do.
long bits_of_entries(const linear_system& a)
{
    std::atomic<long> most = multidigit_least_bits;
    std::atomic<bool> all_held = true;
    for_entries(a, [&](index_t begin, index_t end, real& room) {
        long bits = multidigit_least_bits;
        bool held = true, rounded = false;
        for (index_t k = begin; k < end && held; ++k) {
            io::ask_for_stop_at(k);
            held =
                detail::raise_to_hold(a.exact.at(static_cast<std::size_t>(k), real::double_bits, room, rounded), bits);
        }
        all_held = all_held && held;
        for (long known = most; known < bits && !most.compare_exchange_weak(known, bits);) {
        }
    });
    return all_held ? most.load() : 0;
}

}  // namespace

std::optional<residual_matrix> residual_matrix::of(const linear_system& a, matrix_storage& binary64)
{
    if (!is_zero(a.reading_error) || a.exact.are_decimals()) {
        return std::nullopt;
    }
    if (a.elsewhere != nullptr) {
        return residual_matrix(*a.elsewhere);
    }
    if (a.exact.empty()) {
        return residual_matrix(binary64);
    }
    const long bits = bits_of_entries(a);
    return bits > 0 ? std::optional(residual_matrix(a, bits)) : std::nullopt;
}

void residual_matrix::move(long_vector& v) const
{
    if (elsewhere_ != nullptr && !v.in_mpfr() && v.elsewhere() == nullptr) {
        v = long_vector(elsewhere_->handed_out(v.on(host_executor{})), v.bits());
    }
}

const csr<host_executor, multidigit>& residual_matrix::in(const multidigit_format& format)
{
    if (!rows_ || rows_->value().format.bits() != format.bits()) {
        const linear_system& a = *system_;
        rows_.reset();  // its memory is free again
        numbers values(format, a.nonzeros());
        const auto to = values.view();
        for_entries(a, [&](index_t begin, index_t end, real& room) {
            bool rounded = false;
            for (index_t k = begin; k < end; ++k) {
                io::ask_for_stop_at(k);
                detail::store_exactly(to, k, a.exact.at(static_cast<std::size_t>(k), real::double_bits, room, rounded));
            }
        });
        rows_ = make_csr(a, std::move(values));
    }
    return *rows_;
}

residual_evaluation evaluate_exactly(residual_matrix& a, long_vector& b, const long_vector& x)
{
    const bool at_zero = x.is_zero();
    residual_evaluation result;
    result.r = at_zero                    ? b
               : a.elsewhere() != nullptr ? residual_elsewhere(a, b, x)
               : a.is_binary64()          ? residual(a.binary64(), b, x)
                                          : residual(a, b, x);
    const long bits = result.r.bits();
    result.norm2 = result.r.norm2();
    result.norm_inf = result.r.norm_inf();
    result.error = at_zero ? real(0.0) : ldexp(result.norm2, 1 - bits);
    result.relative_error = at_zero ? real(0.0) : ldexp(real(1.0), 1 - bits);
    result.is_rounded_once = true;
    return result;
}

}  // namespace residua
