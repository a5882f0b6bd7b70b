#include <residua/blas/rns/split.hpp>

#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/rns/arguments.hpp>
#include <residua/blas/rns/launch.cuh>
#include <residua/blas/rns/operands.hpp>

namespace residua::blas {

using namespace detail;

namespace {

using set_type = rns_set<rns_most_moduli>;
using exec_type = cuda_executor;
using vector_type = vector<cuda_executor, rns>;

constexpr int block = 128;

/// Memory that the three kernels share: the heads of products before they are rounded, or the plans of sums.
template <class T>
class shared_buffer {
public:
    shared_buffer(const cuda_executor& exec, index_t n) : words_(n * words_each, exec) {}
    T* data() { return reinterpret_cast<T*>(words_.data()); }

private:
    static constexpr index_t words_each = (sizeof(T) + 7) / 8;
    static_assert(sizeof(T) % 8 == 0);
    buffer<cuda_executor, std::uint64_t> words_;
};

/// The place of element q of a result, or of an operand, where the result has `rows` rows.
struct place {
    index_t rows, row, col;

    RESIDUA_HD index_t of(const rns_operand& x, index_t q) const { return at(q, x.row, x.col); }
    RESIDUA_HD index_t operator()(index_t q) const { return at(q, row, col); }

private:
    RESIDUA_HD index_t at(index_t q, index_t row_step, index_t col_step) const
    {
        const auto [j, i] = divide(q, rows);
        return i * row_step + j * col_step;
    }
};

RESIDUA_HD rns_head head_at(const rns_operand& x, const place& at, index_t q)
{
    return residua::detail::load_head(x.start, at.of(x, q));
}

// Kernels for products of x with one scalar, or of the elements of x with those of an operand.

__global__ void __launch_bounds__(block) mul_heads(index_t n, rns_term t, place at, rns_head* heads)
{
    const index_t q = index_t{blockIdx.x} * block + threadIdx.x;
    if (q < n) {
        const rns_head by = t.kind == factor::scalar ? static_cast<const rns_head&>(t.scalar) : head_at(t.by, at, q);
        heads[q] = residua::detail::mul_head(by, head_at(t.x, at, q));
    }
}

/// Each thread has residue k of number q. Threads go through tiles of results in the order of memory.
struct one_residue {
    index_t q;
    int k;
};

__device__ one_residue residue_of(int count, int bits)
{
    const index_t word = index_t{blockIdx.x} * block + threadIdx.x;
    const auto [tile, k] = divide(word >> bits, count);
    return {(tile << bits) + (word & ((1 << bits) - 1)), static_cast<int>(k)};
}

template <bool Const>
__device__ auto& digit_of(const rns_tiles<Const>& a, index_t i, int k, int count)
{
    return a.digit[residua::detail::digit_at(a.first + i, k, count, a.tile_bits)];
}

__global__ void __launch_bounds__(block)
    mul_digits(const set_type* set, index_t n, rns_term t, place at, rns_tiles<false> to)
{
    const int count = set->constants.count;
    const auto [q, k] = residue_of(count, to.tile_bits);
    if (q < n) {
        const std::uint32_t x = digit_of(t.x.start, at.of(t.x, q), k, count);
        const rns_modulus& m = set->moduli[k];
        digit_of(to, at(q), k, count) =
            t.kind == factor::scalar
                ? residua::detail::montgomery(t.scalar.digit[k], x, m.m, m.inverse)
                : residua::detail::mul_mod(*set, k, digit_of(t.by.start, at.of(t.by, q), k, count), x);
    }
}

template <int Threads>
__global__ void __launch_bounds__(block)
    round_products(const set_type* set, index_t n, place at, const rns_head* heads, rns_tiles<false> to)
{
    const rns_lanes<Threads> lanes(set, static_cast<int>(threadIdx.x));
    const index_t q = (index_t{blockIdx.x} * block + threadIdx.x) / Threads;
    if (q < n) {
        auto r = residua::detail::load(lanes, to, at(q));
        static_cast<rns_head&>(r) = heads[q];
        residua::detail::round(lanes, r);
        residua::detail::store(lanes, to, at(q), r);
    }
}

// Sums of x and y.

using residua::detail::add_plan;
using residua::detail::combination;

RESIDUA_HD rns_head signed_head(const rns_term& t, const place& at, index_t q)
{
    rns_head h = head_at(t.x, at, q);
    h.negative = h.negative != (t.kind == factor::minus_one && !is_zero(h));
    return h;
}

__global__ void __launch_bounds__(block)
    add_heads(int width, index_t n, rns_term x, rns_term y, place at, add_plan* plans)
{
    const index_t q = index_t{blockIdx.x} * block + threadIdx.x;
    if (q < n) {
        plans[q] = residua::detail::plan_add(width, signed_head(x, at, q), signed_head(y, at, q));
    }
}

__global__ void __launch_bounds__(block) add_digits(const set_type* set, index_t n, rns_term x, rns_term y, place at,
                                                    const add_plan* plans, rns_tiles<false> to)
{
    const int count = set->constants.count;
    const auto [q, k] = residue_of(count, to.tile_bits);
    if (q < n && plans[q].down == 0) {
        const std::uint32_t a = digit_of(x.x.start, at.of(x.x, q), k, count);
        const std::uint32_t b = digit_of(y.x.start, at.of(y.x, q), k, count);
        const bool swapped = plans[q].swapped;
        const std::uint32_t first = swapped ? b : a;
        const int up = plans[q].up;
        const std::uint32_t shifted = up > 0 ? residua::detail::shift_mod(*set, k, first, up) : first;
        digit_of(to, at(q), k, count) = residua::detail::combine(residua::detail::signs_of(plans[q].digits), shifted,
                                                                 swapped ? a : b, set->moduli[k].m);
    }
}

template <int Threads>
__global__ void __launch_bounds__(block) round_sums(const set_type* set, index_t n, rns_term x, rns_term y, place at,
                                                    const add_plan* plans, rns_tiles<false> to)
{
    const rns_lanes<Threads> lanes(set, static_cast<int>(threadIdx.x));
    const index_t q = (index_t{blockIdx.x} * block + threadIdx.x) / Threads;
    if (q >= n) {
        return;
    }
    auto r = residua::detail::load(lanes, to, at(q));
    if (plans[q].down > 0) {  // rare: the second operand is divided first, which takes all of its residues
        auto a = residua::detail::load(lanes, x.x.start, at.of(x.x, q));
        auto b = residua::detail::load(lanes, y.x.start, at.of(y.x, q));
        static_cast<rns_head&>(a) = signed_head(x, at, q);
        static_cast<rns_head&>(b) = signed_head(y, at, q);
        r = add(lanes, a, b);
    } else {
        static_cast<rns_head&>(r) = plans[q].head;
        residua::detail::finish_add(lanes, plans[q].digits, r);
    }
    residua::detail::store(lanes, to, at(q), r);
}

dim3 one_each(index_t n) { return dim3(static_cast<unsigned>((n + block - 1) / block)); }
dim3 residues_of(index_t n, int count) { return one_each((n + 31) / 32 * 32 * count); }

/// to(q) <- the product that the term stands for, q < n
void mul_split(const exec_type& exec, const rns_format& format, index_t n, const rns_term& t, const place& at,
               const rns_tiles<false>& to)
{
    if (n == 0) {
        return;
    }
    const device_guard current(exec);
    shared_buffer<rns_head> heads(exec, n);
    const set_type* set = on_device(exec, format);
    mul_heads<<<one_each(n), block, 0, exec.stream>>>(n, t, at, heads.data());
    mul_digits<<<residues_of(n, format.count()), block, 0, exec.stream>>>(set, n, t, at, to);
    with_threads(format, [&]<int Threads>() {
        round_products<Threads><<<one_each(n * Threads), block, 0, exec.stream>>>(set, n, at, heads.data(), to);
    });
    require_cuda("product in three kernels", cudaGetLastError());
}

/// to(q) <- x + y; neither term is a product
void add_split(const exec_type& exec, const rns_format& format, index_t n, const rns_term& x, const rns_term& y,
               const place& at, const rns_tiles<false>& to)
{
    if (n == 0) {
        return;
    }
    const device_guard current(exec);
    shared_buffer<add_plan> plans(exec, n);
    const set_type* set = on_device(exec, format);
    add_heads<<<one_each(n), block, 0, exec.stream>>>(format.set().constants.width, n, x, y, at, plans.data());
    add_digits<<<residues_of(n, format.count()), block, 0, exec.stream>>>(set, n, x, y, at, plans.data(), to);
    with_threads(format, [&]<int Threads>() {
        round_sums<Threads><<<one_each(n * Threads), block, 0, exec.stream>>>(set, n, x, y, at, plans.data(), to);
    });
    require_cuda("sum in three kernels", cudaGetLastError());
}

bool has_product(const rns_term& t) { return t.kind == factor::scalar || t.kind == factor::operand; }

/// The term t with its product computed, in `work`, m x n without gaps.
rns_term computed(const exec_type& exec, const rns_format& format, index_t rows, index_t cols, const rns_term& t,
                  vector_type& work)
{
    if (!has_product(t)) {
        return t;
    }
    mul_split(exec, format, rows * cols, t, {rows, 1, rows}, work.view().start);
    return plain({.start = work.view().start, .row = 1, .col = rows});
}

/// to(i, j) <- first + second
void combine_split(const exec_type& exec, const rns_format& format, index_t rows, index_t cols, const rns_term& first,
                   const rns_term& second, const place& at, const rns_tiles<false>& to)
{
    if (rows == 0 || cols == 0) {
        return;
    }
    vector_type work_x(format, has_product(first) ? rows * cols : 0, exec);
    vector_type work_y(format, has_product(second) ? rows * cols : 0, exec);
    const rns_term x = computed(exec, format, rows, cols, first, work_x);
    const rns_term y = computed(exec, format, rows, cols, second, work_y);
    add_split(exec, format, rows * cols, x, y, at, to);
}

/// Each thread computes a number, with all residues in its local memory.
template <class F>
__global__ void __launch_bounds__(block) basic_kernel(const set_type* set, index_t n, const F f)
{
    const index_t i = index_t{blockIdx.x} * block + threadIdx.x;
    if (i < n) {
        f(*set, i);
    }
}

template <class F>
void run_basic(const exec_type& exec, const rns_format& format, index_t n, const F& f)
{
    if (n > 0) {
        const device_guard current(exec);
        basic_kernel<<<one_each(n), block, 0, exec.stream>>>(on_device(exec, format), n, f);
        require_cuda("one thread a number", cudaGetLastError());
    }
}

place place_of(const vector_view<cuda_executor, rns>& y) { return {y.size > 0 ? y.size : 1, y.stride, 0}; }
place place_of(const matrix_view<cuda_executor, rns>& a) { return {a.rows > 0 ? a.rows : 1, 1, a.ld}; }

/// y <- beta y + sum, by split kernels
void add_to(const exec_type& exec, const rns_number& beta, const vector_type& sum,
            const vector_view<cuda_executor, rns>& y)
{
    const rns_term added = plain({.start = sum.view().start, .row = 1});
    if (is_zero(beta.value())) {
        combine(exec, y, added);
    } else {
        combine_split(exec, y.format, y.size, 1, scaled(beta, by_row<cuda_executor>(y)), added, place_of(y), y.start);
    }
}

/// Returns alpha x, which is x itself if alpha is one
vector_view<cuda_executor, const rns> times(const exec_type& exec, const rns_number& alpha,
                                            const vector_view<cuda_executor, const rns>& x, vector_type& work)
{
    const rns_term t = scaled(alpha, by_row(x));
    if (t.kind == factor::none) {
        return x;
    }
    if (has_product(t)) {
        work = vector_type(x.format, x.size, exec);
        mul_split(exec, x.format, x.size, t, {x.size > 0 ? x.size : 1, 1, 0}, work.view().start);
    } else {
        work = vector_type(x.format, x.size, exec);
        combine(exec, work.view(), t);
    }
    return work.view();
}

}  // namespace

void axpy_split(const cuda_executor& exec, const rns_number& a, in_vector<cuda_executor, rns> x,
                vector_view<cuda_executor, rns> y)
{
    require_axpy<cuda_executor>("axpy_split", a, x, y);
    combine_split(exec, y.format, y.size, 1, scaled(a, by_row(x)), plain(by_row<cuda_executor>(y)), place_of(y),
                  y.start);
}

void axpy_basic(const cuda_executor& exec, const rns_number& a, in_vector<cuda_executor, rns> x,
                vector_view<cuda_executor, rns> y)
{
    require_axpy<cuda_executor>("axpy_basic", a, x, y);
    combine_element f{.rows = y.size > 0 ? y.size : 1,
                      .terms = 2,
                      .term = {scaled(a, by_row(x)), plain(by_row<cuda_executor>(y))},
                      .to = y.start,
                      .to_row = y.stride,
                      .to_col = 0};
    run_basic(exec, y.format, y.size, f);
}

rns_number dot_split(const cuda_executor& exec, in_vector<cuda_executor, rns> x, in_vector<cuda_executor, rns> y)
{
    require_equal("dot_split", "sizes of x and y", x.size, y.size);
    require_formats("dot_split", y, x);
    vector_type products(x.format, x.size, exec);
    mul_split(exec, x.format, x.size, scaled(by_row(y), by_row(x)), {x.size > 0 ? x.size : 1, 1, 0},
              products.view().start);
    const rns_operand all{.start = products.view().start, .step = 1};
    const vector_type sum = reduce(exec, x.format, reduction::terms, 1, 1, x.size, long_sum(x.size), all, all);
    return fetched_number(exec, x.format, sum.view().start, 0);
}

void ge_add_split(const cuda_executor& exec, const rns_number& alpha, in_matrix<cuda_executor, rns> a,
                  const rns_number& beta, in_matrix<cuda_executor, rns> b, matrix_view<cuda_executor, rns> c)
{
    require_ge_add<cuda_executor>("ge_add_split", alpha, a, beta, b, c);
    combine_split(exec, c.format, c.rows, c.cols, scaled(alpha, entries(a)), scaled(beta, entries(b)), place_of(c),
                  c.start);
}

void ge_add_basic(const cuda_executor& exec, const rns_number& alpha, in_matrix<cuda_executor, rns> a,
                  const rns_number& beta, in_matrix<cuda_executor, rns> b, matrix_view<cuda_executor, rns> c)
{
    require_ge_add<cuda_executor>("ge_add_basic", alpha, a, beta, b, c);
    combine_element f{.rows = c.rows > 0 ? c.rows : 1,
                      .terms = 2,
                      .term = {scaled(alpha, entries(a)), scaled(beta, entries(b))},
                      .to = c.start,
                      .to_row = 1,
                      .to_col = c.ld};
    run_basic(exec, c.format, c.rows * c.cols, f);
}

void ger_split(const cuda_executor& exec, const rns_number& alpha, in_vector<cuda_executor, rns> x,
               in_vector<cuda_executor, rns> y, matrix_view<cuda_executor, rns> a)
{
    require_ger<cuda_executor>("ger_split", alpha, x, y, a);
    vector_type work(a.format, 0, exec);
    const vector_view<cuda_executor, const rns> d = times(exec, alpha, y, work);
    combine_split(exec, a.format, a.rows, a.cols, scaled(by_row(x), by_col(d)), plain(entries<cuda_executor>(a)),
                  place_of(a), a.start);
}

void gemv_split(const cuda_executor& exec, trans op, const rns_number& alpha, in_matrix<cuda_executor, rns> a,
                in_vector<cuda_executor, rns> x, const rns_number& beta, vector_view<cuda_executor, rns> y)
{
    require_fitting("gemv_split", op, gemv_operands<cuda_executor, rns>{alpha, a, x, beta, y});
    vector_type work(y.format, 0, exec);
    const vector_view<cuda_executor, const rns> d = times(exec, alpha, x, work);
    const bool plain_op = op == trans::no;
    vector_type products(y.format, a.rows * a.cols, exec);  // A diag(d), or diag(d) A
    mul_split(exec, y.format, a.rows * a.cols, scaled(plain_op ? by_col(d) : by_row(d), entries(a)),
              {a.rows > 0 ? a.rows : 1, 1, a.rows}, products.view().start);
    const rns_operand all = plain_op ? rns_operand{.start = products.view().start, .row = 1, .step = a.rows}
                                     : rns_operand{.start = products.view().start, .row = a.rows, .step = 1};
    const vector_type sum = reduce(exec, y.format, reduction::terms, y.size, 1, x.size, in_chunks, all, all);
    add_to(exec, beta, sum, y);
}

void gemv_basic(const cuda_executor& exec, trans op, const rns_number& alpha, in_matrix<cuda_executor, rns> a,
                in_vector<cuda_executor, rns> x, const rns_number& beta, vector_view<cuda_executor, rns> y)
{
    require_fitting("gemv_basic", op, gemv_operands<cuda_executor, rns>{alpha, a, x, beta, y});
    vector_type work(y.format, 0, exec);
    const vector_view<cuda_executor, const rns> d = times(exec, alpha, x, work);
    const index_t chunks = in_chunks.parts(x.size);
    vector_type partial(y.format, y.size * chunks, exec);
    reduce_element f;
    f.rows = y.size > 0 ? y.size : 1;
    f.cut = in_chunks;
    f.n = x.size;
    f.x.start = a.start;
    f.x.row = op == trans::no ? 1 : a.ld;
    f.x.step = op == trans::no ? a.ld : 1;
    f.y = {.start = d.start, .step = d.stride};
    f.to = partial.view().start;
    run_basic(exec, y.format, y.size * chunks, f);
    merge(exec, y.format, reduction::products, y.size, chunks, partial.view().start);
    add_to(exec, beta, partial, y);
}

}  // namespace residua::blas
