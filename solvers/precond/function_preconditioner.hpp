#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/solvers/options/preconditioners.hpp>
#include <residua/solvers/space/convert.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// y = 2^e M(2^-e x) by a function M of binary64 numbers: 2^-e x, with a 2-norm in [1/2, 1), is rounded to binary64, and y is
/// exactly the result. So M sees the same vectors whatever the size of x. Vectors of a device go to the host and back.
///
/// errors   y is that of an x whose elements are off by 2^-53 of theirs, or by 2^-1075 of ||x||
/// cost     M, 1 norm, 2 conversions; not safe for concurrent calls (workspace)
/// reports  gave_no_number() once M has returned a NaN or an infinity. A zero x gives zero, and one that is not finite gives
///          itself, both without M
/// throws   what M throws
template <array_space S>
class function_preconditioner {
public:
    using vector = typename S::vector;

    /// The function must outlive the object.
    function_preconditioner(const S& space, const preconditioner_function& m, index_t n)
        : there_{space.exec}, m_(m), scaled_(space.make_vector(n)), x_(there_.make_vector(n)), z_(std::size_t(n))
    {}

    void apply(const S& space, const vector& x, vector& y) const
    {
        space.copy(x, scaled_);
        const auto norm = space.norm2(x);
        const bool is_zero = norm == space.make_scalar(0.0);
        if (is_zero || !is_finite(norm)) {
            return space.copy(scaled_, y);
        }
        const long e = binary_exponent(norm);
        multiply_by_power(space, -e, scaled_);
        convert(space, scaled_, there_, x_);
        {
            const auto& r = there_.fetched(x_);
            const auto n = static_cast<std::size_t>(r.size());
            m_(std::span(r.view().data(), n), std::span(z_));
        }
        gave_no_number_ =
            gave_no_number_ || !std::all_of(z_.begin(), z_.end(), [](double each) { return std::isfinite(each); });
        x_ = placed_values(there_, z_);
        convert(there_, x_, space, y);
        multiply_by_power(space, e, y);
    }

    bool gave_no_number() const { return gave_no_number_; }

private:
    using binary64 = blas_space<std::remove_const_t<decltype(S::exec)>, double>;

    static void multiply_by_power(const S& space, long e, vector& x)
    {
        constexpr long most = 1000;  // 2^-1000 and 2^1000 are in the range of all formats
        for (long left = e; left != 0;) {
            const long step = std::clamp(left, -most, most);
            space.scal(space.make_scalar(std::ldexp(1.0, static_cast<int>(step))), x);
            left -= step;
        }
    }

    binary64 there_;
    const preconditioner_function& m_;
    mutable vector scaled_;
    mutable typename binary64::vector x_;
    mutable std::vector<double> z_;
    mutable bool gave_no_number_ = false;
};

}  // namespace residua
