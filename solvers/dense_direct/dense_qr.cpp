#include <residua/solvers/dense_direct/dense_qr.hpp>

#include <algorithm>
#include <concepts>
#include <type_traits>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/single_threaded_blas.hpp>
#include <residua/blas/dense/trsm.hpp>
#include <residua/blas/level1/norm.hpp>
#include <residua/io/error.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/device_blocks.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {
namespace {

/// Columns of a block where all products are by sums.
constexpr index_t columns_without_products = 64;

template <class S>
using column_of = vector_view<std::remove_cv_t<decltype(S::exec)>, typename S::element>;

template <class S>
typename S::scalar norm_of(const S& space, const column_of<S>& x)
{
    return blas::norm2<typename S::element>(space.exec, x);
}

template <class S>
typename S::scalar first_of(const S& space, const column_of<S>& x)
{
    auto first = space.make_vector(1);
    blas::copy(space.exec, x.part(0, 1), first.view());
    return space.fetched(std::as_const(first)).view().load(0);
}

}  // namespace

template <array_space S>
dense_qr<S>::dense_qr(const S& space, matrix a, const elimination_options& options)
    : space_(space), options_(options), a_(std::move(a)), m_(space.make_matrix(0, 0))
{
    const index_t rows = a_.rows(), cols = a_.cols();
    if (rows < cols) {
        throw dimension_error("QR takes no fewer rows than columns, not " + std::to_string(rows) + " x " +
                              std::to_string(cols));
    }
    const blas::detail::single_threaded_blas one_thread;
    exact_from_ = rows + 1;
    block_ = columns_without_products;
    if constexpr (!detail::native_number<element>) {
        const index_t panel = options_.panel > 0 ? options_.panel : detail::panel_of(space_, rows, false);
        if (panel < rows) {
            exact_from_ = panel;
            block_ = std::max(panel, least_columns);
        }
    }
    m_ = space_.make_matrix(std::min(block_, cols), cols);
    for (index_t block = 0; block < blocks() && failure_.empty(); ++block) {
        const index_t begin = block * block_, width = end_of(block) - begin, below = rows - begin;
        matrix v = space_.make_matrix(below, width);
        const view m = m_.view().block(0, begin, width, width);
        if (reflect(a_.view().block(begin, begin, below, width), v.view(), m, 0, width)) {
            const view rest = a_.view().block(begin, begin + width, below, cols - begin - width);
            apply(v.view(), transposed(v.view()), m, rest, true, products_on_device_);
        } else {
            failure_ = "QR: a column is not finite, or leaves the range of the format";
        }
    }
}

template <array_space S>
bool dense_qr<S>::reflect(view a, view v, view m, index_t begin, index_t end)
{
    if (end - begin <= least_columns) {
        return reflect_columns(a, v, m, begin, end);
    }
    const index_t parts = (end - begin + least_columns - 1) / least_columns;
    const index_t middle = begin + (parts + 1) / 2 * least_columns, left = middle - begin, right = end - middle;
    if (!reflect(a, v, m, begin, middle)) {
        return false;
    }
    const index_t below = a.rows - begin, last = a.rows - middle;
    apply(v.block(begin, begin, below, left), transposed(v.block(begin, begin, below, left)),
          m.block(begin, begin, left, left), a.block(begin, middle, below, right), true, products_on_device_);
    if (!reflect(a, v, m, middle, end)) {
        return false;
    }
    detail::block_products<S> products(space_, options_.products, exact_from_);
    matrix left_t = transposed(v.block(middle, begin, last, left));
    const matrix beside = products.multiply(left_t.view(), v.block(middle, middle, last, right));
    products_on_device_ += products.on_device();
    for (index_t j = 0; j < right; ++j) {
        blas::copy(space_.exec, beside.view().column(j), m.column(middle + j).part(begin, middle));
    }
    return true;
}

template <array_space S>
bool dense_qr<S>::reflect_columns(view a, view v, view m, index_t begin, index_t end)
{
    const auto& exec = space_.exec;
    const scalar one = space_.make_scalar(1.0), zero = space_.make_scalar(0.0);
    matrix work = space_.make_matrix(least_columns, 1);
    for (index_t j = begin; j < end; ++j) {
        io::ask_for_stop();
        const index_t known = j - begin;
        if (known > 0) {
            const entries earlier = v.block(begin, begin, a.rows - begin, known);
            const column of = a.column(j).part(begin, a.rows);
            const view sums = work.view().block(0, 0, known, 1);
            blas::gemv(exec, blas::trans::yes, one, earlier, of, zero, sums.column(0));
            blas::trsm<element>(exec, blas::side::left, blas::uplo::upper, blas::trans::yes, blas::diag::non_unit, one,
                                m.block(begin, begin, known, known), sums);
            blas::gemv(exec, blas::trans::no, space_.make_scalar(-1.0), earlier, sums.column(0), one, of);
        }
        const column reflected = v.column(j).part(j, a.rows);
        if (!reflect_column(a.column(j).part(j, a.rows), reflected)) {
            return false;
        }
        const entries all = v.block(j, begin, a.rows - j, known + 1);
        blas::gemv(exec, blas::trans::yes, one, all, reflected, zero, m.column(j).part(begin, j + 1));
        blas::scal(exec, space_.make_scalar(0.5), m.column(j).part(j, j + 1));
    }
    return true;
}

