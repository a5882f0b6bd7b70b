#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/build/method_runner.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/binary64.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/precond/factorization.hpp>
#include <residua/solvers/precond/function_preconditioner.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/matrix_operator.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>
#include <residua/solvers/space/shortened.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {

/// max_i sum_j |a_ij|, which bounds || |A| ||_2 for a symmetric A
inline double largest_row_sum(const sparse_matrix& a)
{
    double largest = 0.0;
    for (index_t i = 0; i < a.rows; ++i) {
        double sum = 0.0;
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            sum += std::abs(a.values[static_cast<std::size_t>(k)]);
        }
        largest = std::max(largest, sum);
    }
    return largest;
}

/// One method in the format of a space: each correction converts its numbers into the space once, and back once. On a
/// device a Krylov method has triangular factors only where the space has triangles.
template <array_space S>
class format_engine final : public correction_engine {
public:
    using scalar = typename S::scalar;
    using vector = typename S::vector;

    format_engine(const S& space, const engine_request& request)
        : request_(request), traits_(traits_of(request.method)), space_(space), transfers_(space, request.matrix)
    {
        problem_.rows = request.matrix.rows;
        problem_.cols = request.matrix.cols;
        problem_.restart = request.restart;
        make_room(1);
        make_operator();
        make_preconditioner();
        make_transposed();
        if constexpr (shortenable_space<S>) {
            if (request_.matrix.exact.empty()) {  // otherwise A has the space's precision
                problem_.matrix_norm = largest_row_sum(request_.matrix);
            }
        }
        problem_.a.seconds = problem_.a_t.seconds = part(&method_seconds::products);
        problem_.m.seconds = problem_.m_t.seconds = part(&method_seconds::preconditioner);
        run_ = request.complex && traits_.complex_scalars ? make_complex_runner(request.method, space_, problem_)
                                                          : make_runner(request.method, space_, problem_);
        if (!run_) {
            throw unsupported_error("the method " + std::string(traits_.name) + " has an engine of another kind");
        }
    }

    void correct(std::vector<correction>& columns) override
    {
        const std::size_t at_a_time = traits_.together ? columns.size() : 1;
        make_room(at_a_time);
        for (std::size_t first = 0; first < columns.size(); first += at_a_time) {
            std::vector<method_column<vector>> system;
            std::vector<long> top;
            for (std::size_t j = 0; j < at_a_time; ++j) {
                top.push_back(stored(columns[first + j].r, rhs_[j]));
                space_.fill(space_.make_scalar(0.0), solution_[j]);
                system.push_back({rhs_[j], solution_[j], columns[first + j].rule, true});
            }
            std::vector<iteration_report> reports = run_->solve(system);
            for (std::size_t j = 0; j < at_a_time; ++j) {
                columns[first + j].report = std::move(reports[j]);
                for (const auto& each : functions_) {
                    if (each->gave_no_number()) {
                        iteration_report& report = columns[first + j].report;
                        report.status = solve_status::breakdown;
                        report.message = breakdowns::preconditioner_not_finite;
                        report.preconditioner_failed = true;
                    }
                }
                fetch(solution_[j], top[j], columns[first + j].d);
            }
        }
    }

    bool together() const override { return traits_.together; }

    bool on_device() const override { return !S::on_host; }

private:
    /// Where a part's seconds are added up; null: they are not measured.
    double* part(double method_seconds::*which) const
    {
        return request_.seconds == nullptr ? nullptr : &(request_.seconds->*which);
    }

    /// Makes the vectors for `right_hand_sides` right-hand sides at a time.
    void make_room(std::size_t right_hand_sides)
    {
        while (rhs_.size() < right_hand_sides) {
            rhs_.push_back(space_.make_vector(problem_.rows));
        }
        while (solution_.size() < right_hand_sides) {  // fewer than rhs_, if memory lacked for one
            solution_.push_back(space_.make_vector(problem_.cols));
        }
    }

    long stored(long_vector& r, vector& x)
    {
        long top = 0;
        timed(space_, part(&method_seconds::transfers), [&] { top = transfers_.store(space_, r, x); });
        return top;
    }

    void fetch(const vector& x, long top, long_vector& d)
    {
        timed(space_, part(&method_seconds::transfers), [&] { d = transfers_.fetch(space_, x, top); });
    }

    void make_operator()
    {
        problem_.a = matrix_in(space_, request_.matrix, request_.storage, traits_.by_factors && !request_.several);
        if (traits_.together && request_.several) {
            with_entries(space_, request_.matrix,
                         [&](const auto& a) { problem_.a.exact_residuals = residuals_together<S>(a); });
        }
    }

