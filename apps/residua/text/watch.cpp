#include "watch.hpp"

#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include <residua/io/error.hpp>
#include <residua/io/history.hpp>

#include <apps/residua/cli/console.hpp>

#include "number_text.hpp"

namespace residua {
namespace {

constexpr auto between_lines = std::chrono::milliseconds(100);
constexpr auto between_flushes = std::chrono::milliseconds(500);
constexpr int history_digits = 6;
constexpr const char* wipe_line = "\r\033[K";

bool wants_progress(progress_mode mode, bool quiet)
{
    if (mode == progress_mode::automatic) {
        mode = isatty(STDERR_FILENO) != 0 ? progress_mode::always : progress_mode::never;
    }
    return mode == progress_mode::always && !quiet;
}

}  // namespace

watcher::watcher(const telling_args& telling, std::string label, output_file* history, bool several)
    : showing_(wants_progress(telling.progress, telling.quiet)),
      verbose_(telling.verbose),
      several_(several),
      label_(std::move(label)),
      history_(history)
{}

watcher::~watcher() { wipe(); }

void watcher::wipe()
{
    if (shown_) {
        tell(wipe_line);
        shown_ = false;
    }
}

void watcher::operator()(const history_entry& entry)
{
    const clock::time_point now = clock::now();
    if (history_ != nullptr && history_->is_open()) {
        try {
            write_history(entry, now);
        } catch (const resource_error& e) {  // it closes the file, and the solve goes on
            lost_history_ = e.what();
        }
    }
    if (verbose_ && entry.exact) {
        wipe();
        show(entry, "\n");
    } else if (showing_ && now - last_shown_ > between_lines) {
        wipe();
        show(entry, "");
        shown_ = true;
        last_shown_ = now;
    }
}

void watcher::write_history(const history_entry& entry, clock::time_point now)
{
    begin_history(*history_, several_);
    if (several_) {
        history_->write(fmt::format("{},", entry.column + 1));
    }
    history_->write(io::to_csv({.iteration = entry.iteration,
                                .recursive = is_nan(entry.recursive) ? "" : to_string(entry.recursive, history_digits),
                                .exact = entry.exact ? to_string(*entry.exact, history_digits) : "",
                                .seconds = entry.seconds,
                                .precision_bits = entry.precision_bits}));
    if (now - last_flushed_ > between_flushes) {
        history_->flush();
        last_flushed_ = now;
    }
}

void watcher::show(const history_entry& entry, const char* end)
{
    const std::string label = several_ ? fmt::format("{}column {}: ", label_, entry.column + 1) : label_;
    tell(fmt::format("{}iteration {}, {} residual {}, {} bits, {:.1f} s{}", label, entry.iteration,
                     entry.exact ? "true" : "recursive", short_text(entry.exact ? *entry.exact : entry.recursive),
                     entry.precision_bits, entry.seconds, end));
}

void begin_history(output_file& file, bool several)
{
    if (file.is_open() && file.is_untouched()) {
        file.write(several ? "column," : "");
        file.write(io::history_header);
    }
}

}  // namespace residua
