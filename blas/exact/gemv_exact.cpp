#include <residua/blas/exact/gemv_exact.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <residua/blas/exact/positional_product.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class T>
using factor =
    integer_factor<decltype(exact_vectors(host_executor{}, std::declval<vector_view<host_executor, const T>>()))>;

}  // namespace

template <class T>
void gemv_exact(const host_executor& exec, in_matrix<host_executor, T> a, in_vector<host_executor, T> x,
                vector_view<host_executor, T> y, const exact_options& options)
{
    require_equal("gemv_exact", "rows of A and size of y", a.rows, y.size);
    require_equal("gemv_exact", "columns of A and size of x", a.cols, x.size);
    require_options("gemv_exact", options);
    const factor<T> of_a(exact_vectors(exec, a, true), a.cols, a.rows, options.bits);
    const factor<T> of_x(exact_vectors(exec, x), x.size, 1, options.bits);
    positional_product("gemv_exact", of_a, of_x, y, stride_of(y), 0);
}

template <class T>
void dot_exact(const host_executor& exec, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
               vector_view<host_executor, T> result, const exact_options& options)
{
    require_equal("dot_exact", "sizes of x and y", x.size, y.size);
    require_equal("dot_exact", "size of the result and 1", result.size, 1);
    require_options("dot_exact", options);
    const factor<T> of_x(exact_vectors(exec, x), x.size, 1, options.bits);
    const factor<T> of_y(exact_vectors(exec, y), y.size, 1, options.bits);
    const exact_sums<factor<T>> sums("dot_exact", of_x, of_y);

    std::vector<std::uint64_t> total = sums.zeros(1);
    const two_sums all = sums.at(total, 0);
    std::mutex joining;
    parallel_ranges(x.size, 64, sums.operations() * static_cast<double>(x.size), [&](index_t begin, index_t end) {
        std::vector<std::uint64_t> number_x(static_cast<std::size_t>(of_x.words()));
        std::vector<std::uint64_t> number_y(static_cast<std::size_t>(of_y.words()));
        std::vector<std::uint64_t> part = sums.zeros(1);
        for (index_t l = begin; l < end; ++l) {
            sums.at(part, 0).add_product(integer_words(of_x, l, 0, number_x.data()),
                                         integer_words(of_y, l, 0, number_y.data()));
        }
        const std::lock_guard lock(joining);
        all.add(sums.at(part, 0));
    });
    sums.store(all, 0, 0, 0, exact_result(exec, result));
}

template <class T>
struct detail::exact_integers<host_executor, T> {
    factor<T> of;
    long bits;
    std::vector<std::uint64_t> words;
    std::vector<signed_words> number;  // element l of row i is number l + i * length

    exact_integers(const host_executor& exec, const matrix_view<host_executor, const T>& a, long q)
        : of(exact_vectors(exec, a, true), a.cols, a.rows, q),
          bits(q),
          words(static_cast<std::size_t>(a.rows * a.cols * of.words())),
          number(static_cast<std::size_t>(a.rows * a.cols))
    {
        const double operations = 4.0 * of.words() * static_cast<double>(number.size());
        parallel_ranges(a.rows, 1, operations, [&](index_t begin, index_t end) {
            for (index_t k = begin * a.cols; k < end * a.cols; ++k) {
                number[static_cast<std::size_t>(k)] =
                    integer_words(of, k % a.cols, k / a.cols, words.data() + k * of.words());
            }
        });
    }
};

template <class T>
detail::exact_integers_of<host_executor, T> detail::make_integers(const host_executor& exec,
                                                                  in_matrix<host_executor, T> a,
                                                                  const exact_options& options)
{
    require_options("exact_matrix", options);
    return std::make_shared<exact_integers<host_executor, T>>(exec, a, options.bits);
}

template <class T>
void detail::multiply_by_integers(const host_executor& exec, exact_integers<host_executor, T>& a,
                                  in_vector<host_executor, T> x, vector_view<host_executor, T> y)
{
    const factor<T> of_x(exact_vectors(exec, x), x.size, 1, a.bits);
    positional_product("exact_matrix", a.of, of_x, y, stride_of(y), 0, [&](index_t l, index_t i, std::uint64_t*) {
        return a.number[static_cast<std::size_t>(l + i * x.size)];
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                                  \
    template detail::exact_integers_of<host_executor, __VA_ARGS__> detail::make_integers<__VA_ARGS__>(            \
        const host_executor&, in_matrix<host_executor, __VA_ARGS__>, const exact_options&);                       \
    template void detail::multiply_by_integers<__VA_ARGS__>(                                                      \
        const host_executor&, exact_integers<host_executor, __VA_ARGS__>&, in_vector<host_executor, __VA_ARGS__>, \
        vector_view<host_executor, __VA_ARGS__>);                                                                 \
    template void gemv_exact<__VA_ARGS__>(const host_executor&, in_matrix<host_executor, __VA_ARGS__>,            \
                                          in_vector<host_executor, __VA_ARGS__>,                                  \
                                          vector_view<host_executor, __VA_ARGS__>, const exact_options&);         \
    template void dot_exact<__VA_ARGS__>(const host_executor&, in_vector<host_executor, __VA_ARGS__>,             \
                                         in_vector<host_executor, __VA_ARGS__>,                                   \
                                         vector_view<host_executor, __VA_ARGS__>, const exact_options&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(multidigit)
RESIDUA_INSTANTIATE(rns)

}  // namespace residua::blas
