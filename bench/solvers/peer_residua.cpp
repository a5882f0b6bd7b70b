// residua's own fronts, L L' or L U, in binary64 and binary32.

#include "sparse_peers.hpp"

#include <algorithm>
#include <utility>

#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua::bench {
namespace {

template <number T>
class own_fronts : public sparse_peer {
public:
    own_fronts(const sparse_problem& problem, bool definite) : a_(problem.rows), definite_(definite), x_(problem.n) {}

    void analyse() override
    {
        analysis_ = std::make_shared<const sparse_analysis>(
            analyze_for_factors(a_, definite_ ? factor_kind::cholesky : factor_kind::lu));
    }

    void factorise() override
    {
        fronts_.emplace(host_space<T>{}, analysis_, a_);
        if (!fronts_->failure().empty()) {
            throw not_definite(fronts_->failure());
        }
    }

    void solve(const std::vector<double>& b, std::vector<double>& x) override
    {
        std::copy(b.begin(), b.end(), x_.view().data());
        fronts_->solve(x_);
        std::copy_n(x_.view().data(), x.size(), x.begin());
    }

    void solve_together(int n, const std::vector<double>& b, std::vector<double>& x) override
    {
        std::vector<vector<host_executor, double>> all(b.size() / static_cast<std::size_t>(n), x_);
        columns<host_space<double>> to;
        for (std::size_t k = 0; k < all.size(); ++k) {
            std::copy_n(b.begin() + static_cast<std::ptrdiff_t>(k) * n, n, all[k].view().data());
            to.push_back(&all[k]);
        }
        fronts_->solve(to);
        for (std::size_t k = 0; k < all.size(); ++k) {
            std::copy_n(all[k].view().data(), n, x.begin() + static_cast<std::ptrdiff_t>(k) * n);
        }
    }

    factor_facts facts() const override
    {
        const double flops = 2.0 * cost_of(analysis_->tree, definite_).multiply_adds;
        return {
            .ordering = "own", .entries = fronts_->entries(), .flops = flops, .bytes = sizeof(T) * fronts_->entries()};
    }

private:
    const sparse_matrix& a_;
    bool definite_;
    std::shared_ptr<const sparse_analysis> analysis_;
    std::optional<multifrontal<host_space<T>>> fronts_;
    vector<host_executor, double> x_;
};

}  // namespace

std::unique_ptr<sparse_peer> make_residua_llt(const sparse_problem& problem, sparse_ordering)
{
    return std::make_unique<own_fronts<double>>(problem, true);
}

std::unique_ptr<sparse_peer> make_residua_lu(const sparse_problem& problem, sparse_ordering)
{
    return std::make_unique<own_fronts<double>>(problem, false);
}

std::unique_ptr<sparse_peer> make_residua_llt_binary32(const sparse_problem& problem, sparse_ordering)
{
    return std::make_unique<own_fronts<float>>(problem, true);
}

std::unique_ptr<sparse_peer> make_residua_lu_binary32(const sparse_problem& problem, sparse_ordering)
{
    return std::make_unique<own_fronts<float>>(problem, false);
}

}  // namespace residua::bench
