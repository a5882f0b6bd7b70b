#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <vector>

#include <residua/solvers/checkpoint/checkpoint.hpp>

namespace residua {

/// Keeps fronts in a checkpoint: eliminated ones, and the contribution blocks (rests) that parents have not taken yet.
///
/// Each thread saves its own fronts under keys of its own, when its own time has come. A list names all keys.
class front_keeper {
public:
    using clock = std::chrono::steady_clock;
    /// Writes the numbers of a front to an archive, or reads them from it: then the front becomes what it was.
    using archive_front = std::function<void(state_archive& io, index_t front)>;

    /// in      null: nothing is kept
    /// key     the key of the factors: of all that their bits depend on
    /// parent  the parent of each front; -1: none
    /// values  archives the factors of a front
    /// rest    archives what its parent takes
    front_keeper(checkpoint* in, const content_key& key, const std::vector<std::int32_t>& parent, archive_front values,
                 archive_front rest);

    /// What one thread has done.
    struct progress {
        std::vector<index_t> fresh{};           ///< fronts that are not saved yet
        std::set<index_t> open{};               ///< fronts whose rest waits for the parent
        std::vector<std::int64_t> rests{};      ///< numbers of the states that have the rests so far
        clock::time_point last = clock::now();  ///< when the thread saved last
    };

    /// Brings back the fronts that an earlier run has saved; done[f] becomes 1 for each.
    ///
    /// throws  input_error if a state is damaged
    void restore(std::vector<char>& done, progress& whole);

    /// Notes that a front was eliminated: its parent will take its rest, and it has taken the rests of its children.
    void after(index_t front, const std::vector<std::int32_t>& children, progress& mine);

    /// Moves what one thread has done, `part`, to what another one has done, `whole`.
    static void join(progress& whole, progress& part);
    /// Forgets rests whose parents are done: they do not wait, whichever thread eliminated the parents.
    void forget_taken(const std::vector<char>& done, progress& whole) const;

    /// Saves what is not saved yet, when the factors are complete.
    void finish(progress& mine);

private:
    /// A saved state, which has some fronts.
    struct piece {
        std::int64_t number;
        std::int64_t has_rests;
    };

    content_key key_of(std::int64_t number) const;
    void archive_list(state_archive& io);
    void archive_all(state_archive& io, std::vector<std::int64_t>& fronts, const archive_front& one) const;
    void save(progress& mine);

    checkpoint* in_;
    content_key key_;
    const std::vector<std::int32_t>& parent_;
    archive_front values_, rest_;
    std::mutex turn_;
    std::vector<piece> pieces_;
    std::int64_t next_ = 0;
};

}  // namespace residua
