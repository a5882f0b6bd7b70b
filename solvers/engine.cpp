#include <residua/solvers/engine.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <residua/arith/expansion/convert.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>
#include <residua/blas/sparse/spmv.hpp>
#include <residua/solvers/base/host_space.hpp>
#include <residua/solvers/base/make_csr.hpp>
#include <residua/solvers/bicgstab.hpp>
#include <residua/solvers/cg.hpp>
#include <residua/solvers/direct.hpp>
#include <residua/solvers/gmres.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/refine.hpp>
#include <residua/solvers/true_residual.hpp>

namespace residua {
namespace {

/// Any linear operator of the space, so that a method is compiled once for a format.
template <class S>
struct any_operator {
    std::function<void(const S&, const typename S::vector&, typename S::vector&)> function;

    void apply(const S& space, const typename S::vector& x, typename S::vector& y) const
    {
        function(space, x, y);
    }
};

/// Sliced storage may take this many times the places of compressed rows for its speed.
constexpr double most_padding = 2.0;

template <class T, class V>
any_operator<host_space<T>> matrix_operator(csr<host_executor, V> a)
{
    using vector = typename host_space<T>::vector;
    const auto product_with = [](auto matrix) -> any_operator<host_space<T>> {
        return {[m = std::move(matrix)](const host_space<T>& space, const vector& x, vector& y) {
            blas::spmv<T, V>(space.exec, T{1.0}, m, x.view(), T{0.0}, y.view());
        }};
    };
    using sliced = sliced_ell<host_executor, V>;
    return sliced::padding(a) <= most_padding ? product_with(sliced(a)) : product_with(std::move(a));
}

template <class T>
class format_engine final : public correction_engine {
public:
    using space_type = host_space<T>;
    using vector = typename space_type::vector;

    explicit format_engine(const engine_request& request)
        : request_(request), n_(request.matrix.a.n), rhs_(n_), solution_(n_)
    {
        if (request.method == method::direct) {
            make_factors();
        } else {
            make_operator();
            make_preconditioner();
        }
        switch (request.method) {
        case method::cg: cg_.emplace(space_, n_); break;
        case method::bicgstab: bicgstab_.emplace(space_, n_); break;
        case method::gmres: gmres_.emplace(space_, n_, std::min(request.restart, std::max<index_t>(n_, 1))); break;
        case method::refine: refine_.emplace(space_, n_); break;
        default: break;
        }
    }

    iteration_report correct(const std::vector<real>& r, const stop_rule& rule,
                             std::vector<real>& d) override
    {
        const scaled_matrix& m = request_.matrix;
        std::vector<real> scaled(static_cast<std::size_t>(n_));
        for (index_t i = 0; i < n_; ++i) {
            scaled[i] = ldexp(r[i], m.row_exponent[i]);
        }
        const long top = store(scaled, rhs_);
        space_.fill(T{0.0}, solution_);
        const iteration_report report = run(rule);
        d.resize(static_cast<std::size_t>(n_));
        for (index_t j = 0; j < n_; ++j) {
            d[j] = ldexp(to_real(solution_.view().load(j)), m.column_exponent[j] + top);
        }
        return report;
    }

    bool usable() const override { return failure_.empty(); }

    bool positive_definite() const override { return factors_ && factors_->is_cholesky(); }

    void solve_in_place(std::vector<real>& v, bool transposed) override
    {
        const long top = store(v, solution_);
        factors_->solve(solution_, transposed);
        for (index_t i = 0; i < n_; ++i) {
            v[i] = ldexp(to_real(solution_.view().load(i)), top).with_precision(64);
        }
    }

private:
    /// x = 2^-e v in the format with its largest element in [1/2, 1); returns e.
    static long store(const std::vector<real>& v, vector& x)
    {
        const long top = largest_exponent(v);
        for (index_t i = 0; i < x.size(); ++i) {
            x.view().store(i, from_real<T>(ldexp(v[i], -top)));
        }
        return top;
    }

    iteration_report run(const stop_rule& rule)
    {
        if (!failure_.empty()) {
            iteration_report report;
            report.status = interrupted_ ? solve_status::interrupted : solve_status::breakdown;
            report.message = failure_;
            return report;
        }
        switch (request_.method) {
        case method::cg:
            return cg(space_, matrix_, preconditioner_, rhs_, solution_, rule, *cg_);
        case method::bicgstab:
            return bicgstab(space_, matrix_, preconditioner_, rhs_, solution_, rule, *bicgstab_);
        case method::gmres:
            return gmres(space_, matrix_, preconditioner_, rhs_, solution_, rule, *gmres_,
                         orthogonalization::reorthogonalized);
        case method::refine:
            return refine(space_, matrix_, preconditioner_, rhs_, solution_, rule, *refine_);
        default: break;
        }
        space_.copy(rhs_, solution_);
        factors_->solve(solution_);
        iteration_report report;
        report.iterations = 1;
        report.recursive_residual = std::numeric_limits<double>::quiet_NaN();  // there is no recursion
        report.status = solve_status::converged;  // the caller's residual judges
        return report;
    }

    /// The values of the scaled matrix in a format, rounded if the format is too short for them.
    template <class V>
    std::vector<V> values() const
    {
        const scaled_matrix& m = request_.matrix;
        std::vector<V> result;
        result.reserve(m.a.value.size());
        for (std::size_t k = 0; k < m.a.value.size(); ++k) {
            result.push_back(m.exact.empty() ? V{m.a.value[k]} : from_real<V>(m.exact[k]));
        }
        return result;
    }

