#include <residua/blas/multidigit/lanes/run.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace residua::blas::detail::lanes {
namespace {

#if defined(__x86_64__)

/// While it lives, binary64 operations of this thread round towards zero, as products of digits by FMA have to.
class rounding_towards_zero {
public:
    rounding_towards_zero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_ROUND_TOWARD_ZERO); }
    ~rounding_towards_zero() { _mm_setcsr(before_); }
    rounding_towards_zero(const rounding_towards_zero&) = delete;
    rounding_towards_zero& operator=(const rounding_towards_zero&) = delete;

private:
    unsigned before_;
};

/// f.operator()<Set>() for the best instruction set of this host that has products of digits; else false.
template <class F>
bool on_best(const F& f)
{
    if (host_has_ifma()) {
        return f.template operator()<isa::avx512>();
    }
    if (host_isa() >= isa::avx2) {
        const rounding_towards_zero mode;
        return f.template operator()<isa::avx2>();
    }
    return false;
}

#endif

}  // namespace

#if defined(__x86_64__)

bool run(const multidigit_axpy& f, index_t begin, index_t end, int p, one_element<multidigit_axpy> one)
{
    return on_best([&]<isa Set>() { return axpy_on<Set>(f, begin, end, p, one); });
}

template <bool Binary64>
bool run(const multidigit_spmv<Binary64>& f, index_t begin, index_t end, int p,
         one_element<multidigit_spmv<Binary64>> one)
{
    return on_best([&]<isa Set>() { return spmv_on<Set, Binary64>(f, begin, end, p, one); });
}

bool sum(const multidigit_terms& terms, index_t first, index_t last, int p, std::uint64_t* units, int size,
         std::int64_t& top, int& special)
{
    return on_best([&]<isa Set>() { return sum_on<Set>(terms, first, last, p, units, size, top, special); });
}

bool sum_rows(const multidigit_rows& rows, index_t columns, index_t begin, index_t end, int p, one_of_rows one)
{
    return on_best([&]<isa Set>() { return sum_rows_on<Set>(rows, columns, begin, end, p, one); });
}

#else

bool run(const multidigit_axpy&, index_t, index_t, int, one_element<multidigit_axpy>) { return false; }

template <bool Binary64>
bool run(const multidigit_spmv<Binary64>&, index_t, index_t, int, one_element<multidigit_spmv<Binary64>>)
{
    return false;
}

bool sum(const multidigit_terms&, index_t, index_t, int, std::uint64_t*, int, std::int64_t&, int&) { return false; }

bool sum_rows(const multidigit_rows&, index_t, index_t, index_t, int, one_of_rows) { return false; }

#endif

template bool run(const multidigit_spmv<true>&, index_t, index_t, int, one_element<multidigit_spmv<true>>);
template bool run(const multidigit_spmv<false>&, index_t, index_t, int, one_element<multidigit_spmv<false>>);

}  // namespace residua::blas::detail::lanes
