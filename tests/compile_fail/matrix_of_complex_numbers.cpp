// expect: complex numbers are not supported
#include <complex>

#include <residua/solvers/matrix/make_system.hpp>

#if defined(MISUSE)
using number = std::complex<double>;
#else
using number = double;
#endif

residua::linear_system of_array(std::span<const number> a)
{
    return residua::make_system(residua::dense_view<number>{2, 2, a});
}