    void make_operator()
    {
        if (request_.matrix.exact.empty()) {
            matrix_ = matrix_operator<T, double>(make_csr(request_.matrix.a, request_.matrix.a.value));
        } else {
            matrix_ = matrix_operator<T, T>(make_csr(request_.matrix.a, values<T>()));
        }
    }

    void make_preconditioner()
    {
        if (request_.method == method::refine) {
            make_binary64_preconditioner();
        } else if (request_.factors != nullptr) {
            preconditioner_ = {[m = std::make_shared<triangular_preconditioner<T>>(*request_.factors)](
                                   const space_type& space, const vector& x, vector& y) {
                m->apply(space, x, y);
            }};
        } else if (request_.jacobi) {
            make_jacobi();
        } else {
            preconditioner_ = {[](const space_type& space, const vector& x, vector& y) {
                space.copy(x, y);
            }};
        }
    }

    /// Refinement needs no more of M than binary64 gives: x is rounded, solved for, extended.
    void make_binary64_preconditioner()
    {
        struct state {
            triangular_preconditioner<double> m;
            residua::vector<host_executor, double> x, y;
        };
        preconditioner_ = {[s = std::make_shared<state>(state{
                                triangular_preconditioner<double>(*request_.factors),
                                residua::vector<host_executor, double>(n_),
                                residua::vector<host_executor, double>(n_)})](
                               const space_type&, const vector& x, vector& y) {
            const index_t n = x.size();
            for (index_t i = 0; i < n; ++i) {
                s->x.view().data[i] = x.view().data[i];  // plane 0: the number to nearest
            }
            s->m.apply(host_space<double>{}, s->x, s->y);
            for (index_t i = 0; i < n; ++i) {
                y.view().store(i, T{s->y.view().data[i]});
            }
        }};
    }

    /// Division by the diagonal, as multiplication with its reciprocals in binary64: a fixed
    /// linear operator, and nearly as good.
    void make_jacobi()
    {
        const sparse_rows& a = request_.matrix.a;
        sparse_rows diagonal;
        diagonal.n = n_;
        diagonal.row_begin.assign(static_cast<std::size_t>(n_) + 1, 0);
        std::vector<double> reciprocal(static_cast<std::size_t>(n_), 0.0);
        for (index_t i = 0; i < n_; ++i) {
            diagonal.row_begin[i + 1] = i + 1;
            diagonal.column.push_back(static_cast<std::int32_t>(i));
            for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                if (a.column[k] == i && a.value[k] != 0.0) {
                    reciprocal[i] = 1.0 / a.value[k];
                }
            }
            if (reciprocal[i] == 0.0) {
                failure_ = "the Jacobi preconditioner needs a nonzero diagonal: row " +
                           std::to_string(i + 1) + " has none";
            }
        }
        preconditioner_ = matrix_operator<T, double>(make_csr(diagonal, reciprocal));
    }

    void make_factors()
    {
        const sparse_rows& a = request_.matrix.a;
        matrix<host_executor, T> dense(n_, n_);
        const std::vector<T> entries = values<T>();
        for (index_t i = 0; i < n_; ++i) {
            for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                dense.set(i, a.column[k], entries[k]);
            }
        }
        factors_.emplace(std::move(dense), request_.symmetric, request_.interrupted);
        failure_ = factors_->failure();
        interrupted_ = factors_->interrupted();
        if (interrupted_) {
            failure_ = "interrupted during the factorisation";
        }
    }

    engine_request request_;
    index_t n_;
    space_type space_;
    vector rhs_, solution_;
    any_operator<space_type> matrix_, preconditioner_;
    std::optional<cg_workspace<space_type>> cg_;
    std::optional<bicgstab_workspace<space_type>> bicgstab_;
    std::optional<gmres_workspace<space_type>> gmres_;
    std::optional<refine_workspace<space_type>> refine_;
    std::optional<dense_factors<T>> factors_;
    std::string failure_;
    bool interrupted_ = false;
};

/// f(T{}) for the format of so many bits.
template <class F>
auto with_format(long bits, F&& f)
{
    switch (bits) {
    case 53: return f(double{});
    case 106: return f(expansion<double, 2>{});
    case 159: return f(expansion<double, 3>{});
    case 212: return f(expansion<double, 4>{});
    case 318: return f(expansion<double, 6>{});
    case 424: return f(expansion<double, 8>{});
    case 636: return f(expansion<double, 12>{});
    case 848: return f(expansion<double, 16>{});
    default: throw unsupported_error("no format of " + std::to_string(bits) + " bits");
    }
}

}  // namespace

const std::vector<long>& available_precisions()
{
    static const std::vector<long> bits{53, 106, 159, 212, 318, 424, 636, 848};
    return bits;
}

std::unique_ptr<correction_engine> make_engine(long bits, const engine_request& request)
{
    return with_format(bits, [&]<class T>(T) -> std::unique_ptr<correction_engine> {
        return std::make_unique<format_engine<T>>(request);
    });
}

double engine_bytes(long bits, method method, index_t n, index_t nonzeros, bool exact, index_t restart)
{
    const double words = static_cast<double>(bits / 53);
    const double rows = static_cast<double>(n);
    if (method == method::direct) {
        return 8.0 * words * rows * rows * 3.0;  // the entries, the factors, and a copy for Cholesky
    }
    const double value_words = exact ? 1.0 : words;
    double vectors = 12.0;
    double hessenberg = 0.0;
    if (method == method::gmres) {
        const double length = static_cast<double>(std::min(restart, std::max<index_t>(n, 1)));
        vectors += length;
        hessenberg = (length + 1.0) * length * 8.0 * words;
    }
    return hessenberg + static_cast<double>(nonzeros) * (8.0 * value_words + 4.0) * 2.0 + rows * vectors * 8.0 * words;
}

}  // namespace residua
