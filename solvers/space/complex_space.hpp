#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <residua/arith/complex/complex.hpp>
#include <residua/blas/level1/times_i.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>
#include <residua/solvers/space/space_state.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The vector_space of vectors of n complex numbers, in the memory of a space S of real ones: a vector is one of S with
/// 2n numbers, real and imaginary parts in turn. Sizes count complex numbers. What is an operator of S, such as the
/// real form of a complex matrix, is one of this space.
///
/// With (J x)_{2k} = -x_{2k+1}, (J x)_{2k+1} = x_{2k}, which is i x,
///
///   x^H y = x.y + i (J x).y,    y + (a + ib) x = (y + a x) + b J x
///
/// errors  real and imaginary part of dot(x, y) as a dot product of S of 2n numbers: of the sum of |re x_k re y_k| +
///         |im x_k im y_k|, or |re x_k im y_k| + |im x_k re y_k|. axpy, xpay, waxpby: those of the axpys of S, one
///         after the other; the second one is relative to y + a x. Where a factor is real only the first one is made.
///         scal: that of waxpby(a, x, b, J x) of S. norm2: that of S
/// cost    dot: 2 of S; axpy: 2 of S; and a copy for J x. dot(x, x): 1 of S. Both sums of a dot are asked for together:
///         processes join them together. Where a device has the scalars, divide waits for it
/// order   as S
///
/// Copies of a space share a vector for J x: a space and its copies are not for several threads at a time.
template <class S>
class complex_space : public S {
public:
    using real_space = S;
    using part = real_scalar<S>;
    using scalar = complex_number<part>;
    using typename S::vector;

    explicit complex_space(S parts) : S(std::move(parts)) {}

    vector make_vector(index_t n) const { return S::make_vector(2 * n); }
    vector make_vector(const std::vector<double>& values) const { return S::make_vector(values); }
    scalar make_scalar(double d) const { return S::make_scalar(d); }
    index_t size(const vector& x) const { return S::size(x) / 2; }

    /// a is finite
    void fill(const scalar& a, vector& y) const
    {
        if (a.real() == a.imag()) {
            S::fill(a.real(), y);
            return;
        }
        std::vector<double> ones(static_cast<std::size_t>(S::size(y)));
        for (std::size_t i = 0; i < ones.size(); i += 2) {
            ones[i] = 1.0;
        }
        S::copy(S::make_vector(ones), y);
        scal(a, y);
    }
    void scal(const scalar& a, vector& y) const
    {
        if (is_real(a)) {
            S::scal(a.real(), y);
        } else {
            S::waxpby(a.real(), y, a.imag(), rotated(y), y);
        }
    }
    void axpy(const scalar& a, const vector& x, vector& y) const
    {
        S::axpy(a.real(), x, y);
        add_imaginary(a, x, y);
    }
    void xpay(const vector& x, const scalar& a, vector& y) const
    {
        if (is_real(a)) {
            S::xpay(x, a.real(), y);
        } else {
            const vector& turned = rotated(y);
            S::xpay(x, a.real(), y);
            S::axpy(a.imag(), turned, y);
        }
    }
    /// w is another vector than x, and than y, where its factor is not real
    void waxpby(const scalar& a, const vector& x, const scalar& b, const vector& y, vector& w) const
    {
        S::waxpby(a.real(), x, b.real(), y, w);
        add_imaginary(a, x, w);
        add_imaginary(b, y, w);
    }

    /// y = J x; another vector than x
    void times_i(const vector& x, vector& y) const
    {
        blas::times_i<typename S::element>(this->exec, x.view(), y.view());
    }

    /// y = conj(x), exactly; another vector than x
    void conjugate(const vector& x, vector& y) const
    {
        blas::conjugate<typename S::element>(this->exec, x.view(), y.view());
    }

    scalar dot(const vector& x, const vector& y) const
    {
        if (&x == &y) {
            return S::dot(x, y);
        }
        scalars one = make_scalars(1);
        dot(x, y, one, 0);
        return fetched(one, 1).front();
    }
    part norm2(const vector& x) const { return S::norm2(x); }
    part norm2(const vector& x, const scalar& square) const { return S::norm2(x, square.real()); }

