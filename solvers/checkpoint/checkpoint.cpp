#include <residua/solvers/checkpoint/checkpoint.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <system_error>

#include <residua/solvers/checkpoint/counting_archive.hpp>
#include <residua/solvers/checkpoint/file_bytes.hpp>
#include <residua/solvers/checkpoint/writing_archive.hpp>

namespace residua {

using detail::read_all, detail::rename_to_new, detail::size_of, detail::sync, detail::words_of, detail::write_all;

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

constexpr std::array<char, 8> magic{'r', 'e', 's', 'i', 'd', 'u', 'a', '\n'};
constexpr std::uint32_t format_version = 1;
constexpr std::uint64_t first_state = 4096;  // before it are the head and the two places of the list's place
constexpr std::uint64_t alignment = 64;

struct file_head {
    std::array<char, 8> magic;
    std::uint32_t version;
    std::uint32_t reserved;
};

/// The place of the list of states.
struct list_place {
    std::uint64_t generation, offset, size;
    content_key list_check;
    content_key check;  ///< the hash of the words before

    content_key made_check() const { return content_hash().add(this, offsetof(list_place, check)).key(); }
};

constexpr std::uint64_t place_of_list_place(std::uint64_t generation) { return 1024 * (1 + generation % 2); }

/// Whether a later attempt may find room where there is none now, as on a full disk.
bool may_have_room(const std::error_code& why)
{
    return why == std::errc::no_space_on_device || why == std::errc::file_too_large || why.value() == EDQUOT;
}

}  // namespace

/// Reads a state, and no byte beyond its end.
class checkpoint::reader final : public state_archive {
public:
    reader(const checkpoint& of, const place& from) : of_(of), offset_(from.offset), left_(from.size) {}

    bool reads() const override { return true; }
    void bytes(void* data, std::size_t size) override
    {
        if (size > left_ || !read_all(of_.file_, data, size, offset_)) {
            of_.refuse("a state ends too early");
        }
        offset_ += size;
        left_ -= size;
    }
    std::uint64_t left() const override { return left_; }

private:
    [[noreturn]] void refuse(const std::string& reason) const override { of_.refuse(reason); }

    const checkpoint& of_;
    std::uint64_t offset_, left_;
};

checkpoint::checkpoint(std::string path, beginning how, checkpoint_identity identity, double seconds)
    : path_(std::move(path)), how_(how), identity_(std::move(identity)), seconds_(seconds)
{
    try {
        how_ == beginning::anew ? open_new() : open_old();
    } catch (...) {
        close();
        throw;
    }
}

checkpoint::~checkpoint() { close(); }

void checkpoint::close() noexcept
{
    if (file_ >= 0) {
        ::close(std::exchange(file_, -1));
    }
}

void checkpoint::refuse(const std::string& reason) const { throw input_error(path_, 0, reason); }

void checkpoint::open_new()
{
    try {
        make_file();
    } catch (const std::system_error& why) {
        if (why.code() == std::errc::file_exists) {
            refuse(
                "is there already: a run goes on from it where that is asked for, and begins anew with another name");
        }
        if (!may_have_room(why.code())) {
            throw resource_error(path_ + ": the checkpoint cannot be made: " + words_of(why.code().value()));
        }
        fail(why);
    }
}

/// Makes the file, which gets its name once a run can go on from it.
///
/// throws  std::system_error, and then there is no file
void checkpoint::make_file()
{
    std::string beside = path_ + ".part-XXXXXX";
    file_ = ::mkostemp(beside.data(), O_CLOEXEC);
    if (file_ < 0) {
        throw std::system_error(errno, std::generic_category());
    }
    (void)::flock(file_, LOCK_EX | LOCK_NB);
    try {
        const file_head head{magic, format_version, 0};
        write_all(file_, &head, sizeof head, 0);
        std::vector<place> taken;
        commit(taken);
        rename_to_new(beside, path_);
    } catch (...) {
        close();
        ::unlink(beside.c_str());
        throw;
    }
}

