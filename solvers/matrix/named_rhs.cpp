#include <residua/solvers/matrix/named_rhs.hpp>

#include <residua/arith/base/random.hpp>
#include <residua/io/interruption.hpp>

namespace residua {

std::vector<real> numbers_of(const named_rhs& rhs, index_t first, index_t count)
{
    splitmix64 random{rhs.number};
    random.skip(static_cast<std::uint64_t>(first));
    std::vector<real> numbers;
    numbers.reserve(static_cast<std::size_t>(count));
    for (index_t i = first; i < first + count; ++i) {
        io::ask_for_stop_at(i);
        switch (rhs.what) {
            case named_rhs::kind::random:
                numbers.emplace_back(uniform(random));
                break;
            case named_rhs::kind::unit:
                numbers.emplace_back(static_cast<std::uint64_t>(i) == rhs.number ? 1.0 : 0.0);
                break;
            default:
                numbers.emplace_back(1.0);
        }
    }
    return numbers;
}

}  // namespace residua
