#include <residua/blas/exact/gemv_exact.hpp>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/exact/positional.hpp>
#include <residua/blas/exact/whole_factor.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class T>
using operand_of = decltype(exact_vectors(std::declval<vector_view<host_executor, const T>>()));

constexpr std::int64_t most_sum_bits = 65536;
constexpr index_t rows_at_once = 16;  // that read side by side

/// Element l of vector i of a factor, made whole in `words`.
template <class Factor>
signed_words whole_number(const Factor& factor, index_t l, index_t i, std::uint64_t* words)
{
    const long_integer to{words, 1, factor.words()};
    std::fill(words, words + to.words, std::uint64_t{0});
    factor.make_whole(l, i, to);
    return to_signed_words(to);
}

/// Sums of products of two factors, of so many words.
template <class Factor>
class exact_sums {
public:
    exact_sums(std::string_view op, const Factor& a, const Factor& x) : a_(a), x_(x)
    {
        const std::int64_t bits = a.bits() + x.bits() + bits_of_terms(a.length()) + 1;
        require_bits(op, a, x, bits, most_sum_bits);
        words_ = static_cast<int>(bits / 64) + 1;
    }

    int words() const { return words_; }
    double operations() const { return 20.0 + 2.0 * a_.words() * x_.words(); }

    /// Sum k of those that lie in `words`, two for each.
    two_sums at(std::vector<std::uint64_t>& words, index_t k) const
    {
        std::uint64_t* const positive = words.data() + 2 * k * words_;
        return {positive, positive + words_, words_};
    }
    std::vector<std::uint64_t> zeros(index_t sums) const
    {
        return std::vector<std::uint64_t>(static_cast<std::size_t>(2 * sums * words_));
    }

    /// Number k <- the sum of row i
    template <class Result>
    void store(const two_sums& sum, index_t i, index_t k, const Result& to) const
    {
        if (a_.extent(i).special || x_.extent(0).special) {
            to.store_special(k, special_sum(a_.from(), x_.from(), a_.length(), i, 0));
        } else {
            to.store(k, sum.difference(), a_.unit(i) + x_.unit(0));
        }
    }

private:
    const Factor& a_;
    const Factor& x_;
    int words_ = 0;
};

/// The place of number i of y: multi-digit floats have a stride.
template <class View>
index_t place(const View& y, index_t i)
{
    if constexpr (run_time_format<typename View::value_type>) {
        return i * y.stride;
    } else {
        return i;
    }
}

}  // namespace

template <class T>
void gemv_exact(const host_executor&, in_matrix<host_executor, T> a, in_vector<host_executor, T> x,
                vector_view<host_executor, T> y, const exact_options& options)
{
    require_equal("gemv_exact", "rows of A and size of y", a.rows, y.size);
    require_equal("gemv_exact", "columns of A and size of x", a.cols, x.size);
    require_options("gemv_exact", options);
    using factor = whole_factor<operand_of<T>>;
    const factor of_a(exact_vectors<T>(a, true), a.cols, a.rows, options.bits);
    const factor of_x(exact_vectors<T>(x), x.size, 1, options.bits);
    const exact_sums<factor> sums("gemv_exact", of_a, of_x);

    buffer<host_executor, std::uint64_t> words(x.size * of_x.words());
    std::vector<signed_words> whole;
    for (index_t l = 0; l < x.size; ++l) {
        whole.push_back(whole_number(of_x, l, 0, words.data() + l * of_x.words()));
    }
    with_exact_result(y, [&](const auto& to) {
        const double operations = sums.operations() * static_cast<double>(a.rows) * static_cast<double>(a.cols);
        parallel_ranges(a.rows, rows_at_once, operations, [&](index_t begin, index_t end) {
            std::vector<std::uint64_t> number(static_cast<std::size_t>(of_a.words()));
            std::vector<std::uint64_t> memory = sums.zeros(rows_at_once);
            for (index_t first = begin; first < end; first += rows_at_once) {
                const index_t here = std::min(rows_at_once, end - first);
                std::fill(memory.begin(), memory.end(), std::uint64_t{0});
                for (index_t l = 0; l < a.cols; ++l) {
                    for (index_t i = 0; i < here; ++i) {
                        sums.at(memory, i).add_product(whole_number(of_a, l, first + i, number.data()),
                                                       whole[static_cast<std::size_t>(l)]);
                    }
                }
                for (index_t i = 0; i < here; ++i) {
                    sums.store(sums.at(memory, i), first + i, place(y, first + i), to);
                }
            }
        });
    });
}

template <class T>
void dot_exact(const host_executor&, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
               vector_view<host_executor, T> result, const exact_options& options)
{
    require_equal("dot_exact", "sizes of x and y", x.size, y.size);
    require_equal("dot_exact", "size of the result and 1", result.size, 1);
    require_options("dot_exact", options);
    using factor = whole_factor<operand_of<T>>;
    const factor of_x(exact_vectors<T>(x), x.size, 1, options.bits);
    const factor of_y(exact_vectors<T>(y), y.size, 1, options.bits);
    const exact_sums<factor> sums("dot_exact", of_x, of_y);

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
    with_exact_result(result, [&](const auto& to) { sums.store(all, 0, 0, to); });
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

}  // namespace residua::blas
