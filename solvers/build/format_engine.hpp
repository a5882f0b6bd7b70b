#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/methods/bicg.hpp>
#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/bicgstabl.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/direct.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/methods/idr.hpp>
#include <residua/solvers/methods/lsqr.hpp>
#include <residua/solvers/methods/minres.hpp>
#include <residua/solvers/methods/refine.hpp>
#include <residua/solvers/methods/tfqmr.hpp>
#include <residua/solvers/precond/binary64.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/precond/long_factors.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/any_operator.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>
#include <residua/solvers/system/make_csr.hpp>
#include <residua/solvers/system/transpose.hpp>
#include <residua/solvers/system/true_residual.hpp>

namespace residua {

/// One method in the format of a space: numbers go into the space once for each correction, and out. On a
/// device it has triangular factors for a Krylov method only where the space has them. A direct method has a space on the
/// host, and a device for products.
template <vector_space S>
class format_engine final : public correction_engine {
public:
    using scalar = typename S::scalar;
    using vector = typename S::vector;

    format_engine(const S& space, const engine_request& request)
        : request_(request),
          n_(request.matrix.a.n),
          space_(space),
          rhs_(space.make_vector(n_)),
          solution_(space.make_vector(request.matrix.cols()))
    {
        if (request.method == method::direct) {
            make_factors();
        } else {
            with_entries(space_, request_.matrix, [&](auto a) { make_operator(std::move(a)); });
            make_preconditioner();
            make_transposed();
            matrix_.seconds = part(&method_seconds::products);
            preconditioner_.seconds = part(&method_seconds::preconditioner);
            transposed_matrix_.seconds = matrix_.seconds;
            transposed_preconditioner_.seconds = preconditioner_.seconds;
        }
        switch (request.method) {
            case method::cg:
                cg_.emplace(space_, n_);
                break;
            case method::minres:
                minres_.emplace(space_, n_);
                break;
            case method::bicgstab:
                bicgstab_.emplace(space_, n_);
                break;
            case method::bicgstabl:
                bicgstabl_.emplace(space_, n_);
                break;
            case method::idr:
                idr_.emplace(space_, n_);
                break;
            case method::tfqmr:
                tfqmr_.emplace(space_, n_);
                break;
            case method::bicg:
                bicg_.emplace(space_, n_);
                break;
            case method::lsqr:
                lsqr_.emplace(space_, n_, request.matrix.cols());
                break;
            case method::gmres:
                gmres_.emplace(space_, n_, std::min(request.restart, std::max<index_t>(n_, 1)));
                break;
            default:
                break;
        }
    }

    void correct(std::vector<correction>& columns) override
    {
        if (request_.method == method::refine && failure_.empty()) {
            return refine_all(columns);
        }
        for (correction& column : columns) {
            const long top = stored(column.r, rhs_);
            space_.fill(space_.make_scalar(0.0), solution_);
            column.report = run(column.rule);
            fetch(solution_, top, column.d);
        }
    }

    bool usable() const override { return failure_.empty(); }

    bool positive_definite() const override { return factors_ && factors_->is_cholesky(); }

    bool on_device() const override { return !S::on_host || (factors_ && factors_->products_on_device() > 0); }

    void solve_in_place(std::vector<real>& v, bool transposed) override
    {
        if constexpr (S::on_host) {
            const long top = store(space_, v, solution_);
            factors_->solve(solution_, transposed);
            for (index_t i = 0; i < n_; ++i) {
                v[i] = ldexp(to_real(solution_.view().load(i)), top).with_precision(64);
            }
        } else {
            throw unsupported_error("dense factors are on the host only");
        }
    }

private:
    /// Where a part's seconds are added up; null: they are not measured.
    double* part(double method_seconds::*which) const
    {
        return request_.seconds == nullptr ? nullptr : &(request_.seconds->*which);
    }

    long stored(const std::vector<real>& r, vector& x)
    {
        long top = 0;
        timed(space_, part(&method_seconds::transfers), [&] { top = store_scaled(space_, request_.matrix, r, x); });
        return top;
    }

