#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/solve_operator.hpp>

namespace residua {
namespace {

constexpr index_t n = 24;
constexpr method methods[] = {method::cg, method::gmres, method::minres, method::bicgstab, method::idr, method::lsqr};

/// Second differences, in as many bits as x has, plus a shift of the last element.
std::vector<real> laplacian(const std::vector<real>& x)
{
    std::vector<real> y;
    for (std::size_t i = 0; i < x.size(); ++i) {
        real sum = x[i] * real(2.0, x[i].precision());
        sum -= i > 0 ? x[i - 1] : real(0.0);
        sum -= i + 1 < x.size() ? x[i + 1] : real(0.0);
        y.push_back(sum);
    }
    return y;
}

std::vector<real> rounded(const std::vector<real>& x)
{
    std::vector<real> y;
    for (const real& each : x) {
        y.push_back(each.with_precision(53));
    }
    return y;
}

given_operator differences() { return {.rows = n, .cols = n, .a = laplacian, .a_t = laplacian}; }

std::vector<real> right_hand_side()
{
    std::vector<real> b;
    for (index_t i = 0; i < n; ++i) {
        b.emplace_back(static_cast<double>(i + 1) / 4);
    }
    return b;
}

/// ||b - A x|| / ||b||, exact to 2000 bits
real true_residual(const std::vector<real>& x)
{
    constexpr long bits = 2000;
    std::vector<real> wide;
    for (const real& each : x) {
        wide.push_back(each.with_precision(bits));
    }
    const std::vector<real> b = right_hand_side();
    const std::vector<real> ax = laplacian(wide);
    real r(0.0, bits);
    real size(0.0, bits);
    for (std::size_t i = 0; i < b.size(); ++i) {
        r += (b[i] - ax[i]) * (b[i] - ax[i]);
        size += b[i] * b[i];
    }
    return sqrt(r / size);
}

const real rounded_norms{1.0 - 0x1p-40};  ///< reports have norms of few bits

solve_options with(method m, long bits = 0)
{
    solve_options options;
    options.method = m;
    options.precision_bits = bits;
    return options;
}

TEST(solve_operator, solves_to_the_precision_of_the_products_by_every_method)
{
    for (const method m : methods) {
        for (const long bits : {64, 106, 500}) {
            const solve_result found = solve(differences(), right_hand_side(), with(m, bits));

            EXPECT_EQ(found.report.status, solve_status::converged) << to_string(m) << " in " << bits;
            EXPECT_EQ(found.report.precision_bits, bits);
            EXPECT_EQ(found.report.solution_bits, 2 * bits + 8);
            EXPECT_EQ(found.report.digits, 0);
            EXPECT_LE(true_residual(found.x), ldexp(real(1.0), -(9 * bits / 10))) << to_string(m) << " in " << bits;
        }
    }
}

TEST(solve_operator, reports_no_less_than_the_true_residual)
{
    solve_options few = with(method::cg);
    few.max_iterations = 3;
    for (const solve_options& options : {with(method::cg), few}) {
        const solve_result found = solve(differences(), right_hand_side(), options);

        EXPECT_LE(true_residual(found.x) * rounded_norms, found.report.relative_residual);
        EXPECT_EQ(found.report.status,
                  options.max_iterations == 3 ? solve_status::not_converged : solve_status::converged);
    }
}

TEST(solve_operator, knows_the_noise_of_products_in_binary64)
{
    given_operator a = differences();
    a.in_binary64 = true;
    a.a = [](const std::vector<real>& x) { return rounded(laplacian(x)); };
    solve_options options = with(method::cg);

    const solve_result found = solve(a, right_hand_side(), options);
    options.rtol = ldexp(real(1.0), -52);
    const solve_result too_much = solve(a, right_hand_side(), options);

    EXPECT_EQ(found.report.status, solve_status::converged);
    EXPECT_EQ(found.report.solution_bits, 53);
    EXPECT_LE(true_residual(found.x), found.report.relative_residual);
    EXPECT_EQ(too_much.report.status, solve_status::stagnated);
    EXPECT_EQ(too_much.report.verdict.limit, limit::rounding);
}

TEST(solve_operator, takes_a_preconditioner_in_binary64_and_a_guess)
{
    given_operator a = differences();
    a.m = [](const std::vector<real>& x) {
        std::vector<real> y = rounded(x);
        for (real& each : y) {
            each = (each / real(2.0)).with_precision(53);
        }
        return y;
    };
    a.m_in_binary64 = true;
    solve_options options = with(method::gmres, 200);

    const solve_result found = solve(a, right_hand_side(), options);
    options.initial_guess = found.x;
    const solve_result again = solve(a, right_hand_side(), options);

    EXPECT_EQ(found.report.status, solve_status::converged);
    EXPECT_GT(found.report.corrections, 3);
    EXPECT_EQ(again.report.status, solve_status::converged);
    EXPECT_EQ(again.report.corrections, 0);
}

TEST(solve_operator, is_watched_and_ends_where_the_caller_says_so)
{
    solve_options options = with(method::cg);
    index_t last = -1;
    options.on_history = [&](const history_entry& at) { last = at.iteration; };
    options.interrupted = [&] { return last >= 5; };

    const solve_result found = solve(differences(), right_hand_side(), options);

    EXPECT_EQ(found.report.status, solve_status::interrupted);
    EXPECT_EQ(found.report.iterations, 5);
    EXPECT_EQ(found.report.history.front().iteration, 0);
    EXPECT_EQ(found.report.verdict.limit, limit::interruption);

    options = with(method::cg);
    options.time_limit_seconds = 1e-9;
    EXPECT_EQ(solve(differences(), right_hand_side(), options).report.status, solve_status::time_limit);
}

TEST(solve_operator, lets_exceptions_of_products_through)
{
    given_operator a = differences();
    a.a = [](const std::vector<real>&) -> std::vector<real> { throw std::domain_error("mine"); };

    EXPECT_THROW(solve(a, right_hand_side(), with(method::cg)), std::domain_error);
}

/// What the operator or the options are refused by, in words; empty: not at all.
template <class Error>
std::string refusal(const given_operator& a, const solve_options& options)
{
    try {
        solve(a, right_hand_side(), options);
    } catch (const Error& e) {
        return e.what();
    }
    return "";
}

TEST(solve_operator, refuses_what_is_no_matrix_or_not_the_one_that_it_says)
{
    given_operator bent = differences();
    bent.a = [](const std::vector<real>& x) {
        std::vector<real> y = laplacian(x);
        y[0] = y[0] * y[0];
        return y;
    };
    given_operator short_products = differences();
    short_products.a = [](const std::vector<real>& x) { return rounded(laplacian(x)); };
    given_operator one_sided = differences();
    one_sided.a = [](std::vector<real> x) {
        x[0] = x[0] + x[1];
        return x;
    };
    given_operator few = differences();
    few.a = [](const std::vector<real>&) { return std::vector<real>(3); };

    EXPECT_NE(refusal<error>(bent, with(method::gmres)).find("not linear"), std::string::npos);
    EXPECT_NE(refusal<error>(short_products, with(method::cg, 160)).find("and 160 are needed"), std::string::npos);
    EXPECT_NE(refusal<unsupported_error>(one_sided, with(method::cg)).find("symmetric"), std::string::npos);
    EXPECT_NE(refusal<error>(one_sided, with(method::bicg)).find("transposed"), std::string::npos);
    EXPECT_EQ(refusal<dimension_error>(few, with(method::cg)), "a product with A has 3 numbers, and not 24");
}

/// d_k x_k for complex numbers d_k of small integers, of which there are five, and t x_(k+1) added.
std::vector<real> five_eigenvalues(const std::vector<real>& x, double t = 0.0)
{
    constexpr double re[] = {1, 3, -2, 0, 2}, im[] = {2, -1, 1, 4, 2};
    std::vector<real> y;
    for (std::size_t i = 0; i < x.size(); i += 2) {
        const long bits = x[i].precision() + 8;
        const real a(re[i / 2 % 5], bits), b(im[i / 2 % 5], bits);
        y.push_back(a * x[i] - b * x[i + 1]);
        y.push_back(a * x[i + 1] + b * x[i]);
        for (std::size_t part = 0; t != 0.0 && i + 2 < x.size() && part < 2; ++part) {
            y[i + part] += real(t, bits) * x[i + 2 + part];
        }
    }
    return y;
}

TEST(solve_operator, has_complex_scalars_for_complex_operators)
{
    const given_operator complex{.rows = n,
                                 .cols = n,
                                 .a = [](const std::vector<real>& x) { return five_eigenvalues(x); },
                                 .m = [](const std::vector<real>& x) { return x; },
                                 .complex = true};
    for (const method m : {method::gmres, method::cocg, method::cocr}) {
        const solve_result found = solve(complex, right_hand_side(), with(m, 200));
        EXPECT_EQ(found.report.status, solve_status::converged) << to_string(m);
        EXPECT_EQ(found.report.iterations, 5) << to_string(m);  // and 10 in real numbers
        const std::vector<real> b = five_eigenvalues(found.x), wanted = right_hand_side();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            EXPECT_LE(abs(b[i] - wanted[i]), real(1e-50)) << to_string(m);
        }
    }
    given_operator conjugating = complex;
    conjugating.a = [](std::vector<real> x) {
        x[1] = -x[1];
        return x;
    };
    given_operator lopsided = complex;
    lopsided.a = [](const std::vector<real>& x) { return five_eigenvalues(x, 1.0); };
    given_operator odd = complex;
    odd.rows = odd.cols = 3;
    EXPECT_NE(refusal<error>(conjugating, with(method::gmres)).find("A (u + iv)"), std::string::npos);
    EXPECT_NE(refusal<unsupported_error>(lopsided, with(method::cocg)).find("complex symmetric"), std::string::npos);
    EXPECT_NE(refusal<unsupported_error>(complex, with(method::cg)).find("hermitian"), std::string::npos);
    EXPECT_NE(refusal<dimension_error>(odd, with(method::gmres)).find("no pairs"), std::string::npos);
}

TEST(solve_operator, refuses_what_needs_entries_or_products_that_are_missing)
{
    const given_operator a = differences();
    given_operator no_transpose = a;
    no_transpose.a_t = nullptr;
    given_operator wide = a;
    wide.rows = n + 1;
    given_operator in_binary64 = a;
    in_binary64.in_binary64 = true;
    given_operator with_m = a;
    with_m.m = laplacian;

    for (const method m : {method::automatic, method::direct, method::refine, method::gmres_ir}) {
        EXPECT_NE(refusal<unsupported_error>(a, with(m)), "") << to_string(m);
    }
    for (const std::function<void(solve_options&)>& ask : std::vector<std::function<void(solve_options&)>>{
             [](solve_options& o) { o.digits = 30; },
             [](solve_options& o) { o.preconditioner = preconditioner::jacobi; },
             [](solve_options& o) { o.checkpoint = "file"; }, [](solve_options& o) { o.format = number_format::rns; },
             [](solve_options& o) { o.factor_bits = 106; }, [](solve_options& o) { o.rtol = real(-1.0); }}) {
        solve_options options = with(method::cg);
        ask(options);
        EXPECT_NE(refusal<unsupported_error>(a, options), "");
    }
    EXPECT_EQ(refusal<unsupported_error>(no_transpose, with(method::lsqr)), "lsqr needs products with A'");
    EXPECT_EQ(refusal<unsupported_error>(with_m, with(method::bicg)), "bicg needs products with M'");
    EXPECT_EQ(refusal<unsupported_error>(with_m, with(method::lsqr)), "lsqr takes no preconditioner");
    EXPECT_NE(refusal<unsupported_error>(in_binary64, with(method::cg, 106)), "");
    EXPECT_NE(refusal<dimension_error>(wide, with(method::cg)), "");
    EXPECT_NE(refusal<dimension_error>(wide, with(method::lsqr)), "") << "b is too short";
}

}  // namespace
}  // namespace residua
