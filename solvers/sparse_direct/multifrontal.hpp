#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/complex/complex.hpp>
#include <residua/arith/real/real.hpp>
#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>
#include <residua/solvers/space/vector_space.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>
#include <residua/solvers/sparse_direct/bundle.hpp>
#include <residua/solvers/sparse_direct/device_assembly.hpp>
#include <residua/solvers/sparse_direct/front_keeper.hpp>
#include <residua/solvers/sparse_direct/known_fronts.hpp>
#include <residua/solvers/sparse_direct/subtrees.hpp>

namespace residua {

/// Factors P R A C Q = L U, L L' or L D L' of a sparse matrix in the format of a space, by fronts: dense matrices, one
/// for each node of the assembly tree, which take what their children leave, eliminate their pivots and leave the
/// rest, a contribution block, to their parents. The factors are on the host.
///
/// A pivot of L U is the largest of its column among the rows that the front can eliminate. If it is smaller than a
/// hundredth of the largest entry of its column, the column waits for the parent. Pivots of L D L' have one or two
/// columns, and their tests the same hundredth (block_elimination::ldl). Of the real form of a complex symmetric matrix they are those
/// of the symmetric one that the analysis makes of it by negating or exchanging rows.
///
/// Factors in binary32 solve in binary64, which each of their entries is converted to: right-hand sides have its range
/// and its roundings. An entry of A that is, scaled, below 2^-150 is a zero there. An entry that is or becomes larger
/// than 2^128, in binary64 and expansions 2^1024, makes its column one without a usable pivot, or one that is not
/// positive, whatever the kernels of the BLAS make of it.
template <array_space S>
class multifrontal {
public:
    using solve_space = typename detail::solve_space_of<S>::type;
    using vector = typename solve_space::vector;  ///< a right-hand side or a solution

    /// Factorises A, which the analysis is of.
    ///
    /// exact    the entries of A where binary64 does not hold them; otherwise empty
    /// options  for its dense matrices. A device, if there is one, assembles and eliminates large fronts where it has
    ///          room for them: those whose multiply-adds times the bits of a number, as L L' has them, are at least
    ///          products.least_work, or else 2^28. What they leave stays there for their parents. A front with columns
    ///          that its children delayed is the host's. Of other fronts that are eliminated one at a time, above the
    ///          subtrees that go to threads, a device computes the large products
    ///
    /// errors   (A + E) x = b with ||E|| of the order of n 2^-p rho ||A||, where rows and columns are scaled; rho is
    ///          the growth of the entries, at most 101, in pairs 122, for each pivot that changes a column [DER17, Sec. 5.2];
    ///          docs/error_bounds.md, theorems 27 and 28
    /// cost     cost_of(analysis.tree): exactly, where no pivot is delayed
    /// reports  failure() if a column has no usable pivot, or for L L' if a pivot is not positive
    /// order    fixed: bitwise the same for any number of threads, and wherever fronts are eliminated
    /// stops    as block_elimination
    /// throws   resource_error, and cuda_error if a device fails
    multifrontal(const S& space, std::shared_ptr<const sparse_analysis> analysis, const sparse_matrix& a,
                 const std::vector<real>& exact = {}, const elimination_options& options = {});

    /// The factors of another format, with each number rounded to this one. Not in binary32.
    ///
    /// throws   resource_error
    multifrontal(const S& space, const known_fronts& of)
        requires std::same_as<solve_space, S>;

    const std::string& failure() const { return failure_; }
    factor_kind kind() const { return analysis_->kind; }
    bool is_cholesky() const { return kind() == factor_kind::cholesky; }
    index_t size() const { return analysis_->tree.n; }
    index_t delayed() const { return delayed_; }  ///< how often a pivot waited for the parent
    double entries() const { return entries_; }   ///< stored entries of the factors

    /// How many fronts a device eliminated.
    index_t fronts_on_device() const { return fronts_on_device_; }
    /// How many products a device computed. It depends on the number of threads.
    index_t products_on_device() const { return products_on_device_; }

    /// A front as it is kept: of its matrix [P, [R; C]] there are P (order x columns) and R (columns x below). The
    /// first `pivots` rows and columns belong to the factors; `row` and `column` name the pivots that all of them stand
    /// for. R follows P in memory.
    struct front_factors {
        index_t pivots;
        const std::vector<std::int32_t>&row, &column;
        const std::vector<char>& is_pair;  ///< for L D L': pivots k and k + 1 are a 2 x 2 block of D
        matrix_view<host_executor, const typename S::element> columns, right;
    };
    index_t fronts() const { return static_cast<index_t>(front_.size()); }
    front_factors factors_of(index_t f) const;
    const sparse_analysis& analysis() const { return *analysis_; }

