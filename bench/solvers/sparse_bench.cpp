// Times direct solvers for sparse systems, all in the same run: analysis, factorisation and solve, each the median of
// some runs. Every run begins anew, with memory that the solver has to get.
//
//   sparse_bench [--grid2 256,512] [--grid3 40] [FILE.mtx ...] [--peers cholmod,mumps] [--ordering metis|amd|default]
//                [--threads 1] [--repeat 3] [--json FILE] [--columns 16] [--refined [--digits 30]]
//
// The residual is ||b - A x|| / ||b|| in 2-norms, b - A x being exact. Memory is that of the factors.
//
// Columns: so many right-hand sides are solved together, by a solver that does not take several one after the other.
//
// Refined: x in three doubles by refinement with the factors, until the residual is below 10^-digits. It is computed in
// three doubles, by spmv, and exactly only for the table. The total is that of analysis, factorisation and refinement.
//
// The solvers are Debian's libraries with OpenBLAS; Eigen is compiled as residua is. One that does not take a matrix is
// left out. Exit status 1 if one fails, or if a residual is not what it should be.
//
// CHOLMOD's own loops always ask for four threads. --threads 1 still gives one thread. For more threads set
// OMP_THREAD_LIMIT to their number. Set OMP_WAIT_POLICY=passive too: otherwise waiting threads slow OpenBLAS's down.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <omp.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/matrix/matrix_storage.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "../blas/machine.hpp"
#include "sparse_peers.hpp"

extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));  // absent in other libraries

namespace residua::bench {
namespace {

using nlohmann::json;
using three = expansion<double, 3>;

constexpr int most_solves = 10;  // of a refinement

constexpr std::array<sparse_peer_kind, 9> kinds{{
    {"residua-llt", [](const sparse_problem& p) { return p.definite; }, make_residua_llt},
    {"residua-lu", [](const sparse_problem&) { return true; }, make_residua_lu},
    {"residua-llt-binary32", [](const sparse_problem& p) { return p.definite; }, make_residua_llt_binary32, 1e-3},
    {"residua-lu-binary32", [](const sparse_problem&) { return true; }, make_residua_lu_binary32, 1e-3},
    {"cholmod", [](const sparse_problem& p) { return p.definite; }, make_cholmod},
    {"mumps", [](const sparse_problem&) { return true; }, make_mumps},
    {"superlu", [](const sparse_problem&) { return true; }, make_superlu},
    {"eigen-llt", [](const sparse_problem& p) { return p.definite; }, make_eigen_llt},
    {"eigen-lu", [](const sparse_problem&) { return true; }, make_eigen_lu},
}};

struct options {
    std::vector<int> squares, cubes;
    std::vector<std::string> files, peers;
    sparse_ordering ordering = sparse_ordering::automatic;
    int threads = 1;
    int repeats = 3;
    int columns = 1;
    std::string json_file;
    bool refined = false;
    double digits = 30.0;
};

/// Seconds of the phases of one run, and what came out.
struct run_times {
    double analyse = 0.0, factorise = 0.0, solve = 0.0;  ///< solve: the refinement, if there is one
    int solves = 1;
    double residual = 0.0;
    factor_facts facts;

    double total() const { return analyse + factorise + solve; }
};

template <class F>
double seconds(const F& run)
{
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> of)
{
    std::sort(of.begin(), of.end());
    return 0.5 * (of[(of.size() - 1) / 2] + of[of.size() / 2]);
}

/// A and b for blas.
class long_system {
public:
    using vector = residua::vector<host_executor, three>;

    explicit long_system(const sparse_problem& p)
        : a_(make_csr(p.rows)),
          stored_(stored_for_products(make_csr(p.rows))),
          b_(space_.make_vector(p.b)),
          norm_(norm(b_))
    {}

    /// r = b - A x in three doubles, with y = A x; the result is ||r|| / ||b||.
    double residual(const vector& x, vector& y, vector& r) const
    {
        std::visit([&](const auto& a) { space_.spmv(a, x, y); }, stored_);
        space_.waxpby(three{1.0}, b_, three{-1.0}, y, r);
        return norm(r) / norm_;
    }

    /// The same with r rounded once.
    double exact_residual(const vector& x) const
    {
        vector r = space_.make_vector(x.size());
        space_.residual(a_, x, b_, r);
        return norm(r) / norm_;
    }

private:
    /// Of the leading terms, whose squares are far from the ends of the range.
    static double norm(const vector& x)
    {
        const double* const t = x.view().data();
        return std::sqrt(std::inner_product(t, t + x.size(), t, 0.0));
    }

