// Eigen's SimplicialLLT, which has no supernodes, and its SparseLU, which has. SparseLU takes a symmetric matrix as
// such, with pivots on the diagonal where they are large enough, and by default in an order of A + A'.

#include <iostream>  // which MetisSupport forgets

#include <Eigen/MetisSupport>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include "sparse_peers.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace residua::bench {
namespace {

using matrix = Eigen::SparseMatrix<double>;
using metis = Eigen::MetisOrdering<int>;
using amd = Eigen::AMDOrdering<int>;
using colamd = Eigen::COLAMDOrdering<int>;

/// For SparseLU, which takes a permutation to say where a column goes, as COLAMD's does. Those of METIS and AMD say
/// where it comes from: used as they are, they make ten times the entries or more on Poisson's equation.
template <class Ordering>
struct inverse_order {
    using PermutationType = typename Ordering::PermutationType;

    template <class Matrix>
    void operator()(const Matrix& a, PermutationType& result) const
    {
        PermutationType from;
        Ordering()(a, from);
        result = from.inverse();
    }
};

matrix to_eigen(const sparse_problem& p)
{
    return Eigen::Map<const matrix>(p.n, p.n, static_cast<Eigen::Index>(p.value.size()), p.column_begin.data(),
                                    p.row.data(), p.value.data());
}

template <class Factors>
class eigen_peer : public sparse_peer {
public:
    eigen_peer(const sparse_problem& problem, std::string ordering)
        : a_(to_eigen(problem)), ordering_(std::move(ordering))
    {}

    void analyse() override { factors_.analyzePattern(a_); }

    void factorise() override { factors_.factorize(a_); }

    void solve(const std::vector<double>& b, std::vector<double>& x) override
    {
        const auto n = static_cast<Eigen::Index>(b.size());
        Eigen::Map<Eigen::VectorXd>(x.data(), n) = factors_.solve(Eigen::Map<const Eigen::VectorXd>(b.data(), n));
    }

protected:
    /// An entry takes a number and an index.
    static double bytes(double entries) { return entries * (sizeof(double) + sizeof(int)); }

    matrix a_;
    std::string ordering_;
    Factors factors_;
};

template <class Ordering>
class llt_peer : public eigen_peer<Eigen::SimplicialLLT<matrix, Eigen::Lower, Ordering>> {
    using base = eigen_peer<Eigen::SimplicialLLT<matrix, Eigen::Lower, Ordering>>;

public:
    using base::base;

    void factorise() override
    {
        base::factorise();
        if (this->factors_.info() != Eigen::Success) {
            throw not_definite("Eigen: the matrix is not positive definite");
        }
    }

    factor_facts facts() const override
    {
        const matrix& l = this->factors_.matrixL().nestedExpression();
        double flops = 0.0;  // counted as CHOLMOD counts them
        for (Eigen::Index j = 0; j < l.cols(); ++j) {
            const double entries = l.outerIndexPtr()[j + 1] - l.outerIndexPtr()[j];
            flops += entries * entries;
        }
        const auto entries = static_cast<double>(l.nonZeros());
        return {this->ordering_, entries, flops, base::bytes(entries)};
    }
};

template <class Ordering>
class lu_peer : public eigen_peer<Eigen::SparseLU<matrix, Ordering>> {
    using base = eigen_peer<Eigen::SparseLU<matrix, Ordering>>;

public:
    lu_peer(const sparse_problem& problem, std::string ordering) : base(problem, std::move(ordering))
    {
        if (problem.symmetric) {
            this->factors_.isSymmetric(true);
            this->factors_.setPivotThreshold(problem.definite ? 0.0 : 0.01);
        }
    }

    void factorise() override
    {
        base::factorise();
        if (this->factors_.info() != Eigen::Success) {
            throw error("Eigen: " + this->factors_.lastErrorMessage());
        }
    }

    factor_facts facts() const override
    {
        const double entries = static_cast<double>(this->factors_.nnzL() + this->factors_.nnzU() - this->a_.cols());
        return {this->ordering_, entries, 0.0, base::bytes(entries)};
    }
};

}  // namespace

std::unique_ptr<sparse_peer> make_eigen_llt(const sparse_problem& problem, sparse_ordering ordering)
{
    if (ordering == sparse_ordering::metis) {
        return std::make_unique<llt_peer<metis>>(problem, "METIS");
    }
    return std::make_unique<llt_peer<amd>>(problem, "AMD");
}

std::unique_ptr<sparse_peer> make_eigen_lu(const sparse_problem& problem, sparse_ordering ordering)
{
    if (ordering == sparse_ordering::metis) {
        return std::make_unique<lu_peer<inverse_order<metis>>>(problem, "METIS");
    }
    if (ordering == sparse_ordering::amd || problem.symmetric) {
        return std::make_unique<lu_peer<inverse_order<amd>>>(problem, "AMD");
    }
    return std::make_unique<lu_peer<colamd>>(problem, "COLAMD");
}

}  // namespace residua::bench
