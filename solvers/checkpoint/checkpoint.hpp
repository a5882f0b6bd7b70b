#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <residua/io/error.hpp>
#include <residua/solvers/checkpoint/content_hash.hpp>
#include <residua/solvers/checkpoint/state_archive.hpp>

namespace residua {

/// What a checkpoint is made for, by name: each value has to be the same when a run goes on from it.
using checkpoint_identity = std::vector<std::pair<std::string, std::string>>;

/// A file of states, each under a key, for a run that is killed to go on from.
///
/// A save writes new states into places that no state of the last save has, and then the list of all states, and then, in
/// turns at one of two places, where that list is: so the last save is there whenever the process or the machine ends. States
/// that are given up leave room for later ones. docs/checkpoints.md has the layout.
///
/// threads  all functions may be called by several threads at once
class checkpoint {
public:
    enum class beginning { anew, resumed };

    /// A new file, or one that goes on.
    ///
    /// A new file for which there is no room is made by a later save(), if there is room then.
    ///
    /// seconds  between two saves of one thing
    /// throws   input_error: a new file is there already; an old one is not there, is no checkpoint, is cut off or damaged, or
    ///          is of another identity; another process has it. resource_error: a new one cannot be made for another reason
    ///          than want of room
    checkpoint(std::string path, beginning how, checkpoint_identity identity, double seconds);
    checkpoint(const checkpoint&) = delete;
    checkpoint& operator=(const checkpoint&) = delete;
    ~checkpoint();

    const std::string& path() const { return path_; }
    double seconds() const { return seconds_; }

    /// A state to write, or, without a function, one to give up.
    struct change {
        content_key key;
        state_function state;
    };
    /// Makes all of these changes or none; false: it could not, failure() says why, and the last save stays.
    bool save(const std::vector<change>& changes);
    bool save(const content_key& key, const state_function& state) { return save({{key, state}}); }

    bool has(const content_key& key) const;
    /// Gives a state to the function; false: there is none.
    ///
    /// throws  input_error if it is damaged
    bool find(const content_key& key, const state_function& state) const;

    /// Notes the right-hand sides of a call, the first, second, ... of this object.
    ///
    /// throws  input_error if the file is of a run that had others in this call
    void begin_call(const content_key& right_hand_sides);

    /// Why the last save that failed did so; empty: none failed.
    std::string failure() const;
    /// `told` is called with each new failure(), at once if there is one already; by any thread.
    void on_failure(std::function<void(const std::string&)> told);
    std::uint64_t saves() const;

private:
    struct place {
        std::uint64_t offset = 0, size = 0;
        content_key check{};
    };
    class reader;

    [[noreturn]] void refuse(const std::string& reason) const;
    void open_new();
    void make_file();
    void open_old();
    void close() noexcept;
    void read_list(const place& list);
    void require_identity(const checkpoint_identity& found) const;
    void archive_list(state_archive& io);
    place write(const state_function& state, std::vector<place>& taken);
    void commit(std::vector<place>& taken);
    void fail(const std::system_error& error);
    void give_to(const place& from, const state_function& state) const;

    std::string path_;
    beginning how_;
    checkpoint_identity identity_;
    double seconds_;
    int file_ = -1;

    mutable std::mutex turn_;
    std::map<content_key, place> states_;
    std::vector<content_key> calls_;  ///< for each call of all runs, the key of its right-hand sides
    std::size_t next_call_ = 0;
    place list_;
    std::uint64_t generation_ = 0;
    std::uint64_t saves_ = 0;
    std::string failure_;
    std::function<void(const std::string&)> told_;
};

/// One state in a checkpoint, saved no more often than the checkpoint says.
class kept_state final : public run_keeper {
public:
    kept_state(checkpoint& in, const content_key& key) : in_(in), key_(key) {}

    bool is_due() const override { return clock::now() - last_ >= std::chrono::duration<double>(in_.seconds()); }
    void keep(const state_function& state) override
    {
        in_.save(key_, state);
        last_ = clock::now();
    }
    bool find(const state_function& state) override { return in_.find(key_, state); }

private:
    using clock = std::chrono::steady_clock;

    checkpoint& in_;
    content_key key_;
    clock::time_point last_ = clock::now();
};

}  // namespace residua
