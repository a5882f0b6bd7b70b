#include <residua/blas/level1/asum.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/blas/rns/level1.hpp>

#include <residua/blas/base/executors.hpp>
#include <residua/blas/rns/operands.hpp>

namespace residua::blas {

using namespace detail;

template <class Exec>
void elementwise_operations<rns>::copy(const Exec& exec, in_vector<Exec, rns> x, vector_view<Exec, rns> y)
{
    detail::combine(exec, y, plain(by_row(x)));
}

template <class Exec>
void elementwise_operations<rns>::fill(const Exec& exec, const rns_number& a, vector_view<Exec, rns> y)
{
    rns_term constant = plain(by_row<Exec>(y));
    constant.kind = factor::constant;
    constant.scalar = a.value();
    detail::combine(exec, y, constant);
}

template <class Exec>
void elementwise_operations<rns>::scal(const Exec& exec, const rns_number& a, vector_view<Exec, rns> y)
{
    detail::combine(exec, y, scaled(a, by_row<Exec>(y)));
}

template <class Exec>
void elementwise_operations<rns>::axpy(const Exec& exec, const rns_number& a, in_vector<Exec, rns> x,
                                       vector_view<Exec, rns> y)
{
    const rns_term kept = plain(by_row<Exec>(y));
    detail::combine(exec, y, scaled(a, by_row(x)), &kept);
}

template <class Exec>
void elementwise_operations<rns>::xpay(const Exec& exec, in_vector<Exec, rns> x, const rns_number& a,
                                       vector_view<Exec, rns> y)
{
    const rns_term kept = scaled(a, by_row<Exec>(y));
    detail::combine(exec, y, plain(by_row(x)), &kept);
}

template <class Exec>
void elementwise_operations<rns>::waxpby(const Exec& exec, const rns_number& a, in_vector<Exec, rns> x,
                                         const rns_number& b, in_vector<Exec, rns> y, vector_view<Exec, rns> w)
{
    const rns_term second = scaled(b, by_row(y));
    detail::combine(exec, w, scaled(a, by_row(x)), &second);
}

template <class Exec>
void convert(const Exec& exec, in_vector<Exec, rns> x, vector_view<Exec, double> y)
{
    require_equal("convert", "sizes of x and y", x.size, y.size);
    for_indices(exec, x.format, y.size, to_binary64_element{x.start, x.stride, y.data()});
}

template <class Exec>
void convert(const Exec& exec, in_vector<Exec, double> x, vector_view<Exec, rns> y)
{
    require_equal("convert", "sizes of x and y", x.size, y.size);
    for_indices(exec, y.format, y.size, from_binary64_element{x.data(), y.start, y.stride});
}

template <class Exec>
rns_number detail::dot_of(const Exec& exec, const vector_view<Exec, const rns>& x,
                          const vector_view<Exec, const rns>& y)
{
    return reduce_vectors<Exec>(exec, reduction::products, x, y, long_sum(x.size));
}

template <class Exec>
rns_number detail::asum_of(const Exec& exec, const vector_view<Exec, const rns>& x)
{
    return reduce_vectors<Exec>(exec, reduction::magnitudes, x, x, long_sum(x.size));
}

template <class Exec>
rns_number detail::norm_inf_of(const Exec& exec, const vector_view<Exec, const rns>& x)
{
    return reduce_vectors<Exec>(exec, reduction::largest, x, x, long_sum(x.size));
}

#define RESIDUA_INSTANTIATE(Exec)                                                                               \
    template void elementwise_operations<rns>::copy(const Exec&, in_vector<Exec, rns>, vector_view<Exec, rns>); \
    template void elementwise_operations<rns>::fill(const Exec&, const rns_number&, vector_view<Exec, rns>);    \
    template void elementwise_operations<rns>::scal(const Exec&, const rns_number&, vector_view<Exec, rns>);    \
    template void elementwise_operations<rns>::axpy(const Exec&, const rns_number&, in_vector<Exec, rns>,       \
                                                    vector_view<Exec, rns>);                                    \
    template void elementwise_operations<rns>::xpay(const Exec&, in_vector<Exec, rns>, const rns_number&,       \
                                                    vector_view<Exec, rns>);                                    \
    template void elementwise_operations<rns>::waxpby(const Exec&, const rns_number&, in_vector<Exec, rns>,     \
                                                      const rns_number&, in_vector<Exec, rns>,                  \
                                                      vector_view<Exec, rns>);                                  \
    template void convert(const Exec&, in_vector<Exec, rns>, vector_view<Exec, double>);                        \
    template void convert(const Exec&, in_vector<Exec, double>, vector_view<Exec, rns>);                        \
    template rns_number detail::dot_of(const Exec&, const vector_view<Exec, const rns>&,                        \
                                       const vector_view<Exec, const rns>&);                                    \
    template rns_number detail::asum_of(const Exec&, const vector_view<Exec, const rns>&);                      \
    template rns_number detail::norm_inf_of(const Exec&, const vector_view<Exec, const rns>&);
RESIDUA_FOR_EACH_EXECUTOR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
