#include <residua/solvers/files/lines_of_all.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <vector>

#include <residua/io/team.hpp>
#include <residua/io/text_cursor.hpp>

namespace residua {

std::optional<io::file_lines> find_lines_on_all(processes& all, const std::string& path,
                                                const std::function<bool(const io::matrix_market_header&)>& takes,
                                                std::exception_ptr& failure)
{
    std::vector<std::byte> message;
    std::optional<io::file_lines> file;
    if (all.rank() == 0) {
        try {
            std::error_code unknown;
            const std::filesystem::file_status status = std::filesystem::status(path, unknown);
            if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
                file = io::find_lines(path);  // a pipe can be opened once
            }
        } catch (const error&) {
            failure = std::current_exception();
        }
        if (file && takes(file->header)) {
            const auto bytes = std::as_bytes(std::span(&file->bytes, 1));
            message.assign(bytes.begin(), bytes.end());
            const auto head = std::as_bytes(std::span(file->head));
            message.insert(message.end(), head.begin(), head.end());
        }
    }
    all.broadcast(message);
    if (message.empty()) {
        return std::nullopt;
    }
    file = io::file_lines{.name = path, .head = {}, .header = {}, .bytes = 0};
    std::memcpy(&file->bytes, message.data(), sizeof file->bytes);
    file->head.assign(reinterpret_cast<const char*>(message.data()) + sizeof file->bytes,
                      message.size() - sizeof file->bytes);
    const io::text head{.name = path, .bytes = file->head};
    io::text_cursor cursor(head);
    file->header = io::read_header(cursor);
    return file;
}

index_t usual_bytes_at_a_time() { return std::max<index_t>(2, io::available_threads()) << 20; }

io::binary64_tally joined(processes& all, io::binary64_tally mine)
{
    all.join(std::as_writable_bytes(std::span(&mine, 1)),
             [](std::span<const std::byte> left, std::span<std::byte> right) {
                 io::binary64_tally before, joined;
                 std::memcpy(&before, left.data(), sizeof before);
                 std::memcpy(&joined, right.data(), sizeof joined);
                 joined.add(before);
                 std::memcpy(right.data(), &joined, sizeof joined);
             });
    return mine;
}

}  // namespace residua
