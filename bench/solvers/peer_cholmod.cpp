// CHOLMOD's Cholesky factors, of single columns or supernodes as CHOLMOD decides: supernodes from 40 operations an
// entry of L on.

#include <cholmod.h>

#include "sparse_peers.hpp"

#include <algorithm>
#include <string>

namespace residua::bench {
namespace {

class cholmod_peer : public sparse_peer {
public:
    cholmod_peer(const sparse_problem& problem, sparse_ordering ordering) : lower_(lower_triangle_of(problem))
    {
        cholmod_start(&common_);
        common_.print = 0;
        common_.final_ll = 1;  // columns as L L' too, not as L D L', which a matrix need not be definite for
        if (ordering != sparse_ordering::automatic) {  // of itself it tries AMD, and METIS where that is poor
            common_.nmethods = 1;
            common_.method[0].ordering = ordering == sparse_ordering::metis ? CHOLMOD_METIS : CHOLMOD_AMD;
        }
        const auto n = static_cast<std::size_t>(problem.n);
        a_.nrow = a_.ncol = n;
        a_.nzmax = lower_.value.size();
        a_.p = lower_.column_begin.data();
        a_.i = lower_.row.data();
        a_.x = lower_.value.data();
        a_.stype = -1;  // symmetric, the lower triangle
        a_.itype = CHOLMOD_INT;
        a_.xtype = CHOLMOD_REAL;
        a_.dtype = CHOLMOD_DOUBLE;
        a_.sorted = a_.packed = 1;
        b_.nrow = b_.nzmax = b_.d = n;
        b_.ncol = 1;
        b_.xtype = CHOLMOD_REAL;
        b_.dtype = CHOLMOD_DOUBLE;
    }

    ~cholmod_peer() override
    {
        cholmod_free_factor(&factors_, &common_);
        for (cholmod_dense** each : {&x_, &y_, &e_}) {
            cholmod_free_dense(each, &common_);
        }
        cholmod_finish(&common_);
    }

    void analyse() override
    {
        factors_ = cholmod_analyze(&a_, &common_);
        check(factors_ != nullptr);
    }

    void factorise() override
    {
        const bool done = cholmod_factorize(&a_, factors_, &common_) != 0;
        if (common_.status == CHOLMOD_NOT_POSDEF) {
            throw not_definite("CHOLMOD: the matrix is not positive definite");
        }
        check(done);
    }

    void solve(const std::vector<double>& b, std::vector<double>& x) override
    {
        b_.ncol = b.size() / b_.nrow;
        b_.nzmax = b.size();
        b_.x = const_cast<double*>(b.data());  // which CHOLMOD does not change
        check(cholmod_solve2(CHOLMOD_A, factors_, &b_, nullptr, &x_, nullptr, &y_, &e_, &common_) != 0);
        const double* const from = static_cast<const double*>(x_->x);
        std::copy(from, from + x.size(), x.begin());
    }

    void solve_together(int, const std::vector<double>& b, std::vector<double>& x) override { solve(b, x); }

    factor_facts facts() const override
    {
        const cholmod_factor& l = *factors_;
        const std::string ordering = l.ordering == CHOLMOD_METIS ? "METIS" : l.ordering == CHOLMOD_AMD ? "AMD" : "own";
        const double words = static_cast<double>(l.is_super != 0 ? l.xsize : l.nzmax);
        const double indices = static_cast<double>(l.is_super != 0 ? l.ssize : l.nzmax);
        return {ordering + (l.is_super != 0 ? "" : ", columns"), common_.lnz, common_.fl,
                words * sizeof(double) + indices * sizeof(int)};
    }

private:
    void check(bool done) const
    {
        if (!done || common_.status < CHOLMOD_OK) {
            throw error("CHOLMOD: status " + std::to_string(common_.status));
        }
    }

    lower_triangle lower_;
    cholmod_common common_{};
    cholmod_sparse a_{};
    cholmod_dense b_{};
    cholmod_factor* factors_ = nullptr;
    cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;  // memory that is kept from solve to solve
};

}  // namespace

std::unique_ptr<sparse_peer> make_cholmod(const sparse_problem& problem, sparse_ordering ordering)
{
    return std::make_unique<cholmod_peer>(problem, ordering);
}

}  // namespace residua::bench
