#include <residua/solvers/space/long_vector.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include <residua/arith/multidigit/real.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/elements.hpp>
#include <residua/solvers/checkpoint/real_state.hpp>
#include <residua/solvers/matrix/exact_numbers.hpp>
#include <residua/solvers/space/space_state.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {
namespace {

constexpr long norm_bits = 64;
constexpr index_t elements_together = 64;  // whole tiles, whose numbers have words of their own

/// Work to bring `count` numbers to MPFR or from it, some 100 ns each, in the operations of blas::detail::threads_for.
double work(index_t count, long bits) { return static_cast<double>(count) * (1500.0 + static_cast<double>(bits)); }

multidigit_format format_of(long bits) { return multidigit_format(std::max<long>(bits, multidigit_least_bits)); }

/// Bits that hold all the numbers, at least multidigit_least_bits; 0 if multi-digit floats do not hold them.
long bits_for(const std::vector<real>& v)
{
    long bits = multidigit_least_bits;
    const bool all = std::all_of(v.begin(), v.end(), [&](const real& x) { return detail::raise_to_hold(x, bits); });
    return all ? bits : 0;
}

/// Number i, exactly.
real number_at(const vector<host_executor, multidigit>& v, index_t i)
{
    using residua::detail::highest_bit;
    const auto start = v.view().start;
    const std::uint32_t* const word = start.number(i);
    const auto code = static_cast<std::int32_t>(word[start.digits * detail::words_apart] ^ highest_bit);
    std::array<std::uint32_t, multidigit_most_bits / 32> digit;
    for (int k = 0; k < start.digits; ++k) {
        digit[static_cast<std::size_t>(k)] = word[k * detail::words_apart];
    }
    std::uint32_t& top = digit[static_cast<std::size_t>(start.digits - 1)];
    const bool negative = (top & highest_bit) != 0;
    top = detail::is_regular(code) ? top | highest_bit : 0;
    return detail::multidigit_value(digit.data(), 4 * start.digits, code, negative);
}

/// Number i, rounded to nearest but for what is below its first 64 bits.
scaled_double leading_at(const vector<host_executor, multidigit>& v, index_t i)
{
    using residua::detail::highest_bit;
    const auto start = v.view().start;
    const std::uint32_t* const word = start.number(i) + (start.digits - 1) * detail::words_apart;
    const auto code = static_cast<std::int32_t>(word[detail::words_apart] ^ highest_bit);
    if (!detail::is_regular(code)) {
        return to_double(v.get(i));
    }
    const std::uint64_t top = static_cast<std::uint64_t>(word[0] | highest_bit) << 32 | *(word - detail::words_apart);
    const double magnitude = std::ldexp(static_cast<double>(top), -64);
    return scaled_double::normalized((word[0] & highest_bit) != 0 ? -magnitude : magnitude, code);
}

/// The numbers of a vector in another precision, in the same place.
template <class Exec>
vector<Exec, multidigit> resized(const Exec& exec, const vector<Exec, multidigit>& v, const multidigit_format& format)
{
    vector<Exec, multidigit> result(format, v.size(), exec);
    blas::convert(exec, v.view(), result.view());
    return result;
}

void round_all(std::vector<real>& v, long bits)
{
    for (real& x : v) {
        x = x.with_precision(bits);
    }
}

real norm_of(const multidigit_number& norm) { return to_real(norm).with_precision(norm_bits); }

}  // namespace

scaled_doubles leading(const vector<host_executor, multidigit>& v)
{
    scaled_doubles result(static_cast<std::size_t>(v.size()));
    for_each_element(result.size(), [&](std::size_t i) { result[i] = leading_at(v, static_cast<index_t>(i)); });
    return result;
}

long_vector long_vector::zeros(index_t n)
{
    return {host_executor{}, numbers_on<host_executor>(format_of(0), n), multidigit_least_bits};
}

long_vector long_vector::exactly(const std::vector<real>& v)
{
    const long bits = bits_for(v);
    if (bits == 0) {
        return long_vector(v);
    }
    const multidigit_format format(bits);
    const auto size = static_cast<index_t>(v.size());
    numbers_on<host_executor> numbers(format, size);
    const auto view = numbers.view();
    blas::detail::parallel_ranges(size, elements_together, work(size, bits), [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            io::ask_for_stop_at(i);
            detail::store_exactly(view, i, v[static_cast<std::size_t>(i)]);
        }
    });
    return {host_executor{}, std::move(numbers), bits};
}

index_t long_vector::size() const
{
    if (in_mpfr()) {
        return static_cast<index_t>(std::get<std::vector<real>>(v_).size());
    }
    return elsewhere() != nullptr ? elsewhere()->size() : visit([](const auto&, const auto& v) { return v.size(); });
}

