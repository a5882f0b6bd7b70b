// mpi_solve LIBRARY BITS [fails | again]: Poisson's equation on a square by CG with Jacobi's preconditioner on the processes of
// a library, or on one for "". Process 0 prints the iterations, and a hash of all bits of x. `fails`: the last process
// throws in the middle. `again`: another object has begun MPI and is gone; after the solve all are, and MPI with them.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/processes/agreed_rule.hpp>
#include <residua/solvers/processes/open_processes.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

#include "tests/solvers/processes/pieces.hpp"
#include "tests/support/krylov.hpp"
#include "tests/support/sparse.hpp"

namespace {

using namespace residua;

constexpr std::int32_t side = 91;

/// b, and x for a matrix and a preconditioner in the space.
template <class S>
typename S::vector solve(const S& space, const any_operator<S>& a, const any_operator<S>& m, const stop_rule& rule,
                         iteration_report& report)
{
    auto b = space.make_vector(index_t{side} * side);
    auto x = space.make_vector(index_t{side} * side);
    space.fill(space.make_scalar(1.0) / space.make_scalar(3.0), b);
    cg_workspace<S> work(space, space.size(b));
    report = cg(space, a, m, b, x, rule, work);
    return x;
}

template <class S>
void run(const S& local, processes& all, double tolerance, bool fails)
{
    using D = distributed_space<S>;
    const index_t n = index_t{side} * side;
    const D space(local, partition::even(n, blas::block_of_sum<typename S::element>(n), all.count()), all);
    const sparse_matrix a = cut_rows(support::grid(side, side), space.first(), space.last());
    const sparse_matrix m = invert_diagonal(a, true, space.first()).matrix;

    stop_rule asked = support::rule(tolerance);
    asked.on_iteration = [&](index_t k, double) {
        if (fails && k == 20 && all.rank() == all.count() - 1) {
            throw std::runtime_error("a fault on purpose");
        }
    };
    const agreed_rule rule(all, asked);
    iteration_report report;
    const auto own =
        solve(space, support::own_rows_in<S>(space, a), support::own_rows_in<S>(space, m), rule.rule(), report);

    const std::vector<std::byte> x = gather(all, support::bytes_of(local, own));
    if (all.count() == 1) {
        iteration_report whole;
        if (x != support::bytes_of(local, solve(local, matrix_in(local, a), matrix_in(local, m), asked, whole)) ||
            whole.iterations != report.iterations) {
            throw std::runtime_error("the space of one process has other bits");
        }
    }
    if (all.rank() == 0) {
        std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
        for (const std::byte each : x) {
            hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x100000001b3;
        }
        std::printf("%s after %lld iterations, %zu bytes of x: %016llx\n",
                    report.status == solve_status::converged ? "converged" : "ended",
                    static_cast<long long>(report.iterations), x.size(), static_cast<unsigned long long>(hash));
    }
}

/// Whether processes cannot be opened any more, and the error says why.
bool refuses_again(const char* library)
{
    try {
        (void)open_processes(library);
    } catch (const error& e) {
        return std::string(e.what()).find("MPI has ended in this program and cannot begin again") != std::string::npos;
    }
    return false;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 3) {
        return 2;
    }
    const std::string bits = argv[2];
    const std::string mode = argc > 3 ? argv[3] : "";
    const bool fails = mode == "fails";
    std::unique_ptr<processes> all;
    try {
        std::unique_ptr<processes> first = mode == "again" ? open_processes(argv[1]) : nullptr;
        all = open_processes(argv[1]);
        first.reset();
        if (bits == "212") {
            run(host_space<expansion<double, 4>>{}, *all, 1e-40, fails);
        } else {
            run(multidigit_space<host_executor>{{}, multidigit_format(std::stol(bits))}, *all, 1e-30, fails);
        }
        if (mode == "again") {
            all.reset();
            return refuses_again(argv[1]) ? 0 : 1;
        }
    } catch (const std::exception& e) {
        if (all != nullptr && all->count() > 1) {
            all->end_all(e.what());
        }
        std::fprintf(stderr, "mpi_solve: %s\n", e.what());
        return 1;
    }
    return 0;
}
