#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/multidigit/level1.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/executors.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/multidigit/for_indices.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class Exec>
multidigit_operand operand(const vector_view<Exec, const multidigit>& x)
{
    return {x.start, x.stride};
}

template <class Exec>
multidigit_result result(const vector_view<Exec, multidigit>& y)
{
    return {y.start, y.stride};
}

template <class Exec>
multidigit_power power(const powers_of_two<Exec>& by)
{
    return {by.of_element, by.of_all};
}

/// w <- a x
template <class Exec>
multidigit_axpy product(const multidigit_number& a, const vector_view<Exec, const multidigit>& x,
                        const vector_view<Exec, multidigit>& w)
{
    multidigit_axpy f;
    f.p = w.format.bits();
    f.a = a.value();
    f.multiplies = !is_power_of_two(f.a);
    f.x = operand<Exec>(x);
    f.w = result<Exec>(w);
    return f;
}

/// w <- a x + z
template <class Exec>
multidigit_axpy multiply_add(const multidigit_number& a, const vector_view<Exec, const multidigit>& x,
                             const vector_view<Exec, const multidigit>& z, const vector_view<Exec, multidigit>& w)
{
    multidigit_axpy f = product<Exec>(a, x, w);
    f.adds = true;
    f.z = operand<Exec>(z);
    return f;
}

}  // namespace

template <class Exec>
void elementwise_operations<multidigit>::copy(const Exec& exec, in_vector<Exec, multidigit> x,
                                              vector_view<Exec, multidigit> y)
{
    copy_words(exec, operand<Exec>(x), y.size, result<Exec>(y));
}

template <class Exec>
void elementwise_operations<multidigit>::fill(const Exec& exec, const multidigit_number& a,
                                              vector_view<Exec, multidigit> y)
{
    fill_words(exec, a.value(), y.size, result<Exec>(y));
}

template <class Exec>
void elementwise_operations<multidigit>::scal(const Exec& exec, const multidigit_number& a,
                                              vector_view<Exec, multidigit> y)
{
    for_indices(exec, "scal", y.format, y.size, product<Exec>(a, y, y));
}

template <class Exec>
void elementwise_operations<multidigit>::axpy(const Exec& exec, const multidigit_number& a,
                                              in_vector<Exec, multidigit> x, vector_view<Exec, multidigit> y)
{
    for_indices(exec, "axpy", y.format, y.size, multiply_add<Exec>(a, x, y, y));
}

template <class Exec>
void elementwise_operations<multidigit>::xpay(const Exec& exec, in_vector<Exec, multidigit> x,
                                              const multidigit_number& a, vector_view<Exec, multidigit> y)
{
    for_indices(exec, "xpay", y.format, y.size, multiply_add<Exec>(a, y, x, y));
}

template <class Exec>
void elementwise_operations<multidigit>::waxpby(const Exec& exec, const multidigit_number& a,
                                                in_vector<Exec, multidigit> x, const multidigit_number& b,
                                                in_vector<Exec, multidigit> y, vector_view<Exec, multidigit> w)
{
    const multidigit_number one(a.format(), 1.0);
    if (a == one || a == -one) {
        multidigit_axpy f = multiply_add<Exec>(b, y, x, w);
        f.negates = a == -one;
        for_indices(exec, "waxpby", w.format, w.size, f);
        return;
    }
    vector<Exec, multidigit> first(w.format, w.size, exec);
    for_indices(exec, "waxpby", w.format, w.size, product<Exec>(a, x, first.view()));
    for_indices(exec, "waxpby", w.format, w.size, multiply_add<Exec>(b, y, first.view(), w));
}

template <class Exec>
void permute(const Exec& exec, const scaled_permutation<Exec>& p, in_vector<Exec, multidigit> x,
             vector_view<Exec, multidigit> y)
{
    require_equal("permute", "sizes of the permutation and y", p.source.size(), y.size);
    require_equal("permute", "factors and size of y", p.factor.size(), y.size);
    require_formats("permute", y, x);
    for_indices(exec, "permute", y.format, y.size,
                multidigit_scaling{p.source.data(), p.factor.data(), 0, operand<Exec>(x), result<Exec>(y)});
}

template <class Exec>
void convert(const Exec& exec, in_vector<Exec, multidigit> x, vector_view<Exec, multidigit> y,
             const powers_of_two<Exec>& by)
{
    require_equal("convert", "sizes of x and y", x.size, y.size);
    words_for_indices(exec, "convert", x.format, y.size,
                      multidigit_resize{y.format.bits(), power(by), operand<Exec>(x), result<Exec>(y)});
}

template <class Exec, number T>
void convert(const Exec& exec, in_vector<Exec, multidigit> x, vector_view<Exec, T> y, const powers_of_two<Exec>& by)
{
    require_equal("convert", "sizes of x and y", x.size, y.size);
    words_for_indices(
        exec, "convert", x.format, y.size,
        multidigit_to_terms{power(by), operand<Exec>(x), y.data(), y.start.plane_stride, number_traits<T>::terms});
}

template <class Exec, number T>
void convert(const Exec& exec, vector_view<Exec, const T> x, vector_view<Exec, multidigit> y,
             const powers_of_two<Exec>& by)
{
    require_equal("convert", "sizes of x and y", x.size, y.size);
    for_indices(exec, "convert", y.format, y.size,
                multidigit_from_terms{y.format.bits(), power(by), x.data(), x.start.plane_stride,
                                      number_traits<T>::terms, result<Exec>(y)});
}

