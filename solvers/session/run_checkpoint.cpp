#include <residua/solvers/session/run_checkpoint.hpp>

#include <string>

#include <residua/solvers/checkpoint/hashing_archive.hpp>
#include <residua/solvers/options/option_text.hpp>

namespace residua {
namespace {

std::string matrix_in_words(const linear_system& system)
{
    content_hash hash("system");
    hash.add(system.rows).add(system.cols).add_all(system.row_begin).add_all(system.column).add_all(system.values);
    system.exact.add_to(hash);
    return (system.complex ? "a real form, " : "") + std::to_string(system.rows) + " x " + std::to_string(system.cols) +
           " with " + std::to_string(system.nonzeros()) + " entries and the check " + hash.key().text().substr(0, 16);
}

std::string vectors_in_words(const node_facts& nodes)
{
    content_hash hash("nodes");
    hash.add_all(nodes.coordinates);
    for (const std::vector<double>& vector : nodes.near_null_space) {
        hash.add_all(vector);
    }
    return nodes.has_vectors() ? "the check " + hash.key().text().substr(0, 16) : "none";
}

void add(content_hash& hash, const std::vector<real>& numbers)
{
    hashing_archive io(hash);
    std::vector<real> copy = numbers;
    archive(io, copy);
}

}  // namespace

std::unique_ptr<checkpoint> open_checkpoint(const linear_system& system, const solve_options& options)
{
    if (options.checkpoint.empty()) {
        return nullptr;
    }
    checkpoint_identity identity = options_of_x(options);
    identity.insert(identity.begin(), {{"the version of residua", RESIDUA_VERSION},
                                       {"the matrix", matrix_in_words(system)},
                                       {"the near-null space or coordinates", vectors_in_words(options.nodes)},
                                       {"estimates", options.estimate_condition ? "yes" : "no"}});
    auto result = std::make_unique<checkpoint>(
        options.checkpoint, options.resume ? checkpoint::beginning::resumed : checkpoint::beginning::anew, identity,
        options.checkpoint_seconds);
    result->on_failure(options.on_checkpoint_failure);
    return result;
}

content_key key_of_call(const std::vector<given_rhs>& right_hand_sides, const solve_options& options)
{
    content_hash hash("call");
    hash.add(right_hand_sides.size());
    for (const given_rhs& b : right_hand_sides) {
        add(hash, b.numbers());
    }
    add(hash, options.initial_guess);
    return hash.key();
}

}  // namespace residua