    /// The numbers of the factors, which refer to this object. Not of binary32.
    known_fronts numbers(const multidigit_format& format) const
        requires std::same_as<solve_space, S>;

    /// x <- inverse(A) x, or inverse(A') x, for several vectors together. The factors must exist: failure() is empty.
    ///
    /// shapes   x (n) each
    /// errors   by the factors and by substitution, docs/error_bounds.md, theorems 27 and 28
    /// cost     the entries for each vector. They are read from memory once for 16 vectors of binary64, otherwise for
    ///          4; for as many there is a workspace of n numbers and what waits for fronts, which the next call uses.
    ///          Safe for concurrent calls, which get workspaces of their own
    /// order    fixed, as in multifrontal_solve.hpp: a vector gets the same bits alone and with others, for any
    ///          number of threads
    /// throws   resource_error
    void solve(const columns<solve_space>& x, bool transposed = false) const;
    void solve(vector& x, bool transposed = false) const { solve(columns<solve_space>{&x}, transposed); }

    /// The inertia of A, which scaling does not change.
    ///
    /// errors   it is the inertia of a matrix as near to A as L L' or L D L' is
    /// cost     n
    /// reports  nothing for L U, for changed rows, and if there are no factors. But L D L' of a matrix that is singular to working
    ///          precision has zeros: columns of which nothing else is left
    std::optional<inertia> find_inertia() const;

    /// The determinant of A.
    ///
    /// errors   the error of the factors, and 3 n roundings
    /// cost     n
    /// reports  nothing if there are no factors
    std::optional<real> find_determinant() const;

    /// The determinant of the complex matrix whose real form A is, from the blocks of two rows in which its pivots are. By rounding errors
    /// a block [c, -d; d, c] is one of four numbers, and the complex number is the mean of those that either row makes. What
    /// else a block has changes the product to second order alone: to first order the result is det of A + E, where E has the mean
    /// of the errors of the rows and columns of a number.
    ///
    /// errors   the error of the factors, and 8 n roundings, relative to its modulus
    /// cost     n
    /// reports  nothing if there are no factors, or the analysis is not in pairs
    std::optional<complex_number<real>> find_complex_determinant() const;

private:
    using scalar = typename S::scalar;
    using element = typename S::element;
    using view = matrix_view<host_executor, element>;
    using column = vector_view<host_executor, element>;
    using solve_scalar = typename solve_space::scalar;
    using solve_element = typename solve_space::element;

    struct front : front_shape {
        std::optional<typename S::vector> values;                           ///< P, then R
        std::optional<typename S::vector> rest;                             ///< C; empty once the parent has it
        std::optional<residua::vector<cuda_executor, element>> rest_there;  ///< C on a device, and not on the host
    };

    struct matrix_entries {
        const sparse_matrix& a;
        const std::vector<real>& exact;
    };

    /// What one thread needs to eliminate fronts.
    struct worker {
        std::vector<std::int32_t> row_place, column_place;  ///< the place of each pivot in the front at work
        block_elimination<S> elimination;
    };

    template <class Exec>
    using blocks = detail::front_blocks<Exec, element>;

    template <class Exec>
    static matrix_view<Exec, element> block_at(residua::vector<Exec, element>& v, index_t first, index_t rows,
                                               index_t cols);
    view columns_of(const front& f) const;  ///< P
    view right_of(const front& f) const;    ///< R
    template <class Exec>
    blocks<Exec> blocks_of(const front& f, residua::vector<Exec, element>& values,
                           residua::vector<Exec, element>& rest) const;
    index_t size_of_values(const front& f) const;

    content_key key_of(const matrix_entries& m) const;
    void archive_values(state_archive& io, index_t f);
    void archive_rest(state_archive& io, index_t f);

