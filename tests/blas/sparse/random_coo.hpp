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

/// A square matrix of `layers` times `width` rows: each has its diagonal and a few entries in the layers beside its own, so
/// that a triangle of it has as many levels as there are layers.
inline io::coo<double> layered_coo(biased_random& random, index_t layers, index_t width)
{
    io::coo<double> a;
    a.rows = a.cols = layers * width;
    for (index_t i = 0; i < a.rows; ++i) {
        const index_t layer = i / width;
        const auto place = [&](index_t j, double value) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(value);
        };
        const index_t one = random.integer(0, static_cast<int>(width) - 1);
        if (layer > 0) {
            place((layer - 1) * width + one, random.full(-1, 1));
        }
        place(i, random.full(1, 2));
        if (layer + 1 < layers) {
            place((layer + 1) * width + one, random.full(-1, 1));
        }
    }
    return a;
}

}  // namespace residua::support
