#include <residua/arith/complex/text.hpp>

#include <residua/io/decimal.hpp>
#include <residua/io/error.hpp>

namespace residua::detail {

complex_text parts_of_text(std::string_view text)
{
    const std::size_t comma = text.find(',');
    if (text.size() < 3 || text.front() != '(' || text.back() != ')' || comma == std::string_view::npos) {
        throw error("not a complex number, which is written (re,im): " + std::string(text));
    }
    return {text.substr(1, comma - 1), text.substr(comma + 1, text.size() - comma - 2)};
}

double binary64_of_text(std::string_view decimal)
{
    if (!io::is_decimal(decimal)) {
        throw error(io::why_not_decimal(decimal));
    }
    return io::parse_binary64(decimal);
}

real text_value(const rns_number& x) { return to_real(x).with_precision(x.format().set().constants.width); }

}  // namespace residua::detail
