// The direct method: factors in any format of the whole matrix, dense ones or fronts, or QR of a matrix that is not square.
#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/assess/normal_inverse.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/precond/factorize.hpp>

namespace residua {
namespace {

class direct_engine final : public correction_engine {
public:
    direct_engine(const arithmetic& in, const engine_request& request)
        : by_qr_(request.matrix.rows != request.matrix.cols),
          scaling_(by_qr_ ? scaling_of_normal(request.matrix) : scaled_matrix()),
          unknowns_(request.matrix.cols),
          matrix_(by_qr_ ? scaling_ : request.matrix),
          seconds_(request.seconds),
          factors_(by_qr_ ? factorize_qr(in, request.matrix, {.device = request.device})
                          : factorize_long(
                                in, request.matrix,
                                {.device = request.device, .analyses = request.analyses, .keeper = request.keeper}))
    {
        if (by_qr_ && factors_.failure().empty() &&
            !find_normal_inverse(request.matrix, factors_, factors_.bits()).suffices) {
            factors_ = factorization(
                "the lines of the matrix are dependent in " + std::to_string(factors_.bits()) + " bits, or nearly so",
                factor_kind::cholesky);
        }
    }

    void correct(std::vector<correction>& columns) override
    {
        if (!factors_.failure().empty()) {
            for (correction& column : columns) {
                column.report.status = solve_status::breakdown;
                column.report.message = factors_.failure();
                column.d = long_vector::zeros(unknowns_);
            }
            return;
        }
        long_columns r;
        std::transform(columns.begin(), columns.end(), std::back_inserter(r), [](auto& each) { return &each.r; });
        std::vector<long_vector> d = factors_.solve(r, matrix_, seconds_);
        for (std::size_t k = 0; k < columns.size(); ++k) {
            columns[k].d = std::move(d[k]);
        }
        for (correction& column : columns) {
            iteration_report& report = column.report;
            report.iterations = 1;
            report.recursive_residual = std::numeric_limits<double>::quiet_NaN();  // there is no recursion
            report.status = solve_status::converged;                               // the caller's residual judges
        }
    }

    bool together() const override { return true; }

    bool on_device() const override { return factors_.computed_on_device(); }
    const factorization* factors() const override { return &factors_; }

private:
    bool by_qr_;             ///< the matrix is not square
    scaled_matrix scaling_;  ///< of the normal equations, for QR
    index_t unknowns_;
    const scaled_matrix& matrix_;  ///< how residuals and corrections are scaled
    method_seconds* seconds_;
    factorization factors_;
};

}  // namespace

std::unique_ptr<correction_engine> make_direct_engine(const arithmetic& in, const engine_request& request)
{
    return std::make_unique<direct_engine>(in, request);
}

}  // namespace residua
