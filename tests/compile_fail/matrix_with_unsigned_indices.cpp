// expect: signed integers of 32 or 64 bits
#include <residua/solvers/matrix/make_system.hpp>

#if defined(MISUSE)
using index_type = unsigned;
#else
using index_type = int;
#endif

residua::linear_system of_rows(std::span<const index_type> row_begin, std::span<const index_type> column,
                               std::span<const double> a)
{
    return residua::make_system(residua::csr_view<index_type, double>{2, 2, row_begin, column, a});
}
