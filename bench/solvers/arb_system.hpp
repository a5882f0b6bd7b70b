#pragma once

#include <arb_mat.h>
#include <mpfr.h>

#include "dense_ways.hpp"

namespace residua::bench {

/// A problem as FLINT takes it.
struct arb_system {
    arb_mat_t a, b, x;

    explicit arb_system(const problem& q)
    {
        arb_mat_init(a, q.n, q.n);
        arb_mat_init(b, q.n, 1);
        arb_mat_init(x, q.n, 1);
        for (index_t i = 0; i < q.n; ++i) {
            arf_set_mpfr(arb_midref(arb_mat_entry(b, i, 0)), q.b[static_cast<std::size_t>(i)].mpfr());
            for (index_t j = 0; j < q.n; ++j) {
                arf_set_mpfr(arb_midref(arb_mat_entry(a, i, j)), q.a[static_cast<std::size_t>(i * q.n + j)].mpfr());
            }
        }
    }
    arb_system(const arb_system&) = delete;
    arb_system& operator=(const arb_system&) = delete;
    ~arb_system()
    {
        arb_mat_clear(a);
        arb_mat_clear(b);
        arb_mat_clear(x);
    }
};

}  // namespace residua::bench
