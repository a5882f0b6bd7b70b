#include <residua/io/text_cursor.hpp>

#include <charconv>
#include <system_error>

namespace residua::io {

void text_cursor::skip_line()
{
    while (!at_line_end()) {
        ++at_;
    }
}

std::string_view text_cursor::word() const
{
    text_cursor last = *this;
    while (!last.at_blank() && !last.at_line_end()) {
        ++last.at_;
    }
    return {at_, static_cast<std::size_t>(last.at_ - at_)};
}

index_t text_cursor::read_whole_number(const std::string& what)
{
    index_t n = 0;
    const std::string_view w = word();
    const char* const last = w.data() + w.size();
    const auto [end, ec] = std::from_chars(w.data(), last, n);
    if (ec == std::errc::invalid_argument || end != last) {
        fail(what + " is not a whole number: " + quote(w));
    }
    if (ec == std::errc::result_out_of_range) {
        fail(what + " does not fit into 64 bits: " + quote(w));
    }
    at_ = last;
    return n;
}

void text_cursor::fail(const std::string& reason) const { throw input_error(*name_, line_, reason); }

void text_cursor::fail_at_end(const std::string& reason) const
{
    const bool after_line_end = line_ > 1 && (at_[-1] == '\n' || at_[-1] == '\r');
    throw input_error(*name_, after_line_end ? line_ - 1 : line_, reason);
}

}  // namespace residua::io