    void find_children();
    void sort_entries(const sparse_matrix& a);
    worker make_worker(const product_place& products) const;
    void eliminate_all(const matrix_entries& m);
    bool factorize(index_t f, worker& w, const matrix_entries& m);
    void start(index_t f, worker& w);
    scalar scaled_entry(double value, int exponent) const;
    template <class F>
    void for_each_entry(index_t f, const worker& w, const matrix_entries& m, const F& g) const;
    void add_child(const blocks<host_executor>& to, front& child, worker& w);
    bool goes_to_device(index_t f) const;
    template <class Space>
    void store_entries(index_t f, const worker& w, const matrix_entries& m, const Space& there,
                       const blocks<cuda_executor>& to) const;
    template <class Space>
    void add_rest(front& child, const worker& w, const Space& there, const blocks<cuda_executor>& to) const;
    std::optional<bool> factorize_there(index_t f, const worker& w, const matrix_entries& m);
    void bring_rest(front& f) const;
    template <class Space>
    bool eliminate(index_t f, const Space& space, block_elimination<Space>& elimination,
                   const blocks<std::remove_cv_t<decltype(Space::exec)>>& matrix);
    std::string no_pivot_in(std::int32_t pivot) const;
    void find_singular_column();
    void fail(index_t f, std::string why);

    /// Where the number of a pivot comes from or goes to, and the power of two, or minus that, that it is multiplied by.
    struct end_place {
        std::int32_t at, exponent;
        bool negated;

        template <class T>
        T times(const T& x) const
        {
            const T scaled = detail::times_power_of_two(x, exponent);
            return negated ? -scaled : scaled;
        }
    };

    /// What solves need to know of the fronts, once all pivots are found. Pivots are numbered front by front.
    struct solve_plan {
        std::vector<index_t> pivot_begin;                   ///< the first pivot of each front, and n
        std::vector<index_t> rest_begin;                    ///< where each front begins in row_above and column_above
        std::vector<std::int32_t> row_above, column_above;  ///< places in the parent of what is no pivot; of L U both
        std::vector<index_t> pivot_place;                   ///< place of a front's pivots in the workspace
        std::vector<index_t> up_place, down_place;          ///< places of its rest, on the way up and down
        index_t pivot_room = 0, rest_room = 0;
        std::vector<end_place> row, column;  ///< for each pivot
        std::vector<subtree> parts, top;     ///< subtrees, and ranges of the fronts above them
    };
    using bundle = detail::bundle<solve_element>;

    /// Right-hand sides at work.
    struct solve_work {
        bool transposed;
        std::vector<vector_view<host_executor, solve_element>> x;
        std::vector<bundle> pivots, rest;
    };

    /// The workspace of a solve, for the next one to use again.
    class spare_memory {
    public:
        std::vector<vector> reused()
        {
            const std::lock_guard<std::mutex> mine(turn_);
            return std::exchange(memory_, {});
        }
        void leave(std::vector<vector> memory)
        {
            const std::lock_guard<std::mutex> mine(turn_);
            memory_ = std::move(memory);
        }

    private:
        std::mutex turn_;
        std::vector<vector> memory_;
    };

    decltype(auto) space_of_solves() const { return detail::solve_space_of<S>::from(space_); }
    void make_plan();
    void place_rests();
    void solve_together(std::span<vector* const> x, bool transposed) const;
    template <class F>
    void for_parts(int threads, const F& f) const;
    std::span<const end_place> ends_of(index_t f, const std::vector<end_place>& of) const;
    std::span<const std::int32_t> places_above(index_t f, bool by_columns) const;
    detail::front_numbers<solve_element> numbers_of(index_t f, const solve_work& w, std::size_t b,
                                                    const std::vector<index_t>& rest) const;
    void fetch_ahead(index_t f) const;
    void load_right_hand_sides(index_t f, const solve_work& w) const;
    void add_children(index_t f, const solve_work& w) const;
    void solve_up(index_t f, const solve_work& w) const;
    void take_from_parent(index_t f, const solve_work& w) const;
    void solve_down(index_t f, const solve_work& w) const;
    void give(index_t f, const solve_work& w) const;
    /// x <- inverse(D) x, from a place on
    void solve_pivots(const front& f, const bundle& x, index_t begin) const;

    /// An entry: its place in the matrix, and in the order of the pivots.
    struct entry {
        index_t place;
        std::int32_t row, column;
    };

    S space_;
    std::shared_ptr<const sparse_analysis> analysis_;
    elimination_options options_;
    std::vector<std::vector<std::int32_t>> children_;
    std::vector<index_t> entry_begin_;  ///< where each front begins in entry_
    std::vector<entry> entry_;
    std::vector<front> front_;
    solve_plan plan_;
    std::unique_ptr<spare_memory> spare_ = std::make_unique<spare_memory>();
    std::string failure_;
    std::int32_t failed_front_ = -1;
    bool singular_ = false;
    index_t delayed_ = 0;
    index_t fronts_on_device_ = 0;
    index_t products_on_device_ = 0;
    double entries_ = 0.0;
};

}  // namespace residua
