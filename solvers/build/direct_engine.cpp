// The direct method: factors in any format of the whole matrix, dense ones or fronts.
#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/precond/long_factors.hpp>
#include <residua/solvers/space/format_space.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>

namespace residua {
namespace {

class direct_engine final : public correction_engine {
public:
    direct_engine(const arithmetic& in, const engine_request& request)
        : seconds_(request.seconds),
          factors_(factorize_long(in, request.matrix,
                                  {.device = request.device, .analyses = request.analyses, .keeper = request.keeper})),
          space_{{}, factors_->format()},
          transfers_(space_, request.matrix)
    {}

    void compute(std::vector<correction>& columns) override
    {
        if (!factors_->failure().empty()) {
            for (correction& column : columns) {
                column.report.status = solve_status::breakdown;
                column.report.message = factors_->failure();
                column.d = long_vector::zeros(factors_->size());
            }
            return;
        }
        std::vector<residua::vector<host_executor, multidigit>> x;
        std::vector<long> top;
        long_factors::vectors all;
        timed(part(&method_seconds::transfers), [&] {
            for (correction& column : columns) {
                x.push_back(space_.make_vector(factors_->size()));
                top.push_back(transfers_.store(space_, column.r, x.back()));
            }
        });
        std::transform(x.begin(), x.end(), std::back_inserter(all), [](auto& each) { return &each; });
        timed(part(&method_seconds::preconditioner), [&] { factors_->solve(all); });
        timed(part(&method_seconds::transfers), [&] {
            for (std::size_t k = 0; k < columns.size(); ++k) {
                columns[k].d = transfers_.fetch(space_, x[k], top[k]);
            }
        });
        for (correction& column : columns) {
            iteration_report& report = column.report;
            report.iterations = 1;
            report.recursive_residual = std::numeric_limits<double>::quiet_NaN();  // there is no recursion
            report.status = solve_status::converged;                               // the caller's residual judges
        }
    }

    bool together() const override { return true; }

    bool on_device() const override { return factors_->products_on_device() > 0; }
    const long_factors* factors() const override { return factors_.get(); }

private:
    double* part(double method_seconds::*which) const { return seconds_ == nullptr ? nullptr : &(seconds_->*which); }

    method_seconds* seconds_;
    std::unique_ptr<long_factors> factors_;
    multidigit_space<host_executor> space_;
    scaled_vectors<multidigit_space<host_executor>> transfers_;
};

}  // namespace

std::unique_ptr<correction_engine> make_direct_engine(const arithmetic& in, const engine_request& request)
{
    return std::make_unique<direct_engine>(in, request);
}

}  // namespace residua
