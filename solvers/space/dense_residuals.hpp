#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <type_traits>

#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// R = B - A X for several vectors of a space on the host, by exact products with a matrix that is full enough to
/// multiply its zeros too. Each element has the bits that residual_exact with the sparse matrix gives it.
template <array_space S, class V>
class dense_residuals {
public:
    /// The fewest vectors that gain: one vector is as fast by rows (bench/solvers/columns_bench).
    static constexpr std::size_t least_columns = 2;

    /// Whether A is full enough, and memory suffices for another copy of A.
    static bool suits(const csr<host_executor, V>& a)
    {
        const double size = static_cast<double>(a.rows()) * static_cast<double>(a.cols());
        return static_cast<double>(a.entries()) >= 0.25 * size &&
               2.0 * size * a.value().format.bytes() + 4.0 * 8.0 * most_residues < available_memory_bytes();
    }

    explicit dense_residuals(const csr<host_executor, V>& a) : a_(a.value().format, a.rows(), a.cols())
    {
        for (index_t i = 0; i < a.rows(); ++i) {
            for (index_t p = a.row_begin()[i]; p < a.row_begin()[i + 1]; ++p) {
                a_.set(i, a.col()[p], a.value().load(p));
            }
        }
    }

    /// Returns false, and does nothing, if the vectors are too few or their numbers differ too much in size.
    bool operator()(const S& space, const const_columns<S>& x, const const_columns<S>& b, const columns<S>& r) const
    {
        if (x.size() < least_columns) {
            return false;
        }
        const auto count = static_cast<index_t>(x.size());
        auto all_x = space.make_matrix(a_.cols(), count);
        auto all_b = space.make_matrix(a_.rows(), count);
        auto all_r = space.make_matrix(a_.rows(), count);
        for (index_t j = 0; j < count; ++j) {
            blas::copy(space.exec, x[j]->view(), all_x.view().column(j));
            blas::copy(space.exec, b[j]->view(), all_b.view().column(j));
        }
        const index_t rows = rows_at_once(all_x.view());
        try {
            for (index_t first = 0; first < a_.rows(); first += rows) {
                const index_t here = std::min(rows, a_.rows() - first);
                const auto rows_of = [&](auto& all) { return all.view().block(first, 0, here, count); };
                blas::residual_exact<typename S::element, V>(space.exec,
                                                             std::as_const(a_).view().block(first, 0, here, a_.cols()),
                                                             all_x.view(), rows_of(all_b), rows_of(all_r));
            }
        } catch (const unsupported_error&) {  // the sums are too long for residues; sparse rows have no such limit
            return false;
        }
        for (index_t j = 0; j < count; ++j) {
            blas::copy(space.exec, all_r.view().column(j), r[j]->view());
        }
        return true;
    }

private:
    using matrix = residua::matrix<host_executor, V>;

    static constexpr double most_residues = 0x1p24;  ///< of rows of A that are multiplied at a time; each has 8 bytes

    /// How many rows of A have most_residues residues of 22 bits. All integers of X are made anew for each such part.
    template <class View>
    index_t rows_at_once(const View& x) const
    {
        const double of_row = static_cast<double>(a_.cols()) * (static_cast<double>(x.format.bits()) + 128.0) / 22.0;
        return std::max<index_t>(64, static_cast<index_t>(most_residues / std::max(of_row, 1.0)));
    }

    matrix a_;
};

}  // namespace residua
