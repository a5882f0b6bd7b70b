// irs_bench [json] [n] [repeats] [part ...]  Dense systems that binary64 cannot solve on a CUDA device: refinement with
// residuals in longer formats beside cuSOLVER's LU and its own iterative refinement (IRS).
//
// Matrices are U diag(sigma) V' of order n, 4096 if not given, with singular values from 1 to 1 / kappa. Parts:
//
//   factors    getrf in binary64 and binary32 and getrf_mixed, in panels of several widths, on a random matrix
//   triangles  making block_triangle and solving by it, in blocks of several sizes, beside trsv; with the factors of
//              the first matrix of 1e14, and compared with the host bit for bit
//   1e14       kappa 1e14; A and b in binary64, so that every solver has the same system. Its solution is computed in
//              four terms, and its residual with 300 bits. Ours: binary64 factors, residuals and x in two terms
//   1e20       kappa 1e20; A in two terms, as binary64 does not hold such a condition, and b = A x in four. Ours:
//              residuals and x in four terms; factors in binary64, of A rounded to that, with GMRES where refinement
//              does not do; and factors in two terms from the host, whose large products the device computes
//
// all if none is named. Plain refinement converges where the factors are off by less than 1 / kappa of A: with binary64
// factors at kappa 1e14 it gains 2 to 5 digits a step for n from 300 to 1000, so that GMRES is not needed there. At 1e20
// they are no more than a preconditioner: with one small singular value a dozen steps of GMRES do, with geometric ones
// it takes as many as lie below 1e-16. x has to have 16 digits: exit status 1 if ours has not at 1e14, or not with
// factors in two terms at 1e20, or if a residual is not what it should be.
//
// Times are elapsed ones until the host has the answer that it waits for, medians; ours with the copy of A that becomes
// the factors, and with the memory taken, cuSOLVER's without.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <omp.h>
#include <nlohmann/json.hpp>

#include <residua/blas/base/cuda_timer.hpp>
#include <residua/blas/level2/gemv2.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/precond/dense_lu.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "../blas/machine.hpp"
#include "factor_times.hpp"
#include "irs_peers.hpp"
#include "irs_systems.hpp"
#include "randsvd.hpp"

namespace residua::bench {
namespace {

using nlohmann::json;
constexpr double wanted = 1e-16;  // max |x_i - computed_i| / max |x_i|

class program {
public:
    program(std::string file, index_t order, int times)
        : exec(make_cuda_executor()), n(order), repeats(times), file_(std::move(file))
    {}

    void add(const std::string& part, const std::string& matrix, const outcome& o, bool has_to_be_right)
    {
        const double total = o.factor_seconds + o.refine_seconds;
        const bool right = o.error <= wanted;
        if (has_to_be_right && !right) {
            failed = true;
        }
        std::printf("| %s | %s | %-44s | %9.3f | %9.3f | %9.3f | %4ld | %.1e | %.1e | %s%s |\n", part.c_str(),
                    matrix.c_str(), o.name.c_str(), 1e3 * o.factor_seconds, 1e3 * o.refine_seconds, 1e3 * total,
                    static_cast<long>(o.iterations), o.error, o.residual, o.status.c_str(),
                    has_to_be_right && !right ? " WRONG" : "");
        std::fflush(stdout);
        cells.push_back({{"part", part},
                         {"matrix", matrix},
                         {"solver", o.name},
                         {"factor_ms", 1e3 * o.factor_seconds},
                         {"refine_ms", 1e3 * o.refine_seconds},
                         {"total_ms", 1e3 * total},
                         {"iterations", o.iterations},
                         {"error", o.error},
                         {"residual", o.residual},
                         {"status", o.status},
                         {"runs_s", o.all_seconds}});
        write();
    }

    void write() const
    {
        if (!file_.empty()) {
            std::ofstream(file_) << json{{"benchmark", "irs_bench"},
                                         {"machine", machine()},
                                         {"device", cuda_devices().front().name},
                                         {"threads", omp_get_max_threads()},
                                         {"n", n},
                                         {"repeats", repeats},
                                         {"cells", cells}}
                                        .dump(1)
                                 << "\n";
        }
    }

