// MUMPS without MPI: L L' for a definite matrix, L D L' for a symmetric one, else LU. Debian's has no METIS, so that
// order is made by the program and handed over, within the time of the analysis.

#include <dmumps_c.h>

#include "sparse_peers.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace residua::bench {
namespace {

constexpr int start = -1, analysis = 1, factorisation = 2, solution = 3, end = -2;  // jobs
constexpr int world = -987654;                                                      // MUMPS's number for all processes

/// Where C has the number of an array that MUMPS's manual counts from 1.
constexpr std::size_t at(std::size_t number) { return number - 1; }

class mumps_peer : public sparse_peer {
public:
    mumps_peer(const sparse_problem& problem, sparse_ordering ordering)
        : problem_(problem), ordering_(ordering), value_(problem.value)
    {
        for (int j = 0; j < problem.n; ++j) {
            for (int e = problem.column_begin[j]; e < problem.column_begin[j + 1]; ++e) {
                row_.push_back(problem.row[e] + 1);
                column_.push_back(j + 1);
            }
        }
        if (problem.symmetric) {
            keep_lower_triangle();
        }
        state_.sym = problem.definite ? 1 : problem.symmetric ? 2 : 0;
        state_.par = 1;
        state_.comm_fortran = world;
        call(start);
        for (const std::size_t stream : {1, 2, 3, 4}) {
            state_.icntl[at(stream)] = 0;  // no messages
        }
        state_.n = problem.n;
        state_.nnz = static_cast<MUMPS_INT8>(value_.size());
        state_.irn = row_.data();
        state_.jcn = column_.data();
        state_.a = value_.data();
    }

    ~mumps_peer() override
    {
        state_.job = end;
        dmumps_c(&state_);
    }

    void analyse() override
    {
        constexpr int amd = 0, given = 1;
        if (ordering_ == sparse_ordering::metis) {
            place_ = nested_dissection(problem_);
            for (int& each : place_) {
                ++each;
            }
            state_.perm_in = place_.data();
            state_.icntl[at(7)] = given;
        } else if (ordering_ == sparse_ordering::amd) {
            state_.icntl[at(7)] = amd;
        }
        call(analysis);
    }

    void factorise() override
    {
        call(factorisation);
        if (problem_.definite && state_.infog[at(12)] > 0) {
            throw not_definite("MUMPS: the matrix has negative pivots");
        }
    }

    void solve(const std::vector<double>& b, std::vector<double>& x) override
    {
        std::copy(b.begin(), b.end(), x.begin());
        state_.rhs = x.data();
        call(solution);
    }

    factor_facts facts() const override
    {
        static constexpr const char* names[] = {"AMD", "METIS, given", "AMF", "SCOTCH", "PORD", "METIS", "QAMD"};
        const int taken = state_.infog[at(7)];
        return {taken >= 0 && taken < 7 ? names[taken] : "unknown", count(29), state_.rinfog[at(3)],
                count(9) * sizeof(double) + count(10) * sizeof(int)};
    }

private:
    void keep_lower_triangle()
    {
        std::size_t kept = 0;
        for (std::size_t e = 0; e < value_.size(); ++e) {
            if (row_[e] >= column_[e]) {
                row_[kept] = row_[e];
                column_[kept] = column_[e];
                value_[kept++] = value_[e];
            }
        }
        row_.resize(kept);
        column_.resize(kept);
        value_.resize(kept);
    }

    /// Large numbers are negative, and in millions.
    double count(std::size_t number) const
    {
        const double stored = state_.infog[at(number)];
        return stored < 0.0 ? -1e6 * stored : stored;
    }

    void call(int job)
    {
        state_.job = job;
        dmumps_c(&state_);
        if (state_.infog[at(1)] < 0) {
            throw error("MUMPS: error " + std::to_string(state_.infog[at(1)]) + ", " +
                        std::to_string(state_.infog[at(2)]));
        }
    }

    const sparse_problem& problem_;
    sparse_ordering ordering_;
    std::vector<int> row_, column_, place_;
    std::vector<double> value_;
    DMUMPS_STRUC_C state_{};
};

}  // namespace

std::unique_ptr<sparse_peer> make_mumps(const sparse_problem& problem, sparse_ordering ordering)
{
    return std::make_unique<mumps_peer>(problem, ordering);
}

}  // namespace residua::bench
