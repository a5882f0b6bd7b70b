#include <residua/solvers/build/shared_format_engine.hpp>

namespace residua {
namespace {

multidigit_space<host_executor> space_of(long bits) { return {{}, multidigit_format(bits)}; }

}  // namespace

std::unique_ptr<correction_engine> make_shared_multidigit_engine(const arithmetic& in, const engine_request& request)
{
    return std::make_unique<shared_format_engine<multidigit_space<host_executor>>>(space_of(in.bits), in, request);
}

std::unique_ptr<engine_part> make_multidigit_part(const engine_order& order, const engine_rows& rows, processes& all)
{
    return std::make_unique<shared_part<multidigit_space<host_executor>>>(space_of(order.in.bits), order, rows, all);
}

}  // namespace residua
