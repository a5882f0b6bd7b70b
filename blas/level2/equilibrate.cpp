#include <residua/blas/level2/equilibrate.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas {

void equilibrate(const host_executor&, matrix_view<host_executor, double> a, vector_view<host_executor, double> r,
                 vector_view<host_executor, double> c)
{
    require_equal("equilibrate", "rows of A and size of r", a.rows, r.size);
    require_equal("equilibrate", "columns of A and size of c", a.cols, c.size);
    const double operations = static_cast<double>(a.rows) * static_cast<double>(a.cols);
    detail::parallel_ranges(a.rows, 64, operations, [&](index_t begin, index_t end) {
        std::vector<std::uint64_t> largest(static_cast<std::size_t>(end - begin), 0);
        for (index_t j = 0; j < a.cols; ++j) {
            const double* const column = a.data() + j * a.ld;
            for (index_t i = begin; i < end; ++i) {
                std::uint64_t& row = largest[static_cast<std::size_t>(i - begin)];
                row = std::max(row, detail::magnitude_bits(column[i]));
            }
        }
        for (index_t i = begin; i < end; ++i) {
            r.data()[i] = detail::power_for(largest[static_cast<std::size_t>(i - begin)]);
        }
    });
    detail::parallel_ranges(a.cols, 1, operations, [&](index_t begin, index_t end) {
        for (index_t j = begin; j < end; ++j) {
            double* const column = a.data() + j * a.ld;
            std::uint64_t largest = 0;
            for (index_t i = 0; i < a.rows; ++i) {
                largest = std::max(largest, detail::magnitude_bits(column[i] * r.data()[i]));
            }
            c.data()[j] = detail::power_for(largest);
            for (index_t i = 0; i < a.rows; ++i) {
                column[i] = column[i] * r.data()[i] * c.data()[j];
            }
        }
    });
}

}  // namespace residua::blas
