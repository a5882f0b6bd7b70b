#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <residua/arith/complex/complex.hpp>
#include <residua/arith/real/real.hpp>
#include <residua/solvers/base/determinant.hpp>
#include <residua/solvers/base/seconds.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/long_vector.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>
#include <residua/solvers/sparse_direct/known_fronts.hpp>

namespace residua {

class device_fronts;
template <array_space S>
class multifrontal;

/// The numbers of dense factors, one by one.
struct known_dense_factors {
    std::function<real(index_t i, index_t j)> entry;  ///< exactly, as dense_factors::factors() has them
    const std::vector<index_t>& pivots;               ///< dense_factors::pivots()
    const std::vector<char>& is_pair;                 ///< dense_factors::is_pair()
};

/// The numbers of factors, for solves in another format.
using known_factors = std::variant<known_dense_factors, known_fronts>;

/// Right-hand sides in more bits than binary64 has.
using long_columns = std::vector<long_vector*>;

/// What a factorization holds: factors of one kind in one format.
class factor_numbers {
public:
    factor_numbers() = default;
    factor_numbers(const factor_numbers&) = delete;
    factor_numbers& operator=(const factor_numbers&) = delete;
    virtual ~factor_numbers() = default;

    virtual const std::string& failure() const = 0;
    virtual factor_kind kind() const = 0;
    virtual bool are_fronts() const = 0;
    virtual long bits() const = 0;
    virtual index_t size() const = 0;
    virtual double entries() const = 0;
    virtual index_t products_on_device() const { return 0; }
    virtual bool computed_on_device() const { return products_on_device() > 0; }
    virtual std::optional<real> find_determinant() const = 0;
    virtual std::optional<complex_number<real>> find_complex_determinant() const { return std::nullopt; }
    virtual std::optional<inertia> find_inertia() const = 0;
    virtual void solve(const columns<host_space<double>>& x, bool transposed) const = 0;
    virtual std::vector<long_vector> solve(const long_columns& r, const scaled_matrix& by, bool transposed,
                                           method_seconds* seconds) const = 0;
    virtual known_factors numbers() const = 0;
    /// The fronts in binary64; null: these factors are others.
    virtual const multifrontal<host_space<double>>* fronts_in_binary64() const { return nullptr; }
    virtual std::vector<real> pivot_numbers() const { return {}; }

    /// As growth() needs it; 0: it is not known.
    virtual double largest_product() const = 0;

    const triangular_factors& triangles(bool transposed) const;
    std::shared_ptr<const device_fronts> on_device(const cuda_executor& exec, double room) const;

protected:
    [[noreturn]] void refuse(const char* what) const;

private:
    virtual std::shared_ptr<const triangular_factors> make_triangles() const = 0;

    mutable std::shared_ptr<const triangular_factors> triangles_, transposed_triangles_;
    mutable std::weak_ptr<const device_fronts> copy_;
};

/// Complete factors of a square matrix S in one precision: P S Q = L U, L L' or L D L', dense ones or fronts, with rows and
/// columns scaled. Copies share the numbers; so does the transpose.
class factorization {
public:
    /// No factors.
    factorization() = default;
    /// No factors, for a reason.
    ///
    /// tried  the kind that there might be
    explicit factorization(std::string failure, factor_kind tried = factor_kind::lu)
        : failure_(std::move(failure)), kind_(tried)
    {}
    explicit factorization(std::shared_ptr<const factor_numbers> numbers)
        : failure_(numbers->failure()), kind_(numbers->kind()), numbers_(std::move(numbers))
    {}

    bool exist() const { return numbers_ != nullptr && failure_.empty(); }
    const std::string& failure() const { return failure_; }  ///< why there are no factors; empty if there are
    factor_kind kind() const { return kind_; }
    bool are_fronts() const { return numbers_ && numbers_->are_fronts(); }
    /// The precision: 11, 24 and 53 in the formats of the machine, and any above that.
    long bits() const { return numbers_ ? numbers_->bits() : binary64_bits; }
    index_t size() const { return numbers_ ? numbers_->size() : 0; }
    double entries() const { return numbers_ ? numbers_->entries() : 0.0; }  ///< how many entries a solve reads
    double lower_entries() const;                                            ///< how many entries L has, or L and D
    /// How many products a device computed.
    index_t products_on_device() const { return numbers_ ? numbers_->products_on_device() : 0; }
    /// Whether a device made the factors, or products of theirs.
    bool computed_on_device() const { return numbers_ && numbers_->computed_on_device(); }

