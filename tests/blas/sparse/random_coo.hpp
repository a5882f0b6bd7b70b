#pragma once

#include <residua/blas/sparse/csr.hpp>
#include <tests/blas/formats.hpp>

namespace residua::support {

/// Rows of very different length: empty ones, full ones, and about `density` of the rest.
template <class V>
io::coo<V> random_coo(biased_random& random, index_t rows, index_t cols, double density)
{
    io::coo<V> a;
    a.rows = rows;
    a.cols = cols;
    for (index_t i = 0; i < rows; ++i) {
        const int kind = random.integer(0, 9);
        const double part = kind == 0 ? 0.0 : kind == 1 ? 1.0 : density;
        for (index_t j = 0; j < cols; ++j) {
            if (random.uniform() < part) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(random.number<V>(-20, 20));
            }
        }
    }
    return a;
}

}  // namespace residua::support