    /// Scalars where S has its own: their parts in turn.
    struct scalars {
        typename S::scalars parts;
        std::vector<bool> real;  ///< a square, whose imaginary part is zero, whatever its place holds
    };
    scalars make_scalars(index_t count) const
    {
        return {S::make_scalars(2 * count), std::vector<bool>(static_cast<std::size_t>(count))};
    }
    scalars make_scalars(const std::vector<scalar>& values) const
    {
        std::vector<part> parts;
        parts.reserve(2 * values.size());
        for (const scalar& each : values) {
            parts.push_back(each.real());
            parts.push_back(each.imag());
        }
        return {S::make_scalars(parts), std::vector<bool>(values.size())};
    }
    void dot(const vector& x, const vector& y, scalars& s, index_t i) const
    {
        S::dot(x, y, s.parts, 2 * i);
        s.real[i] = &x == &y;
        if (!s.real[i]) {
            S::dot(rotated(x), y, s.parts, 2 * i + 1);
        }
    }
    void divide(scalars& s, index_t i, index_t j, index_t k) const
    {
        const auto count = static_cast<index_t>(s.real.size());
        std::vector<scalar> all = fetched(s, count);
        const scalar zero = make_scalar(0.0);
        const scalar& by = all[j];
        const bool has_meaning = by == by && !(by == zero);  // NOLINT(misc-redundant-expression): not NaN
        all[k] = has_meaning ? all[i] / by : zero;
        s = make_scalars(all);
    }
    void axmy(scalars& s, index_t i, const vector& x, vector& y) const
    {
        S::axmy(s.parts, 2 * i, x, y);
        if (!s.real[i]) {
            S::axmy(s.parts, 2 * i + 1, rotated(x), y);
        }
    }
    /// y = y - conj(s_i) x = (y - re(s_i) x) - im(s_i) (-J x)
    void axmy_conjugate(scalars& s, index_t i, const vector& x, vector& y) const
    {
        S::axmy(s.parts, 2 * i, x, y);
        if (!s.real[i]) {
            vector& turned = rotated(x);
            S::scal(S::make_scalar(-1.0), turned);
            S::axmy(s.parts, 2 * i + 1, turned, y);
        }
    }
    using S::fetched;
    std::vector<scalar> fetched(scalars& s, index_t count) const
    {
        const std::vector<part> parts = S::fetched(s.parts, 2 * count);
        const part zero = S::make_scalar(0.0);
        std::vector<scalar> all;
        all.reserve(static_cast<std::size_t>(count));
        for (index_t i = 0; i < count; ++i) {
            all.emplace_back(parts[2 * i], s.real[i] ? zero : parts[2 * i + 1]);
        }
        return all;
    }

    void archive(state_archive& io, vector& x) const { residua::archive(io, real(), x); }
    void archive(state_archive& io, part& a) const { residua::archive(io, real(), a); }
    void archive(state_archive& io, scalar& a) const
    {
        part re = a.real();
        part im = a.imag();
        residua::archive_all(io, real(), re, im);
        a = scalar(re, im);
    }

    /// The space of the parts.
    const S& real() const { return *this; }

private:
    static bool is_real(const scalar& a)
    {
        return a.imag() == a.imag() - a.imag();  // NOLINT(misc-redundant-expression): 0 of its own precision
    }

    /// y = y + i im(a) x
    void add_imaginary(const scalar& a, const vector& x, vector& y) const
    {
        if (!is_real(a)) {
            S::axpy(a.imag(), rotated(x), y);
        }
    }

    /// J x, until the next call.
    vector& rotated(const vector& x) const
    {
        std::optional<vector>& room = *room_;
        if (!room || S::size(*room) != S::size(x)) {
            room.emplace(S::make_vector(S::size(x)));
        }
        times_i(x, *room);
        return *room;
    }

    std::shared_ptr<std::optional<vector>> room_ = std::make_shared<std::optional<vector>>();
};

}  // namespace residua
