#include <residua/blas/exact/spmv_exact.hpp>

#include <algorithm>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/exact/positional_product.hpp>

namespace residua::blas {
namespace {

using namespace detail;

bool is_finite(double x) { return x - x == 0.0; }

/// Numbers side by side, those of a vector or of a row, and the power of two that makes the finite ones whole.
template <class Operand>
class finite_numbers {
public:
    explicit finite_numbers(const Operand& from) : from_(from) {}

    vector_extent look(index_t begin, index_t end) const
    {
        vector_extent all;
        for (index_t k = begin; k < end; ++k) {
            vector_extent one;
            from_.look(k, 0, one);
            all.special |= one.special;
            if (one.counts()) {
                all.include(one.top, one.last);
            }
        }
        return all;
    }

    /// The width of the whole numbers becomes that of such a vector at least, but not more than `bits` if these are not 0.
    void include(const vector_extent& extent, long bits)
    {
        if (extent.top != vector_extent::none) {
            width_ = std::max(width_, extent.top - extent.last);
            width_ = bits > 0 ? std::min<std::int64_t>(width_, bits) : width_;
        }
    }

    std::int64_t width() const { return width_; }
    std::int64_t bits() const { return width_ + bits_of_terms(Operand::terms); }
    int words() const { return static_cast<int>(bits() / 64) + 1; }
    std::int64_t unit(const vector_extent& extent) const
    {
        return extent.top != vector_extent::none ? extent.top - width_ : 0;
    }
    double kind(index_t k) const { return from_.kind(k, 0); }

    /// Number k, finite, of a vector of this extent, in `word`.
    signed_words whole(index_t k, const vector_extent& extent, std::uint64_t* word) const
    {
        const long_integer to{word, 1, words()};
        std::fill(word, word + to.words, std::uint64_t{0});
        if (extent.top != vector_extent::none) {
            from_.add(k, 0, -unit(extent), to);
        }
        return to_signed_words(to);
    }

private:
    Operand from_;
    std::int64_t width_ = 1;
};

}  // namespace

template <class T, class V>
    requires std::same_as<V, double> || std::same_as<V, T>
void spmv_exact(const host_executor&, const csr<host_executor, V>& a, in_vector<host_executor, T> x,
                vector_view<host_executor, T> y, const exact_options& options)
{
    require_equal("spmv_exact", "rows of A and size of y", a.rows(), y.size);
    require_equal("spmv_exact", "columns of A and size of x", a.cols(), x.size);
    require_options("spmv_exact", options);
    const auto row_begin = a.row_begin();
    const auto col = a.col();
    finite_numbers of_a(exact_vectors(a.value()));
    finite_numbers of_x(exact_vectors(x));
    std::vector<vector_extent> rows(static_cast<std::size_t>(a.rows()));
    index_t longest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = of_a.look(row_begin[i], row_begin[i + 1]);
        of_a.include(rows[i], options.bits);
        longest = std::max(longest, row_begin[i + 1] - row_begin[i]);
    }
    const vector_extent column = of_x.look(0, x.size);
    of_x.include(column, options.bits);
    const std::int64_t bits = of_a.bits() + of_x.bits() + bits_of_terms(longest) + 1;
    require_bits("spmv_exact", of_a.width(), of_x.width(), bits, most_sum_bits);
    const int words = static_cast<int>(bits / 64) + 1;

    buffer<host_executor, std::uint64_t> x_words(x.size * of_x.words());
    std::vector<signed_words> whole_x(static_cast<std::size_t>(x.size));
    for (index_t j = 0; j < x.size; ++j) {
        if (is_finite(of_x.kind(j))) {
            whole_x[static_cast<std::size_t>(j)] = of_x.whole(j, column, x_words.data() + j * of_x.words());
        }
    }
    const auto to = exact_result(y);
    const double operations = 20.0 + 2.0 * of_a.words() * of_x.words();
    parallel_ranges(a.rows(), 16, operations * static_cast<double>(a.entries()), [&](index_t begin, index_t end) {
        std::vector<std::uint64_t> number(static_cast<std::size_t>(of_a.words()));
        std::vector<std::uint64_t> memory(static_cast<std::size_t>(2 * words));
        for (index_t i = begin; i < end; ++i) {
            const auto row = static_cast<std::size_t>(i);
            const two_sums sum{memory.data(), memory.data() + words, words};
            std::fill(memory.begin(), memory.end(), std::uint64_t{0});
            double special = 0.0;
            bool is_special = false;
            for (auto p = static_cast<std::size_t>(row_begin[row]); p < static_cast<std::size_t>(row_begin[row + 1]);
                 ++p) {
                const auto entry = static_cast<index_t>(p);
                const double product = of_a.kind(entry) * of_x.kind(col[p]);
                if (!is_finite(product)) {
                    special += product;
                    is_special = true;
                } else {
                    sum.add_product(of_a.whole(entry, rows[row], number.data()),
                                    whole_x[static_cast<std::size_t>(col[p])]);
                }
            }
            if (is_special) {
                to.store_special(i * stride_of(y), special);
            } else {
                to.store(i * stride_of(y), sum.difference(), of_a.unit(rows[row]) + of_x.unit(column));
            }
        }
    });
}

#define RESIDUA_INSTANTIATE_FOR(V, ...)                                                          \
    template void spmv_exact<__VA_ARGS__, V>(const host_executor&, const csr<host_executor, V>&, \
                                             in_vector<host_executor, __VA_ARGS__>,              \
                                             vector_view<host_executor, __VA_ARGS__>, const exact_options&);
#define RESIDUA_INSTANTIATE(...)                                                                                     \
    RESIDUA_INSTANTIATE_FOR(double, __VA_ARGS__)                                                                     \
    template void spmv_exact<__VA_ARGS__, __VA_ARGS__>(const host_executor&, const csr<host_executor, __VA_ARGS__>&, \
                                                       in_vector<host_executor, __VA_ARGS__>,                        \
                                                       vector_view<host_executor, __VA_ARGS__>, const exact_options&);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(multidigit)
RESIDUA_INSTANTIATE_FOR(double, double)

}  // namespace residua::blas