    host_space<three> space_;
    csr<host_executor, double> a_;
    stored_matrix<host_executor, double> stored_;  ///< the same as products are fastest with it
    vector b_;
    double norm_;
};

/// x <- x + A^-1 (b - A x) from x = 0 on, until the residual is small enough or no longer falls.
void refine(const long_system& system, const sparse_problem& p, sparse_peer& peer, double tolerance,
            long_system::vector& x, run_times& t)
{
    const host_space<three> space;
    auto y = space.make_vector(p.n), r = space.make_vector(p.n), d = space.make_vector(p.n);
    std::vector<double> right = p.b, correction(right.size());
    int up = 0;  // the right-hand side is 2^up times the residual
    double residual = 1.0;
    for (t.solves = 1;; ++t.solves) {
        peer.solve(right, correction);
        std::copy(correction.begin(), correction.end(), d.view().data());  // the leading terms; the others stay zero
        space.axpy(three{std::ldexp(1.0, -up)}, d, x);
        const double before = std::exchange(residual, system.residual(x, y, r));
        if (residual <= tolerance || t.solves == most_solves || !(residual < 0.5 * before)) {
            return;
        }
        up = -std::ilogb(residual);
        std::transform(r.view().data(), r.view().data() + p.n, right.begin(),
                       [&](double z) { return std::ldexp(z, up); });
    }
}

run_times run(const sparse_peer_kind& kind, const sparse_problem& p, const long_system& system, const options& o)
{
    run_times t;
    const auto peer = kind.make(p, o.ordering);
    t.analyse = seconds([&] { peer->analyse(); });
    t.factorise = seconds([&] { peer->factorise(); });
    const host_space<three> space;
    auto x = space.make_vector(p.n);
    if (o.refined) {
        t.solve = seconds([&] { refine(system, p, *peer, std::pow(10.0, -o.digits), x, t); });
    } else {
        std::vector<double> b;
        for (int k = 0; k < o.columns; ++k) {
            b.insert(b.end(), p.b.begin(), p.b.end());
        }
        std::vector<double> y(b.size());
        t.solve = seconds([&] { o.columns == 1 ? peer->solve(b, y) : peer->solve_together(p.n, b, y); });
        std::copy(y.end() - p.n, y.end(), x.view().data());
    }
    t.residual = system.exact_residual(x);
    t.facts = peer->facts();
    return t;
}

/// "-" for what is unknown.
std::string in_millions(double x)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.2f", 1e-6 * x);
    return x > 0.0 ? text.data() : "-";
}

class program {
public:
    explicit program(options o) : o_(std::move(o))
    {
        const std::string columns = o_.refined ? "refine s | total s | solves" : "solve s | total s";
        const std::string head = "| system | n | solver | order | analyse s | factorise s | " + columns +
                                 " | entries M | Mflop | MB | residual |";
        std::string rule = "|";
        for (auto k = std::count(head.begin(), head.end(), '|'); k > 1; --k) {
            rule += " --- |";
        }
        std::printf("%s\n%s\n", head.c_str(), rule.c_str());
    }

    void measure(sparse_problem p)
    {
        const long_system system(p);
        for (const std::string& name : o_.peers) {
            const auto& kind = *std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == name; });
            try {
                measure(kind, p, system);
            } catch (const not_definite& e) {
                std::printf("%s: %s; from here on it is taken as symmetric\n", p.name.c_str(), e.what());
                p.definite = false;
                measure(kind, p, system);
            } catch (const std::exception& e) {
                std::printf("%s: %s\n", p.name.c_str(), e.what());
                failed = true;
            }
            std::fflush(stdout);
        }
    }

    bool failed = false;

