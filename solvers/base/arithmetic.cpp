#include <residua/solvers/base/arithmetic.hpp>

#include <algorithm>

#include <residua/arith/multidigit/number.hpp>
#include <residua/arith/rns/number.hpp>

namespace residua {

double number_bytes(const arithmetic& in)
{
    switch (in.format) {
        case number_format::multidigit:
            return multidigit_format(in.bits).bytes();
        case number_format::rns:
            return rns_format(in.bits).bytes();
        default:
            return 8.0 * static_cast<double>(in.bits / 53);
    }
}

double scalar_bytes(const arithmetic& in)
{
    switch (in.format) {
        case number_format::multidigit:
            return sizeof(multidigit_number);
        case number_format::rns:
            return sizeof(rns_number);
        default:
            return number_bytes(in);
    }
}

arithmetic products_of(const arithmetic& in)
{
    return served_by(in.format == number_format::native ? number_format::expansion : in.format,
                     std::min<long>(2 * in.bits, multidigit_format::most_bits));
}

}  // namespace residua
