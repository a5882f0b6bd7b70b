#include <residua/solvers/precond/long_factors.hpp>

#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/methods/direct.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>

namespace residua {
namespace {

template <vector_space S>
class long_factors_in final : public long_factors {
public:
    long_factors_in(const S& space, const scaled_matrix& m, const std::function<bool()>& interrupted)
        : space_(space),
          factors_(space, dense_matrix(space, m), false, interrupted),
          failure_(factors_.interrupted() ? "interrupted during the factorisation" : factors_.failure()),
          work_(space.make_vector(m.a.n))
    {}

    const std::string& failure() const override { return failure_; }
    index_t size() const override { return factors_.factors().cols(); }
    real entry(index_t i, index_t j) const override { return to_real(factors_.factors().get(i, j)); }
    const std::vector<index_t>& pivots() const override { return factors_.pivots(); }

    multidigit_format format() const override { return multidigit_format(precision_of(space_)); }

    void solve(vector<host_executor, multidigit>& x, bool transposed) const override
    {
        const long top = store(space_, x, nullptr, work_);
        factors_.solve(work_, transposed);
        blas::convert(space_.exec, std::as_const(work_).view(), x.view(), {nullptr, top});
    }

private:
    S space_;
    dense_factors<S> factors_;
    std::string failure_;
    mutable typename S::vector work_;
};

template <vector_space S>
std::unique_ptr<long_factors> factorize_in(const S& space, const scaled_matrix& m,
                                           const std::function<bool()>& interrupted)
{
    return std::make_unique<long_factors_in<S>>(space, m, interrupted);
}

}  // namespace

std::unique_ptr<long_factors> factorize_long(const arithmetic& in, const scaled_matrix& matrix,
                                             const std::function<bool()>& interrupted)
{
    require_memory("the dense LU factorisation", long_factors_bytes(in, matrix.a.n));
    if (in.format == number_format::multidigit) {
        return factorize_in(multidigit_space<host_executor>{{}, multidigit_format(in.bits)}, matrix, interrupted);
    }
    switch (in.format == number_format::expansion ? in.bits : 0) {
        case 106:
            return factorize_in(host_space<expansion<double, 2>>{}, matrix, interrupted);
        case 159:
            return factorize_in(host_space<expansion<double, 3>>{}, matrix, interrupted);
        case 212:
            return factorize_in(host_space<expansion<double, 4>>{}, matrix, interrupted);
        default:
            throw unsupported_error("no dense factors of " + std::to_string(in.bits) + " bits in this format");
    }
}

double long_factors_bytes(const arithmetic& in, index_t n) { return engine_bytes(in, method::direct, n, 0, false, 0); }

}  // namespace residua