private:
    void measure(const sparse_peer_kind& kind, const sparse_problem& p, const long_system& system)
    {
        if (!kind.takes(p)) {
            return;
        }
        std::vector<run_times> runs;
        for (int k = 0; k < o_.repeats; ++k) {
            runs.push_back(run(kind, p, system, o_));
        }
        const auto all = [&](auto part) {
            std::vector<double> times;
            std::transform(runs.begin(), runs.end(), std::back_inserter(times), part);
            return times;
        };
        const std::map<std::string, std::vector<double>> times{
            {"analyse_s", all([](const run_times& t) { return t.analyse; })},
            {"factorise_s", all([](const run_times& t) { return t.factorise; })},
            {o_.refined ? "refine_s" : "solve_s", all([](const run_times& t) { return t.solve; })},
            {"total_s", all([](const run_times& t) { return t.total(); })}};
        report(kind, p, runs.back(), times);
    }

    void report(const sparse_peer_kind& kind, const sparse_problem& p, const run_times& last,
                const std::map<std::string, std::vector<double>>& times)
    {
        const bool right = last.residual <= (o_.refined ? std::pow(10.0, -o_.digits) : kind.largest_residual);
        failed = failed || !right;
        json cell{{"system", p.name},
                  {"n", p.n},
                  {"entries", p.value.size()},
                  {"solver", kind.name},
                  {"ordering", last.facts.ordering},
                  {"solves", last.solves},
                  {"factor_entries", last.facts.entries},
                  {"flops", last.facts.flops},
                  {"factor_bytes", last.facts.bytes},
                  {"residual", last.residual},
                  {"runs", times}};
        for (const auto& [name, each] : times) {
            cell[name] = median(each);
        }
        std::printf("| %s | %d | %.*s | %s | %.4f | %.4f | %.4f | %.4f |", p.name.c_str(), p.n,
                    static_cast<int>(kind.name.size()), kind.name.data(), last.facts.ordering.c_str(),
                    cell["analyse_s"].get<double>(), cell["factorise_s"].get<double>(),
                    cell[o_.refined ? "refine_s" : "solve_s"].get<double>(), cell["total_s"].get<double>());
        if (o_.refined) {
            std::printf(" %d |", last.solves);
        }
        std::printf(" %s | %s | %s | %.1e%s |\n", in_millions(last.facts.entries).c_str(),
                    in_millions(last.facts.flops).c_str(), in_millions(last.facts.bytes).c_str(), last.residual,
                    right ? "" : " WRONG");
        cells_.push_back(std::move(cell));
        if (!o_.json_file.empty()) {
            json here = machine();
            here.erase("flags_of_peers");  // which are Debian's libraries; Eigen is compiled as residua is
            std::ofstream(o_.json_file) << json{{"benchmark", "sparse_bench"}, {"machine", here},
                                                {"threads", o_.threads},       {"repeats", o_.repeats},
                                                {"refined", o_.refined},       {"cells", cells_}}
                                               .dump(1)
                                        << "\n";
        }
    }

    options o_;
    json cells_ = json::array();
};

options read(int argc, char** argv)
{
    options o;
    CLI::App app{"Times direct solvers for sparse systems."};
    const std::map<std::string, sparse_ordering> orderings{
        {"metis", sparse_ordering::metis}, {"amd", sparse_ordering::amd}, {"default", sparse_ordering::automatic}};
    std::vector<std::string> names;
    for (const sparse_peer_kind& kind : kinds) {
        names.emplace_back(kind.name);
    }
    o.peers = names;
    app.add_option("files", o.files, "MatrixMarket files");
    app.add_option("--grid2", o.squares, "Poisson's equation on so many points squared")->delimiter(',');
    app.add_option("--grid3", o.cubes, "the same cubed")->delimiter(',');
    app.add_option("--peers", o.peers, "the solvers, of all")->delimiter(',')->check(CLI::IsMember(names));
    app.add_option("--ordering", o.ordering, "default: what each solver takes if it is not told")
        ->transform(CLI::CheckedTransformer(orderings));
    app.add_option("--threads", o.threads)->check(CLI::PositiveNumber);
    app.add_option("--repeat", o.repeats)->check(CLI::PositiveNumber);
    app.add_option("--json", o.json_file);
    app.add_option("--columns", o.columns, "right-hand sides of a solve")->check(CLI::PositiveNumber);
    app.add_flag("--refined", o.refined, "x in three doubles");
    app.add_option("--digits", o.digits, "of the residual of x in three doubles")->check(CLI::Range(1.0, 40.0));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        std::exit(app.exit(e));
    }
    return o;
}

void set_threads(int threads)
{
    if (openblas_set_num_threads == nullptr) {
        throw error("the BLAS is not OpenBLAS, whose threads are known to be set");
    }
    openblas_set_num_threads(threads);
    omp_set_num_threads(threads);
    if (threads == 1) {
        omp_set_max_active_levels(0);  // holds where a loop asks for more, too
    }
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    using namespace residua::bench;
    try {
        const options o = read(argc, argv);
        set_threads(o.threads);
        program all(o);
        for (const int side : o.squares) {
            all.measure(make_grid(2, side));
        }
        for (const int side : o.cubes) {
            all.measure(make_grid(3, side));
        }
        for (const std::string& file : o.files) {
            all.measure(load_problem(file));
        }
        return all.failed ? 1 : 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "sparse_bench: %s\n", e.what());
        return 1;
    }
}
