#pragma once

#include <chrono>
#include <string>

#include <residua/solvers/solve.hpp>

#include <apps/residua/cli/args.hpp>
#include <apps/residua/cli/output_file.hpp>

namespace residua {

/// Extends the history file and changes the progress line at every step of a solve.
class watcher {
public:
    /// Every line begins with `label`. The file may be closed, or null. With `several` a line also names its column.
    watcher(const telling_args& telling, std::string label, output_file* history, bool several = false);
    watcher(const watcher&) = delete;
    watcher& operator=(const watcher&) = delete;

    /// Wipes the progress line.
    ~watcher();

    void operator()(const history_entry& entry);

    /// Why the history ended before the solve, as by a full disk; empty if it did not.
    const std::string& lost_history() const { return lost_history_; }

private:
    using clock = std::chrono::steady_clock;

    void wipe();
    void write_history(const history_entry& entry, clock::time_point now);
    void show(const history_entry& entry, const char* end);

    bool showing_;
    bool verbose_;
    bool several_;
    bool shown_ = false;
    std::string label_;
    std::string lost_history_;
    output_file* history_;
    clock::time_point last_shown_;
    clock::time_point last_flushed_;
};

/// Writes the heading of a history file unless it is there. The first iteration calls it, so that a
/// solve that never begins leaves an older history alone. With `several` the column comes first.
void begin_history(output_file& file, bool several);

}  // namespace residua