    cuda_executor exec;
    index_t n;
    int repeats;
    bool failed = false;
    json cells = json::array();

private:
    std::string file_;
};

/// Times of making M by make() and of solving by it, medians; the first run is not counted if there are several.
template <class T, class A, class Make>
outcome run_ours(const program& p, const std::string& name, const A& a, const device_vector<T>& b, double tolerance,
                 int repeats, const Make& make, device_vector<T>& x)
{
    const device_space<T> space{p.exec};
    outcome o{.name = name};
    std::vector<double> factors, refinements;
    for (int k = repeats > 1 ? -1 : 0; k < repeats; ++k) {
        const double start = now();
        const auto m = make();
        synchronize(p.exec);
        const double made = now();
        solve(space, a, m, b, tolerance, x, o);
        const double end = now();
        if (k >= 0) {
            factors.push_back(made - start);
            refinements.push_back(end - made);
            o.all_seconds.push_back(end - start);
        }
    }
    o.factor_seconds = median(factors);
    o.refine_seconds = median(refinements);
    return o;
}

dense_lu<cuda_executor> binary64_factors(const cuda_executor& exec, const matrix<cuda_executor, double>& a,
                                         index_t rows = blas::block_triangle<cuda_executor>::default_rows)
{
    dense_lu<cuda_executor> m(exec, a, false, rows);
    if (!m.failure().empty()) {
        throw error("irs_bench: " + m.failure());
    }
    return m;
}

/// Makes both triangles of the factors in blocks of several sizes and solves by them, beside trsv.
void run_triangles(program& p, const matrix<cuda_executor, double>& a)
{
    matrix<cuda_executor, double> lu = a;
    buffer<cuda_executor, std::int64_t> pivots(p.n, p.exec);
    const auto view = lu.view();
    if (blas::getrf(p.exec, blas::lapack_matrix<cuda_executor, double>{view.data(), p.n, view.ld}, pivots.span()) !=
        0) {
        throw error("irs_bench: a pivot is zero");
    }
    const auto on_host = to_host(p.exec, lu);
    const host_vector<double> b = random_vector(p.n);
    const device_vector<double> db = to_device(p.exec, b);
    device_vector<double> x(p.n, p.exec);
    cuda_timer timer(p.exec);
    const auto milliseconds = [&](int calls, const std::function<void()>& work) {
        work();
        std::vector<double> all;
        for (int k = 0; k < std::max(p.repeats, 3); ++k) {
            timer.start();
            for (int c = 0; c < calls; ++c) {
                work();
            }
            all.push_back(1e3 * timer.stop() / calls);
        }
        return median(all);
    };
    const auto report = [&](const std::string& name, double made, double solved) {
        std::printf("L and U by %-24s made %8.4f ms, solved by %8.4f ms\n", name.c_str(), made, solved);
        std::fflush(stdout);
        p.cells.push_back({{"part", "triangles"}, {"by", name}, {"made_ms", made}, {"solved_ms", solved}});
    };
    const double substituted = milliseconds(3, [&] {
        blas::trsv<double>(p.exec, blas::uplo::lower, blas::trans::no, blas::diag::unit, view, db.view(), x.view());
        blas::trsv<double>(p.exec, blas::uplo::upper, blas::trans::no, blas::diag::non_unit, view, x.view(), x.view());
    });
    report("trsv", 0.0, substituted);
    using blas::block_triangle;
    for (const index_t rows : {64, 128, 256, 512}) {
        const auto pair = [&]<class Exec>(const Exec& exec, matrix_view<Exec, const double> of) {
            return std::pair{block_triangle<Exec>(exec, blas::uplo::lower, blas::diag::unit, of, rows),
                             block_triangle<Exec>(exec, blas::uplo::upper, blas::diag::non_unit, of, rows)};
        };
        const matrix_view<cuda_executor, const double> there = view;
        const auto triangles = pair(p.exec, there);
        const double solved = milliseconds(20, [&] {
            triangles.first.solve(p.exec, db.view(), x.view());
            triangles.second.solve(p.exec, x.view(), x.view());
        });
        report("blocks of " + std::to_string(rows), milliseconds(3, [&] { (void)pair(p.exec, there); }), solved);
        const host_executor host;
        const matrix_view<host_executor, const double> here = on_host.view();
        const auto [host_lower, host_upper] = pair(host, here);
        host_vector<double> y(p.n);
        host_lower.solve(host, b.view(), y.view());
        host_upper.solve(host, y.view(), y.view());
        const host_vector<double> computed = to_host(p.exec, x);
        for (index_t i = 0; i < p.n; ++i) {
            if (to_bits(computed.get(i)) != to_bits(y.get(i))) {
                std::printf("blocks of %ld: element %ld is not the host's: WRONG\n", static_cast<long>(rows),
                            static_cast<long>(i));
                p.failed = true;
                break;
            }
        }
    }
    p.write();
}

void run_factors(program& p)
{
    const double operations = 2.0 / 3.0 * std::pow(static_cast<double>(p.n), 3);
    for (const factor_time& t : time_factors(p.exec, p.n, p.repeats)) {
        const double seconds = median(t.seconds);
        std::printf("%-36s %9.3f ms, %7.2f Tflop/s, off by %.1e |L| |U|\n", t.name.c_str(), 1e3 * seconds,
                    1e-12 * operations / seconds, t.error);
        std::fflush(stdout);
        p.cells.push_back({{"part", "factors"},
                           {"by", t.name},
                           {"factor_ms", 1e3 * seconds},
                           {"error", t.error},
                           {"runs_s", t.seconds}});
    }
    p.write();
}

void run_binary64_system(program& p, double kappa, spread mode, const std::string& name, bool triangles, bool solvers)
{
    const matrix<host_executor, double> a = rounded(randsvd(p.n, kappa, mode));
    const auto da = to_device(p.exec, a);
    if (triangles) {
        run_triangles(p, da);
    }
    if (!solvers) {
        return;
    }
    host_vector<double> b(p.n);
    blas::gemv2(host_executor{}, 1.0, a.view(), random_vector(p.n).view(), 0.0, b.view());
    const auto make = [&] { return binary64_factors(p.exec, da); };

    const auto in_space = [&]<class T>(const host_vector<T>&) {
        host_vector<T> wide(p.n);
        for (index_t i = 0; i < p.n; ++i) {
            wide.set(i, T{b.get(i)});
        }
        return to_device(p.exec, wide);
    };
    // What solves exactly this A x = b: to a residual that leaves 25 digits of x at the least.
    device_vector<qd> solution(p.n, p.exec);
    run_ours(p, "", dense_operator<qd, double>{da.view()}, in_space(host_vector<qd>()), 1e-43, 1, make, solution);
    const host_vector<qd> exact = to_host(p.exec, solution);
    const double left = true_residual(a, b, exact);
    std::printf("residual of the solution in four terms: %.1e\n", left);
    if (!(left < 1e-40)) {
        std::printf("that is WRONG\n");
        p.failed = true;
        return;
    }

    buffer<host_executor, double> packed(p.n * p.n), b_words(p.n);
    for (index_t j = 0; j < p.n; ++j) {
        std::copy(a.view().data() + j * a.view().ld, a.view().data() + j * a.view().ld + p.n, packed.data() + j * p.n);
    }
    std::copy(b.view().data(), b.view().data() + p.n, b_words.data());
    for (const peer_run& run :
         run_peers(p.exec, p.n, to_device(p.exec, packed), to_device(p.exec, b_words), p.repeats)) {
        outcome o{
            .name = run.name, .factor_seconds = median(run.seconds), .error = std::nan(""), .residual = std::nan("")};
        o.iterations = run.iterations;
        o.all_seconds = run.seconds;
        o.status = !run.failure.empty() ? run.failure
                   : run.info != 0      ? "info " + std::to_string(run.info)
                   : run.iterations < 0 ? "fell back to binary64"
                                        : "done";
        if (run.failure.empty()) {
            host_vector<double> x(p.n);
            std::copy(run.x.begin(), run.x.end(), x.view().data());
            o.error = error_of(run.x, exact);
            o.residual = true_residual(a, b, x);
        }
        p.add("1e14", name, o, false);
    }
    device_vector<dd> x(p.n, p.exec);
    outcome ours = run_ours(p, "ours: binary64 LU, two terms", dense_operator<dd, double>{da.view()},
                            in_space(host_vector<dd>()), wanted / kappa, p.repeats, make, x);
    const host_vector<dd> computed = to_host(p.exec, x);
    ours.error = error_of(numbers(computed), exact);
    ours.residual = true_residual(a, b, computed);
    p.add("1e14", name, ours, true);
}

void run_two_term_system(program& p, double kappa, spread mode, const std::string& name)
{
    const matrix<host_executor, dd> a = randsvd(p.n, kappa, mode);
    const host_vector<double> x_0 = random_vector(p.n);
    host_vector<qd> exact(p.n);
    matrix<host_executor, qd> wide(p.n, p.n);
    for (index_t j = 0; j < p.n; ++j) {
        exact.set(j, qd{x_0.get(j)});
        for (index_t i = 0; i < p.n; ++i) {
            const dd entry = a.get(i, j);
            wide.set(i, j, qd{term(entry, 0)} + qd{term(entry, 1)});
        }
    }
    host_vector<qd> b(p.n);
    blas::gemv<qd>(host_executor{}, blas::trans::no, qd{1.0}, wide.view(), exact.view(), qd{0.0}, b.view());
    const double left = true_residual(a, b, exact);
    std::printf("residual of x where b was made: %.1e\n", left);
    if (!(left < 1e-55)) {
        std::printf("that is WRONG\n");
        p.failed = true;
        return;
    }
    const auto da = to_device(p.exec, wide);
    const auto db = to_device(p.exec, b);
    const dense_operator<qd, qd> on_device{da.view()};
    const auto judge = [&](outcome o, const device_vector<qd>& x, bool has_to_be_right) {
        const host_vector<qd> computed = to_host(p.exec, x);
        o.error = error_of(numbers(computed), exact);
        o.residual = true_residual(a, b, computed);
        p.add("1e20", name, o, has_to_be_right);
    };
    const double tolerance = wanted / kappa;
    device_vector<qd> x(p.n, p.exec);
    {
        const auto first = to_device(p.exec, rounded(a));
        judge(run_ours(
                  p, "ours: binary64 LU of A rounded, four terms", on_device, db, tolerance, 1,
                  [&] { return binary64_factors(p.exec, first); }, x),
              x, false);
    }
    judge(run_ours(
              p, "ours: two-term LU, four terms", on_device, db, tolerance, 1,
              [&] {
                  const dense_factors<host_space<dd>> f({}, a, false, {.products = {.device = p.exec}});
                  if (!f.failure().empty()) {
                      throw error("irs_bench: " + f.failure());
                  }
                  return two_term_factors(p.exec, f);
              },
              x),
          x, true);
}

int run(int argc, char** argv)
{
    program p(argc > 1 ? argv[1] : "", argc > 2 ? std::atol(argv[2]) : 4096, argc > 3 ? std::atoi(argv[3]) : 5);
    if (p.n < 2 || p.n > 30000 || p.repeats < 1) {
        throw error("n is from 2 to 30000, repeats from 1 on");
    }
    const std::set<std::string> parts(argv + std::min(argc, 4), argv + argc);
    const std::set<std::string> known{"factors", "triangles", "1e14", "1e20"};
    for (const std::string& part : parts) {
        if (!known.contains(part)) {
            throw error("there is no part " + part);
        }
    }
    const auto on = [&](const std::string& part) { return parts.empty() || parts.contains(part); };
    std::printf("n = %ld on %s; times in ms, of LU and the copies it needs, refinement, both\n", static_cast<long>(p.n),
                cuda_devices().front().name.c_str());
    if (on("factors")) {
        run_factors(p);
    }
    const std::pair<spread, std::string> modes[] = {{spread::geometric, "geometric"}, {spread::one_small, "one small"}};
    for (const auto& [mode, name] : modes) {
        const bool triangles = on("triangles") && mode == spread::geometric;
        if (triangles || on("1e14")) {
            run_binary64_system(p, 1e14, mode, name, triangles, on("1e14"));
        }
    }
    for (const auto& [mode, name] : modes) {
        if (on("1e20")) {
            run_two_term_system(p, 1e20, mode, name);
        }
    }
    return p.failed ? 1 : 0;
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    try {
        return residua::bench::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "irs_bench: %s\n", e.what());
        return 1;
    }
}
