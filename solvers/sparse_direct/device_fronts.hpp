#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/sparse_direct/front_kernels.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

namespace residua {

/// Factors by fronts in binary64, copied to a device, which solves with them by levels of the assembly tree: the fronts of a
/// level depend on those of other levels alone.
class device_fronts {
public:
    using factors = multifrontal<host_space<double>>;

    /// The factors must exist: failure() is empty. They are not needed afterwards.
    ///
    /// throws  resource_error if they do not fit into the device's memory, cuda_error if it fails
    device_fronts(const cuda_executor& exec, const factors& of);

    /// Bytes of device memory that factors take with their workspace; infinite for factors that no device can hold.
    static double bytes(const factors& of);

    /// Whether solves on the device take less time than on the host with copies of x, roughly. They do not where the
    /// tree is a chain of small fronts, as for a narrow band: each of them is a launch that waits for the one before.
    ///
    /// cost   the fronts
    static bool are_faster(const factors& of);

    const cuda_executor& executor() const { return exec_; }
    index_t size() const { return n_; }

    /// x <- inverse(A) x, or inverse(A') x
    ///
    /// shapes   x (n)
    /// errors   as multifrontal
    /// cost     the entries, which are read once; up to three launches for each level and direction, and the host waits for
    ///          none of them. Safe for concurrent calls, which the device takes one after the other
    /// order    as multifrontal, so with its bits
    /// throws   dimension_error, cuda_error if a launch fails
    void solve(vector<cuda_executor, double>& x, bool transposed = false) const;

private:
    template <class Word>
    using words = buffer<cuda_executor, Word>;

    /// For all rests: where their numbers go, by labels of rows or of columns (rest_places).
    struct rests {
        words<std::uint32_t> source_begin, source;
        words<std::int32_t> pivot;
    };
    /// For all pivots: where their numbers come from or go to, by rows or by columns (end_places).
    struct ends {
        words<std::int32_t> at;
        words<double> factor;
    };

    rests make_rests(const factors& of, bool by_columns) const;
    ends make_ends(const factors& of, bool by_columns) const;
    void place_fronts(const factors& of);
    void place_values(const factors& of);
    void place_pivots(const factors& of);
    void make_launches(const factors& of);
    detail::fronts_at_work work_on(vector<cuda_executor, double>& x, bool by_columns, bool divides) const;

    cuda_executor exec_;
    index_t n_;
    factor_kind kind_;
    words<double> values_;
    words<index_t> front_;                    ///< placed_fronts
    words<std::int32_t> task_;                ///< front_tasks
    rests rests_by_rows_, rests_by_columns_;  ///< by columns: for L U alone
    ends rows_, columns_;
    words<double> diagonal_, beside_;  ///< D of L D L'
    words<std::int32_t> place_in_pair_;
    index_t counters_ = 0;
    std::vector<detail::front_launch> up_, down_;
    mutable std::mutex turn_;
    mutable words<std::uint32_t> counter_;
    mutable words<double> pivot_, rest_;
};

}  // namespace residua
