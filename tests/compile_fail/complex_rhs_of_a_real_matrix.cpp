// expect: as_complex\(\) makes a complex
#include <complex>
#include <vector>

#include <residua/solvers/matrix/make_system.hpp>

#if defined(MISUSE)
using number = std::complex<double>;
#else
using number = double;
#endif

residua::linear_system of_array(std::span<const double> a, const std::vector<number>& b)
{
    return residua::make_system(residua::dense_view<double>{2, 2, a}, b);
}
