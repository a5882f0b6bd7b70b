#include <residua/blas/multidigit/level1.hpp>

#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/multidigit/elements.hpp>
#include <residua/blas/multidigit/run.hpp>

namespace residua::blas {
namespace {

using namespace detail;
using digit = std::uint64_t;
using view = vector_view<host_executor, multidigit>;
using const_view = vector_view<host_executor, const multidigit>;

multidigit_term plain(const const_view& x) { return {x.start, x.stride, multidigit_factor::one, {}}; }

/// a x, without a product where a is 1 or -1
multidigit_term scaled(const multidigit_number& a, const const_view& x)
{
    return {x.start, x.stride, kind_of(a), a.value()};
}

void combine(const view& to, const multidigit_term& first)
{
    run(to.format, to.size, multidigit_combine{to.format.bits(), 1, first, first, to.start, to.stride});
}

void combine(const view& to, const multidigit_term& first, const multidigit_term& second)
{
    run(to.format, to.size, multidigit_combine{to.format.bits(), 2, first, second, to.start, to.stride});
}

/// The sum of all that `add` adds for i < n, in the one order of summation.
template <class Add>
multidigit_number sum_all(const multidigit_format& format, index_t n, const Add& add)
{
    const int p = format.bits();
    return with_multidigit_size<digit>(multidigit_count<digit>(p), [&]<int N>() -> multidigit_number {
        using sum = multidigit_sum<digit, N>;
        const index_t count = (n + reduction_block - 1) / reduction_block;
        std::vector<sum> blocks(static_cast<std::size_t>(count > 0 ? count : 1));
        parallel_ranges(count, 1, operations_of(format) * static_cast<double>(n), [&](index_t begin, index_t end) {
            for (index_t b = begin; b < end; ++b) {
                const index_t first = b * reduction_block;
                const index_t last = first + reduction_block < n ? first + reduction_block : n;
                blocks[static_cast<std::size_t>(b)] = sum_of_block<N>(first, last, add, p);
            }
        });
        for (index_t distance = 1; distance < count; distance *= 2) {
            for (index_t b = 0; b + distance < count; b += 2 * distance) {
                blocks[static_cast<std::size_t>(b)].merge(blocks[static_cast<std::size_t>(b + distance)]);
            }
        }
        return {format, residua::detail::widest(blocks[0].result(p))};
    });
}

}  // namespace

template <class Exec>
void copy(const Exec&, in_vector<Exec, multidigit> x, vector_view<Exec, multidigit> y)
{
    require_equal("copy", "sizes of x and y", x.size, y.size);
    require_formats("copy", {x.format}, y.format);
    combine(y, plain(x));
}

template <class Exec>
void fill(const Exec&, const multidigit_number& a, vector_view<Exec, multidigit> y)
{
    require_formats("fill", {a.format()}, y.format);
    run(y.format, y.size, multidigit_fill{a.value(), y.start, y.stride});
}

template <class Exec>
void scal(const Exec&, const multidigit_number& a, vector_view<Exec, multidigit> y)
{
    require_formats("scal", {a.format()}, y.format);
    combine(y, scaled(a, y));
}

template <class Exec>
void axpy(const Exec&, const multidigit_number& a, in_vector<Exec, multidigit> x, vector_view<Exec, multidigit> y)
{
    require_equal("axpy", "sizes of x and y", x.size, y.size);
    require_formats("axpy", {a.format(), x.format}, y.format);
    combine(y, plain(y), scaled(a, x));
}

template <class Exec>
void xpay(const Exec&, in_vector<Exec, multidigit> x, const multidigit_number& a, vector_view<Exec, multidigit> y)
{
    require_equal("xpay", "sizes of x and y", x.size, y.size);
    require_formats("xpay", {a.format(), x.format}, y.format);
    combine(y, plain(x), scaled(a, y));
}

template <class Exec>
void waxpby(const Exec&, const multidigit_number& a, in_vector<Exec, multidigit> x, const multidigit_number& b,
            in_vector<Exec, multidigit> y, vector_view<Exec, multidigit> w)
{
    require_equal("waxpby", "sizes of x and w", x.size, w.size);
    require_equal("waxpby", "sizes of y and w", y.size, w.size);
    require_formats("waxpby", {a.format(), x.format, b.format(), y.format}, w.format);
    combine(w, scaled(a, x), scaled(b, y));
}

template <class Exec>
multidigit_number dot(const Exec&, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y)
{
    require_equal("dot", "sizes of x and y", x.size, y.size);
    require_formats("dot", {y.format}, x.format);
    return sum_all(x.format, x.size, multidigit_products{plain(x), plain(y)});
}

template <class Exec>
multidigit_number asum(const Exec&, in_vector<Exec, multidigit> x)
{
    return sum_all(x.format, x.size, multidigit_magnitudes{plain(x)});
}

template <class Exec>
multidigit_number norm_inf(const Exec&, in_vector<Exec, multidigit> x)
{
    multidigit_number largest(x.format);
    for (index_t i = 0; i < x.size; ++i) {
        const multidigit_number magnitude = abs(x.load(i));
        if (!(magnitude == magnitude)) {
            return magnitude;
        }
        largest = largest < magnitude ? magnitude : largest;
    }
    return largest;
}

template <class Exec>
multidigit_number norm2(const Exec& exec, in_vector<Exec, multidigit> x)
{
    const multidigit_number square = dot<Exec>(exec, x, x);
    const multidigit_number zero(x.format);
    if (is_finite(square) && !(square == zero)) {
        return sqrt(square);
    }
    const multidigit_number largest = norm_inf<Exec>(exec, x);
    if (!is_finite(largest) || largest == zero) {
        return largest;
    }
    const long e = exponent(largest);
    vector<Exec, multidigit> scaled_x(x.format, x.size);
    for (index_t i = 0; i < x.size; ++i) {
        scaled_x.set(i, ldexp(x.load(i), -e));
    }
    return ldexp(sqrt(dot<Exec>(exec, scaled_x, scaled_x)), e);
}

template void copy(const host_executor&, in_vector<host_executor, multidigit>, vector_view<host_executor, multidigit>);
template void fill(const host_executor&, const multidigit_number&, vector_view<host_executor, multidigit>);
template void scal(const host_executor&, const multidigit_number&, vector_view<host_executor, multidigit>);
template void axpy(const host_executor&, const multidigit_number&, in_vector<host_executor, multidigit>,
                   vector_view<host_executor, multidigit>);
template void xpay(const host_executor&, in_vector<host_executor, multidigit>, const multidigit_number&,
                   vector_view<host_executor, multidigit>);
template void waxpby(const host_executor&, const multidigit_number&, in_vector<host_executor, multidigit>,
                     const multidigit_number&, in_vector<host_executor, multidigit>,
                     vector_view<host_executor, multidigit>);
template multidigit_number dot(const host_executor&, in_vector<host_executor, multidigit>,
                               in_vector<host_executor, multidigit>);
template multidigit_number asum(const host_executor&, in_vector<host_executor, multidigit>);
template multidigit_number norm_inf(const host_executor&, in_vector<host_executor, multidigit>);
template multidigit_number norm2(const host_executor&, in_vector<host_executor, multidigit>);

}  // namespace residua::blas