long long_vector::bits() const
{
    long bits = bits_;
    if (in_mpfr()) {
        for (const real& x : std::get<std::vector<real>>(v_)) {
            bits = std::max(bits, x.precision());
        }
    }
    return bits;
}

bool long_vector::is_zero() const { return residua::is_zero(norm_inf()); }
bool long_vector::is_finite() const { return residua::is_finite(norm_inf()); }

real long_vector::norm2() const
{
    if (in_mpfr()) {
        return residua::norm2(std::get<std::vector<real>>(v_));
    }
    return norm_of(elsewhere() != nullptr ? elsewhere()->norm2() : visit([](const auto& exec, const auto& v) {
        return blas::norm2<multidigit>(exec, v.view());
    }));
}

real long_vector::norm_inf() const
{
    if (in_mpfr()) {
        return residua::norm_inf(std::get<std::vector<real>>(v_));
    }
    return norm_of(elsewhere() != nullptr ? elsewhere()->norm_inf() : visit([](const auto& exec, const auto& v) {
        return blas::norm_inf<multidigit>(exec, v.view());
    }));
}

std::vector<real> long_vector::numbers() const
{
    if (in_mpfr()) {
        return std::get<std::vector<real>>(v_);
    }
    if (elsewhere() != nullptr) {
        std::vector<real> all;
        all.reserve(static_cast<std::size_t>(size()));
        for_each_part([&](index_t, const std::vector<real>& part) { all.insert(all.end(), part.begin(), part.end()); });
        return all;
    }
    std::vector<real> result(static_cast<std::size_t>(size()));
    const auto take = [&](const numbers_on<host_executor>& v) {
        blas::detail::parallel_ranges(
            v.size(), elements_together, work(v.size(), bits_), [&](index_t begin, index_t end) {
                for (index_t i = begin; i < end; ++i) {
                    io::ask_for_stop_at(i);
                    result[static_cast<std::size_t>(i)] = number_at(v, i).with_precision(bits_);
                }
            });
    };
    visit([&](const auto& exec, const auto& v) {
        if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, host_executor>) {
            take(v);
        } else {
            take(to_host(exec, v));
        }
    });
    return result;
}

void long_vector::for_each_part(const std::function<void(index_t first, const std::vector<real>& part)>& f) const
{
    if (elsewhere() == nullptr) {
        return f(0, in_mpfr() ? std::get<std::vector<real>>(v_) : numbers());
    }
    index_t first = 0;
    elsewhere()->for_each_piece([&](numbers_elsewhere::numbers piece) {
        const index_t size = piece.size();
        f(first, long_vector(host_executor{}, std::move(piece), bits_).numbers());
        first += size;
    });
}

scaled_doubles long_vector::leading() const
{
    if (in_mpfr()) {
        const auto& all = std::get<std::vector<real>>(v_);
        scaled_doubles result(all.size());
        for_each_element(all.size(), [&](std::size_t i) { result[i] = scaled_double(all[i]); });
        return result;
    }
    if (elsewhere() != nullptr) {
        return gathered().leading();
    }
    return visit([&](const auto& exec, const auto& v) {
        if constexpr (std::is_same_v<std::decay_t<decltype(exec)>, host_executor>) {
            return residua::leading(v);
        } else {
            return residua::leading(to_host(exec, resized(exec, v, format_of(0))));
        }
    });
}

std::vector<real> long_vector::numbers(long bits) const
{
    const bool rounds_there = !in_mpfr() && multidigit_least_bits <= bits && bits < bits_;
    std::vector<real> result = rounds_there ? rounded(bits).numbers() : numbers();
    round_all(result, bits);
    return result;
}

long_vector long_vector::rounded(long bits) const
{
    if (in_mpfr()) {
        return long_vector(numbers(bits));
    }
    if (bits_ <= bits) {
        return *this;
    }
    if (elsewhere() != nullptr) {
        numbers_elsewhere::pointer there = elsewhere()->rounded(bits);
        return there != nullptr ? long_vector(std::move(there), bits) : gathered().rounded(bits);
    }
    if (bits < multidigit_least_bits) {
        std::vector<real> all = numbers();
        round_all(all, bits);
        long_vector result = exactly(all);
        result.bits_ = bits;
        return result;
    }
    return visit(
        [&](const auto& exec, const auto& v) { return long_vector(exec, resized(exec, v, format_of(bits)), bits); });
}

