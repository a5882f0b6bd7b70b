#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>
#include <residua/solvers/sparse_direct/assembly_tree.hpp>

namespace residua {

/// The kinds of factors: L L' of a definite matrix, L D L' of a symmetric one that need not be definite, or of a complex symmetric
/// one, L U of any.
enum class factor_kind { cholesky, ldl, lu };

/// What is known of a sparse matrix before it is factorised: which row is matched with which column, how both are scaled,
/// and the tree of fronts. It depends on the pattern and, of an unsymmetric matrix, on the size of the entries.
struct sparse_analysis {
    factor_kind kind = factor_kind::lu;
    std::vector<std::int32_t> row_of_column;  ///< the matching
    std::vector<int> row_exponent;            ///< rows are multiplied by these powers of two
    std::vector<int> column_exponent;         ///< and columns by these
    /// Rows 1, 3, 5, ... change their sign: one of two ways to make the real form of a complex symmetric matrix symmetric.
    bool negates_odd_rows = false;
    /// The matrix is the real form of a complex one, and the two rows of a complex row, and its columns, stay side by side: matched
    /// alike, scaled alike, in one front, and eliminated one after the other. So the pivots of the complex matrix are in the factors.
    bool in_pairs = false;
    assembly_tree tree;
    index_t entries = 0;  ///< how many A has; for a symmetric A on and below the diagonal
    std::string failure;  ///< why there can be no factors, as of a structurally singular matrix; otherwise empty
    double least_multiply_adds =
        0.0;  ///< of factors that take more than were allowed, so that there is no tree; else 0

    /// Whether the matched matrix is symmetric, and scaled so.
    bool is_symmetric() const { return kind != factor_kind::lu; }
    bool negates(index_t row) const { return negates_odd_rows && row % 2 != 0; }
    /// Whether there is a tree, or factors take more than so many multiply-adds.
    bool serves(double most_multiply_adds) const
    {
        return least_multiply_adds == 0.0 || least_multiply_adds > most_multiply_adds;
    }
};

/// Finds halves of even exponents that bring a positive diagonal to [1/2, 2); false if it is not positive.
bool scale_diagonal(const sparse_matrix& a, std::vector<int>& exponent);

/// The matching and the scaling of factor_kind::lu, without a tree.
///
/// reports  failure if the matrix is structurally singular
/// from     [DK01]
sparse_analysis match_and_scale(const sparse_matrix& a);

/// For L L' and L D L' A is symmetric, and all of it is given. For L D L' it may be the real form of a complex symmetric matrix:
/// a block [a -b; b a] with its second row negated, or with its rows exchanged where |b| > |a| in most of the diagonal, is symmetric.
///
/// earlier  the analysis of a matrix with the same pattern: its tree serves if rows are matched with the same columns,
///          which does not change the result
/// most_multiply_adds  that a caller would make factors with; where they take more, a tree may be missing
/// reports  failure if the matrix is structurally singular, or for L L' if its diagonal is not positive
/// from     [DK01] the scaling for L U, and [DP05] for L D L': the geometric mean of the scales for rows and columns
sparse_analysis analyze_for_factors(const sparse_matrix& a, factor_kind kind, const sparse_analysis* earlier = nullptr,
                                    double most_multiply_adds = std::numeric_limits<double>::infinity());

/// The analysis in pairs, for L U of the real form of a complex matrix. The matching and the tree are those of a matrix
/// that has the larger part, re or im, of each number. Where numbers have one part alone, this L U stores zeros that one
/// without pairs does not have.
///
/// shapes   A (2n x 2n)
/// reports  failure as analyze_for_factors()
sparse_analysis analyze_in_pairs(const sparse_matrix& a);

/// Bytes that fronts take while they are made: numbers of `bytes_of_number` bytes each, and the places of these.
///
/// errors   where one thread makes them and no pivot is delayed a twelfth, and 60 MB for gaps in the heap and for buffers of
///          the BLAS: docs/performance.md
double bytes_of_fronts(const sparse_analysis& analysis, double bytes_of_number);

/// The analyses of one matrix for factors in all formats, each made when it is first wanted.
class sparse_analyses {
public:
    sparse_analyses() = default;
    /// in_pairs  those for L U are of analyze_in_pairs()
    explicit sparse_analyses(bool in_pairs) : in_pairs_(in_pairs) {}

    /// Analyses for another matrix of the same pattern, which use the trees of these as far as they can.
    sparse_analyses for_same_pattern() const
    {
        sparse_analyses others;
        for (std::size_t kind = 0; kind < known_.size(); ++kind) {
            others.earlier_[kind] = known_[kind] ? known_[kind] : earlier_[kind];
        }
        return others;
    }

    /// The analysis of A, which is the same matrix at every call.
    std::shared_ptr<const sparse_analysis> of(const sparse_matrix& a, factor_kind kind,
                                              double most_multiply_adds = std::numeric_limits<double>::infinity())
    {
        auto& known = known_[static_cast<std::size_t>(kind)];
        if (in_pairs_ && kind == factor_kind::lu) {
            known = known ? known : std::make_shared<const sparse_analysis>(analyze_in_pairs(a));
        } else if (!known || !known->serves(most_multiply_adds)) {
            auto& earlier = earlier_[static_cast<std::size_t>(kind)];
            const auto other = kind == factor_kind::lu ? nullptr : known_[static_cast<std::size_t>(other_of(kind))];
            known = std::make_shared<const sparse_analysis>(analyze_for_factors(
                a, kind, other && other->failure.empty() ? other.get() : earlier.get(), most_multiply_adds));
            earlier.reset();
        }
        return known;
    }

private:
    /// The other kind of factors of a symmetric matrix, which has the same tree.
    static factor_kind other_of(factor_kind kind)
    {
        return kind == factor_kind::ldl ? factor_kind::cholesky : factor_kind::ldl;
    }

    bool in_pairs_ = false;
    std::array<std::shared_ptr<const sparse_analysis>, 3> known_, earlier_;  ///< by kind
};

}  // namespace residua
