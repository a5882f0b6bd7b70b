#pragma once

#include <string>

#include <fmt/format.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/numbers/multidigit.hpp>
#include <residua/arith/real/real.hpp>

namespace residua::detail {

/// "{}" is to_string(x), "{:.40}" is to_string(x, 40): 40 significant digits. Fill, alignment and width as for text.
template <class T>
class number_formatter : public fmt::formatter<fmt::string_view> {
public:
    constexpr auto parse(fmt::format_parse_context& context)
    {
        // The text's own precision would cut it off: it is read here, and the rest is left to the text.
        const auto begin = context.begin();
        auto at = begin;
        while (at != context.end() && *at != '}' && *at != '.') {
            ++at;
        }
        if (at != context.end() && *at == '.') {
            const auto point = at;
            digits_ = 0;
            for (++at; at != context.end() && *at >= '0' && *at <= '9' && digits_ < 1'000'000; ++at) {
                digits_ = 10 * digits_ + (*at - '0');
            }
            if (digits_ == 0 || at == context.end() || *at != '}') {
                throw fmt::format_error("the format of a number is [[fill]align][width][.digits]");
            }
            fmt::format_parse_context layout(fmt::string_view(begin, static_cast<std::size_t>(point - begin)));
            fmt::formatter<fmt::string_view>::parse(layout);
            return at;
        }
        return fmt::formatter<fmt::string_view>::parse(context);
    }

    template <class Context>
    auto format(const T& x, Context& context) const
    {
        const std::string text = digits_ > 0 ? to_string(x, digits_) : to_string(x);
        return fmt::formatter<fmt::string_view>::format(text, context);
    }

private:
    int digits_ = 0;
};

}  // namespace residua::detail

template <>
struct fmt::formatter<residua::real> : residua::detail::number_formatter<residua::real> {};

template <int N>
struct fmt::formatter<residua::expansion<double, N>>
    : residua::detail::number_formatter<residua::expansion<double, N>> {};

template <int Bits>
struct fmt::formatter<residua::multidigit_fixed<Bits>>
    : residua::detail::number_formatter<residua::multidigit_fixed<Bits>> {};
