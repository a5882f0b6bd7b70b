#include <residua/blas/multidigit/sparse.hpp>

#include <concepts>

#include <residua/blas/base/check.hpp>
#include <residua/blas/multidigit/elements.hpp>
#include <residua/blas/multidigit/run.hpp>

namespace residua::blas {
namespace {

using namespace detail;

template <class A>
void multiply(const multidigit_number& alpha, const A& a, const index_t* begin, const std::int32_t* length,
              index_t slice, const vector_view<host_executor, const multidigit>& x, const multidigit_number& beta,
              const vector_view<host_executor, multidigit>& y)
{
    require_equal("spmv", "rows of A and size of y", a.rows(), y.size);
    require_equal("spmv", "columns of A and size of x", a.cols(), x.size);
    require_formats("spmv", {alpha.format(), x.format, beta.format()}, y.format);
    constexpr bool binary64 = std::same_as<typename A::value_type, double>;
    multidigit_spmv<binary64> f;
    f.p = y.format.bits();
    f.begin = begin;
    f.length = length;
    f.col = a.col().data();
    f.slice = slice;
    f.x = {x.start, x.stride, multidigit_factor::one, {}};
    f.alpha = kind_of(alpha);
    f.alpha_scalar = alpha.value();
    f.adds = !(beta == multidigit_number(beta.format()));
    f.y = {y.start, y.stride, kind_of(beta), beta.value()};
    f.to = y.start;
    f.stride = y.stride;
    if constexpr (binary64) {
        f.binary64 = a.value().data;
    } else {
        require_formats("spmv", {a.value().format}, y.format);
        f.value = {a.value().start, a.value().stride, multidigit_factor::one, {}};
    }
    const double each = a.rows() > 0 ? static_cast<double>(a.entries()) / static_cast<double>(a.rows()) : 0.0;
    run(y.format, y.size, f, 1.0 + each);
}

}  // namespace

template <class Exec, class V>
void spmv(const Exec&, const multidigit_number& alpha, const csr<Exec, V>& a, in_vector<Exec, multidigit> x,
          const multidigit_number& beta, vector_view<Exec, multidigit> y)
{
    multiply(alpha, a, a.row_begin().data(), nullptr, 0, x, beta, y);
}

template <class Exec, class V>
void spmv(const Exec&, const multidigit_number& alpha, const sliced_ell<Exec, V>& a, in_vector<Exec, multidigit> x,
          const multidigit_number& beta, vector_view<Exec, multidigit> y)
{
    multiply(alpha, a, a.slice_begin().data(), a.length().data(), sliced_ell<Exec, V>::slice_rows, x, beta, y);
}

void trsv(const host_executor&, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x)
{
    require_equal("trsv", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsv", "rows of A and size of b", a.rows(), b.size);
    require_equal("trsv", "rows of A and size of x", a.rows(), x.size);
    require_formats("trsv", {b.format}, x.format);
    using digit = std::uint64_t;
    const int p = x.format.bits();
    with_multidigit_size<digit>(multidigit_count<digit>(p), [&]<int N>() {
        for (index_t step = 0; step < x.size; ++step) {
            const index_t i = triangle == uplo::lower ? step : x.size - 1 - step;
            multidigit_sum<digit, N> sum;
            sum.add(residua::detail::load<digit, N>(b.start, i * b.stride), p);
            double pivot = 0.0;
            for (index_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
                const index_t j = a.col()[k];
                const double entry = a.value().data[k];
                if (j == i) {
                    pivot = entry;
                } else if ((j < i) == (triangle == uplo::lower)) {
                    sum.add_product(residua::detail::load<digit, N>(x.start, j * x.stride), -entry, p);
                }
            }
            const auto rest = sum.result(p);
            residua::detail::store(x.start, i * x.stride,
                                   diagonal == diag::non_unit ? div(rest, to_multidigit<digit, N>(pivot), p) : rest);
        }
    });
}

#define RESIDUA_INSTANTIATE(V)                                                                              \
    template void spmv(const host_executor&, const multidigit_number&, const csr<host_executor, V>&,        \
                       in_vector<host_executor, multidigit>, const multidigit_number&,                      \
                       vector_view<host_executor, multidigit>);                                             \
    template void spmv(const host_executor&, const multidigit_number&, const sliced_ell<host_executor, V>&, \
                       in_vector<host_executor, multidigit>, const multidigit_number&,                      \
                       vector_view<host_executor, multidigit>);
RESIDUA_INSTANTIATE(double)
RESIDUA_INSTANTIATE(multidigit)

}  // namespace residua::blas
