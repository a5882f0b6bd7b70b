#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/sparse_direct/assembly_tree.hpp>

namespace residua {

/// What is known of a sparse matrix before it is factorised: which row is matched with which column, how both are scaled,
/// and the tree of fronts. It depends on the pattern and, of an unsymmetric matrix, on the size of the entries.
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

/// The analyses of one matrix for factors in all formats, each made when it is first wanted.
class sparse_analyses {
public:
    /// Of A, which is the same at every call.
    std::shared_ptr<const sparse_analysis> of(const sparse_rows& a, bool symmetric)
    {
        auto& known = symmetric ? symmetric_ : general_;
        if (!known) {
            known = std::make_shared<const sparse_analysis>(analyze_for_factors(a, symmetric));
        }
        return known;
    }

private:
    std::shared_ptr<const sparse_analysis> symmetric_, general_;
};

}  // namespace residua
