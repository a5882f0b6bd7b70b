#include <residua/solvers/precond/long_factors.hpp>

#include <algorithm>
#include <concepts>
#include <utility>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/rns/number.hpp>
#include <residua/blas/level1/convert.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/methods/direct.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>

namespace residua {
namespace {

template <array_space S>
class long_factors_in final : public long_factors {
public:
    long_factors_in(const S& space, const scaled_matrix& m, const long_factor_options& options)
        : space_(space),
          factors_(space, dense_matrix(space, m), options.symmetric, options.interrupted, 0,
                   {.device = options.device}),
          failure_(factors_.interrupted() ? "interrupted during the factorisation" : factors_.failure()),
          work_(space.make_vector(m.a.n))
    {}

    const std::string& failure() const override { return failure_; }
    bool interrupted() const override { return factors_.interrupted(); }
    bool is_cholesky() const override { return factors_.is_cholesky(); }
    index_t products_on_device() const override { return factors_.products_on_device(); }
    index_t size() const override { return factors_.factors().cols(); }
    real entry(index_t i, index_t j) const override { return to_real(factors_.factors().get(i, j)); }
    const std::vector<index_t>& pivots() const override { return factors_.pivots(); }
    multidigit_format format() const override
    {
        return multidigit_format(
            std::clamp<long>(precision_of(space_), multidigit_least_bits, multidigit_format::most_bits));
    }

    void solve(vector<host_executor, multidigit>& x, bool transposed) const override
    {
        if constexpr (std::same_as<typename S::element, rns>) {
            for (index_t i = 0; i < x.size(); ++i) {
                work_.set(i, space_.make_scalar(to_real(x.get(i))));
            }
            factors_.solve(work_, transposed);
            for (index_t i = 0; i < x.size(); ++i) {
                x.set(i, multidigit_number(x.format(), to_real(work_.get(i))));
            }
        } else {
            const long top = store(space_, x, nullptr, work_);
            factors_.solve(work_, transposed);
            blas::convert(space_.exec, std::as_const(work_).view(), x.view(), {nullptr, top});
        }
    }

private:
    S space_;
    dense_factors<S> factors_;
    std::string failure_;
    mutable typename S::vector work_;
};

template <array_space S>
std::unique_ptr<long_factors> factorize_in(const S& space, const scaled_matrix& m, const long_factor_options& options)
{
    return std::make_unique<long_factors_in<S>>(space, m, options);
}

/// In binary64 or the expansion of so many bits; null: there is no such expansion.
std::unique_ptr<long_factors> factorize_in_terms(long bits, const scaled_matrix& m, const long_factor_options& options)
{
    std::unique_ptr<long_factors> result;
    const auto try_terms = [&]<int N>() {
        if (bits == 53 * N) {
            result = factorize_in(host_space<blas::detail::format_of_terms<N>>{}, m, options);
        }
    };
    [&]<int... N>(std::integer_sequence<int, N...>) {
        (try_terms.template operator()<N>(), ...);
    }(std::integer_sequence<int, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32>{});
    return result;
}

}  // namespace

std::unique_ptr<long_factors> factorize_long(const arithmetic& in, const scaled_matrix& matrix,
                                             const long_factor_options& options)
{
    require_memory("the dense factorisation", long_factors_bytes(in, matrix.a.n));
    std::unique_ptr<long_factors> result;
    switch (in.format) {
        case number_format::multidigit:
            return factorize_in(multidigit_space<host_executor>{{}, multidigit_format(in.bits)}, matrix, options);
        case number_format::rns:
            return factorize_in(rns_space<host_executor>{{}, rns_format(in.bits)}, matrix, options);
        default:
            result = factorize_in_terms(in.bits, matrix, options);
    }
    if (result == nullptr) {
        throw unsupported_error("no expansion of " + std::to_string(in.bits) + " bits");
    }
    return result;
}

double long_factors_bytes(const arithmetic& in, index_t n) { return engine_bytes(in, method::direct, n, 0, false, 0); }

}  // namespace residua
