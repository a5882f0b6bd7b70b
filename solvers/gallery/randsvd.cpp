// A random matrix of given condition number.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mpfr.h>

#include <residua/arith/base/random.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/base/real_bytes.hpp>
#include <residua/solvers/gallery/kinds.hpp>

namespace residua::detail {
namespace {

/// Column-major, square.
struct real_matrix {
    index_t n = 0;
    std::vector<real> values;

    real* column(index_t j) { return values.data() + j * n; }
    real& at(index_t i, index_t j) { return values[static_cast<std::size_t>(i + j * n)]; }
};

/// A nearly normal random number: the sum of twelve uniform ones, exact in binary64 and so the same everywhere.
double near_normal(splitmix64& random)
{
    double sum = 0.0;
    for (int k = 0; k < 12; ++k) {
        sum += std::ldexp(static_cast<double>(random() >> 24), -40);
    }
    return sum - 6.0;
}

/// A uniform number of 0, ..., n - 1.
index_t below(index_t n, splitmix64& random) { return static_cast<index_t>(random() % static_cast<std::uint64_t>(n)); }

/// The square root of the square of an integer; empty for other numbers.
std::optional<long> whole_root(long square)
{
    const long root = std::lround(std::sqrt(static_cast<double>(square)));
    return root * root == square ? std::optional(root) : std::nullopt;
}

/// A rotation times radius, in integers: c^2 + s^2 = radius^2.
struct whole_rotation {
    long c = 0;
    long s = 0;
};

constexpr long radius = 5L * 13 * 17 * 29;  // it has many prime factors 4k + 1, hence many rotations

/// The rotations of that radius that mix both coordinates well: they are 14 degrees or more away from the axes.
std::vector<whole_rotation> whole_rotations()
{
    std::vector<whole_rotation> rotations;
    for (long c = radius / 4; c < radius; ++c) {
        const std::optional<long> s = whole_root(radius * radius - c * c);
        if (s && *s >= radius / 4) {
            for (const long c_sign : {-1, 1}) {
                for (const long s_sign : {-1, 1}) {
                    rotations.push_back({c_sign * c, s_sign * *s});
                }
            }
        }
    }
    return rotations;
}

/// The temporaries of one thread, so that no operation allocates memory.
struct scratch {
    real a;
    real b;
    real sum;

    explicit scratch(long bits) : a(0.0, bits), b(0.0, bits), sum(0.0, bits) {}
};

/// I - scale v v' with scale = 2 / v'v and integers in v.
struct reflector {
    std::vector<long> v;
    real scale;

    reflector(index_t n, long bits, splitmix64& random) : scale(0.0, bits)
    {
        long squares = 0;
        while (squares == 0) {
            v.clear();
            for (index_t i = 0; i < n; ++i) {
                v.push_back(std::lround(std::ldexp(near_normal(random), 12)));
                squares += v.back() * v.back();
            }
        }
        scale = real(2.0, bits) / real(squares);
    }

    void apply(real* x, scratch& work) const
    {
        mpfr_set_zero(work.sum.mpfr(), 1);
        for (std::size_t i = 0; i < v.size(); ++i) {
            mpfr_mul_si(work.a.mpfr(), x[i].mpfr(), v[i], MPFR_RNDN);
            mpfr_add(work.sum.mpfr(), work.sum.mpfr(), work.a.mpfr(), MPFR_RNDN);
        }
        mpfr_mul(work.sum.mpfr(), work.sum.mpfr(), scale.mpfr(), MPFR_RNDN);
        for (std::size_t i = 0; i < v.size(); ++i) {
            mpfr_mul_si(work.a.mpfr(), work.sum.mpfr(), v[i], MPFR_RNDN);
            mpfr_sub(x[i].mpfr(), x[i].mpfr(), work.a.mpfr(), MPFR_RNDN);
        }
    }
};

/// radius times rotations of pairs of coordinates, in a random matching. If n is odd, one coordinate is left over.
struct rotations {
    struct pair {
        index_t i = 0;
        index_t j = 0;
        whole_rotation by;
    };
    std::vector<pair> pairs;
    std::optional<index_t> alone;

    rotations(index_t n, const std::vector<whole_rotation>& choice, splitmix64& random)
    {
        std::vector<index_t> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), index_t{0});
        for (index_t k = n - 1; k > 0; --k) {
            std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(below(k + 1, random))]);
        }
        for (std::size_t k = 1; k < order.size(); k += 2) {
            const auto which = static_cast<std::size_t>(below(static_cast<index_t>(choice.size()), random));
            pairs.push_back({order[k - 1], order[k], choice[which]});
        }
        if (n % 2 != 0) {
            alone = order.back();
        }
    }

    void apply(real* x, scratch& work) const
    {
        for (const pair& p : pairs) {
            real& u = x[p.i];
            real& v = x[p.j];
            mpfr_mul_si(work.a.mpfr(), u.mpfr(), p.by.s, MPFR_RNDN);
            mpfr_mul_si(work.b.mpfr(), v.mpfr(), p.by.s, MPFR_RNDN);
            mpfr_mul_si(u.mpfr(), u.mpfr(), p.by.c, MPFR_RNDN);
            mpfr_mul_si(v.mpfr(), v.mpfr(), p.by.c, MPFR_RNDN);
            mpfr_sub(u.mpfr(), u.mpfr(), work.b.mpfr(), MPFR_RNDN);
            mpfr_add(v.mpfr(), v.mpfr(), work.a.mpfr(), MPFR_RNDN);
        }
        if (alone) {
            mpfr_mul_si(x[*alone].mpfr(), x[*alone].mpfr(), radius, MPFR_RNDN);
        }
    }
};

