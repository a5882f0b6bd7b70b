#include <residua/solvers/base/scaled_double.hpp>

#include <cmath>
#include <cstddef>
#include <functional>

#include <residua/solvers/base/elements.hpp>

namespace residua {

scaled_double norm_inf(const scaled_doubles& v)
{
    const auto larger = [](const scaled_double& a, const scaled_double& b) {
        return std::isnan(b.m) || (!std::isnan(a.m) && a < b) ? b : a;
    };
    const auto largest = [&](std::size_t begin, std::size_t end) {
        scaled_double result;
        for (std::size_t i = begin; i < end; ++i) {
            result = larger(result, abs(v[i]));
        }
        return result;
    };
    return fold_elements<scaled_double>(v.size(), largest, larger);
}

scaled_double norm1(const scaled_doubles& v)
{
    const auto sum = [&](std::size_t begin, std::size_t end) {
        scaled_double result;
        for (std::size_t i = begin; i < end; ++i) {
            result = result + abs(v[i]);
        }
        return result;
    };
    return fold_elements<scaled_double>(v.size(), sum, std::plus<>());
}

}  // namespace residua