template <array_space S>
bool dense_qr<S>::reflect_column(column x, column v)
{
    const auto& exec = space_.exec;
    const scalar zero = space_.make_scalar(0.0), one = space_.make_scalar(1.0);
    const scalar norm = norm_of(space_, x);
    if (!is_finite(norm)) {
        return false;
    }
    if (!(norm == zero)) {
        const scalar first = first_of(space_, x);
        const scalar pivot = first < zero ? norm : -norm;
        const scalar factor = one / (first - pivot);
        if (!is_finite(factor)) {
            return false;
        }
        blas::fill(exec, pivot, x.part(0, 1));
        blas::scal(exec, factor, x.part(1, x.size));
    }
    blas::copy(exec, x, v);
    blas::fill(exec, one, v.part(0, 1));
    return true;
}

template <array_space S>
auto dense_qr<S>::transposed(view v) const -> matrix
{
    matrix v_t = space_.make_matrix(v.cols, v.rows);
    blas::transpose<element>(space_.exec, v, v_t.view());
    return v_t;
}

template <array_space S>
void dense_qr<S>::apply(view v, matrix v_t, entries m, view x, bool transposed, index_t& on_device) const
{
    detail::block_products<S> products(space_, options_.products, exact_from_);
    for (index_t begin = 0; begin < x.cols; begin += columns_at_once) {
        const view some = x.block(0, begin, x.rows, std::min(columns_at_once, x.cols - begin));
        matrix sums = products.multiply(v_t.view(), some);
        blas::trsm<element>(space_.exec, blas::side::left, blas::uplo::upper,
                            transposed ? blas::trans::yes : blas::trans::no, blas::diag::non_unit,
                            space_.make_scalar(1.0), m, sums.view());
        products.subtract(v, sums.view(), some);
    }
    on_device += products.on_device();
}

template <array_space S>
void dense_qr<S>::apply_q(view x, bool transposed) const
{
    require_equal("dense_qr::apply_q", "rows of A and X", a_.rows(), x.rows);
    const blas::detail::single_threaded_blas one_thread;
    index_t on_device = 0;
    for (index_t k = 0; k < blocks(); ++k) {
        const index_t block = transposed ? k : blocks() - 1 - k;
        const index_t begin = block * block_, width = end_of(block) - begin, below = a_.rows() - begin;
        matrix v = space_.make_matrix(below, width);
        const entries stored = a_.view().block(begin, begin, below, width);
        blas::detail::combine_entries(
            space_.exec, "dense_qr",
            blas::detail::entry_sum<executor, element>{v.view(),
                                                       {blas::detail::places_of(stored)},
                                                       {},
                                                       blas::detail::triangle_of(blas::uplo::lower, blas::diag::unit)});
        for (index_t j = 0; j < width; ++j) {
            blas::fill(space_.exec, space_.make_scalar(1.0), v.view().column(j).part(j, j + 1));
        }
        apply(v.view(), this->transposed(v.view()), m_.view().block(0, begin, width, width),
              x.block(begin, 0, below, x.cols), transposed, on_device);
    }
}

template <array_space S>
void dense_qr<S>::solve_r(view x, bool transposed) const
{
    const index_t n = a_.cols();
    blas::trsm<element>(space_.exec, blas::side::left, blas::uplo::upper,
                        transposed ? blas::trans::yes : blas::trans::no, blas::diag::non_unit, space_.make_scalar(1.0),
                        a_.view().block(0, 0, n, n), x);
}

template <array_space S>
auto dense_qr<S>::lower_triangle() const -> matrix
{
    const index_t n = a_.cols();
    matrix lower = space_.make_matrix(n, n);
    const entries r = a_.view().block(0, 0, n, n);
    blas::detail::combine_entries(
        space_.exec, "dense_qr",
        blas::detail::entry_sum<executor, element>{
            lower, {blas::detail::places_of(r, blas::trans::yes)}, {}, blas::detail::triangle_of(blas::uplo::lower)});
    return lower;
}

#define RESIDUA_INSTANTIATE(...) template class dense_qr<__VA_ARGS__>;
#define RESIDUA_INSTANTIATE_ON_HOST(...) RESIDUA_INSTANTIATE(host_space<__VA_ARGS__>)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE_ON_HOST)
RESIDUA_INSTANTIATE(multidigit_space<host_executor>)
RESIDUA_INSTANTIATE(rns_space<host_executor>)
#if defined(RESIDUA_CUDA)
RESIDUA_FOR_EACH_DEVICE_SPACE(RESIDUA_INSTANTIATE)
#endif

}  // namespace residua