    void make_preconditioner()
    {
        if (request_.factors != nullptr && request_.factors->bits() > binary64_bits) {
            make_long_preconditioner(*request_.factors);
        } else if (request_.factors != nullptr && traits_.by_factors) {
            make_binary64_preconditioner();
        } else if (const triangular_factors* const factors = triangles()) {
            problem_.m = triangular_operator(*factors);
        } else if (request_.inverse != nullptr) {
            problem_.m = product_operator(*request_.inverse);
            problem_.complex_linear_m = request_.inverse->complex;
        } else if (request_.function != nullptr) {
            problem_.m = function_operator(*request_.function);
            problem_.flexible = true;
        }
        if (request_.polynomial) {
            using polynomial = chebyshev_preconditioner<S, any_operator<S>, any_operator<S>>;
            const auto p = std::make_shared<const polynomial>(space_, problem_.rows, problem_.a, std::move(problem_.m),
                                                              *request_.polynomial);
            problem_.m = {};
            problem_.m.function = [p](const S& on, const vector& x, vector& y) { p->apply(on, x, y); };
        }
    }

    any_operator<S> product_operator(const sparse_matrix& m) const { return matrix_operator(space_, make_csr(m)); }

    /// Makes A' and M', where the method takes them.
    void make_transposed()
    {
        if (!traits_.transpose) {
            return;
        }
        problem_.a_t = matrix_in(space_, transpose(request_.matrix));
        if (const triangular_factors* const factors = triangles()) {
            problem_.m_t = triangular_operator(transpose(*factors));
        } else if (request_.inverse != nullptr) {
            problem_.m_t = product_operator(transpose(*request_.inverse));
        } else if (request_.transposed != nullptr) {
            problem_.m_t = function_operator(*request_.transposed);
        }
    }

    any_operator<S> function_operator(const preconditioner_function& m)
    {
        const auto made = std::make_shared<const function_preconditioner<S>>(space_, m, problem_.rows);
        functions_.push_back(made);
        any_operator<S> result;
        result.function = [made](const S& on, const vector& x, vector& y) { made->apply(on, x, y); };
        return result;
    }

    /// The triangular factors that were asked for; null: there are none.
    const triangular_factors* triangles() const
    {
        return request_.factors != nullptr ? &request_.factors->triangles() : request_.triangles;
    }

    any_operator<S> triangular_operator(const triangular_factors& factors) const
    {
        if constexpr (!S::has_triangles) {
            throw unsupported_error("triangular factors are applied to RNS floats on the host only");
        } else {
            any_operator<S> result;
            result.function =
                [m = std::make_shared<triangular_preconditioner<S>>(space_, factors, request_.triangles_on_host)](
                    const S& space, const vector& x, vector& y) { m->apply(space, x, y); };
            return result;
        }
    }

    void make_binary64_preconditioner()
    {
        const auto m = std::make_shared<const binary64_preconditioner<S>>(
            space_, *request_.factors, request_.factor_room, request_.triangles_on_host);
        problem_.m.function = [m](const S& space, const vector& x, vector& y) { m->apply(space, x, y); };
        if constexpr (S::on_host) {
            problem_.m.together = [m](const S& space, const const_columns<S>& x, const columns<S>& y) {
                m->apply_together(space, x, y);
            };
        }
    }

    /// M solves in the format of its factors: refinement needs no more precision of M than they have.
    void make_long_preconditioner(const factorization& factors)
    {
        problem_.m.together = [&factors](const S& space, const const_columns<S>& x, const columns<S>& y) {
            std::vector<long_vector> r;
            long_columns all;
            r.reserve(x.size());
            for (const vector* each : x) {
                all.push_back(&r.emplace_back(to_long_vector(space, *each, factors.bits())));
            }
            std::vector<long_vector> d = factors.solve(all);
            for (std::size_t j = 0; j < y.size(); ++j) {
                from_long_vector(space, d[j], *y[j]);
            }
        };
        problem_.m.function = [together = problem_.m.together](const S& space, const vector& x, vector& y) {
            together(space, {&x}, {&y});
        };
    }

    engine_request request_;
    const method_traits& traits_;
    S space_;
    scaled_vectors<S> transfers_;
    method_problem<S> problem_;
    std::vector<std::shared_ptr<const function_preconditioner<S>>> functions_;  ///< M and M', where they are such
    std::vector<vector> rhs_, solution_;  ///< for the right-hand sides that are taken at a time
    std::unique_ptr<method_runner<vector>> run_;
};

/// An engine in the format of a family of spaces, each made from an executor and what `format` says: on the device that
/// the request names, or on the host.
///
/// throws  unsupported_error for a device in a build for the host alone
template <template <class> class Space, class... Format>
std::unique_ptr<correction_engine> engine_on(const engine_request& request, const Format&... format)
{
    if (!request.device) {
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
