#include <residua/blas/level1/sum_nodes.hpp>

#include <cstring>

namespace residua::blas::detail {
namespace {

constexpr std::size_t header_words = sizeof(state_header) / sizeof(std::uint64_t);
constexpr index_t words_before_sum = 2;  // of a node: its first block and the number of blocks

/// Word i of bytes.
std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t i)
{
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i * sizeof word, sizeof word);
    return word;
}

void require(bool holds, const char* what)
{
    if (!holds) {
        throw error(std::string("sum_from_bytes: ") + what);
    }
}

}  // namespace

void require_part(const char* op, index_t first, index_t size, index_t n, index_t block)
{
    const auto where = [&](index_t at) { return "element " + std::to_string(at) + " of " + std::to_string(n); };
    if (first < 0 || size < 0 || first > n || size > n - first) {
        throw dimension_error(std::string(op) + ": " + std::to_string(size) + " elements from " + where(first) +
                              " on are not part of the vector");
    }
    for (const index_t at : {first, first + size}) {
        if (at % block != 0 && at != n) {
            throw dimension_error(std::string(op) + ": a part begins or ends at " + where(at) +
                                  ", which is not a multiple of " + std::to_string(block) + ", the length of blocks");
        }
    }
}

std::size_t bytes_of_state(index_t words, index_t nodes)
{
    return (header_words + static_cast<std::size_t>((words_before_sum + words) * nodes)) * sizeof(std::uint64_t);
}

std::vector<std::byte> state_to_bytes(const state_header& header, const sum_nodes& nodes)
{
    std::vector<std::byte> bytes(bytes_of_state(nodes.words(), nodes.count()));
    std::byte* to = bytes.data();
    const auto put = [&](const void* from, std::size_t size) {
        std::memcpy(to, from, size);
        to += size;
    };
    put(&header, sizeof header);
    for (index_t i = 0; i < nodes.count(); ++i) {
        const index_t place[words_before_sum] = {nodes.block(i), nodes.blocks(i)};
        put(place, sizeof place);
        put(nodes.sum(i), static_cast<std::size_t>(nodes.words()) * sizeof(std::uint64_t));
    }
    return bytes;
}

state_header header_of_state(std::span<const std::byte> bytes, index_t family, index_t bits)
{
    state_header header;
    require(bytes.size() >= sizeof header, "too few bytes for the state of a sum");
    std::memcpy(&header, bytes.data(), sizeof header);
    require(header.family == family && header.bits == bits, "the state of a sum of another format");
    require(0 <= header.first && header.first <= header.last && header.last <= header.n, "not the state of a sum");
    return header;
}

sum_nodes nodes_of_state(std::span<const std::byte> bytes, const state_header& header, index_t words, index_t block,
                         bool joins_nodes)
{
    const index_t begin = header.first == header.last ? 0 : header.first / block;
    const index_t end = header.first == header.last ? 0 : (header.last - 1) / block + 1;
    require(0 <= header.nodes && header.nodes <= (joins_nodes ? most_nodes(end - begin) : end - begin),
            "too many nodes for the state of a sum");
    require(bytes.size() >= bytes_of_state(words, header.nodes), "too few bytes for the state of a sum");
    sum_nodes nodes(words);
    std::vector<std::uint64_t> sum(static_cast<std::size_t>(words));
    index_t next = begin;
    std::size_t at = header_words;
    for (index_t i = 0; i < header.nodes; ++i) {
        const auto b = static_cast<index_t>(word_at(bytes, at++));
        const auto blocks = static_cast<index_t>(word_at(bytes, at++));
        const bool is_power_of_two = blocks > 0 && (blocks & (blocks - 1)) == 0;
        require(b == next && is_power_of_two && b % blocks == 0 && blocks <= end - b && (joins_nodes || blocks == 1),
                "the nodes are not those of a sum");
        for (std::uint64_t& word : sum) {
            word = word_at(bytes, at++);
        }
        nodes.push(b, blocks, sum.data());
        next = b + blocks;
    }
    require(next == end, "the nodes are not those of a sum");
    return nodes;
}

}  // namespace residua::blas::detail
