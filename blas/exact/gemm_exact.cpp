#include <residua/blas/exact/gemm_exact.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <residua/blas/exact/positional_product.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class T>
using operand_of = decltype(exact_vectors(host_executor{}, std::declval<matrix_view<host_executor, const T>>(), true));

constexpr index_t lanes = 8;  // elements whose words lie in one line of the cache

/// The exact sums of the products in A B, where A has numbers of V, and B numbers of T.
template <class V, class T>
class dense_exact_product {
public:
    dense_exact_product(const host_executor& exec, const matrix_view<host_executor, const V>& a,
                        const matrix_view<host_executor, const T>& b, long bits)
        : inner_(a.cols),
          a_(exact_vectors(exec, a, true), a.cols, a.rows, bits),
          b_(exact_vectors(exec, b, false), b.rows, b.cols, bits)
    {}

    const integer_factor<operand_of<V>>& a() const { return a_; }
    const integer_factor<operand_of<T>>& b() const { return b_; }
    index_t inner() const { return inner_; }

    /// The bits of a sum, sign included.
    std::int64_t bits() const { return a_.bits() + b_.bits() + bits_of_terms(inner_) + 2; }

    std::int64_t unit(index_t i, index_t j) const { return a_.unit(i) + b_.unit(j); }

    bool is_special(index_t i, index_t j) const { return a_.extent(i).special || b_.extent(j).special; }
    double special(index_t i, index_t j) const { return special_sum(a_.from(), b_.from(), inner_, i, j); }

    /// Calls store(i, j, sum) for all elements, or at least for those with i >= j if `lower`, on all threads. Element (i, j) is sum 2^unit(i, j) if it is not
    /// special, and sums have at most most_product_bits.
    template <class Store>
    void for_each_sum(const host_executor& exec, const Store& store, bool lower = false) const
    {
        const moduli_set moduli(residue_bits, static_cast<long>(bits()));
        const auto residues = [&] {
            const integer_matrix whole = a_.integers(true);
            return residue_matrix(exec, whole, 0, inner_, moduli);
        }();
        multiply_integers(
            exec, residues, b_.integers(false), moduli, [&](const integer_elements& part) { store_part(part, store); },
            lower);
    }

private:
    template <class Store>
    void store_part(const integer_elements& part, const Store& store) const
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
                    const index_t i = part.row_of(first + e), j = part.column_of(first + e);
                    store(i, j, long_integer{copy.data() + e * words, 1, words});
                }
            }
        });
    }

    index_t inner_;
    integer_factor<operand_of<V>> a_;
    integer_factor<operand_of<T>> b_;
};

/// C <- A B
template <class T>
void multiply(const host_executor& exec, const dense_exact_product<T, T>& product,
              const matrix_view<host_executor, T>& c, bool lower)
{
    if (product.inner() == 0 || product.bits() > most_product_bits) {
        return positional_product("gemm_exact", product.a(), product.b(), c, 1, c.ld);
    }
    const auto to = exact_result(exec, c);
    product.for_each_sum(
        exec,
        [&](index_t i, index_t j, const long_integer& sum) {
            if (product.is_special(i, j)) {
                to.store_special(i + j * c.ld, product.special(i, j));
            } else {
                to.store(i + j * c.ld, sum, product.unit(i, j));
            }
        },
        lower);
}

/// x -= y 2^shift, 0 <= shift; x has room for it.
void subtract(const long_integer& y, std::int64_t shift, const long_integer& x)
{
    const auto rest = static_cast<int>(shift % 64);
    const std::uint64_t sign = y.word[(y.words - 1) * y.stride] >> 63 != 0 ? ~std::uint64_t{0} : 0;
    std::uint64_t borrow = 0;
    std::uint64_t before = 0;
    for (std::int64_t k = 0, w = shift / 64; w < x.words; ++k, ++w) {
        const std::uint64_t here = k < y.words ? y.word[k * y.stride] : sign;
        std::uint64_t& word = x.word[w * x.stride];
        word = residua::detail::subtract_with_borrow(word, rest == 0 ? here : here << rest | before >> (64 - rest),
                                                     borrow);
        before = here;
    }
}

/// R <- B - A X
template <class V, class T>
class exact_residual {
public:
    /// throws  unsupported_error if a sum is too long
    exact_residual(const host_executor& exec, const matrix_view<host_executor, const V>& a,
                   const matrix_view<host_executor, const T>& x, const matrix_view<host_executor, const T>& b,
                   const matrix_view<host_executor, T>& r, long bits)
        : product_(exec, a, x, bits),
          b_(exact_vectors(exec, b, false), b.rows, b.cols, 0),
          to_(exact_result(exec, r)),
          ld_(r.ld)
    {
        vector_extent a_units;  // over the rows that count
        for (index_t i = 0; i < a.rows; ++i) {
            if (product_.a().extent(i).counts()) {
                a_units.include(product_.a().unit(i), product_.a().unit(i));
            }
        }
        any_products_ = false;
        for (index_t j = 0; j < b.cols; ++j) {
            vector_extent sum = b_.extent(j);
            if (a_units.counts() && product_.b().extent(j).counts()) {
                any_products_ = true;
                const std::int64_t unit = product_.b().unit(j);
                sum.include(a_units.top + unit + product_.bits(), a_units.last + unit);
            }
            if (sum.top != vector_extent::none) {
                require_bits("residual_exact", product_.a().width(), product_.b().width(), sum.top - sum.last,
                             most_product_bits);
            }
        }
    }

