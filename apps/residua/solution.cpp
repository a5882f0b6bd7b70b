#include "solution.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "number_text.hpp"

namespace residua {

void write_solution(output_file& file, const std::vector<solution_column>& columns, const std::string& comment)
{
    std::string one_line = comment;
    std::replace(one_line.begin(), one_line.end(), '\n', ' ');
    file.write(fmt::format("%%MatrixMarket matrix array real general\n% {}\n{} {}\n", one_line,
                           columns.empty() ? 0 : columns.front().x.size(), columns.size()));
    for (const auto& [x, digits] : columns) {
        for (const real& element : x) {
            if (!is_finite(element)) {
                throw error(file.path() + ": x has an entry that is not finite");
            }
            file.write(plain_text(element, digits));
            file.write("\n");
        }
    }
    file.close();
}

real relative_error(const std::vector<real>& x, const std::vector<real>& y)
{
    long bits = real::double_bits;
    for (const std::vector<real>* v : {&x, &y}) {
        for (const real& element : *v) {
            bits = std::max(bits, element.precision());
        }
    }
    real largest(0.0, bits);
    real scale(0.0, bits);
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = max(largest, abs(x[i].with_precision(bits) - y[i]));
        scale = max(scale, abs(y[i]));
    }
    return is_zero(scale) ? largest : largest / scale;
}

exit_code exit_code_of(solve_status status, bool digits_reached)
{
    switch (status) {
        case solve_status::converged:
            return digits_reached ? exit_code::done : exit_code::not_converged;
        case solve_status::not_converged:
        case solve_status::stagnated:
        case solve_status::time_limit:
            return exit_code::not_converged;
        case solve_status::breakdown:
            return exit_code::breakdown;
        case solve_status::interrupted:
            return exit_code::interrupted;
    }
    return exit_code::not_converged;
}

}  // namespace residua
