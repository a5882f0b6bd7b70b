// In the loops that suit QD best: by panels of columns that stay in the second cache, four of which update a column at a
// time, in loops that the compiler vectorises with fused multiply-adds.
#define QD_FMS(a, b, c) __builtin_fma(a, b, -(c))
#include <qd/dd_real.h>
#include <qd/qd_real.h>

#include "peer_qd_lu.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace residua::bench {
namespace {

template <class R>
R from_real(const real& x)
{
    constexpr int terms = sizeof(R) / sizeof(double);
    R r = 0.0;
    real rest = x;
    for (int k = 0; k < terms; ++k) {
        r.x[k] = to_double(rest);
        rest -= real(r.x[k]);
    }
    return r;
}

template <class R>
class solver {
public:
    solver(index_t n, const std::vector<real>& a, const std::vector<real>& b)
        : n_(static_cast<std::size_t>(n)), a_(n_ * n_), b_(n_)
    {
        for (std::size_t i = 0; i < n_; ++i) {
            b_[i] = from_real<R>(b[i]);
            for (std::size_t j = 0; j < n_; ++j) {
                a_[j * n_ + i] = from_real<R>(a[i * n_ + j]);
            }
        }
    }

    void run()
    {
        lu_ = a_;
        x_ = b_;
        for (std::size_t first = 0; first < n_; first += panel) {
            const std::size_t last = std::min(first + panel, n_);
            for (std::size_t k = first; k < last; ++k) {
                eliminate(k, last);
            }
            for (std::size_t j = last; j < n_; ++j) {
                update(first, last, column(j));
            }
        }
        update(0, n_, x_.data());
        for (std::size_t k = n_; k-- > 0;) {
            x_[k] /= column(k)[k];
            subtract(x_[k], column(k), x_.data(), 0, k);
        }
    }

    std::vector<real> result() const
    {
        std::vector<real> r;
        for (const R& x : x_) {
            real sum(0.0, 53L * static_cast<long>(sizeof(R) / sizeof(double) + 2));
            for (std::size_t k = 0; k < sizeof(R) / sizeof(double); ++k) {
                sum += real(x.x[k]);
            }
            r.push_back(std::move(sum));
        }
        return r;
    }

private:
    static constexpr std::size_t panel = 32;

    R* column(std::size_t j) { return lu_.data() + j * n_; }

    /// y_i -= u c_i
    static void subtract(const R& factor, const R* c, R* y, std::size_t begin, std::size_t end)
    {
        const R u = -factor;
        for (std::size_t i = begin; i < end; ++i) {
            y[i] += u * c[i];
        }
    }

    void eliminate(std::size_t k, std::size_t last)
    {
        R* const c = column(k);
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n_; ++i) {
            pivot = std::fabs(c[i].x[0]) > std::fabs(c[pivot].x[0]) ? i : pivot;
        }
        for (std::size_t j = 0; pivot != k && j < n_; ++j) {
            std::swap(column(j)[k], column(j)[pivot]);
        }
        std::swap(x_[k], x_[pivot]);
        const R reciprocal = R(1.0) / c[k];
        for (std::size_t i = k + 1; i < n_; ++i) {
            c[i] *= reciprocal;
        }
        for (std::size_t j = k + 1; j < last; ++j) {
            subtract(column(j)[k], c, column(j), k + 1, n_);
        }
    }

    /// y <- inverse(L) y for columns first, ..., last - 1 of L
    void update(std::size_t first, std::size_t last, R* y)
    {
        std::size_t k = first;
        for (; k + 4 <= last; k += 4) {
            const R* const c = column(k);
            for (std::size_t j = 0; j < 3; ++j) {
                subtract(y[k + j], c + j * n_, y, k + j + 1, k + 4);
            }
            const R u0 = -y[k];
            const R u1 = -y[k + 1];
            const R u2 = -y[k + 2];
            const R u3 = -y[k + 3];
            for (std::size_t i = k + 4; i < n_; ++i) {
                R sum = y[i];
                sum += u0 * c[i];
                sum += u1 * c[n_ + i];
                sum += u2 * c[2 * n_ + i];
                sum += u3 * c[3 * n_ + i];
                y[i] = sum;
            }
        }
        for (; k < last; ++k) {
            subtract(y[k], column(k), y, k + 1, n_);
        }
    }

    std::size_t n_;
    std::vector<R> a_, b_, lu_, x_;
};

template <class R>
qd_solve make(index_t n, const std::vector<real>& a, const std::vector<real>& b)
{
    auto s = std::make_shared<solver<R>>(n, a, b);
    return {[s] { s->run(); }, [s] { return s->result(); }};
}

}  // namespace

qd_solve make_qd_solve(int terms, index_t n, const std::vector<real>& a, const std::vector<real>& b)
{
    return terms == 2 ? make<dd_real>(n, a, b) : make<qd_real>(n, a, b);
}

}  // namespace residua::bench
