#include <residua/blas/multidigit/dense.hpp>

#include <algorithm>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/pairwise.hpp>
#include <residua/blas/multidigit/elements.hpp>
#include <residua/blas/multidigit/run.hpp>

namespace residua::blas {
namespace {

using namespace detail;
using digit = std::uint64_t;
using view = vector_view<host_executor, multidigit>;
using const_view = vector_view<host_executor, const multidigit>;
using const_matrix = matrix_view<host_executor, const multidigit>;

constexpr index_t rows_together = residua::detail::words_apart;  // their numbers lie together

/// alpha s + beta y_i, to y_i
template <int N>
class update {
public:
    update(const multidigit_number& alpha, const multidigit_number& beta, const view& y)
        : p_(y.format.bits()),
          alpha_kind_(kind_of(alpha)),
          alpha_(residua::detail::leading_digits<digit, N>(alpha.value())),
          adds_(!(beta == multidigit_number(beta.format()))),
          y_{y.start, y.stride, kind_of(beta), beta.value()},
          to_(y)
    {}

    void operator()(index_t i, const multidigit_sum<digit, N>& sum) const
    {
        auto w = sum.result(p_);
        if (adds_) {
            const auto kept = y_.template value<digit, N>(i, p_);
            w = alpha_kind_ == multidigit_factor::one ? add(w, kept, p_) : fma(alpha_, w, kept, p_);
        } else if (alpha_kind_ != multidigit_factor::one) {
            w = mul(alpha_, w, p_);
        }
        residua::detail::store(to_.start, i * to_.stride, w);
    }

private:
    int p_;
    multidigit_factor alpha_kind_;
    multidigit_float<digit, N> alpha_;
    bool adds_;
    multidigit_term y_;
    view to_;
};

/// Rows first, ..., last - 1 of A x, rows_together at most.
template <int N>
void multiply_rows(const const_matrix& a, const const_view& x, index_t first, index_t last, const update<N>& to)
{
    const int p = a.format.bits();
    std::vector<pairwise_sum<multidigit_sum<digit, N>>> sums(static_cast<std::size_t>(last - first));
    for (index_t begin = 0; begin < a.cols; begin += gemv_chunk) {
        const index_t end = std::min(a.cols, begin + gemv_chunk);
        multidigit_sum<digit, N> chunk[rows_together];
        for (index_t j = begin; j < end; ++j) {
            const auto factor = residua::detail::load<digit, N>(x.start, j * x.stride);
            const auto column = a.start.from(j * a.ld);
            for (index_t i = first; i < last; ++i) {
                chunk[i - first].add_product(residua::detail::load<digit, N>(column, i), factor, p);
            }
        }
        for (index_t i = first; i < last; ++i) {
            sums[static_cast<std::size_t>(i - first)].push(chunk[i - first]);
        }
    }
    for (index_t i = first; i < last; ++i) {
        to(i, sums[static_cast<std::size_t>(i - first)].total());
    }
}

/// x <- inverse(T) b; T(i, k) is number i row + k col of `t`.
void substitute(uplo triangle, diag diagonal, residua::detail::multidigit_tiles<true> t, index_t row, index_t col,
                const const_view& b, const view& x)
{
    const int p = x.format.bits();
    const index_t n = x.size;
    with_multidigit_size<digit>(multidigit_count<digit>(p), [&]<int N>() {
        for (index_t step = 0; step < n; ++step) {
            const index_t i = triangle == uplo::lower ? step : n - 1 - step;
            multidigit_sum<digit, N> sum;
            sum.add(residua::detail::load<digit, N>(b.start, i * b.stride), p);
            for (index_t k = triangle == uplo::lower ? 0 : i + 1; k < (triangle == uplo::lower ? i : n); ++k) {
                sum.add_product(residua::detail::load<digit, N>(t, i * row + k * col),
                                negated(residua::detail::load<digit, N>(x.start, k * x.stride)), p);
            }
            const auto rest = sum.result(p);
            const auto pivot = residua::detail::load<digit, N>(t, i * (row + col));
            residua::detail::store(x.start, i * x.stride, diagonal == diag::unit ? rest : div(rest, pivot, p));
        }
    });
}

void require_trsv(const const_matrix& a, const const_view& b, const view& x)
{
    require_equal("trsv", "rows and columns of A", a.rows, a.cols);
    require_equal("trsv", "rows of A and size of b", a.rows, b.size);
    require_equal("trsv", "rows of A and size of x", a.rows, x.size);
    require_formats("trsv", {a.format, b.format}, x.format);
}

}  // namespace

template <class Exec>
void gemv(const Exec&, const multidigit_number& alpha, in_matrix<Exec, multidigit> a, in_vector<Exec, multidigit> x,
          const multidigit_number& beta, vector_view<Exec, multidigit> y)
{
    require_equal("gemv", "rows of A and size of y", a.rows, y.size);
    require_equal("gemv", "columns of A and size of x", a.cols, x.size);
    require_formats("gemv", {alpha.format(), a.format, x.format, beta.format()}, y.format);
    with_multidigit_size<digit>(multidigit_count<digit>(y.format.bits()), [&]<int N>() {
        const update<N> to(alpha, beta, y);
        parallel_ranges(y.size, rows_together,
                        operations_of(y.format) * static_cast<double>(a.rows) * static_cast<double>(a.cols),
                        [&](index_t begin, index_t end) {
                            for (index_t first = begin; first < end; first += rows_together) {
                                multiply_rows<N>(a, x, first, std::min(end, first + rows_together), to);
                            }
                        });
    });
}

template <class Exec>
void gemv_t(const Exec&, const multidigit_number& alpha, in_matrix<Exec, multidigit> a, in_vector<Exec, multidigit> x,
            const multidigit_number& beta, vector_view<Exec, multidigit> y)
{
    require_equal("gemv_t", "columns of A and size of y", a.cols, y.size);
    require_equal("gemv_t", "rows of A and size of x", a.rows, x.size);
    require_formats("gemv_t", {alpha.format(), a.format, x.format, beta.format()}, y.format);
    const int p = y.format.bits();
    with_multidigit_size<digit>(multidigit_count<digit>(p), [&]<int N>() {
        const update<N> to(alpha, beta, y);
        parallel_ranges(y.size, 1, operations_of(y.format) * static_cast<double>(a.rows) * static_cast<double>(a.cols),
                        [&](index_t begin, index_t end) {
                            for (index_t j = begin; j < end; ++j) {
                                const multidigit_products products{{a.start.from(j * a.ld), 1, {}, {}},
                                                                   {x.start, x.stride, {}, {}}};
                                pairwise_sum<multidigit_sum<digit, N>> sum;
                                for (index_t first = 0; first < a.rows; first += reduction_block) {
                                    const index_t last = std::min(a.rows, first + reduction_block);
                                    sum.push(sum_of_block<N>(first, last, products, p));
                                }
                                to(j, sum.total());
                            }
                        });
    });
}

template <class Exec>
void ger(const Exec& exec, const multidigit_number& alpha, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y,
         matrix_view<Exec, multidigit> a)
{
    require_equal("ger", "size of x and rows of A", x.size, a.rows);
    require_equal("ger", "size of y and columns of A", y.size, a.cols);
    require_formats("ger", {alpha.format(), x.format, y.format}, a.format);
    parallel_ranges(a.cols, 1, operations_of(a.format) * static_cast<double>(a.rows) * static_cast<double>(a.cols),
                    [&](index_t begin, index_t end) {
                        for (index_t j = begin; j < end; ++j) {
                            axpy<Exec>(exec, alpha * y.load(j), x, a.column(j));
                        }
                    });
}

template <class Exec>
void gemm(const Exec& exec, const multidigit_number& alpha, in_matrix<Exec, multidigit> a,
          in_matrix<Exec, multidigit> b, const multidigit_number& beta, matrix_view<Exec, multidigit> c)
{
    require_equal("gemm", "rows of A and C", a.rows, c.rows);
    require_equal("gemm", "columns of B and C", b.cols, c.cols);
    require_equal("gemm", "columns of A and rows of B", a.cols, b.rows);
    require_formats("gemm", {alpha.format(), a.format, b.format, beta.format()}, c.format);
    parallel_ranges(c.cols, 1,
                    operations_of(c.format) * static_cast<double>(c.rows) * static_cast<double>(c.cols) *
                        static_cast<double>(a.cols),
                    [&](index_t begin, index_t end) {
                        for (index_t j = begin; j < end; ++j) {
                            gemv<Exec>(exec, alpha, a, b.column(j), beta, c.column(j));
                        }
                    });
}

void trsv(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, multidigit> a,
          in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x)
{
    require_trsv(a, b, x);
    substitute(triangle, diagonal, a.start, 1, a.ld, b, x);
}

void trsv_t(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, multidigit> a,
            in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x)
{
    require_trsv(a, b, x);
    substitute(triangle == uplo::lower ? uplo::upper : uplo::lower, diagonal, a.start, a.ld, 1, b, x);
}

template void gemv(const host_executor&, const multidigit_number&, in_matrix<host_executor, multidigit>,
                   in_vector<host_executor, multidigit>, const multidigit_number&,
                   vector_view<host_executor, multidigit>);
template void gemv_t(const host_executor&, const multidigit_number&, in_matrix<host_executor, multidigit>,
                     in_vector<host_executor, multidigit>, const multidigit_number&,
                     vector_view<host_executor, multidigit>);
template void ger(const host_executor&, const multidigit_number&, in_vector<host_executor, multidigit>,
                  in_vector<host_executor, multidigit>, matrix_view<host_executor, multidigit>);
template void gemm(const host_executor&, const multidigit_number&, in_matrix<host_executor, multidigit>,
                   in_matrix<host_executor, multidigit>, const multidigit_number&,
                   matrix_view<host_executor, multidigit>);

}  // namespace residua::blas
