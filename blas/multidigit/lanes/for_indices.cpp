#include <residua/blas/multidigit/lanes/for_indices.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace residua::blas::detail::by_lanes {
namespace {

#if defined(__x86_64__)

/// While it lives, binary64 operations of this thread round towards zero, as products of digits by FMA have to.
class rounding_towards_zero {
public:
    rounding_towards_zero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_ROUND_TOWARD_ZERO | _MM_MASK_INEXACT); }
    ~rounding_towards_zero() { _mm_setcsr(before_); }
    rounding_towards_zero(const rounding_towards_zero&) = delete;
    rounding_towards_zero& operator=(const rounding_towards_zero&) = delete;

private:
    unsigned before_;
};

/// Whether operations obey the rounding mode: valgrind's fused multiply-add rounds to nearest in any mode.
__attribute__((target("avx2,fma"), noinline)) bool mode_is_obeyed()
{
    const rounding_towards_zero mode;
    volatile double digit = 0x1p52 - 1.0;
    volatile double upper_half = __builtin_fma(digit, 1.0, 0x1p104);
    return upper_half == 0x1p104;
}

/// Calls f(set) with an instruction set of this host. Returns whether that has done the work.
template <class F>
bool on_one(const F& f)
{
    if (host_has_ifma() && f(avx512_set{})) {
        return true;
    }
    if (host_isa() >= isa::avx2) {
        static const bool obeyed = mode_is_obeyed();
        if (obeyed) {
            const rounding_towards_zero mode;
            return f(avx2_set{});
        }
    }
    return false;
}

#endif

}  // namespace

#if defined(__x86_64__)

bool for_indices(const multidigit_axpy& f, index_t begin, index_t end, int p, one_element<multidigit_axpy> one)
{
    return on_one([&](auto set) { return axpy_on(set, f, begin, end, p, one); });
}

template <bool Binary64>
bool for_indices(const multidigit_spmv<Binary64>& f, index_t begin, index_t end, int p,
                 one_element<multidigit_spmv<Binary64>> one)
{
    return on_one([&](auto set) { return spmv_on(set, f, begin, end, p, one); });
}

bool sum(const multidigit_terms& terms, index_t first, index_t last, int p, std::uint64_t* units, int size,
         std::int64_t& top, int& special)
{
    return on_one([&](auto set) { return sum_on(set, terms, first, last, p, units, size, top, special); });
}

bool sum_rows(const multidigit_rows& rows, index_t columns, index_t begin, index_t end, int p, one_of_rows one)
{
    return on_one([&](auto set) { return sum_rows_on(set, rows, columns, begin, end, p, one); });
}

#else

bool for_indices(const multidigit_axpy&, index_t, index_t, int, one_element<multidigit_axpy>) { return false; }

template <bool Binary64>
bool for_indices(const multidigit_spmv<Binary64>&, index_t, index_t, int, one_element<multidigit_spmv<Binary64>>)
{
    return false;
}

bool sum(const multidigit_terms&, index_t, index_t, int, std::uint64_t*, int, std::int64_t&, int&) { return false; }

bool sum_rows(const multidigit_rows&, index_t, index_t, index_t, int, one_of_rows) { return false; }

#endif

template bool for_indices(const multidigit_spmv<true>&, index_t, index_t, int, one_element<multidigit_spmv<true>>);
template bool for_indices(const multidigit_spmv<false>&, index_t, index_t, int, one_element<multidigit_spmv<false>>);

}  // namespace residua::blas::detail::by_lanes
