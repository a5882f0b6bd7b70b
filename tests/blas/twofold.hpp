#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/base/simd.hpp>
#include <tests/blas/formats.hpp>

/// What the tests of dot2, gemv2, gemm2 and spmv2 share.
namespace residua::support {

using twofold = expansion<double, 2>;
using doubles = std::vector<double>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The last one overflows when it is squared.
inline const std::array not_finite{infinity, -infinity, std::nan(""), 0x1p1023};

inline bool same_number(double x, double y) { return same_bits(x, y) || (std::isnan(x) && std::isnan(y)); }

inline std::vector<twofold> widened(const doubles& x) { return {x.begin(), x.end()}; }

inline doubles narrowed(const std::vector<twofold>& x)
{
    doubles r;
    for (const twofold& xi : x) {
        r.push_back(to_double(xi));
    }
    return r;
}

/// Whether `result` is off by at most u |exact| + (1 + u) c u^2 magnitude.
inline bool within_bound(double result, const exact_products& exact, double c)
{
    if (!std::isfinite(result)) {
        return false;
    }
    const real limit = ldexp(abs(exact.value), -53) + ldexp(exact.magnitude * real((1.0 + 0x1p-52) * c), -106);
    return abs(wide(result) - exact.value) <= limit;
}

struct twofold_fixture : testing::Test {
    biased_random random;
    const int threads = omp_get_max_threads();

    ~twofold_fixture() override
    {
        blas::limit_isa(blas::isa::avx512);
        omp_set_num_threads(threads);
    }

    /// The same bits on each instruction set and with 1 to 3 threads.
    void expect_one_answer(const std::string& what, const std::function<doubles()>& f)
    {
        blas::limit_isa(blas::isa::portable);
        omp_set_num_threads(1);
        const doubles expected = f();
        for (const blas::isa set : {blas::isa::portable, blas::isa::avx2, blas::isa::avx512}) {
            for (const int count : {1, 2, 3}) {
                blas::limit_isa(set);
                omp_set_num_threads(count);
                EXPECT_TRUE(same_bits(f(), expected)) << what << ", " << static_cast<int>(set) << ", " << count;
            }
        }
    }
};

}  // namespace residua::support
