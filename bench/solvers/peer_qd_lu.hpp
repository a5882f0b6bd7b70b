#pragma once

#include <functional>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/error.hpp>

namespace residua::bench {

/// A x = b by LU with partial pivoting in QD's double-double numbers (2 terms) or quad-double ones (4).
struct qd_solve {
    std::function<void()> run;
    std::function<std::vector<real>()> result;
};

/// a  by rows
qd_solve make_qd_solve(int terms, index_t n, const std::vector<real>& a, const std::vector<real>& b);

}  // namespace residua::bench
