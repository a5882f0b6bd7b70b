// Compiled, not run: the element functions of arith/base and arith/native, on both sides.
#include <residua/arith/base/bits.hpp>
#include <residua/arith/base/eft.hpp>
#include <residua/arith/base/number_traits.hpp>
#include <residua/arith/native/double.hpp>

namespace residua {
namespace {

static_assert(number<double>);
static_assert(pow2(-1) == 0.5 && ulp(1.0) == 0x1p-52 && ufp(3.0) == 2.0 && floor_log2(3.0) == 1);

/// Every function once.
template <class T>
RESIDUA_HD double use(const T& x, const T& y, int k)
{
    const rounded s = two_sum(x, y);
    const rounded f = fast_two_sum(x, y);
    const rounded p = two_prod(x, y);
    const double sum = s.value + s.error + f.error + p.value + p.error + mul_rn(x, y);
    const double generic = is_finite(x) ? to_double(ldexp(sqrt(abs(x)), k)) : 0.0;
    return sum + generic + ufp(x) + ulp(x) + ceil_pow2(x) + pow2(k) + scale_pow2(y, floor_log2(x)) +
           from_bits(to_bits(x) & ~sign_mask);
}

__global__ void on_device(double* x, int n)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        x[i] = use(x[i], x[n + i], i);
    }
}

}  // namespace

double on_host(double x, double y) { return use(x, y, 1); }

void launch(double* x, int n) { on_device<<<1, 32>>>(x, n); }

}  // namespace residua
