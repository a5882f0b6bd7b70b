#pragma once

#include <array>
#include <string>
#include <vector>

#include <residua/arith/multidigit/number.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/options/preconditioners.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {

/// Up to this many unknowns dense factors in more than binary64 are made where binary64 factors do not suffice. Beyond,
/// GMRES with binary64 factors comes first: how many iterations it takes is not predicted.
inline constexpr index_t largest_automatic_dense = 2000;
/// Up to this many unknowns they are made once a Krylov method with binary64 factors has failed.
inline constexpr index_t largest_dense_resort = 8000;
/// Up to this many unknowns dense factors in binary64 are made without being asked for.
inline constexpr index_t largest_automatic_lu = 100000;
/// Sparse matrices of up to this many entries are analysed for factors that nobody asked for.
inline constexpr double most_automatic_entries = 1e8;
/// Sparse factors are made without being asked for if one thread is predicted to take at most this many seconds.
inline constexpr double automatic_seconds = 60.0;
/// Once a Krylov method has failed, they are made if it is predicted to take at most this many seconds.
inline constexpr double resort_seconds = 600.0;
/// Factors that nobody asked for take at most this part of the memory that is free.
inline constexpr double automatic_share = 0.5;

/// The bits of factors that are tried one after the other where those of binary64 do not suffice for the condition.
inline constexpr std::array<long, 6> factor_ladder{106, 212, 424, 848, 1696, multidigit_format::most_bits};
/// Factors of up to this many bits are tried if they are within reach. More bits are worth a try only where one thread
/// is predicted to make such factors in `search_seconds`: for a singular matrix no factors suffice.
inline constexpr long most_inverse_bits = 848;
inline constexpr double search_seconds = 5.0;

/// The memory and the time that factors in `bits` bits take.
struct factor_need {
    long bits = 0;
    double bytes = 0.0;    ///< while they are made
    double seconds = 0.0;  ///< that one thread takes by built-in rates
};

/// The memory and time that factors of a matrix take in the format that serves `bits` bits, of the kind tried first.
factor_need need_of_factors(const scaled_matrix& matrix, sparse_analyses& analyses, long bits,
                            preconditioner kind = preconditioner::automatic);

/// The highest precisions in which factors are made unasked, and what keeps higher ones out of reach.
struct factor_reach {
    long automatic = 0;  ///< bits of the highest one; 0: none
    long resort = 0;     ///< bits of the highest one after a Krylov method has failed
    index_t unknowns = 0;
    preconditioner kind = preconditioner::lu;  ///< the kind that is tried first
    double memory = 0.0;                       ///< bytes that they may take
    std::vector<factor_need> needs{};  ///< for all precisions, ascending; empty: not predicted, for too many entries

    long refused_bits = 0;            ///< the lowest precision in which factors turned out not to fit; 0: none
    std::string refused_because{};    ///< the message of what was to make them
    std::string postponed_because{};  ///< why factors are postponed; empty: they are not

    /// Records that factors in `bits` bits do not fit, although they were predicted to, or are given up: from now on
    /// only factors in fewer bits are within reach.
    void refuse(long bits, const std::string& because);

    /// Nothing is within reach until a method without factors has failed.
    void postpone(const std::string& because);

    /// The highest precision of the ladder that is within reach and worth a try; 0: none.
    long longest_tried() const;
    /// The lowest precision of binary64 and the ladder that is out of reach or not worth a try; 0: there is none.
    long first_untried() const;

    /// Whether memory is what factors in `bits` bits lack.
    bool lacks_memory(long bits) const;

    /// Why factors in `bits` bits, more than `automatic`, are not made at once, with the numbers that decide.
    std::string why_not(long bits) const;
};

/// shapes   A (n x n)
///
/// taken_bytes  bytes of the free memory that the solve takes besides factors
/// kind         of factors, for kinds_of_factors()
factor_reach find_reach(const scaled_matrix& matrix, sparse_analyses& analyses, double taken_bytes,
                        preconditioner kind = preconditioner::automatic);

/// What may be asked for instead of factors in `bits` bits that do not fit: the highest precision that fits, or none.
///
/// kind        of factors, for kinds_of_factors()
/// by_factors  the method takes factors in binary32 as well
std::string advice_on_memory(const scaled_matrix& matrix, sparse_analyses& analyses, long bits, preconditioner kind,
                             bool by_factors);

}  // namespace residua