void checkpoint::open_old()
{
    file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (file_ < 0) {
        refuse("the checkpoint cannot be opened: " + words_of(errno));
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        refuse("another run is at work with this checkpoint");
    }
    file_head head{};
    if (!read_all(file_, &head, sizeof head, 0) || head.magic != magic) {
        refuse("is no checkpoint of residua");
    }
    if (head.version != format_version) {
        refuse("is a checkpoint of format " + std::to_string(head.version) +
               ", and this version of residua reads format " + std::to_string(format_version));
    }
    std::optional<list_place> newest;
    for (std::uint64_t turn = 0; turn < 2; ++turn) {
        list_place at{};
        const bool whole = read_all(file_, &at, sizeof at, place_of_list_place(turn)) && at.check == at.made_check();
        if (whole && (!newest || newest->generation < at.generation)) {
            newest = at;
        }
    }
    if (!newest) {
        refuse("the checkpoint is damaged or cut off: the place of its states is not there");
    }
    generation_ = newest->generation;
    read_list({newest->offset, newest->size, newest->list_check});
}

void checkpoint::read_list(const place& list)
{
    list_ = list;
    const std::uint64_t size = size_of(file_);
    const auto fits = [&](const place& each) { return each.offset <= size && each.size <= size - each.offset; };
    const auto require_whole = [&](bool whole) {
        if (!whole) {
            refuse("the checkpoint is cut off: it has " + std::to_string(size) + " bytes, and its states lie beyond");
        }
    };
    require_whole(fits(list));
    checkpoint_identity wanted = identity_;
    give_to(list, [&](state_archive& io) { archive_list(io); });
    std::swap(wanted, identity_);
    require_identity(wanted);
    for (const auto& [key, at] : states_) {
        require_whole(fits(at));
    }
}

void checkpoint::require_identity(const checkpoint_identity& found) const
{
    const auto before = [&](const std::string& name) -> std::string {
        const auto same = std::find_if(found.begin(), found.end(), [&](const auto& e) { return e.first == name; });
        return same == found.end() ? "nothing" : same->second;
    };
    const auto differs = std::find_if(identity_.begin(), identity_.end(),
                                      [&](const auto& each) { return before(each.first) != each.second; });
    if (differs != identity_.end()) {
        const auto& [name, value] = *differs;
        refuse("is a checkpoint of another run: " + name + " is " + value + ", and was " + before(name));
    }
}

void checkpoint::archive_list(state_archive& io)
{
    constexpr std::size_t bytes_of_name = 2 * sizeof(std::uint64_t);
    identity_.resize(io.count(identity_.size(), bytes_of_name));
    for (auto& [name, value] : identity_) {
        io.text(name);
        io.text(value);
    }
    io.list(calls_);
    std::vector<std::pair<content_key, place>> all(states_.begin(), states_.end());
    all.resize(io.count(all.size(), sizeof(content_key) + sizeof(place)));
    for (auto& [key, at] : all) {
        io.value(key);
        io.value(at);
    }
    if (io.reads()) {
        states_ = {all.begin(), all.end()};
    }
}

/// Writes a state into the first gap between the places that are taken. Its place becomes one of them.
checkpoint::place checkpoint::write(const state_function& state, std::vector<place>& taken)
{
    counting_archive bytes;
    state(bytes);
    std::sort(taken.begin(), taken.end(), [](const place& x, const place& y) { return x.offset < y.offset; });
    const auto aligned = [](std::uint64_t offset) { return (offset + alignment - 1) / alignment * alignment; };
    std::uint64_t offset = first_state;
    for (const place& each : taken) {
        if (offset + bytes.size() <= each.offset) {
            break;
        }
        offset = std::max(offset, aligned(each.offset + each.size));
    }
    writing_archive to(file_, offset);
    state(to);
    to.flush();
    taken.push_back({offset, bytes.size(), to.check()});
    return taken.back();
}

