#pragma once

#include <string>
#include <vector>

namespace residua {

struct solve_report;

/// What kept a solve from its goal, or what is left open where it converged.
enum class limit {
    none,
    precision,        ///< the condition takes `condition_bits` of the `bits` of the method
    solution_bits,    ///< x is carried with `bits` bits, and needs more
    factors,          ///< factors of `bits` bits suffice for a condition of 2^condition_bits, which A exceeds
    factor_rounding,  ///< rounding errors of the factors of `direct`
    rounding,         ///< rounding errors of the method
    preconditioner,   ///< the preconditioner, or the length between restarts
    iterations,       ///< the most that is allowed, `iterations`, was reached
    time,             ///< the time limit
    interruption,     ///< the caller asked to stop
    reading,          ///< the rounding of the numbers of A and b when they were read
    digits,           ///< the residual passes, but the most bits allowed do not give the digits asked for
    no_estimate,      ///< the residual passes, but there is no estimate of the forward error
    singular,         ///< A looks singular in every format up to `bits`
    rank,             ///< A is singular, of the rank that the report has
    weighted,         ///< nothing: x makes the weighted, damped sum of squares least, which is no solution of A x = b
    breakdown         ///< the method cannot go on: `detail` says why
};

/// What a caller may change.
enum class remedy {
    precision,       ///< raise it to `bits`; 0: to any higher one
    factors,         ///< make them in `bits`
    restart,         ///< a longer one
    preconditioner,  ///< another one
    refine,          ///< the method
    direct,          ///< the method
    reading_bits     ///< read the numbers with more of them
};

struct suggestion {
    remedy what;
    long bits = 0;

    bool operator==(const suggestion&) const = default;
};

/// Why a solve ended as it did, as data.
struct verdict {
    residua::limit limit = limit::none;
    long bits = 0;
    long condition_bits = 0;
    long long iterations = 0;
    bool restarted = false;      ///< for limit::preconditioner: the restart may be the limit, too, after `iterations`
    bool loses_bits = false;     ///< for limit::preconditioner: more bits may help as well
    bool lacked_memory = false;  ///< on the way: another solve may have what did not fit, and other bits
    std::vector<suggestion> tries{};  ///< the most promising one first
    std::string detail{};             ///< the words of a method, a factorisation or the memory; empty: none
};

/// The interface whose names a text uses for options: solve_options, the command line, residua_options_set() or Python.
enum class vocabulary { cpp, command_line, c, python };

/// A suggestion in a vocabulary: "precision_bits = 212", "--precision 212", "precision 212", "precision=212".
std::string in_words(const suggestion& what, vocabulary words);

/// The verdict of a report in plain words, without a full stop; empty if there is nothing to say.
std::string explain(const solve_report& report, vocabulary words = vocabulary::cpp);

/// What a residual that passes leaves open, as a sentence: no digit of x is known to be right, or nobody knows how many are.
/// Empty if it leaves nothing open, if explain() says it, or if the residual does not pass.
std::string caveat(const solve_report& report, vocabulary words = vocabulary::cpp);

}  // namespace residua
