#include <residua/blas/exact/gemm_exact.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <residua/blas/exact/positional_product.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class T>
using operand_of = decltype(exact_vectors(host_executor{}, std::declval<matrix_view<host_executor, const T>>(), true));

constexpr index_t lanes = 8;  // elements whose words lie in one line of the cache

/// C <- A B
template <class T>
class exact_product {
public:
    using factor = whole_factor<operand_of<T>>;

    exact_product(const host_executor& exec, const matrix_view<host_executor, const T>& a,
                  const matrix_view<host_executor, const T>& b, const matrix_view<host_executor, T>& c, long bits)
        : inner_(a.cols),
          a_(exact_vectors(exec, a, true), a.cols, a.rows, bits),
          b_(exact_vectors(exec, b, false), b.rows, b.cols, bits),
          c_(c)
    {}

    void operator()(const host_executor& exec) const
    {
        const std::int64_t needed = a_.bits() + b_.bits() + bits_of_terms(inner_) + 2;
        if (inner_ == 0 || needed > most_product_bits) {
            return positional_product("gemm_exact", a_, b_, c_, 1, c_.ld);
        }
        const moduli_set moduli(residue_bits, static_cast<long>(needed));
        const auto residues = [&] {
            const whole_matrix whole = a_.whole(true);
            return residue_matrix(exec, whole, 0, inner_, moduli);
        }();
        multiply_whole(exec, residues, b_.whole(false), moduli,
                       [&](const whole_elements& part) { store(part, exact_result(exec, c_)); });
    }

private:
    template <class Result>
    void store(const whole_elements& part, const Result& to) const
    {
        const int words = part.number.words;
        const double operations = 40.0 * words * static_cast<double>(part.count);
        parallel_ranges(part.count, lanes, operations, [&](index_t begin, index_t end) {
            std::vector<std::uint64_t> copy(static_cast<std::size_t>(lanes * words));
            for (index_t first = begin; first < end; first += lanes) {
                const index_t here = std::min(lanes, end - first);
                const long_integer from = part.at(first);
                for (int w = 0; w < words; ++w) {
                    for (index_t e = 0; e < here; ++e) {
                        copy[static_cast<std::size_t>(e * words + w)] = from.word[w * from.stride + e];
                    }
                }
                for (index_t e = 0; e < here; ++e) {
                    const index_t k = part.first + first + e;
                    store(k % c_.rows, k / c_.rows, {copy.data() + e * words, 1, words}, to);
                }
            }
        });
    }

    template <class Result>
    void store(index_t i, index_t j, const long_integer& sum, const Result& to) const
    {
        if (a_.extent(i).special || b_.extent(j).special) {
            to.store_special(i + j * c_.ld, special_sum(a_.from(), b_.from(), inner_, i, j));
        } else {
            to.store(i + j * c_.ld, sum, a_.unit(i) + b_.unit(j));
        }
    }

    index_t inner_;
    factor a_;
    factor b_;
    matrix_view<host_executor, T> c_;
};

}  // namespace

template <class T>
void gemm_exact(const host_executor& exec, in_matrix<host_executor, T> a, in_matrix<host_executor, T> b,
                matrix_view<host_executor, T> c, const exact_options& options)
{
    require_gemm_exact(a, b, c, options);
    if (c.rows == 0 || c.cols == 0) {
        return;
    }
    exact_product<T>(exec, a, b, c, options.bits)(exec);
}

#define RESIDUA_INSTANTIATE(...)                                                                       \
    template void gemm_exact<__VA_ARGS__>(const host_executor&, in_matrix<host_executor, __VA_ARGS__>, \
                                          in_matrix<host_executor, __VA_ARGS__>,                       \
                                          matrix_view<host_executor, __VA_ARGS__>, const exact_options&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(multidigit)
RESIDUA_INSTANTIATE(rns)

}  // namespace residua::blas
