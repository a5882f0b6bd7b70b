// SuperLU's sequential LU, as its own driver dgssv calls it. A symmetric matrix is taken in its symmetric mode: pivots
// on the diagonal where they are large enough, and an order of A + A'.

#include <slu_ddefs.h>

#include "sparse_peers.hpp"

#include <algorithm>
#include <string>

namespace residua::bench {
namespace {

class superlu_peer : public sparse_peer {
public:
    superlu_peer(const sparse_problem& problem, sparse_ordering ordering)
        : problem_(problem),
          column_begin_(problem.column_begin),
          row_(problem.row),
          value_(problem.value),
          column_order_(problem.n),
          row_order_(problem.n),
          tree_(problem.n)
    {
        set_default_options(&options_);
        if (problem.symmetric) {
            options_.SymmetricMode = YES;
            options_.DiagPivotThresh = problem.definite ? 0.0 : 0.01;
        }
        options_.ColPerm = ordering == sparse_ordering::metis                      ? MY_PERMC
                           : problem.symmetric || ordering == sparse_ordering::amd ? MMD_AT_PLUS_A
                                                                                   : COLAMD;
        StatInit(&statistics_);
        dCreate_CompCol_Matrix(&a_, problem.n, problem.n, static_cast<int>(value_.size()), value_.data(), row_.data(),
                               column_begin_.data(), SLU_NC, SLU_D, SLU_GE);
    }

    ~superlu_peer() override
    {
        if (has_factors_) {
            Destroy_SuperNode_Matrix(&lower_);
            Destroy_CompCol_Matrix(&upper_);
        }
        if (is_analysed_) {
            Destroy_CompCol_Permuted(&permuted_);
        }
        Destroy_SuperMatrix_Store(&a_);
        StatFree(&statistics_);
    }

    void analyse() override
    {
        if (options_.ColPerm == MY_PERMC) {
            column_order_ = nested_dissection(problem_);
        } else {
            get_perm_c(options_.ColPerm, &a_, column_order_.data());
        }
        sp_preorder(&options_, &a_, column_order_.data(), tree_.data(), &permuted_);
        is_analysed_ = true;
    }

    void factorise() override
    {
        GlobalLU_t shared;
        int info = 0;
        dgstrf(&options_, &permuted_, sp_ienv(2), sp_ienv(1), tree_.data(), nullptr, 0, column_order_.data(),
               row_order_.data(), &lower_, &upper_, &shared, &statistics_, &info);
        has_factors_ = info >= 0 && info <= problem_.n;
        if (info != 0) {
            throw error("SuperLU: error " + std::to_string(info));
        }
    }

    void solve(const std::vector<double>& b, std::vector<double>& x) override
    {
        std::copy(b.begin(), b.end(), x.begin());
        SuperMatrix right;
        dCreate_Dense_Matrix(&right, problem_.n, 1, x.data(), problem_.n, SLU_DN, SLU_D, SLU_GE);
        int info = 0;
        dgstrs(NOTRANS, &lower_, &upper_, column_order_.data(), row_order_.data(), &right, &statistics_, &info);
        Destroy_SuperMatrix_Store(&right);
        if (info != 0) {
            throw error("SuperLU: error " + std::to_string(info));
        }
    }

    factor_facts facts() const override
    {
        mem_usage_t memory;
        dQuerySpace(const_cast<SuperMatrix*>(&lower_), const_cast<SuperMatrix*>(&upper_), &memory);
        const double both = static_cast<double>(static_cast<const SCformat*>(lower_.Store)->nnz) +
                            static_cast<const NCformat*>(upper_.Store)->nnz;
        const std::string ordering = options_.ColPerm == MY_PERMC        ? "METIS, given"
                                     : options_.ColPerm == MMD_AT_PLUS_A ? "MMD"
                                                                         : "COLAMD";
        return {ordering, both - problem_.n, statistics_.ops[FACT], memory.for_lu};  // the diagonal is in both
    }

private:
    const sparse_problem& problem_;
    std::vector<int> column_begin_, row_;
    std::vector<double> value_;
    std::vector<int> column_order_, row_order_, tree_;
    superlu_options_t options_{};
    SuperLUStat_t statistics_{};
    SuperMatrix a_{}, permuted_{}, lower_{}, upper_{};
    bool is_analysed_ = false, has_factors_ = false;
};

}  // namespace

std::unique_ptr<sparse_peer> make_superlu(const sparse_problem& problem, sparse_ordering ordering)
{
    return std::make_unique<superlu_peer>(problem, ordering);
}

}  // namespace residua::bench
