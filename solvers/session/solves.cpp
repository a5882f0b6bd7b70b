// inverse(A) by what solved the system: dense factors of `direct`, or the method, one system a product.
#include <algorithm>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <residua/solvers/methods/corrections.hpp>
#include <residua/solvers/session/solves.hpp>
#include <residua/solvers/space/exact_residual.hpp>
#include <residua/solvers/space/scaled_vectors.hpp>

namespace residua {
namespace {

constexpr double wanted_residual = 0.1;
constexpr int most_corrections_of_one = 4;
constexpr index_t least_iterations = 100;

/// 2-norm of R r
real scaled_norm(const scaled_matrix& m, const std::vector<real>& r)
{
    std::vector<real> scaled(r.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
        scaled[i] = ldexp(r[i], m.row_exponent[i]);
    }
    return norm2(scaled);
}

/// Solves systems with S or S' by a candidate, each to a residual of a tenth.
class method_solves {
public:
    method_solves(solver_parts& kept, const candidate& choice, long most_bits, index_t iterations)
        : kept_(kept),
          choice_(choice),
          most_bits_(most_bits),
          iterations_(std::max(iterations, least_iterations)),
          bits_(available_precisions(kept.options.format).front())
    {
        choice_.most_iterations = 0;
    }

    bool failed() const { return failed_; }

    /// v <- inverse(S) v, or inverse(S') v, for each v; NaN after a failure.
    void operator()(std::vector<scaled_doubles>& columns, bool transposed)
    {
        for (scaled_doubles& v : columns) {
            apply(v, transposed);
        }
    }

private:
    void apply(scaled_doubles& v, bool transposed)
    {
        prepared_system* prepared = kept_.prepared.get();
        correctors* pool = kept_.correctors.get();
        if (transposed && !prepared->matrix().symmetric) {
            std::tie(prepared, pool) = kept_.transposed_parts();
        }
        const scaled_matrix& m = prepared->matrix();
        std::vector<real> r;
        for (std::size_t i = 0; i < v.size(); ++i) {
            r.push_back(to_real(ldexp(v[i], -m.row_exponent[i])));
        }
        std::optional<std::vector<real>> d;
        while (!failed_ && !(d = solve(*prepared, *pool, r))) {
            raise_bits();
        }
        for (std::size_t j = 0; j < v.size(); ++j) {
            v[j] = d ? ldexp(scaled_double((*d)[j]), -m.column_exponent[j]) : scaled_double(std::nan(""));
        }
    }

    void raise_bits()
    {
        const std::vector<long>& all = available_precisions(kept_.options.format);
        const auto next = std::upper_bound(all.begin(), all.end(), bits_);
        failed_ = next == all.end() || *next > most_bits_ || kept_.clock.stop_requested();
        bits_ = failed_ ? bits_ : *next;
    }

    /// d with A d = r, whose scaled residual is at most a tenth of the scaled r; empty if that is not reached in bits_.
    std::optional<std::vector<real>> solve(prepared_system& prepared, correctors& pool, const std::vector<real>& r)
    {
        if (choice_.factor_bits > std::max(bits_, binary64_bits)) {
            return std::nullopt;
        }
        const real size = scaled_norm(prepared.matrix(), r);
        const std::vector<real> zeros(static_cast<std::size_t>(prepared.system().cols), real(0.0));
        if (is_zero(size) || !is_finite(size)) {
            return is_zero(size) ? std::optional(zeros) : std::nullopt;
        }
        const corrector& by = pool.get(choice_, bits_, 1);
        if (by.engine == nullptr) {
            failed_ = true;
            return std::nullopt;
        }
        residual_matrix* const a = prepared.matrix_for_residuals();
        long_vector rhs = a != nullptr ? long_vector::exactly(r) : long_vector(r);
        long_vector left = rhs;
        long_vector sum = a != nullptr ? long_vector::exactly(zeros) : long_vector(zeros);
        long_vector next;
        residual_evaluation at;
        std::vector<correction> columns;
        real now = size;  // scaled norms of the residuals of the sum and of the next one
        real then;
        int made = 0;
        solve_status status{};
        const corrected d{.status = status,
                          .passes = [&] { return now <= real(wanted_residual) * size; },
                          .may_iterate = [&] { return made < most_corrections_of_one; },
                          .stop_requested = [this] { return kept_.clock.stop_requested(); },
                          .merit = [&] { return now; },
                          .evaluate_sum = [&]() -> std::optional<real> {
                              next = sum.plus(columns.front().d, 2 * bits_);
                              if (!next.is_finite()) {
                                  return std::nullopt;
                              }
                              at = a != nullptr && !next.in_mpfr() && !rhs.in_mpfr()
                                       ? evaluate_exactly(*a, rhs, next)
                                       : evaluate_residual(prepared.system(), r, next.numbers(), ldexp(norm2(r), -64));
                              then = scaled_norm(prepared.matrix(), at.r.numbers());
                              return then;
                          },
                          .accept =
                              [&] {
                                  sum = std::move(next);
                                  left = std::move(at.r);
                                  now = then;
                              }};
        run_corrections(d, [&] {
            columns.clear();
            columns.push_back({.r = left, .rule = {}});
            stop_rule& rule = columns.front().rule;
            rule.relative_residual = std::clamp(0.5 * wanted_residual * to_double(size / now), 1e-10, 0.5);
            rule.max_iterations = iterations_;
            rule.poll = [this] { return kept_.clock.stop_requested(); };
            by.engine->correct(columns);
            status = solve_status::converged;  // one that stopped early may have halved the residual, too
            ++made;
        });
        return status == solve_status::converged ? std::optional(sum.numbers()) : std::nullopt;
    }

    solver_parts& kept_;
    candidate choice_;
    long most_bits_;
    index_t iterations_;
    long bits_;  ///< the lowest precision that has sufficed so far
    bool failed_ = false;
};

}  // namespace

const inverse_operator* inverse_by_direct(session& s, const solve_column& c)
{
    corrector& by = s.correctors.get(c.used, c.report.precision_bits, static_cast<index_t>(s.columns.size()));
    if (by.engine == nullptr) {
        return nullptr;
    }
    if (!by.inverse_sought) {
        const scaled_matrix& matrix = by.is_unscaled ? s.prepared.unscaled() : s.prepared.matrix();
        by.inverse_of_a = inverse_by_long_factors(s.system(), matrix, *by.engine->factors(), by.bits);
        by.inverse_sought = true;
    }
    return by.inverse_of_a && by.inverse_of_a->suffices ? &*by.inverse_of_a : nullptr;
}

const inverse_operator* inverse_by_solves(session& s, const solve_column& c)
{
    kept_solves& known = s.kept.solves;
    if (known.choice == c.used && known.bits >= c.report.precision_bits) {
        return known.inverse ? &*known.inverse : nullptr;
    }
    known = {};
    const auto solves = std::make_shared<method_solves>(s.kept, c.used, c.report.precision_bits, c.report.iterations);
    inverse_operator inverse = make_inverse(
        s.prepared.matrix(), [solves](std::vector<scaled_doubles>& v, bool transposed) { (*solves)(v, transposed); });
    inverse.unsure = wanted_residual;
    inverse.condition = estimate_condition(s.system(), s.prepared.matrix(), inverse);
    if (s.stop_requested()) {
        return nullptr;  // another call may go on
    }
    known = {.choice = c.used, .bits = c.report.precision_bits, .inverse = {}};
    if (solves->failed() || !inverse.condition) {
        return nullptr;
    }
    s.prepared.set_condition(*inverse.condition);
    known.inverse = std::move(inverse);
    return &*known.inverse;
}

}  // namespace residua
