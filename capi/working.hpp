#pragma once

#include "errors.hpp"
#include "handles.hpp"

namespace residua::capi {

/// While this lives, a solver is at work.
class working {
public:
    explicit working(residua_solver& solver) : flag_(solver.at_work)
    {
        if (flag_.test_and_set(std::memory_order_acquire)) {
            throw busy_handle("the solver is at work for another call");
        }
    }
    ~working() { flag_.clear(std::memory_order_release); }
    working(const working&) = delete;
    working& operator=(const working&) = delete;

private:
    std::atomic_flag& flag_;
};

}  // namespace residua::capi
