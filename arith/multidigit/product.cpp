#include <residua/arith/multidigit/mul.hpp>

#include <type_traits>

#include <gmp.h>

namespace residua::detail {

static_assert(std::is_same_v<mp_limb_t, std::uint64_t> && GMP_NUMB_BITS == 64);

void leading_product_in_rows(const std::uint64_t* a, const std::uint64_t* b, int n, int extra, std::uint64_t* d)
{
    if (extra == n) {
        mpn_mul_n(d, a, b, n);
        return;
    }
    // columns from n - extra - 1 on; the digit of that one goes
    std::uint64_t sum[2 * (multidigit_most_bits / 64)];
    const int least = n - extra - 1;
    for (int i = 0; i < n; ++i) {
        const int from = i < least ? least - i : 0;  // of b
        std::uint64_t* const row = sum + (i + from - least);
        const int count = n - from;
        row[count] = i == 0 ? mpn_mul_1(row, b + from, count, a[i]) : mpn_addmul_1(row, b + from, count, a[i]);
    }
    for (int k = 0; k < n + extra; ++k) {
        d[k] = sum[k + 1];
    }
}

}  // namespace residua::detail