long_vector long_vector::plus(const long_vector& d, long bits) const
{
    if (is_zero()) {
        const long_vector sum = d.rounded(bits);
        return sum.in_mpfr() && !in_mpfr() ? exactly(sum.numbers()) : sum;
    }
    const bool fits = bits <= multidigit_format::most_bits;
    if (in_mpfr() || !fits) {
        std::vector<real> sum = numbers();
        const std::vector<real> other = d.numbers();
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] = sum[i].with_precision(std::max(bits, sum[i].precision())) + other[i];
            sum[i] = sum[i].with_precision(bits);
        }
        return long_vector(std::move(sum));
    }
    if (d.in_mpfr()) {
        const long_vector numbers = exactly(d.numbers());
        return numbers.in_mpfr() ? long_vector(this->numbers()).plus(d, bits) : plus(numbers, bits);
    }
    if (elsewhere() != nullptr && d.elsewhere() != nullptr) {
        return {elsewhere()->plus(*d.elsewhere(), bits), bits};
    }
    if (d.elsewhere() != nullptr) {
        return plus(d.gathered(), bits);
    }
    long_vector x = *this;
    return d.visit([&](const auto& exec, const auto& right) {
        auto sum = resized(exec, *x.on(exec), format_of(bits));
        const auto term = resized(exec, right, format_of(bits));
        blas::axpy(exec, multidigit_number(format_of(bits), 1.0), term.view(), sum.view());
        return long_vector(exec, std::move(sum), bits);
    });
}

void long_vector::carry(long bits)
{
    if (bits <= this->bits()) {
        return;
    }
    if (in_mpfr() || bits > multidigit_format::most_bits) {
        *this = long_vector(numbers(bits));
        return;
    }
    hold_in(bits);
    bits_ = bits;
}

long long_vector::held_bits() const
{
    return elsewhere() != nullptr ? elsewhere()->format().precision_bits()
                                  : visit([](const auto&, const auto& v) { return v.format().precision_bits(); });
}

void long_vector::hold_in(long bits)
{
    if (bits <= held_bits()) {
        return;
    }
    if (elsewhere() != nullptr) {
        v_ = elsewhere()->rounded(bits);
    } else {
        long_vector longer = visit([&](const auto& exec, const auto& v) {
            return long_vector(exec, resized(exec, v, multidigit_format(bits)), bits_);
        });
        v_.swap(longer.v_);
    }
}

void long_vector::archive(state_archive& io)
{
    bool is_in_mpfr = in_mpfr();
    io.value(is_in_mpfr);
    if (is_in_mpfr) {
        v_ = io.reads() ? std::vector<real>() : std::move(std::get<std::vector<real>>(v_));
        bits_ = 0;
        return residua::archive(io, std::get<std::vector<real>>(v_));
    }
    std::uint64_t size = io.reads() ? 0 : static_cast<std::uint64_t>(this->size());
    long held = io.reads() ? multidigit_least_bits : held_bits();
    constexpr std::size_t bytes_of_number = 8;
    size = io.count(size, bytes_of_number);
    io.at_most(held, multidigit_format::most_bits);
    io.at_most(bits_, multidigit_format::most_bits);
    if (elsewhere() != nullptr) {
        on(host_executor{});
    }
    const auto archive_here = [&](numbers_on<host_executor>& here) { residua::detail::archive_memory(io, here); };
    if (io.reads()) {
        numbers_on<host_executor> here(format_of(held), static_cast<index_t>(size));
        archive_here(here);
        v_ = placed<host_executor>{{}, std::move(here)};
    } else if (auto* const here = std::get_if<placed<host_executor>>(&v_)) {
        archive_here(here->numbers);
    } else {
#if defined(RESIDUA_CUDA)
        const auto& there = std::get<placed<cuda_executor>>(v_);
        numbers_on<host_executor> copy = to_host(there.exec, there.numbers);
        archive_here(copy);
#endif
    }
}

template <class Exec>
const long_vector::numbers_on<Exec>* long_vector::on(const Exec& exec)
{
    if (in_mpfr()) {
        return nullptr;
    }
    if (elsewhere() != nullptr) {
        v_ = placed<host_executor>{{}, elsewhere()->gathered()};
    }
    if (!std::holds_alternative<placed<Exec>>(v_)) {
        if constexpr (std::is_same_v<Exec, host_executor>) {
            const auto& there = std::get<placed<cuda_executor>>(v_);
            v_ = placed<Exec>{exec, to_host(there.exec, there.numbers)};
        } else {
            v_ = placed<Exec>{exec, to_device(exec, std::get<placed<host_executor>>(v_).numbers)};
        }
    }
    return &std::get<placed<Exec>>(v_).numbers;
}

template const long_vector::numbers_on<host_executor>* long_vector::on(const host_executor& exec);
#if defined(RESIDUA_CUDA)
template const long_vector::numbers_on<cuda_executor>* long_vector::on(const cuda_executor& exec);
#endif

}  // namespace residua
