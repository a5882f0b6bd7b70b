#include <residua/blas/exact/gemv_exact.hpp>

#include <mutex>
#include <utility>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/exact/positional_product.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class T>
using factor = whole_factor<decltype(exact_vectors(std::declval<vector_view<host_executor, const T>>()))>;

}  // namespace

template <class T>
void gemv_exact(const host_executor&, in_matrix<host_executor, T> a, in_vector<host_executor, T> x,
                vector_view<host_executor, T> y, const exact_options& options)
{
    require_equal("gemv_exact", "rows of A and size of y", a.rows, y.size);
    require_equal("gemv_exact", "columns of A and size of x", a.cols, x.size);
    require_options("gemv_exact", options);
    const factor<T> of_a(exact_vectors(a, true), a.cols, a.rows, options.bits);
    const factor<T> of_x(exact_vectors(x), x.size, 1, options.bits);
    positional_product("gemv_exact", of_a, of_x, y, stride_of(y), 0);
}

template <class T>
void dot_exact(const host_executor&, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
               vector_view<host_executor, T> result, const exact_options& options)
{
    require_equal("dot_exact", "sizes of x and y", x.size, y.size);
    require_equal("dot_exact", "size of the result and 1", result.size, 1);
    require_options("dot_exact", options);
    const factor<T> of_x(exact_vectors(x), x.size, 1, options.bits);
    const factor<T> of_y(exact_vectors(y), y.size, 1, options.bits);
    const exact_sums<factor<T>> sums("dot_exact", of_x, of_y);

    std::vector<std::uint64_t> total = sums.zeros(1);
    const two_sums all = sums.at(total, 0);
    std::mutex joining;
    parallel_ranges(x.size, 64, sums.operations() * static_cast<double>(x.size), [&](index_t begin, index_t end) {
        std::vector<std::uint64_t> number_x(static_cast<std::size_t>(of_x.words()));
        std::vector<std::uint64_t> number_y(static_cast<std::size_t>(of_y.words()));
        std::vector<std::uint64_t> part = sums.zeros(1);
        for (index_t l = begin; l < end; ++l) {
            sums.at(part, 0).add_product(whole_number(of_x, l, 0, number_x.data()),
                                         whole_number(of_y, l, 0, number_y.data()));
        }
        const std::lock_guard lock(joining);
        all.add(sums.at(part, 0));
    });
    sums.store(all, 0, 0, 0, exact_result(result));
}

#define RESIDUA_INSTANTIATE(...)                                                                          \
    template void gemv_exact<__VA_ARGS__>(const host_executor&, in_matrix<host_executor, __VA_ARGS__>,    \
                                          in_vector<host_executor, __VA_ARGS__>,                          \
                                          vector_view<host_executor, __VA_ARGS__>, const exact_options&); \
    template void dot_exact<__VA_ARGS__>(const host_executor&, in_vector<host_executor, __VA_ARGS__>,     \
                                         in_vector<host_executor, __VA_ARGS__>,                           \
                                         vector_view<host_executor, __VA_ARGS__>, const exact_options&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(multidigit)
RESIDUA_INSTANTIATE(rns)

}  // namespace residua::blas