    void fetch(const vector& x, long top, std::vector<real>& d)
    {
        timed(space_, part(&method_seconds::transfers), [&] { fetch_scaled(space_, request_.matrix, x, top, d); });
    }

    void refine_all(std::vector<correction>& columns)
    {
        std::vector<vector> b, x;
        std::vector<long> top;
        for (const correction& column : columns) {
            b.push_back(space_.make_vector(n_));
            x.push_back(space_.make_vector(n_));
            top.push_back(stored(column.r, b.back()));
        }
        std::vector<refine_column<S>> system;
        for (std::size_t j = 0; j < columns.size(); ++j) {
            system.push_back({b[j], x[j], columns[j].rule});
        }
        refine_workspace<S> work(space_, n_, columns.size());
        const std::vector<iteration_report> reports = refine(space_, matrix_, preconditioner_, system, work);
        for (std::size_t j = 0; j < columns.size(); ++j) {
            columns[j].report = reports[j];
            fetch(x[j], top[j], columns[j].d);
        }
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
            case method::minres:
                return minres(space_, matrix_, preconditioner_, rhs_, solution_, rule, *minres_);
            case method::bicgstab:
                return bicgstab(space_, matrix_, preconditioner_, rhs_, solution_, rule, *bicgstab_);
            case method::bicgstabl:
                return bicgstabl(space_, matrix_, preconditioner_, rhs_, solution_, rule, *bicgstabl_);
            case method::idr:
                return idr(space_, matrix_, preconditioner_, rhs_, solution_, rule, *idr_);
            case method::tfqmr:
                return tfqmr(space_, matrix_, preconditioner_, rhs_, solution_, rule, *tfqmr_);
            case method::bicg:
                return bicg(space_, matrix_, transposed_matrix_, preconditioner_, transposed_preconditioner_, rhs_,
                            solution_, rule, *bicg_);
            case method::lsqr:
                return lsqr(space_, matrix_, transposed_matrix_, rhs_, solution_, rule, *lsqr_);
            case method::gmres:
                return gmres(space_, matrix_, preconditioner_, rhs_, solution_, rule, *gmres_,
                             orthogonalization::reorthogonalized);
            default:
                break;
        }
        space_.copy(rhs_, solution_);
        if constexpr (S::on_host) {
            timed(part(&method_seconds::preconditioner), [&] { factors_->solve(solution_); });
        }
        iteration_report report;
        report.iterations = 1;
        report.recursive_residual = std::numeric_limits<double>::quiet_NaN();  // there is no recursion
        report.status = solve_status::converged;                               // the caller's residual judges
        return report;
    }

    template <class V>
    void make_operator(csr<host_executor, V> a)
    {
        decltype(matrix_.exact_residuals) together;
        if (request_.method == method::refine && request_.several) {
            together = residuals_together<S>(a);
        }
        matrix_ = matrix_operator(space_, std::move(a));
        matrix_.exact_residuals = std::move(together);
    }

    void make_preconditioner()
    {
        if (request_.long_factors != nullptr) {
            make_long_preconditioner(*request_.long_factors);
        } else if (request_.factors != nullptr) {
            if (request_.method == method::refine) {
                make_binary64_preconditioner();
            } else {
                preconditioner_ = triangular_operator(*request_.factors);
            }
        } else if (request_.inverse != nullptr) {
            preconditioner_ = product_operator(*request_.inverse);
        }
        if (request_.polynomial) {
            using polynomial = chebyshev_preconditioner<S, any_operator<S>, any_operator<S>>;
            const auto p = std::make_shared<const polynomial>(space_, n_, matrix_, std::move(preconditioner_),
                                                              *request_.polynomial);
            preconditioner_ = {};
            preconditioner_.function = [p](const S& on, const vector& x, vector& y) { p->apply(on, x, y); };
        }
    }

    any_operator<S> product_operator(const sparse_rows& m) const
    {
        return matrix_operator(space_, make_csr(m, m.value));
    }