    /// x <- inverse(S) x, or inverse(S') x, in binary64, for several vectors together. Each gets the bits that it gets alone.
    /// Safe for concurrent calls by fronts; not by dense factors (workspace).
    ///
    /// needs   bits() at most binary64_bits
    /// cost    the entries for each vector; fronts are read once for 16 of them
    void solve(const columns<host_space<double>>& x, bool transposed = false) const
    {
        numbers_->solve(x, transposed != transposed_);
    }
    void solve(vector<host_executor, double>& x, bool transposed = false) const
    {
        solve(columns<host_space<double>>{&x}, transposed);
    }

    /// inverse(S) r, or inverse(S') r, in the format of the factors, for several vectors together. First 2^-e r is rounded to
    /// that format, where the largest element of 2^-e r is in [1/2, 1). Each vector gets the result that it gets alone. r moves
    /// to the host. Safe for concurrent calls.
    ///
    /// cost   for each vector n^2 multiply-adds, or the entries of the fronts; dense factors are read once for all vectors,
    ///        fronts once for some (multifrontal)
    std::vector<long_vector> solve(const long_columns& r, bool transposed = false) const;
    /// C inverse(S) R r, with R and C of the scaled matrix S: inverse(A) r.
    ///
    /// seconds  adds up the time of conversions and of solves; null: not measured
    std::vector<long_vector> solve(const long_columns& r, const scaled_matrix& s, method_seconds* seconds) const
    {
        return numbers_->solve(r, s, transposed_, seconds);
    }

    /// Sparse factors in a device's memory, which solve there with S or, if is_transposed(), with its transpose. These
    /// factors, their copies and their transposes share one while somebody uses it. Not safe for concurrent calls.
    ///
    /// room     bytes that a new copy may take there
    /// returns  null for dense factors, for factors of another precision than binary64's, and where there is too little room
    /// throws   resource_error if they do not fit all the same, cuda_error if the device fails
    std::shared_ptr<const device_fronts> on_device(const cuda_executor& exec, double room) const
    {
        return numbers_->on_device(exec, room);
    }
    bool is_transposed() const { return transposed_; }

    /// Whether sparse factors, if they fit, solve sooner on a device than on the host (device_fronts::are_faster).
    bool are_faster_on_device() const;

    /// The determinant of S; empty if there are no factors.
    ///
    /// errors  the error of the factors, and 3 n roundings
    /// cost    n
    std::optional<real> find_determinant() const;

    /// The determinant of the complex matrix whose real form S is; empty where the factors do not show it: they are dense ones in complex
    /// arithmetic, and no L D L', or fronts of an analysis in pairs.
    ///
    /// errors  the error of the factors, and 8 n roundings
    /// cost    n
    std::optional<complex_number<real>> find_complex_determinant() const;

    /// The inertia of S; empty where the factors do not show it.
    std::optional<inertia> find_inertia() const;

    /// The pivots of dense factors: the diagonal of U, the squares of that of L, or the eigenvalues of the blocks of D.
    /// Empty for fronts, and if there are no factors.
    ///
    /// cost    n
    std::vector<real> pivot_numbers() const { return exist() ? numbers_->pivot_numbers() : std::vector<real>{}; }

    /// The growth of entries: the largest |l_ik| times the largest |u_kj|, or |D L'|_kj, both for rows and columns of S as they
    /// are, over the largest entry of S; at least 1. Rounding errors of the factors are so many times those that an entry of
    /// S may have. For dense factors above binary64 the largest pivot stands for the product. L L' has no growth, and that of
    /// fronts above binary64 is taken for 1.
    ///
    /// needs   exist()
    /// cost    reads the factors once, or their pivots
    double growth(const sparse_matrix& s) const;

    /// The factors as two triangles, for products with vectors of any format. The pivots of fronts are numbered front
    /// by front. D of L D L' becomes a part of both: a pivot of two columns is factorised to L U, its rows exchanged if
    /// the first is the smaller one. For fronts the first call makes the triangles, and is not safe beside others.
    ///
    /// needs   bits() at most binary64_bits
    /// errors  none for L L' and L U; of L D L' each product l d l' has 3 roundings of binary64 more, with the largest
    ///         number of its pivot for d
    /// cost    16 bytes for each entry of L and U that is not a zero of the fronts
    /// throws  resource_error if they do not fit in memory
    const triangular_factors& triangles() const { return numbers_->triangles(transposed_); }

    /// The numbers of the factors of S, for solves in another format; they refer to this object.
    ///
    /// needs   not is_transposed(), and bits() of at least binary64_bits
    known_factors numbers() const { return numbers_->numbers(); }

    /// The factors of S'.
    factorization transposed() const;

private:
    std::string failure_;
    factor_kind kind_ = factor_kind::lu;
    std::shared_ptr<const factor_numbers> numbers_;
    bool transposed_ = false;
};

}  // namespace residua
