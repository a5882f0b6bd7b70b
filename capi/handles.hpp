#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <residua/solvers/dense.hpp>
#include <residua/solvers/solver.hpp>

#include "residua.h"

/// What is behind the handles of residua.h. The kind is their first member, so that a handle of another type is noticed.
namespace residua::capi {

enum class kind : std::uint32_t {
    system = 0x72735379,
    options = 0x72734f70,
    solver = 0x7273536f,
    solution = 0x72735361,
    vector = 0x72735665,
    matrix = 0x72734d61
};

}  // namespace residua::capi

struct residua_vector {
    static constexpr auto own_kind = residua::capi::kind::vector;
    residua::capi::kind kind = own_kind;
    std::vector<std::vector<residua::real>> columns;  ///< at least one, all of one length
    bool complex = false;                             ///< they are in real form: docs/format-complex.md
};

struct residua_system {
    static constexpr auto own_kind = residua::capi::kind::system;
    residua::capi::kind kind = own_kind;
    std::shared_ptr<const residua::linear_system> matrix;
};

struct residua_options {
    static constexpr auto own_kind = residua::capi::kind::options;
    residua::capi::kind kind = own_kind;
    residua::solve_options options;
    bool has_complex_guess = false;  ///< options.initial_guess is in real form, and below options.null_space
    bool has_complex_null_space = false;
};

struct residua_solver {
    static constexpr auto own_kind = residua::capi::kind::solver;
    residua::capi::kind kind = own_kind;
    std::atomic_flag at_work = {};
    residua::solver solver;
    std::string plan = {};
};

struct residua_solution {
    static constexpr auto own_kind = residua::capi::kind::solution;
    residua::capi::kind kind = own_kind;
    residua_vector x;
    std::vector<residua::solve_report> reports;
    std::vector<std::string> texts;  ///< of the reports
};

struct residua_matrix {
    static constexpr auto own_kind = residua::capi::kind::matrix;
    residua::capi::kind kind = own_kind;
    residua::dense::dense_matrix numbers;
};