    /// A' and M', where the method takes them.
    void make_transposed()
    {
        if (!uses_transpose(request_.method)) {
            return;
        }
        transposed_matrix_ = matrix_in(space_, transpose(request_.matrix));
        if (request_.factors != nullptr) {
            transposed_preconditioner_ = triangular_operator(transpose(*request_.factors));
        } else if (request_.inverse != nullptr) {
            transposed_preconditioner_ = product_operator(transpose(*request_.inverse));
        }
    }

    any_operator<S> triangular_operator(const triangular_factors& factors) const
    {
        if constexpr (!S::has_triangles) {
            throw unsupported_error("triangular factors are applied to RNS floats on the host only");
        } else {
            any_operator<S> result;
            result.function = [m = std::make_shared<triangular_preconditioner<S>>(space_, factors)](
                                  const S& space, const vector& x, vector& y) { m->apply(space, x, y); };
            return result;
        }
    }

    void make_binary64_preconditioner()
    {
        const auto m = std::make_shared<const binary64_preconditioner<S>>(space_, *request_.factors);
        preconditioner_.function = [m](const S& space, const vector& x, vector& y) { m->apply(space, x, y); };
        if constexpr (S::on_host) {
            preconditioner_.together = [m](const S& space, const const_columns<S>& x, const columns<S>& y) {
                m->apply_together(space, x, y);
            };
        }
    }

    /// Refinement needs no more of M than its factors have, either: it solves in their format.
    void make_long_preconditioner(const long_factors& factors)
    {
        preconditioner_.function = [&factors](const S& space, const vector& x, vector& y) {
            const auto& from = space.fetched(x);
            std::vector<real> v;
            for (index_t i = 0; i < factors.size(); ++i) {
                v.push_back(to_real(from.view().load(i)));
            }
            factors.solve(v);
            auto to = space.make_host_vector(factors.size());
            for (index_t i = 0; i < factors.size(); ++i) {
                to.view().store(i, space.make_scalar(v[static_cast<std::size_t>(i)]));
            }
            y = space.placed(std::move(to));
        };
    }

    void make_factors()
    {
        if constexpr (!S::on_host) {
            throw unsupported_error("dense factors are on the host only");
        } else {
            factors_.emplace(space_, dense_matrix(space_, request_.matrix), request_.symmetric, request_.interrupted, 0,
                             product_place{.device = request_.device});
            failure_ = factors_->failure();
            interrupted_ = factors_->interrupted();
            if (interrupted_) {
                failure_ = "interrupted during the factorisation";
            }
        }
    }

    engine_request request_;
    index_t n_;
    S space_;
    vector rhs_, solution_;
    any_operator<S> matrix_, preconditioner_, transposed_matrix_, transposed_preconditioner_;
    std::optional<cg_workspace<S>> cg_;
    std::optional<minres_workspace<S>> minres_;
    std::optional<bicgstab_workspace<S>> bicgstab_;
    std::optional<bicgstabl_workspace<S>> bicgstabl_;
    std::optional<idr_workspace<S>> idr_;
    std::optional<tfqmr_workspace<S>> tfqmr_;
    std::optional<bicg_workspace<S>> bicg_;
    std::optional<lsqr_workspace<S>> lsqr_;
    std::optional<gmres_workspace<S>> gmres_;
    std::optional<dense_factors<S>> factors_;
    std::string failure_;
    bool interrupted_ = false;
};

/// An engine in the format of a family of spaces, each made from an executor and what `format` says: on the device that
/// the request names, or on the host, where a direct method always is.
///
/// throws  unsupported_error for a device in a build for the host alone
template <template <class> class Space, class... Format>
std::unique_ptr<correction_engine> engine_on(const engine_request& request, const Format&... format)
{
    if (!request.device || (request.method == method::direct && built_with_cuda())) {
        using space = Space<host_executor>;
        return std::make_unique<format_engine<space>>(space{{}, format...}, request);
    }
#if defined(RESIDUA_CUDA)
    using space = Space<cuda_executor>;
    return std::make_unique<format_engine<space>>(space{*request.device, format...}, request);
#else
    throw unsupported_error("this build computes on the host only: " + why_no_cuda_device());
#endif
}

}  // namespace residua
