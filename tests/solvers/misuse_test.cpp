#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/numbers.hpp>
#include <residua/blas/base/planes.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/files/load.hpp>
#include <residua/solvers/methods/typed.hpp>
#include <residua/solvers/options/option_text.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/blas_space.hpp>

/// What a program may ask for that cannot be: each is an exception of one type with words, and never a crash.
namespace residua {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct misuse {
    std::string name;
    std::string words;  ///< a regular expression that the message has
    std::function<void()> call;
    bool (*is_of_type)(const std::exception&);
};

template <class E>
misuse refused(std::string name, std::string words, std::function<void()> call)
{
    return {std::move(name), std::move(words), std::move(call),
            [](const std::exception& e) { return typeid(e) == typeid(E); }};
}

using doubles = std::vector<double>;
using indices = std::vector<std::int32_t>;

/// [4 1; 1 3] by rows, with what a case spoils.
struct rows {
    index_t rows = 2, cols = 2;
    indices begin{0, 2, 4}, column{0, 1, 0, 1};
    doubles value{4, 1, 1, 3};
    int base = 0;
    doubles b{};

    linear_system made() const
    {
        return make_system(csr_view<std::int32_t, double>{rows, cols, begin, column, value, base}, b);
    }
};

std::function<void()> of_rows(const std::function<void(rows&)>& spoil)
{
    return [spoil] {
        rows r;
        spoil(r);
        static_cast<void>(r.made());
    };
}

std::vector<misuse> of_matrices()
{
    using dense = dense_view<double>;
    static const doubles four{4, 1, 1, 3};
    static const std::array<std::string, 2> words{"1", "one"}, beyond{"1", "1e400000000"}, same{"0.1", "0.2"};
    static const indices zeros{0, 0}, both{0, 1}, outside{0, 2};
    const auto of_array = [](dense a) { return [a] { make_system(a); }; };
    const auto of_texts = [](const auto& texts, const indices& column) {
        return [&] { make_system(coo_view<std::int32_t, std::string>{2, 2, zeros, column, texts}); };
    };
    return {
        refused<dimension_error>("a base of 2", "base", of_rows([](rows& r) { r.base = 2; })),
        refused<dimension_error>("a negative size", "-2", of_rows([](rows& r) { r.rows = -2; })),
        refused<dimension_error>("too few positions", "row_begin", of_rows([](rows& r) {
                                     r.begin = {0, 4};
                                 })),
        refused<dimension_error>("no positions", "row_begin", of_rows([](rows& r) { r.begin = {}; })),
        refused<dimension_error>("positions that descend", "row_begin", of_rows([](rows& r) {
                                     r.begin = {0, 5, 4};
                                 })),
        refused<dimension_error>("positions that begin at 1", "row_begin", of_rows([](rows& r) { r.begin[0] = 1; })),
        refused<dimension_error>("positions beyond the entries", "row_begin", of_rows([](rows& r) { r.begin[2] = 9; })),
        refused<dimension_error>("a column outside", "column\\[3\\]", of_rows([](rows& r) { r.column[3] = 2; })),
        refused<dimension_error>("a negative column", "column\\[1\\]", of_rows([](rows& r) { r.column[1] = -1; })),
        refused<dimension_error>("column 0 with base 1", "column\\[0\\]", of_rows([](rows& r) {
                                     r.base = 1;
                                     r.begin = {1, 3, 5};
                                 })),
        refused<dimension_error>("too few values", "value", of_rows([](rows& r) { r.value.pop_back(); })),
        refused<unsupported_error>("an entry that is no number", "nan", of_rows([](rows& r) { r.value[2] = nan; })),
        refused<unsupported_error>("an infinite entry", "inf", of_rows([](rows& r) { r.value[2] = infinity; })),
        refused<dimension_error>("a b that is too short", "b", of_rows([](rows& r) { r.b = {1}; })),
        refused<unsupported_error>("a b with a NaN", "b\\[1\\]", of_rows([](rows& r) {
                                       r.b = {1, nan};
                                   })),
        refused<dimension_error>("a stride below a row", "stride", of_array(dense{2, 2, four, {}, 1})),
        refused<dimension_error>("a negative stride", "stride", of_array(dense{2, 2, four, {}, -2})),
        refused<dimension_error>("an array that is too short", "4", of_array(dense{2, 3, four})),
        refused<dimension_error>("a matrix of 2^40 x 2^40", "1099511627776 columns",
                                 of_array(dense{index_t{1} << 40, index_t{1} << 40, four})),
        refused<dimension_error>("coordinates outside", "column\\[1\\]", of_texts(same, outside)),
        refused<unsupported_error>("a word for an entry", "\"one\", not a decimal", of_texts(words, both)),
        refused<unsupported_error>("a decimal beyond all ranges", "column 1.*beyond", of_texts(beyond, both)),
        refused<unsupported_error>("decimals in one place", "decimal", of_texts(same, zeros)),
        refused<dimension_error>("a system that was spoilt", "rows",
                                 [] {
                                     linear_system a = rows{}.made();
                                     a.row_begin.own().pop_back();
                                     solver{std::move(a)};
                                 }),
        refused<dimension_error>("columns out of order", "row 0",
                                 [] {
                                     linear_system a = rows{}.made();
                                     std::swap(a.column.own()[0], a.column.own()[1]);
                                     solver{std::move(a)};
                                 }),
    };
}

/// solve() of [4 1; 1 3] with options that a case spoils.
std::function<void()> with(const std::function<void(solve_options&)>& spoil, const doubles& b = {1, 2},
                           const doubles& value = {4, 1, 1, 3})
{
    return [=] {
        rows r;
        r.b = b;
        r.value = value;
        solve_options options;
        spoil(options);
        static_cast<void>(solve(r.made(), options));
    };
}

std::function<void()> with_option(const char* name, const char* value)
{
    return [=] {
        solve_options options;
        set_option(options, name, value);
    };
}

std::vector<misuse> of_options()
{
    using options = solve_options;
    const doubles lopsided{4, 1, 2, 3};
    return {
        refused<unsupported_error>("negative digits", "digits", with([](options& o) { o.digits = -1; })),
        refused<unsupported_error>("too many digits", "digits", with([](options& o) { o.digits = 100000; })),
        refused<unsupported_error>("negative bits", "-5", with([](options& o) { o.precision_bits = -5; })),
        refused<unsupported_error>("too many bits", "5000", with([](options& o) { o.precision_bits = 5000; })),
        refused<unsupported_error>("bits that a format has not", "1000", with([](options& o) {
                                       o.format = number_format::native;
                                       o.precision_bits = 1000;
                                   })),
        refused<unsupported_error>("a negative tolerance", "tolerance", with([](options& o) { o.rtol = real(-1.0); })),
        refused<unsupported_error>("a NaN as tolerance", "tolerance", with([](options& o) { o.atol = real(nan); })),
        refused<unsupported_error>("negative iterations", "-1", with([](options& o) { o.max_iterations = -1; })),
        refused<unsupported_error>("a restart of 0", "restart", with([](options& o) { o.restart = 0; })),
        refused<unsupported_error>("a negative fill", "fill", with([](options& o) { o.fill = -1; })),
        refused<unsupported_error>("negative threads", "threads", with([](options& o) { o.threads = -1; })),
        refused<unsupported_error>("a negative time limit", "time",
                                   with([](options& o) { o.time_limit_seconds = -1; })),
        refused<unsupported_error>("a method that is not there", "method",
                                   with([](options& o) { o.method = static_cast<method>(99); })),
        refused<unsupported_error>("a format that is not there", "format",
                                   with([](options& o) { o.format = static_cast<number_format>(99); })),
        refused<unsupported_error>("an executor that is not there", "executor",
                                   with([](options& o) { o.executor = static_cast<executor>(99); })),
        refused<unsupported_error>("a profile that is not there", "profile",
                                   with([](options& o) { o.profile = static_cast<profiling>(-1); })),
        refused<unsupported_error>("a preconditioner that is not there", "preconditioner",
                                   with([](options& o) { o.preconditioner = static_cast<preconditioner>(99); })),
        refused<unsupported_error>("cg for what is not symmetric", "symmetric",
                                   with([](options& o) { o.method = method::cg; }, {1, 2}, lopsided)),
        refused<unsupported_error>("minres for what is not symmetric", "symmetric",
                                   with([](options& o) { o.method = method::minres; }, {1, 2}, lopsided)),
        refused<unsupported_error>("a preconditioner that cg does not take", "ilu0", with([](options& o) {
                                       o.method = method::cg;
                                       o.preconditioner = preconditioner::ilu0;
                                   })),
        refused<dimension_error>("no right-hand side", "right-hand side", with([](options&) {}, {})),
        refused<dimension_error>("a guess that is too short", "guess",
                                 with([](options& o) { o.initial_guess = {real(1.0)}; })),
        refused<unsupported_error>("a guess with a NaN", "guess", with([](options& o) {
                                       o.initial_guess = {real(nan), real(1.0)};
                                   })),
        refused<option_error>("an option that is not there", "magic", with_option("magic", "1")),
        refused<option_error>("a method by a wrong name", "cgg", with_option("method", "cgg")),
        refused<option_error>("digits that are a word", "many", with_option("digits", "many")),
        refused<option_error>("an empty value", "maxiter", with_option("maxiter", "")),
        refused<option_error>("a tolerance that is a word", "small", with_option("rtol", "small")),
        refused<option_error>("a GPU with the number -1", "cuda|is not an integer from 0",
                              with_option("executor", "cuda:-1")),
    };
}

solver kept() { return solver(rows{}.made()); }
solver wide() { return solver(make_system(dense_view<double>{1, 2, std::array<double, 2>{1, 2}})); }

std::vector<misuse> of_solvers()
{
    using lists = std::vector<std::vector<real>>;
    static const host_space<double> space;
    const auto typed = [](auto rule) {
        return [rule] {
            const auto b = space.make_vector(doubles{1, 2});
            auto x = space.make_vector(2);
            gmres(space, identity_operator{}, b, x, rule);
        };
    };
    return {
        refused<dimension_error>("a b that is too long", "3",
                                 [] {
                                     kept().solve(doubles{1, 2, 3});
                                 }),
        refused<unsupported_error>("a b with an infinity", "finite",
                                   [] {
                                       kept().solve(doubles{1, infinity});
                                   }),
        refused<dimension_error>("one of two right-hand sides is too short", "1",
                                 [] {
                                     kept().solve(lists{{real(1.0), real(1.0)}, {real(1.0)}});
                                 }),
        refused<dimension_error>("the transpose of a wide matrix", "differ: 1 and 2",
                                 [] { wide().solve_transposed(doubles{1}); }),
        refused<dimension_error>("other values, too few of them", "3",
                                 [] {
                                     kept().update_values(doubles{1, 2, 3});
                                 }),
        refused<unsupported_error>("other values with a NaN", "finite",
                                   [] {
                                       solver s = kept();
                                       s.update_values(doubles{1, nan, 2, 3});
                                       s.solve(doubles{1, 2});
                                   }),
        refused<dimension_error>("the determinant of a wide matrix", "differ: 1 and 2", [] { wide().determinant(); }),
        refused<dimension_error>("the inertia of a wide matrix", "differ: 1 and 2", [] { wide().inertia(); }),
        refused<unsupported_error>("the inertia of what is not symmetric", "symmetric",
                                   [] {
                                       rows r;
                                       r.value = {4, 1, 2, 3};
                                       solver(r.made()).inertia();
                                   }),
        refused<dimension_error>("an entry of the inverse outside", "\\(0, 2\\)",
                                 [] {
                                     kept().inverse_entries({{0, 2}});
                                 }),
        refused<dimension_error>("an entry of the inverse with a negative place", "\\(-1, 0\\)",
                                 [] {
                                     kept().inverse_entries({{-1, 0}});
                                 }),
        refused<error>("a typed method with a tolerance of 0", "relative_residual",
                       typed(typed_rule{.relative_residual = 0.0})),
        refused<error>("a typed gmres with a restart of 0", "restart", typed(typed_rule{.restart = 0})),
        refused<dimension_error>("a typed method with an x that is too short", "size",
                                 [] {
                                     const auto b = space.make_vector(doubles{1, 2});
                                     auto x = space.make_vector(1);
                                     cg(space, identity_operator{}, b, x);
                                 }),
    };
}

std::vector<misuse> of_numbers_and_files()
{
    using dd = expansion<double, 2>;
    static const std::vector<dd> three(3);
    return {
        refused<error>("text that is no number", "one", [] { dd("one"); }),
        refused<error>("an empty text", "'' is not a decimal", [] { real("", 64); }),
        refused<error>("a real of 0 bits", "0", [] { real(1.0, 0); }),
        refused<error>("limits of 1 bit", "1", [] { limits_precision(1); }),
        refused<error>("0 digits of a number", "0", [] { static_cast<void>(to_string(real(1.0), 0)); }),
        refused<unsupported_error>("a multi-digit format of 63 bits", "63", [] { multidigit_format(63); }),
        refused<unsupported_error>("a multi-digit format of 5000 bits", "5000", [] { multidigit_format(5000); }),
        refused<dimension_error>("vectors of different sizes", "2.*3|3.*2",
                                 [] {
                                     vector<host_executor, dd> x(2), y(3);
                                     blas::axpy(host_executor{}, dd(1.0), x.view(), y.view());
                                 }),
        refused<dimension_error>("planes into an array that is too short", "3",
                                 [] {
                                     std::vector<dd> two(2);
                                     interleaved(planes(three).view(), std::span<dd>(two));
                                 }),
        refused<input_error>("a file that is not there", "no/such/file", [] { io::load("no/such/file"); }),
        refused<input_error>("a file that is no MatrixMarket file", "MatrixMarket",
                             [] { load_matrix(io::make_text("a.mtx", "1 2 3")); }),
        refused<input_error>("a file that ends too soon", "a.mtx",
                             [] {
                                 load_matrix(io::make_text(
                                     "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 4\n"));
                             }),
        refused<input_error>("a file with an entry outside", "a.mtx:3",
                             [] {
                                 load_matrix(io::make_text(
                                     "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 4\n"));
                             }),
    };
}

std::vector<misuse> all_misuse()
{
    std::vector<misuse> all;
    for (const auto& some : {of_matrices(), of_options(), of_solvers(), of_numbers_and_files()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

TEST(misuse, is_an_exception_with_words)
{
    for (const misuse& each : all_misuse()) {
        SCOPED_TRACE(each.name);
        try {
            each.call();
            ADD_FAILURE() << "is taken";
        } catch (const std::exception& e) {
            const std::string message = e.what();
            EXPECT_TRUE(each.is_of_type(e)) << typeid(e).name() << ": " << message;
            EXPECT_TRUE(std::regex_search(message, std::regex(each.words))) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
            EXPECT_TRUE(message.size() > 10 && message.size() < 400) << message;
        }
    }
}

TEST(misuse, there_are_fifty_kinds)
{
    std::set<std::string> names;
    for (const misuse& each : all_misuse()) {
        EXPECT_TRUE(names.insert(each.name).second) << each.name;
    }
    EXPECT_GE(names.size(), 50u);
}

}  // namespace
}  // namespace residua