/// Makes the present list of states the one that counts.
///
/// throws  std::system_error, and then the list before it counts
void checkpoint::commit(std::vector<place>& taken)
{
    const place list = write([&](state_archive& io) { archive_list(io); }, taken);
    sync(file_);
    list_place at{
        .generation = generation_ + 1, .offset = list.offset, .size = list.size, .list_check = list.check, .check = {}};
    at.check = at.made_check();
    write_all(file_, &at, sizeof at, place_of_list_place(at.generation));
    sync(file_);
    list_ = list;
    generation_ = at.generation;
}

bool checkpoint::save(const std::vector<change>& changes)
{
    const std::lock_guard<std::mutex> mine(turn_);
    std::map<content_key, place> before = states_;
    try {
        if (file_ < 0) {  // there was no room for it so far
            make_file();
        }
        std::vector<place> taken{list_};
        for (const auto& [key, at] : states_) {
            taken.push_back(at);
        }
        for (const change& each : changes) {
            if (each.state) {
                states_[each.key] = write(each.state, taken);
            } else {
                states_.erase(each.key);
            }
        }
        commit(taken);
    } catch (const std::system_error& why) {
        states_ = std::move(before);
        fail(why);
        return false;
    } catch (...) {
        states_ = std::move(before);
        throw;
    }
    ++saves_;
    failure_.clear();
    return true;
}

void checkpoint::fail(const std::system_error& error)
{
    const std::string why = "the checkpoint " + path_ + " cannot be written: " + words_of(error.code().value()) +
                            "; the run goes on, " +
                            (file_ < 0 ? "and tries again later" : "and what was saved before stays");
    if (std::exchange(failure_, why) != why && told_) {
        told_(why);
    }
}

bool checkpoint::has(const content_key& key) const
{
    const std::lock_guard<std::mutex> mine(turn_);
    return states_.contains(key);
}

bool checkpoint::find(const content_key& key, const state_function& state) const
{
    place from;
    {
        const std::lock_guard<std::mutex> mine(turn_);
        const auto known = states_.find(key);
        if (known == states_.end()) {
            return false;
        }
        from = known->second;
    }
    give_to(from, state);
    return true;
}

/// Gives a state to the function, after all of it is known to be what was written.
void checkpoint::give_to(const place& from, const state_function& state) const
{
    content_hash check;
    std::vector<char> piece(std::size_t{1} << 20);
    reader whole(*this, from);
    for (std::uint64_t left = from.size; left > 0; left = whole.left()) {
        const std::size_t size = std::min<std::uint64_t>(left, piece.size());
        whole.bytes(piece.data(), size);
        check.add(piece.data(), size);
    }
    if (check.key() != from.check) {
        refuse("the checkpoint is damaged: the state at byte " + std::to_string(from.offset) +
               " is not the one that was written");
    }
    reader io(*this, from);
    state(io);
}

void checkpoint::begin_call(const content_key& right_hand_sides)
{
    const std::lock_guard<std::mutex> mine(turn_);
    if (next_call_ < calls_.size()) {
        if (calls_[next_call_] != right_hand_sides) {
            refuse("is a checkpoint of a run with other right-hand sides, or another initial guess");
        }
    } else {
        calls_.push_back(right_hand_sides);
    }
    ++next_call_;
}

std::string checkpoint::failure() const
{
    const std::lock_guard<std::mutex> mine(turn_);
    return failure_;
}

void checkpoint::on_failure(std::function<void(const std::string&)> told)
{
    const std::lock_guard<std::mutex> mine(turn_);
    told_ = std::move(told);
    if (!failure_.empty() && told_) {
        told_(failure_);
    }
}

std::uint64_t checkpoint::saves() const
{
    const std::lock_guard<std::mutex> mine(turn_);
    return saves_;
}

}  // namespace residua
