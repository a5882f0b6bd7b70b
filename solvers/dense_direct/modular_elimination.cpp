#include <residua/solvers/dense_direct/modular_elimination.hpp>

#include <algorithm>
#include <utility>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/room.hpp>
#include <residua/solvers/dense_direct/native_blocks.hpp>

namespace residua {

namespace {

using view = matrix_view<host_executor, double>;

constexpr double operations_of_product = 8.0;  // reduced

/// f(begin, end) for parts of [first, last), for what takes `products` products each.
template <class F>
void for_parts(index_t first, index_t last, index_t grain, double products, const F& f)
{
    const double operations = operations_of_product * products * static_cast<double>(last - first);
    blas::detail::parallel_ranges(last - first, grain, operations, [&](index_t begin, index_t end) {
        blas::detail::run_simd([&]() __attribute__((always_inline)) { f(first + begin, first + end); });
    });
}

}  // namespace

modular_elimination::modular_elimination(const prime_field& field, std::vector<std::int32_t> rows, index_t columns)
    : field_(field),
      row_(std::move(rows)),
      size_(static_cast<index_t>(row_.size())),
      columns_(columns),
      entries_(io::vector_of<double>(row_.size() * static_cast<std::size_t>(columns)))
{}

void modular_elimination::find(std::vector<std::int32_t>& rows, std::vector<index_t>& columns)
{
    for (index_t first = 0; first < columns_ && done_ < size_; first += prime_field::most_products) {
        io::ask_for_stop();
        const index_t last = std::min(first + prime_field::most_products, columns_);
        const index_t begin = done_;
        panel_.clear();
        for (index_t j = first; j < last && done_ < size_; ++j) {
            if (bring_pivot(j)) {
                rows.push_back(row_[static_cast<std::size_t>(done_)]);
                columns.push_back(j);
                eliminate(j, last);
                panel_.push_back(j);
                ++done_;
            }
        }
        update(begin, last);
    }
}

bool modular_elimination::bring_pivot(index_t j)
{
    const double* const x = column(j);
    index_t pivot = done_;
    while (pivot < size_ && x[pivot] == 0.0) {
        ++pivot;
    }
    if (pivot == size_) {
        return false;
    }
    if (pivot != done_) {
        std::swap(row_[static_cast<std::size_t>(pivot)], row_[static_cast<std::size_t>(done_)]);
        for (index_t k = 0; k < columns_; ++k) {
            std::swap(column(k)[pivot], column(k)[done_]);
        }
    }
    return true;
}

void modular_elimination::eliminate(index_t j, index_t last)
{
    constexpr index_t rows_together = 512;
    const prime_field& field = field_;
    double* const l = column(j);
    const double factor = field.inverse(l[done_]);
    for_parts(
        done_ + 1, size_, rows_together,
        static_cast<double>(last - j), [&](index_t begin, index_t end) __attribute__((always_inline)) {
#pragma omp simd
            for (index_t i = begin; i < end; ++i) {
                l[i] = field.multiply(l[i], factor);
            }
            for (index_t k = j + 1; k < last; ++k) {
                double* const x = column(k);
                const double minus = field.negate(x[done_]);
#pragma omp simd
                for (index_t i = begin; i < end; ++i) {
                    x[i] = field.reduced(x[i] + l[i] * minus);
                }
            }
        });
}

void modular_elimination::update(index_t begin, index_t last)
{
    constexpr index_t columns_together = 8;
    const prime_field& field = field_;
    const index_t pivots = done_ - begin;
    if (pivots == 0 || last == columns_) {
        return;
    }
    for_parts(
        last, columns_, columns_together,
        static_cast<double>(pivots * pivots) / 2.0, [&](index_t first, index_t end) __attribute__((always_inline)) {
            for (index_t k = first; k < end; ++k) {
                double* const x = column(k) + begin;
                for (index_t p = 0; p < pivots; ++p) {
                    const double* const l = column(panel_[static_cast<std::size_t>(p)]) + begin;
                    const double minus = field.negate(x[p]);
#pragma omp simd
                    for (index_t i = p + 1; i < pivots; ++i) {
                        x[i] = field.reduced(x[i] + l[i] * minus);
                    }
                }
            }
        });
    const index_t left = size_ - done_;
    if (left == 0) {
        return;
    }
    below_.resize(static_cast<std::size_t>(left * pivots));
    for (index_t p = 0; p < pivots; ++p) {
        std::copy_n(column(panel_[static_cast<std::size_t>(p)]) + done_, left, below_.data() + p * left);
    }
    const index_t behind = columns_ - last;
    detail::subtract<double>(view{{below_.data(), 0}, left, pivots, left},
                             view{{column(last) + begin, 0}, pivots, behind, size_},
                             view{{column(last) + done_, 0}, left, behind, size_});
    for_parts(
        last, columns_, columns_together,
        static_cast<double>(left), [&](index_t first, index_t end) __attribute__((always_inline)) {
            for (index_t k = first; k < end; ++k) {
                double* const x = column(k);
#pragma omp simd
                for (index_t i = done_; i < size_; ++i) {
                    x[i] = field.reduced(x[i]);
                }
            }
        });
}

}  // namespace residua
