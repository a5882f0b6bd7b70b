// The only place where a verdict becomes sentences.
#include <cmath>
#include <string>

#include <residua/solvers/options/solve_report.hpp>
#include <residua/solvers/options/verdict.hpp>
#include <residua/solvers/planning/plan.hpp>

namespace residua {
namespace {

std::string text_of(long long n) { return std::to_string(n); }

/// "a, b or c"
std::string alternatives(const std::vector<suggestion>& tries, vocabulary words)
{
    std::string text;
    for (std::size_t k = 0; k < tries.size(); ++k) {
        text += (k == 0 ? "" : k + 1 == tries.size() ? " or " : ", ") + in_words(tries[k], words);
    }
    return text;
}

std::string rank_sentence(const solve_report& report)
{
    const std::string& detail = report.verdict.detail;
    const std::string rank = "A is singular, of rank " + text_of(*report.rank) + " of " +
                             text_of(*report.rank + report.nullity) + (detail.empty() ? "" : ": " + detail);
    if (!report.part_outside) {
        return rank + (report.status == solve_status::converged ? "; x is the shortest solution" : "");
    }
    if (is_zero(*report.part_outside)) {
        return rank + "; b is in its range, and x is the shortest solution";
    }
    return rank + "; no x solves A x = b, since a part of b is outside of its range, " +
           to_string(*report.part_outside, 3) + " of norm(b); x is the shortest that makes norm(b - A x) least";
}

std::string sentence(const solve_report& report)
{
    const verdict& v = report.verdict;
    switch (v.limit) {
        case limit::precision:
            return "the precision is the limit: the condition takes about " + text_of(v.condition_bits) + " of " +
                   text_of(v.bits) + " bits";
        case limit::solution_bits:
            return "the precision is the limit: x is carried with " + text_of(v.bits) + " bits";
        case limit::factors:
            return "the factors are the limit: in " + text_of(v.bits) + " bits they suffice for a condition up to 1e" +
                   text_of(std::lround(static_cast<double>(v.condition_bits) * std::log10(2.0))) + " or so";
        case limit::factor_rounding:
            return "rounding errors of the factors are the limit";
        case limit::rounding:
            return "rounding errors are the limit";
        case limit::preconditioner:
            return std::string("the preconditioner ") +
                   (v.restarted ? "or the restart after " + text_of(v.iterations) + " iterations " : "") +
                   "is the limit, " + (v.loses_bits ? "or bits that the method loses on its way" : "not the precision");
        case limit::iterations:
            return "the limit of " + text_of(v.iterations) + " iterations was reached: allow more, or use " +
                   (report.method == method::lsqr ? "" : "a stronger preconditioner or ") + "more bits";
        case limit::time:
            return "the time limit was reached";
        case limit::interruption:
            return "interrupted; x is the best so far";
        case limit::reading:
            return "the rounding of the numbers of A and b when they were read is the limit";
        case limit::digits:
            return "the wanted digits were not reached with the most bits that were allowed";
        case limit::no_estimate:
            return "the residual passes, but the error of x cannot be estimated: no factors of the matrix suffice for "
                   "its "
                   "condition, and the method solves no other systems with it";
        case limit::singular:
            return "A looks singular in every format up to " + text_of(v.bits) +
                   " bits: x may be one of many, and no digit of it is known";
        case limit::rank:
            return rank_sentence(report);
        case limit::none:
        case limit::weighted:
        case limit::breakdown:
            break;
    }
    return "";
}

}  // namespace

std::string explain(const solve_report& report, vocabulary words)
{
    std::string message;
    const auto say = [&](const std::string& text) {
        if (!text.empty()) {
            message += (message.empty() ? "" : "; ") + text;
        }
    };
    if (report.verdict.limit != limit::rank && report.verdict.limit != limit::weighted) {
        say(report.verdict.detail);
    }
    if (report.verdict.limit == limit::weighted) {
        say("x makes sum w (b - A x)^2 + T^2 norm(x)^2 least, with the weights and the damping that were asked for; "
            "norm(b - "
            "A x) / norm(b) = " +
            to_string(report.relative_residual, 3));
    } else if (report.least_squares) {
        say("x is a least-squares solution: norm(A'(b - A x)) <= rtol norm(A)_F norm(b - A x) passes; A x = b it does "
            "not solve, norm(b - A x) / norm(b) = " +
            to_string(report.relative_residual, 3));
    }
    const bool may_be_several = report.verdict.limit == limit::weighted || report.verdict.limit == limit::none;
    if (report.rank && may_be_several && report.status == solve_status::converged) {
        say("the columns of A have rank " + text_of(*report.rank) +
            (report.verdict.limit == limit::weighted ? " in the rows with weights" : "") + ", and x is the shortest");
    }
    say(sentence(report));
    if (report.reading_digits && *report.reading_digits < report.digits) {
        say("as written and rounded to binary64 the numbers of A and b are two systems, whose solutions have " +
            (*report.reading_digits > 0 ? "about " + text_of(*report.reading_digits) + " digits" : "no digit") +
            " in common: x is that of the reading that was taken");
    }
    const std::string& detail = report.verdict.detail;
    const bool names_lines = detail.find("row") != std::string::npos || detail.find("column") != std::string::npos;
    if (report.complex && names_lines) {
        say("rows and columns 2 k - 1 and 2 k are the real and the imaginary part of row and column k");
    }
    if (!report.verdict.tries.empty()) {
        say("try " + alternatives(report.verdict.tries, words));
    }
    return message;
}

std::string caveat(const solve_report& report, vocabulary words)
{
    if (report.status != solve_status::converged || report.digits > 0 || is_zero(report.rhs_norm) ||
        report.verdict.limit == limit::no_estimate) {
        return "";
    }
    if (!report.forward_error) {
        return "How many digits of x are right is not known.";
    }
    std::string text = "But no digit of x is known to be right: the condition of A takes more than this precision has";
    if (report.condition) {
        const long enough = choose_precision({}, *report.condition);
        text += enough > report.precision_bits ? "; try " + in_words({remedy::precision, enough}, words) : "";
    }
    return text + ".";
}

}  // namespace residua