    void operator()(const host_executor& exec) const
    {
        if (any_products_) {
            product_.for_each_sum(exec, [&](index_t i, index_t j, const long_integer& sum) { store(i, j, sum); });
            return;
        }
        const index_t m = product_.a().count();
        const index_t count = m * b_.count();
        parallel_ranges(count, lanes, 40.0 * static_cast<double>(count), [&](index_t begin, index_t end) {
            std::uint64_t zero = 0;
            for (index_t k = begin; k < end; ++k) {
                store(k % m, k / m, {&zero, 1, 1});
            }
        });
    }

private:
    void store(index_t i, index_t j, const long_integer& sum) const
    {
        const index_t k = i + j * ld_;
        const double kind = b_.from().kind(i, j);
        const bool b_is_special = !(kind - kind == 0.0);
        if (b_is_special || product_.is_special(i, j)) {
            const double products = product_.is_special(i, j) ? product_.special(i, j) : 0.0;
            return to_.store_special(k, (b_is_special ? kind : 0.0) - products);
        }
        const bool has_products = product_.a().extent(i).counts() && product_.b().extent(j).counts();
        const std::int64_t unit = product_.unit(i, j);
        vector_extent all;  // of b_ij and the sum
        b_.from().look(i, j, all);
        if (has_products) {
            all.include(unit + product_.bits(), unit);
        }
        if (all.top == vector_extent::none) {
            return to_.store_special(k, 0.0);
        }
        // an expansion may have terms of both signs: their sum is below 2^(top + 6)
        std::array<std::uint64_t, most_product_bits / 64 + 2> word;
        const long_integer total{word.data(), 1, static_cast<int>((all.top - all.last + 8) / 64) + 1};
        std::fill(word.data(), word.data() + total.words, std::uint64_t{0});
        b_.from().add(i, j, -all.last, total);
        if (has_products) {
            subtract(sum, unit - all.last, total);
        }
        to_.store(k, total, all.last);
    }

    dense_exact_product<V, T> product_;
    integer_factor<operand_of<T>> b_;
    decltype(exact_result(host_executor{}, std::declval<matrix_view<host_executor, T>>())) to_;
    index_t ld_;
    bool any_products_;
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
    multiply<T>(exec, dense_exact_product<T, T>(exec, a, b, options.bits), c, options.lower);
}

template <class T, class V>
    requires std::same_as<V, double> || std::same_as<V, T>
void residual_exact(const host_executor& exec, in_matrix<host_executor, V> a, in_matrix<host_executor, T> x,
                    in_matrix<host_executor, T> b, matrix_view<host_executor, T> r, const exact_options& options)
{
    require_equal("residual_exact", "rows of A and R", a.rows, r.rows);
    require_equal("residual_exact", "columns of A and rows of X", a.cols, x.rows);
    require_equal("residual_exact", "columns of X and R", x.cols, r.cols);
    require_equal("residual_exact", "rows of B and R", b.rows, r.rows);
    require_equal("residual_exact", "columns of B and R", b.cols, r.cols);
    require_options("residual_exact", options);
    if (r.rows == 0 || r.cols == 0) {
        return;
    }
    exact_residual<V, T>(exec, a, x, b, r, options.bits)(exec);
}

#define RESIDUA_INSTANTIATE(...)                                                                       \
    template void gemm_exact<__VA_ARGS__>(const host_executor&, in_matrix<host_executor, __VA_ARGS__>, \
                                          in_matrix<host_executor, __VA_ARGS__>,                       \
                                          matrix_view<host_executor, __VA_ARGS__>, const exact_options&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(multidigit)
RESIDUA_INSTANTIATE(rns)

#define RESIDUA_INSTANTIATE_RESIDUAL(V, T)                                                                             \
    template void residual_exact<T, V>(const host_executor&, in_matrix<host_executor, V>, in_matrix<host_executor, T>, \
                                       in_matrix<host_executor, T>, matrix_view<host_executor, T>,                     \
                                       const exact_options&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE_RESIDUAL)
RESIDUA_INSTANTIATE_RESIDUAL(double, multidigit)
RESIDUA_INSTANTIATE_RESIDUAL(multidigit, multidigit)

}  // namespace residua::blas
