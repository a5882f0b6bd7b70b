#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include <residua/arith/multidigit/limbs.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/solvers/dense.hpp>

namespace residua::dense {
namespace {

constexpr long least_bits = 53;
constexpr int most_limbs = 1 << 14;

using host_matrix = residua::matrix<host_executor, multidigit>;

multidigit_format format_of(long bits)
{
    if (bits < least_bits || bits > multidigit_most_bits) {
        throw unsupported_error("dense matrices have " + std::to_string(least_bits) + " to " +
                                std::to_string(multidigit_most_bits) + " bits, not " + std::to_string(bits));
    }
    return multidigit_format(std::max<long>(bits, multidigit_least_bits));
}

/// The distance of columns in an array of the caller.
///
/// throws  dimension_error if it is less than a column, or more than an address can have; error if x is null
index_t distance_of_columns(const dense_matrix& m, const void* x, index_t ld)
{
    const index_t distance = ld == 0 ? m.rows() : ld;
    constexpr index_t most = index_t{1} << 44;  // of 2^14 limbs each
    if (distance < m.rows() || (m.cols() > 0 && distance > most / m.cols())) {
        throw dimension_error("columns of " + std::to_string(m.rows()) + " numbers do not begin " +
                              std::to_string(distance) + " numbers apart, " + std::to_string(m.cols()) + " of them");
    }
    if (x == nullptr && m.rows() > 0 && m.cols() > 0) {
        throw error("the array of numbers is null");
    }
    return distance;
}

template <class Limbs>
index_t distance_of_limbs(const dense_matrix& m, const Limbs& x, index_t ld)
{
    if (x.limbs < 1 || x.limbs > most_limbs) {
        throw dimension_error("there are 1 to " + std::to_string(most_limbs) + " limbs of a number, not " +
                              std::to_string(x.limbs));
    }
    return std::max({distance_of_columns(m, static_cast<const void*>(x.limb), ld),
                     distance_of_columns(m, static_cast<const void*>(x.sign), ld),
                     distance_of_columns(m, static_cast<const void*>(x.exponent), ld)});
}

/// f(i, j) for all numbers, columns by all threads. An error says of which number it is.
template <class F>
void for_numbers(const host_matrix& m, const F& f)
{
    const double work = 4.0 * m.format().bytes() * static_cast<double>(m.rows()) * static_cast<double>(m.cols());
    blas::detail::parallel_ranges(m.cols(), 1, work, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            for (index_t i = 0; i < m.rows(); ++i) {
                try {
                    f(i, j);
                } catch (const error& e) {
                    throw error("number (" + std::to_string(i) + ", " + std::to_string(j) + ") is " + e.what());
                }
            }
        }
    });
}

void require_finite(const multidigit_number& x)
{
    if (!is_finite(x)) {
        throw error("infinite or nan, which has no limbs");
    }
}

}  // namespace

dense_matrix::dense_matrix(index_t rows, index_t cols, long bits, const std::optional<cuda_executor>& device)
    : device_(device), numbers_(host_matrix(format_of(bits), device ? 0 : rows, device ? 0 : cols))
{
    if (device_) {
        numbers_.emplace<residua::matrix<cuda_executor, multidigit>>(format_of(bits), rows, cols, *device_);
    }
}

index_t dense_matrix::rows() const
{
    return std::visit([](const auto& m) { return m.rows(); }, numbers_);
}

index_t dense_matrix::cols() const
{
    return std::visit([](const auto& m) { return m.cols(); }, numbers_);
}

long dense_matrix::bits() const
{
    return std::visit([](const auto& m) { return m.format().precision_bits(); }, numbers_);
}

/// Each number is source(its index, a limb that may be used).
template <class Source>
void dense_matrix::set_numbers(const Source& source)
{
    const multidigit_format format(bits());
    host_matrix taken(format, rows(), cols());
    for_numbers(taken, [&, to = taken.view()](index_t i, index_t j) {
        std::uint64_t room = 0;
        to.column(j).store(i, from_limbs(format, source(i, j, &room)));
    });
    if (device_) {
        numbers_ = to_device(*device_, taken);
    } else {
        numbers_ = std::move(taken);
    }
}

/// Calls sink(index, number) for each.
template <class Sink>
void dense_matrix::get_numbers(const Sink& sink) const
{
    const auto give = [&](const host_matrix& from) {
        for_numbers(from, [&, view = from.view()](index_t i, index_t j) { sink(i, j, view.column(j).load(i)); });
    };
    if (device_) {
        give(to_host(*device_, numbers<cuda_executor>()));
    } else {
        give(numbers<host_executor>());
    }
}

void dense_matrix::set(mpf_srcptr x, index_t ld)
{
    const index_t distance = distance_of_columns(*this, x, ld);
    set_numbers([&](index_t i, index_t j, std::uint64_t*) { return limbs_of(x + j * distance + i); });
}

void dense_matrix::set(mpfr_srcptr x, index_t ld)
{
    const index_t distance = distance_of_columns(*this, x, ld);
    set_numbers([&](index_t i, index_t j, std::uint64_t*) { return limbs_of(x + j * distance + i); });
}

void dense_matrix::set(const double* x, index_t ld)
{
    const index_t distance = distance_of_columns(*this, x, ld);
    set_numbers([&](index_t i, index_t j, std::uint64_t* room) { return limbs_of(x[j * distance + i], room); });
}

void dense_matrix::set(const limb_array& x, index_t ld)
{
    const index_t distance = distance_of_limbs(*this, x, ld);
    set_numbers([&](index_t i, index_t j, std::uint64_t*) -> limb_number {
        const index_t k = j * distance + i;
        if (x.sign[k] == 0) {
            return {};
        }
        return {{x.limb + k * x.limbs, static_cast<std::size_t>(x.limbs)}, x.exponent[k], x.sign[k] < 0};
    });
}

void dense_matrix::get(mpf_ptr x, index_t ld) const
{
    const index_t distance = distance_of_columns(*this, x, ld);
    get_numbers([&](index_t i, index_t j, const multidigit_number& number) {
        require_finite(number);
        store(limbs_of(number), x + j * distance + i);
    });
}

void dense_matrix::get(mpfr_ptr x, index_t ld) const
{
    const index_t distance = distance_of_columns(*this, x, ld);
    get_numbers([&](index_t i, index_t j, const multidigit_number& number) {
        mpfr_ptr const to = x + j * distance + i;
        if (is_finite(number)) {
            store(limbs_of(number), to);
        } else {
            mpfr_set_d(to, to_double(number), MPFR_RNDN);
        }
    });
}

void dense_matrix::get(double* x, index_t ld) const
{
    const index_t distance = distance_of_columns(*this, x, ld);
    get_numbers(
        [&](index_t i, index_t j, const multidigit_number& number) { x[j * distance + i] = to_double(number); });
}

void dense_matrix::get(const limb_room& x, index_t ld) const
{
    const index_t distance = distance_of_limbs(*this, x, ld);
    get_numbers([&](index_t i, index_t j, const multidigit_number& number) {
        require_finite(number);
        const index_t k = j * distance + i;
        const limb_number from = limbs_of(number);
        const std::span<std::uint64_t> to(x.limb + k * x.limbs, static_cast<std::size_t>(x.limbs));
        const bool zero = is_zero(from);
        std::fill(to.begin(), to.end(), std::uint64_t{0});
        x.exponent[k] = zero ? 0 : round_limbs(from, 64L * x.limbs, to);
        x.sign[k] = zero ? 0 : from.negative ? -1 : 1;
    });
}

}  // namespace residua::dense
