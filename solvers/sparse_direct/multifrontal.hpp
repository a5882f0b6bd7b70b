#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/block_elimination.hpp>
#include <residua/solvers/space/vector_space.hpp>
#include <residua/solvers/sparse_direct/assembly_tree.hpp>
#include <residua/solvers/system/scaled_matrix.hpp>

namespace residua {

/// What is known of a sparse matrix before it is factorised: which row is matched with which column, how both are
/// scaled, and the tree of fronts. It depends on the pattern and, of an unsymmetric matrix, on the size of the entries.
struct sparse_analysis {
    bool symmetric = false;                   ///< rows are matched with their own columns, and scaled as they are
    std::vector<std::int32_t> row_of_column;  ///< of the matching
    std::vector<int> row_exponent;            ///< rows are multiplied by these powers of two
    std::vector<int> column_exponent;         ///< and columns by these
    assembly_tree tree;
    std::string failure;  ///< why there can be no factors: structurally singular; else empty
};

/// symmetric   A is, and the diagonal is positive: for L L'
/// reports     failure if the matrix is structurally singular
sparse_analysis analyze_for_factors(const sparse_rows& a, bool symmetric);

/// Factors P R A C Q = L U, or L L', of a sparse matrix in the format of a space, by fronts: dense matrices on the
/// host, one for each node of the assembly tree, which take what their children leave, eliminate their pivots and leave
/// the rest to their parents.
///
/// A pivot of L U is the largest of its column among the rows that the front can eliminate. If it is smaller than a
/// hundredth of the largest entry of its column, the column waits for the parent.
template <array_space S>
class multifrontal {
public:
    using vector = typename S::vector;

    /// Factorises the matrix m, which the analysis is of.
    ///
    /// errors   (A + E) x = b with ||E|| of the order of n 2^-p rho ||A||, where rows and columns are scaled; rho is
    ///          the growth of the entries, at most 101 for each pivot that changes a column [DER17, Sec. 5.2];
    ///          docs/error_bounds.md, theorem 27
    /// cost     cost_of(analysis.tree): exactly, where no pivot is delayed
    /// reports  failure() if a column has no usable pivot, or for L L' if a pivot is not positive; interrupted() if
    ///          `stop`, which several threads call at once, became true
    /// order    fixed: bitwise the same for any number of threads
    /// throws   resource_error
    multifrontal(const S& space, std::shared_ptr<const sparse_analysis> analysis, const scaled_matrix& m,
                 std::function<bool()> stop = {});

    const std::string& failure() const { return failure_; }
    bool interrupted() const { return interrupted_; }
    bool is_cholesky() const { return analysis_->symmetric; }
    index_t size() const { return analysis_->tree.n; }
    index_t delayed() const { return delayed_; }  ///< how often a pivot waited for the parent
    double entries() const { return entries_; }   ///< of the factors, as they are stored

    /// x <- inverse(A) x, or inverse(A') x
    ///
    /// cost   the entries; not safe for concurrent calls (workspace)
    void solve(vector& x, bool transposed = false) const;

private:
    using scalar = typename S::scalar;
    using element = typename S::element;
    using view = matrix_view<host_executor, element>;
    using column = vector_view<host_executor, element>;

    /// A front after its elimination. Its matrix is [P, [R; C]] with k columns in P. `row` and `column` are the pivots
    /// that its rows and columns stand for.
    struct front {
        index_t columns = 0;  ///< of P: its own pivots, and those that its children delayed
        index_t pivots = 0;   ///< that were found
        std::vector<std::int32_t> row, column;
        std::optional<vector> values;  ///< P, then R
        std::optional<vector> rest;    ///< C; empty once the parent has it

        index_t order() const { return static_cast<index_t>(row.size()); }
        index_t below() const { return order() - columns; }
    };

    /// What one thread needs besides.
    struct worker {
        std::vector<std::int32_t> row_place, column_place;  ///< in the front at work, of each pivot
        block_elimination<S> elimination;
    };

    static view block_at(vector& v, index_t first, index_t rows, index_t cols);
    view columns_of(const front& f) const;  ///< P
    view right_of(const front& f) const;    ///< R
    view rest_of(const front& f) const;     ///< C

    void sort_entries(const scaled_matrix& m);
    worker make_worker() const;
    void run(const scaled_matrix& m);
    bool factorize(index_t f, worker& w, const scaled_matrix& m);
    void start(index_t f, worker& w);
    void add_matrix(index_t f, worker& w, const scaled_matrix& m);
    void add_child(front& parent, front& child, worker& w);
    bool eliminate(index_t f, worker& w);
    void fail(index_t f, std::string why);

    /// The pivots of a front in y <- inverse(L) y or inverse(U') y; w has room for its rows.
    void solve_front(const front& f, bool transposed, column y, column w) const;
    /// The pivots of a front in z <- inverse(U) y or inverse(L') y.
    void solve_back(const front& f, bool transposed, column y, column z, column w) const;

    /// A place in the matrix, and in the order of the pivots.
    struct entry {
        index_t place;
        std::int32_t row, column;
    };

    S space_;
    std::shared_ptr<const sparse_analysis> analysis_;
    std::function<bool()> stop_;
    std::vector<std::vector<std::int32_t>> children_;
    std::vector<index_t> entry_begin_;  ///< of each front in entry_
    std::vector<entry> entry_;
    mutable std::vector<front> front_;
    typename S::permutation before_, after_, before_transposed_, after_transposed_;
    mutable std::optional<vector> y_, z_, work_;
    std::string failure_;
    std::int32_t failed_front_ = -1;
    bool interrupted_ = false;
    index_t delayed_ = 0;
    double entries_ = 0.0;
};

}  // namespace residua
