#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/planning/facts.hpp>
#include <residua/solvers/planning/machine.hpp>
#include <residua/solvers/precond/factorization.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

/// Factors are made without being asked for if one thread is predicted to take at most this many seconds.
inline constexpr double automatic_seconds = 60.0;
/// Up to this many unknowns dense factors are made whatever time is predicted for them. The first number is for binary64; the second one
/// is for more bits, where factors in binary64 do not suffice.
inline constexpr index_t largest_automatic_lu = 100000;
inline constexpr index_t largest_automatic_dense = 2000;
/// Once a Krylov method has failed, up to this many unknowns or seconds are allowed.
inline constexpr index_t largest_dense_resort = 8000;
inline constexpr double resort_seconds = 600.0;
/// Factors that nobody asked for take at most this part of the memory that is free.
inline constexpr double automatic_share = 0.5;

/// The most multiply-adds of factors that are made unasked, at once or as a last resort: what one thread takes for
/// more, in binary64 or in 106 bits, exceeds automatic_seconds and resort_seconds by built-in rates.
double most_multiply_adds_in_reach();

/// The step after factors in `bits` bits: binary64, then twice the bits.
constexpr long longer_factor_bits(long bits) { return bits < binary64_bits ? binary64_bits : 2 * bits; }

/// The bits of factors that are tried one after the other where those of binary64 do not suffice for the condition.
inline constexpr std::array<long, 6> factor_ladder{106, 212, 424, 848, 1696, multidigit_format::most_bits};
/// The steps that a method by factors takes if no bits of factors are asked for, and whose costs are predicted.
inline constexpr auto first_factor_steps = std::span(factor_ladder).first<2>();
/// Factors of up to this many bits are tried if they are within reach. More bits are worth a try only where one thread
/// is predicted to make such factors in `search_seconds`: for a singular matrix no factors suffice.
inline constexpr long most_inverse_bits = 848;
inline constexpr double search_seconds = 5.0;

/// The steps up to `most` bits, then `most` itself if that is above most_inverse_bits.
std::vector<long> factor_steps_up_to(long most);

/// How many pivots of dense factors are above their rounding errors, which are taken for 4 n 2^-bits of the largest pivot.
struct pivot_count {
    index_t unknowns = 0;  ///< n
    long bits = 0;         ///< of the factors
    index_t above = 0;

    bool operator==(const pivot_count&) const = default;
};

/// Empty where the factors have no pivot_numbers().
///
/// cost  n
std::optional<pivot_count> count_pivots(const factorization& factors);

/// Guesses from two attempts in too few bits how many bits factors need. The guess is at most 4 times the bits of
/// `longer`. It is 0 where more bits show no more pivots, and nothing can be guessed.
///
/// Each further bit is taken to show as many pivots as a bit of `shorter` did, or as a bit that `longer` has beyond it,
/// whichever is more; both are counted with one pivot more. So the guess is rather low, also where singular values
/// cluster. A cluster below the pivots that both show makes it high.
///
/// needs  fewer bits in `shorter` than in `longer`, both of one matrix
long guess_factor_bits(const pivot_count& shorter, const pivot_count& longer);

/// The memory and the time that factors in `bits` bits take.
struct factor_need {
    long bits = 0;
    double bytes = 0.0;    ///< while they are made
    double seconds = 0.0;  ///< that one thread takes by built-in rates

    bool operator==(const factor_need&) const = default;
};

/// The memory and time that factors take in the format that serves `bits` bits.
factor_need need_of_factors(const factor_work& work, long bits);

/// The highest precisions in which factors are made unasked, and what keeps higher ones out of reach.
struct factor_reach {
    long automatic = 0;  ///< bits of the highest one; 0: none
    long resort = 0;     ///< bits of the highest one after a Krylov method has failed
    index_t unknowns = 0;
    preconditioner kind = preconditioner::lu;  ///< the kind that is tried first
    double memory = 0.0;                       ///< bytes that they may take
    std::vector<factor_need> needs{};  ///< for all precisions, ascending; empty: not predicted, for too many entries
    double least_seconds = 0.0;        ///< of factors in binary64 whose work was not counted to the end; else 0

    long refused_bits = 0;            ///< system_facts::refused_bits: only factors in fewer bits are within reach
    std::string refused_because{};    ///< the message of what was to make them
    std::string postponed_because{};  ///< why factors are postponed; empty: they are not

    /// The highest precision of the ladder that is within reach and worth a try; 0: none.
    long longest_tried() const;
    /// The lowest precision of binary64 and the ladder that is out of reach or not worth a try; 0: there is none.
    long first_untried() const;

    /// Whether memory is what factors in `bits` bits lack.
    bool lacks_memory(long bits) const;

    /// Why factors in `bits` bits, more than `automatic`, are not made at once, with the numbers that decide.
    std::string why_not(long bits) const;

    bool operator==(const factor_reach&) const = default;
};

/// taken_bytes  bytes of the free memory that the solve takes besides factors
factor_reach find_reach(const system_facts& facts, const machine& on, double taken_bytes);

/// What may be asked for instead of factors in `bits` bits that do not fit: the highest precision that fits, or none.
///
/// by_factors  the method takes factors in binary32 as well
std::string advice_on_memory(const system_facts& facts, const machine& on, long bits, bool by_factors);

}  // namespace residua