/// radius^stages times an orthogonal matrix: a reflector, log2(n) stages of rotations of random pairs, and a second
/// reflector. Each stage doubles the number of coordinates that reach a coordinate.
struct scaled_orthogonal {
    reflector first;
    std::vector<rotations> stages;
    reflector last;

    scaled_orthogonal(index_t n, long bits, splitmix64& random) : first(n, bits, random), last(n, bits, random)
    {
        const std::vector<whole_rotation> choice = whole_rotations();
        for (index_t reached = 1; reached < n; reached *= 2) {
            stages.emplace_back(n, choice, random);
        }
    }

    void apply(real* x, scratch& work) const
    {
        first.apply(x, work);
        for (const rotations& stage : stages) {
            stage.apply(x, work);
        }
        last.apply(x, work);
    }
};

/// A <- Q A
void apply(const scaled_orthogonal& q, real_matrix& a, long bits)
{
    const auto n = static_cast<double>(a.n);
    const double operations = n * n * static_cast<double>(bits);  // for each of some log2(n) stages
    blas::detail::parallel_ranges(a.n, 1, operations, [&](index_t begin, index_t end) {
        scratch work(bits);
        for (index_t j = begin; j < end; ++j) {
            q.apply(a.column(j), work);
        }
    });
}

void transpose(real_matrix& a)
{
    for (index_t j = 0; j < a.n; ++j) {
        for (index_t i = 0; i < j; ++i) {
            std::swap(a.at(i, j), a.at(j, i));
        }
    }
}

}  // namespace

/// A = U diag(sigma) V' with sigma_i = cond^(-i/(n-1)). U and V are products of two Householder reflectors of random
/// vectors with stages of plane rotations between them, so that A is full and is not a sparse matrix plus one of low
/// rank. `definite`: V = U. `complex`: with_phases(). Everything is formed with 64 bits more than the written digits and the condition number ask
/// for, so that cond holds far beyond 1e16 as long as the digits suffice.
///
/// The rotations have cosines and sines k / radius with integers k. A stage multiplies by the integers, and
/// sigma is divided by the power of the radius in the end: several times as fast as products of long numbers.
///
/// cost    4 n^2 log2(n) products of a long number with an integer
/// order   the same numbers for any number of threads
/// from    [Higham02, Sec. 28.3], whose orthogonal matrices are products of n reflectors
gallery_matrix make_randsvd(const gallery_options& options)
{
    const index_t n = gallery_order(options.n);
    const double decades = to_double(log10(options.cond));
    const long bits = static_cast<long>(std::ceil(3.33 * (options.digits + decades))) + 64;
    const double size = static_cast<double>(n);
    const std::string what =
        "a random matrix of order " + std::to_string(n) + " with " + std::to_string(bits) + " bits";
    require_memory(what.c_str(), real_bytes(size * size, bits));

    splitmix64 random{options.seed};
    const scaled_orthogonal u(n, bits, random);
    const std::optional<scaled_orthogonal> v =
        options.definite ? std::nullopt : std::optional(scaled_orthogonal(n, bits, random));

    const auto a = std::make_shared<real_matrix>();
    a->n = n;
    a->values.assign(static_cast<std::size_t>(n * n), real(0.0, bits));
    real decay(1.0, bits);
    if (n > 1) {
        decay = real(1.0, bits) / options.cond.with_precision(bits);
        mpfr_rootn_ui(decay.mpfr(), decay.mpfr(), static_cast<unsigned long>(n - 1), MPFR_RNDN);
    }
    const real scale = real(1.0, bits) / pow(real(radius, bits), static_cast<long>(2 * u.stages.size()));
    for (index_t i = 0; i < n; ++i) {
        a->at(i, i) = scale * pow(decay, static_cast<long>(i));
    }
    apply(v ? *v : u, *a, bits);
    transpose(*a);
    apply(u, *a, bits);

    gallery_matrix made{.order = n,
                        .entries = options.definite ? size * (size + 1.0) / 2.0 : size * size,
                        .symmetric = options.definite,
                        .dense = true,
                        .column = [a, symmetric = options.definite](index_t j, std::vector<gallery_entry>& column) {
                            for (index_t i = symmetric ? j : 0; i < a->n; ++i) {
                                column.push_back({i, a->at(i, j)});
                            }
                        }};
    return options.complex ? with_phases(std::move(made), options) : made;
}

}  // namespace residua::detail
