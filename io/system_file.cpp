#include <residua/io/system_file.hpp>

#include <charconv>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace residua::io {

system_file::system_file(const char* name)
{
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    ssize_t got = 0;
    while (size_ < sizeof text_ && (got = read(file, text_ + size_, sizeof text_ - size_)) > 0) {
        size_ += static_cast<std::size_t>(got);
    }
    close(file);
}

double system_file::number_after(std::string_view key) const
{
    const std::size_t at = text().find(key);
    const std::size_t first = at == std::string_view::npos ? at : text().find_first_not_of(" \t", at + key.size());
    double value = 0.0;
    const bool is_number =
        first != std::string_view::npos && std::from_chars(text_ + first, text_ + size_, value).ec == std::errc();
    return is_number ? value : no_number;
}

}  // namespace residua::io
