#include <residua/blas/level1/convert.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas {

template <number From, number To>
void convert(const host_executor&, vector_view<host_executor, const From> x, vector_view<host_executor, To> y)
{
    require_equal("convert", "sizes of x and y", x.size, y.size);
    const double operations = 10.0 * static_cast<double>(y.size) * (x.terms + y.terms);
    detail::parallel_ranges(y.size, 8, operations, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
            y.store(i, detail::converted<To>(x.load(i)));
        }
    });
}

#define RESIDUA_ONE_WAY(From, To)                                                                        \
    template void convert(const host_executor&, vector_view<host_executor, const format_of_terms<From>>, \
                          vector_view<host_executor, format_of_terms<To>>);
#define RESIDUA_INSTANTIATE(One, Other) RESIDUA_ONE_WAY(One, Other) RESIDUA_ONE_WAY(Other, One)
RESIDUA_FOR_EACH_CONVERSION(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
