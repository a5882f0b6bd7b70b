#include <residua/blas/exact/integer_product.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/exact/residue_gemm.hpp>
#include <residua/io/interruption.hpp>

namespace residua::blas::detail {
namespace {

constexpr int digit_bits = 24;   // |d| <= 2^23: 512 products with residues are exact
constexpr index_t block = 1024;  // elements that are converted at a time, in the second cache

/// r_k <- r_k s mod m for |r s| < 2^52, at most m / 2 and a little in size.
///
/// The quotient is off by less than 1/2 + 2^-20, and its product with m is exact.
void reduce(index_t n, std::int64_t modulus, double s, double* r)
{
    const auto m = static_cast<double>(modulus);
    const double reciprocal = 1.0 / m;
    parallel_ranges(n, 16, 4.0 * static_cast<double>(n), [&](index_t begin, index_t end) {
        run_simd([&]() __attribute__((always_inline)) {
            constexpr double whole = 0x1.8p52;  // x + whole - whole is the integer next to x
#pragma omp simd
            for (index_t k = begin; k < end; ++k) {
                const double x = r[k] * s;
                r[k] = x - (x * reciprocal + whole - whole) * m;
            }
        });
    });
}

/// excess_k <- the integer next to the sum of all -r_ik / m_i, where r_i is at r + i step.
void find_excess(index_t n, const moduli_set& moduli, const double* r, index_t step, double* excess)
{
    std::fill(excess, excess + n, 0.0);
    run_simd([&]() __attribute__((always_inline)) {
        for (int i = 0; i < moduli.size(); ++i, r += step) {
            const double reciprocal = 1.0 / static_cast<double>(moduli.modulus(i));
#pragma omp simd
            for (index_t k = 0; k < n; ++k) {
                excess[k] -= r[k] * reciprocal;
            }
        }
    });
    for (index_t k = 0; k < n; ++k) {
        excess[k] = std::rint(excess[k]);
    }
}

/// body(begin, end) for ranges of elements, cut at blocks, by several threads. What is done to a block is too little to be
/// shared by threads.
template <class Body>
void for_blocks(index_t size, double operations, const Body& body)
{
    parallel_ranges((size + block - 1) / block, 1, operations,
                    [&](index_t begin, index_t end) { body(begin * block, std::min(end * block, size)); });
}

/// The residues of A B modulo every modulus, times its weight: rows above, ..., above + m - 1 of plane i of A times plane i of
/// B, at to + i m n.
void multiply_planes(const residue_matrix& a, index_t above, const residue_matrix& b, const moduli_set& moduli,
                     double* to)
{
    constexpr index_t least_rows = 192;  // that are worth it to pack B
    const index_t rows = a.rows() - above, cols = b.cols(), n = moduli.size();
    const double each = static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(a.cols() + 1);
    const int threads = threads_for(each * static_cast<double>(n));
    const index_t most_cuts = threads == 1 ? 1 : (4 * threads + n - 1) / n;
    const index_t height = std::max(least_rows, (rows + most_cuts - 1) / most_cuts),
                  cuts = (rows + height - 1) / height;
    io::run_parts(n * std::max<index_t>(cuts, 1), threads, [&](index_t task) {
        io::ask_for_stop();
        const auto i = static_cast<int>(task % n);
        const index_t from = task / n * height, here = std::min(height, rows - from);
        double* const p = to + i * rows * cols + from;
        const auto reduce_by = [&](double s) {
            const bool whole = here == rows;
            for (index_t j = 0; j < (whole ? 1 : cols); ++j) {
                reduce(whole ? rows * cols : here, moduli.modulus(i), s, p + j * rows);
            }
        };
        for (index_t first = 0; first == 0 || first < a.cols(); first += residue_terms - 1) {
            const index_t terms = std::min(residue_terms - 1, a.cols() - first);
            residue_gemm(here, cols, terms, a.plane(i) + first * a.rows() + above + from, a.rows(), b.plane(i) + first,
                         b.rows(), first > 0, p, rows);
            reduce_by(1.0);
        }
        reduce_by(static_cast<double>(moduli.weight(i)));
    });
}

/// to[d * ld + k - first] <- digit d, of digit_bits bits, of element k, for elements first, ..., first + count - 1.
void split(const integer_matrix& x, index_t first, index_t count, int digits, index_t ld, double* to)
{
    constexpr std::int64_t base = std::int64_t{1} << digit_bits;
    parallel_ranges(count, 16, 8.0 * static_cast<double>(count) * digits, [&](index_t begin, index_t end) {
        for (index_t k = begin; k < end; ++k) {
            const std::uint64_t* const word = x.data() + first + k;
            const auto word_at = [&](int w) {  // words beyond the last one repeat the sign
                return w < x.words() ? word[w * x.size()] : ~((word[(x.words() - 1) * x.size()] >> 63) - 1);
            };
            std::int64_t carry = 0;
            for (int d = 0; d < digits; ++d) {
                const int bit = d * digit_bits;
                const int shift = bit % 64;
                std::uint64_t bits = word_at(bit / 64) >> shift;
                if (shift + digit_bits > 64) {
                    bits |= word_at(bit / 64 + 1) << (64 - shift);
                }
                std::int64_t digit = static_cast<std::int64_t>(bits % base) + carry;
                carry = digit >= base / 2 ? 1 : 0;
                digit -= carry * base;
                to[d * ld + k] = static_cast<double>(digit);
            }
        }
    });
}

/// Makes integers sum_d 2^(24 d) y_d, |y_d| <= 2^53, of their digits: y_d of element k is digit[d * ld + k].
void join(index_t count, int digits, index_t ld, const double* digit, const long_integer& to)
{
    constexpr std::int64_t below = (std::int64_t{1} << digit_bits) - 1;
    parallel_ranges(count, 16, 8.0 * static_cast<double>(count) * digits, [&](index_t begin, index_t end) {
        std::array<std::int64_t, block> carry{};
        for (int w = 0; w < to.words; ++w) {
            std::fill(to.word + w * to.stride + begin, to.word + w * to.stride + end, std::uint64_t{0});
        }
        run_simd([&]() __attribute__((always_inline)) {
            const int all = 64 * to.words;
            for (int bit = 0, d = 0; bit < all; bit += digit_bits, ++d) {
                const int shift = bit % 64;
                std::uint64_t* const low = to.word + bit / 64 * to.stride;
                std::uint64_t* const high =
                    shift + digit_bits > 64 && bit / 64 + 1 < to.words ? low + to.stride : nullptr;
#pragma omp simd
                for (index_t k = begin; k < end; ++k) {
                    const auto y = d < digits ? static_cast<std::int64_t>(digit[d * ld + k]) : 0;
                    const std::int64_t sum = y + carry[static_cast<std::size_t>(k)];
                    carry[static_cast<std::size_t>(k)] = sum >> digit_bits;
                    low[k] |= static_cast<std::uint64_t>(sum & below) << shift;
                    if (high != nullptr) {
                        high[k] |= static_cast<std::uint64_t>(sum & below) >> (64 - shift);
                    }
                }
            }
        });
    });
}

/// A table with a row for each modulus, the digits f(i).
template <class F>
buffer<host_executor, double> table(int rows, int digits, const F& f)
{
    buffer<host_executor, double> t(index_t{rows} * digits);
    for (int i = 0; i < rows; ++i) {
        const std::vector<std::int64_t> d = f(i);
        for (std::size_t k = 0; k < d.size(); ++k) {
            t.data()[static_cast<index_t>(k) * rows + i] = static_cast<double>(d[k]);
        }
    }
    return t;
}

}  // namespace

residue_matrix::residue_matrix(const host_executor&, const integer_matrix& x, index_t first, index_t count,
                               const moduli_set& moduli)
    : rows_(x.rows()), cols_(count), data_(rows_ * count * moduli.size(), host_executor{}, uninitialized{})
{
    const int digits = 64 * x.words() / digit_bits + 1;
    const index_t size = rows_ * count;
    buffer<host_executor, double> power(index_t{digits} * moduli.size());  // powers of two modulo each modulus
    for (int i = 0; i < moduli.size(); ++i) {
        const std::int64_t step = moduli.power_of_two(i, digit_bits);
        std::int64_t p = 1;
        for (int d = 0; d < digits; ++d, p = centred_residue(p * step % moduli.modulus(i), moduli.modulus(i))) {
            power.data()[i * digits + d] = static_cast<double>(p);
        }
    }
    const double operations = 2.0 * static_cast<double>(size) * moduli.size() * digits;
    for_blocks(size, operations, [&](index_t from, index_t to) {
        buffer<host_executor, double> digit(std::min(block, size) * digits, host_executor{}, uninitialized{});
        for (index_t begin = from; begin < to; begin += block) {
            io::ask_for_stop();
            const index_t here = std::min(block, to - begin);
            split(x, first * rows_ + begin, here, digits, here, digit.data());
            residue_gemm(here, moduli.size(), digits, digit.data(), here, power.data(), digits, false,
                         data_.data() + begin, size);
            for (int i = 0; i < moduli.size(); ++i) {
                reduce(here, moduli.modulus(i), 1.0, data_.data() + i * size + begin);
            }
        }
    });
}

void multiply_integers(const host_executor& exec, const residue_matrix& a, const integer_matrix& b,
                       const moduli_set& moduli, const std::function<void(const integer_elements&)>& use, bool lower)
{
    constexpr double most_words = 0x1p23;   // of residues at a time
    constexpr index_t panel_of_lower = 64;  // half of these columns are above the diagonal in as many rows
    const int n = moduli.size();
    const auto fitting = static_cast<index_t>(most_words / (static_cast<double>(a.rows() + b.rows()) * (n + 1)));
    const index_t at_most = lower ? std::min(b.cols(), panel_of_lower) : b.cols();
    const index_t panel = std::min(std::max<index_t>(fitting, 8), at_most);
    const int digits = static_cast<int>(moduli.product_bits() / digit_bits) + 2;
    const int words = static_cast<int>(moduli.product_bits() / 64) + 1;
    const auto parts = table(n + 1, digits, [&](int i) { return moduli.digits(i, digit_bits); });
    buffer<host_executor, double> part(a.rows() * panel * (n + 1), exec, uninitialized{});
    for (index_t j = 0; j < (lower ? std::min(a.rows(), b.cols()) : b.cols()); j += panel) {
        const residue_matrix columns(exec, b, j, std::min(panel, b.cols() - j), moduli);
        const index_t above = lower ? j : 0, rows = a.rows() - above, size = rows * columns.cols();
        multiply_planes(a, above, columns, moduli, part.data());
        const double operations = 2.0 * static_cast<double>(size) * (n + 20) * digits;
        for_blocks(size, operations, [&](index_t from, index_t to) {
            buffer<host_executor, double> sum(block * digits, exec, uninitialized{});
            buffer<host_executor, std::uint64_t> word(block * words, exec, uninitialized{});
            for (index_t first = from; first < to; first += block) {
                io::ask_for_stop();
                const index_t here = std::min(block, to - first);
                double* const excess = part.data() + n * size + first;  // the multiple of M to be subtracted
                find_excess(here, moduli, part.data() + first, size, excess);
                residue_gemm(here, digits, n + 1, part.data() + first, size, parts.data(), n + 1, false, sum.data(),
                             here);
                const long_integer number{word.data(), block, words};
                join(here, digits, here, sum.data(), number);
                use({above, j, rows, first, here, number});
            }
        });
    }
}

}  // namespace residua::blas::detail