template <class Exec>
void dot(const Exec& exec, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y,
         vector_view<Exec, multidigit> to)
{
    require_equal("dot", "sizes of x and y", x.size, y.size);
    require_equal("dot", "size of the result", to.size, 1);
    require_formats("dot", to, x, y);
    sum_long(exec, "dot", x.format, x.size, 1, {operand<Exec>(x), 0, operand<Exec>(y), false}, result<Exec>(to));
}

template <class Exec>
multidigit_number detail::dot_of(const Exec& exec, const vector_view<Exec, const multidigit>& x,
                                 const vector_view<Exec, const multidigit>& y)
{
    const multidigit_result place = mailbox(exec, x.format);
    sum_long(exec, "dot", x.format, x.size, 1, {operand<Exec>(x), 0, operand<Exec>(y), false}, place);
    return fetch(exec, x.format, place);
}

template <class Exec>
multidigit_number detail::asum_of(const Exec& exec, const vector_view<Exec, const multidigit>& x)
{
    const multidigit_result place = mailbox(exec, x.format);
    sum_long(exec, "asum", x.format, x.size, 1, {operand<Exec>(x), 0, {}, true}, place);
    return fetch(exec, x.format, place);
}

template <class Exec>
multidigit_number detail::norm_inf_of(const Exec& exec, const vector_view<Exec, const multidigit>& x)
{
    if (x.size == 0) {
        return multidigit_number(x.format);
    }
    const index_t i = place_of_largest(exec, operand<Exec>(x), x.size);
    const multidigit_result place = mailbox(exec, x.format);
    copy_words(exec, operand<Exec>(x.part(i, i + 1)), 1, place);
    return abs(fetch(exec, x.format, place));
}

template <class Exec>
multidigit_number detail::norm2_of(const Exec& exec, const vector_view<Exec, const multidigit>& x,
                                   const multidigit_number& square)
{
    const multidigit_number zero(x.format);
    if (is_finite(square) && !(square == zero)) {
        return sqrt(square);
    }
    const multidigit_number largest = norm_inf_of(exec, x);
    if (!is_finite(largest) || largest == zero) {
        return largest;
    }
    const long e = exponent(largest);
    vector<Exec, multidigit> scaled(x.format, x.size, exec);
    for_indices(exec, "norm2", x.format, x.size,
                multidigit_scaling{nullptr, nullptr, -e, operand<Exec>(x), result<Exec>(scaled.view())});
    return ldexp(sqrt(dot<multidigit>(exec, scaled, scaled)), e);
}

#define RESIDUA_INSTANTIATE(Exec)                                                                                    \
    template void elementwise_operations<multidigit>::copy(const Exec&, in_vector<Exec, multidigit>,                 \
                                                           vector_view<Exec, multidigit>);                           \
    template void elementwise_operations<multidigit>::fill(const Exec&, const multidigit_number&,                    \
                                                           vector_view<Exec, multidigit>);                           \
    template void elementwise_operations<multidigit>::scal(const Exec&, const multidigit_number&,                    \
                                                           vector_view<Exec, multidigit>);                           \
    template void elementwise_operations<multidigit>::axpy(                                                          \
        const Exec&, const multidigit_number&, in_vector<Exec, multidigit>, vector_view<Exec, multidigit>);          \
    template void elementwise_operations<multidigit>::xpay(const Exec&, in_vector<Exec, multidigit>,                 \
                                                           const multidigit_number&, vector_view<Exec, multidigit>); \
    template void elementwise_operations<multidigit>::waxpby(                                                        \
        const Exec&, const multidigit_number&, in_vector<Exec, multidigit>, const multidigit_number&,                \
        in_vector<Exec, multidigit>, vector_view<Exec, multidigit>);                                                 \
    template void permute(const Exec&, const scaled_permutation<Exec>&, in_vector<Exec, multidigit>,                 \
                          vector_view<Exec, multidigit>);                                                            \
    template void convert(const Exec&, in_vector<Exec, multidigit>, vector_view<Exec, multidigit>,                   \
                          const powers_of_two<Exec>&);                                                               \
    template void dot(const Exec&, in_vector<Exec, multidigit>, in_vector<Exec, multidigit>,                         \
                      vector_view<Exec, multidigit>);                                                                \
    template multidigit_number detail::dot_of(const Exec&, const vector_view<Exec, const multidigit>&,               \
                                              const vector_view<Exec, const multidigit>&);                           \
    template multidigit_number detail::asum_of(const Exec&, const vector_view<Exec, const multidigit>&);             \
    template multidigit_number detail::norm_inf_of(const Exec&, const vector_view<Exec, const multidigit>&);         \
    template multidigit_number detail::norm2_of(const Exec&, const vector_view<Exec, const multidigit>&,             \
                                                const multidigit_number&);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

#define RESIDUA_BOTH_WAYS(Exec, ...)                                                                        \
    template void convert(const Exec&, in_vector<Exec, multidigit>, vector_view<Exec, __VA_ARGS__>,         \
                          const powers_of_two<Exec>&);                                                      \
    template void convert(const Exec&, vector_view<Exec, const __VA_ARGS__>, vector_view<Exec, multidigit>, \
                          const powers_of_two<Exec>&);
#define RESIDUA_INSTANTIATE_ON_HOST(...) RESIDUA_BOTH_WAYS(host_executor, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE_ON_HOST)
#if defined(RESIDUA_CUDA)
#define RESIDUA_INSTANTIATE_ON_DEVICE(...) RESIDUA_BOTH_WAYS(cuda_executor, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE_ON_DEVICE)
#endif

}  // namespace residua::blas
