#pragma once

#include <vector>

#include <residua/solvers/options/stop.hpp>

#include "systems.hpp"

namespace residua::support {

inline stop_rule rule(double tolerance, index_t most = 20000)
{
    stop_rule r;
    r.relative_residual = tolerance;
    r.max_iterations = most;
    return r;
}

struct real_run {
    iteration_report report;
    std::vector<real> x;
};

/// x and the report of a method on a nonsymmetric system with solution ones.
template <class Method>
real_run solve_for_ones(const io::coo<double>& a, long bits, Method&& method)
{
    const real_space space{bits};
    real_run run;
    run.x = space.make_vector(a.rows);
    std::vector<real> b = space.make_vector(a.rows);
    real_matrix{a}.apply(space, std::vector<real>(static_cast<std::size_t>(a.rows), real(1.0, bits)), b);
    run.report = method(space, real_matrix{a}, b, run.x);
    return run;
}

inline const std::vector<std::vector<double>> nonsymmetric{{4, 1, 0, 0}, {-2, 5, 1, 0}, {0, 3, -6, 2}, {1, 0, 0, 3}};

}  // namespace residua::support
