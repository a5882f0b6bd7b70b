#include <residua/solvers/sparse_direct/front_keeper.hpp>

#include <algorithm>
#include <utility>

namespace residua {

front_keeper::front_keeper(checkpoint* in, const content_key& key, const std::vector<std::int32_t>& parent,
                           archive_front values, archive_front rest)
    : in_(in), key_(key), parent_(parent), values_(std::move(values)), rest_(std::move(rest))
{}

content_key front_keeper::key_of(std::int64_t number) const
{
    return content_hash("fronts").add(key_).add(number).key();
}

void front_keeper::archive_list(state_archive& io)
{
    io.list(pieces_);
    io.value(next_);
}

/// Archives the fronts of a piece: first their numbers in the tree, then each front.
void front_keeper::archive_all(state_archive& io, std::vector<std::int64_t>& fronts, const archive_front& one) const
{
    fronts.resize(io.count(fronts.size(), sizeof(std::int64_t)));
    for (std::int64_t& f : fronts) {
        io.at_most(f, static_cast<std::int64_t>(parent_.size()) - 1);
    }
    for (const std::int64_t f : fronts) {
        one(io, f);
    }
}

void front_keeper::restore(std::vector<char>& done, progress& whole)
{
    if (in_ == nullptr || !in_->find(key_, [&](state_archive& io) { archive_list(io); })) {
        return;
    }
    const auto read = [&](const piece& each, const archive_front& one) {
        std::vector<std::int64_t> fronts;
        in_->find(key_of(each.number), [&](state_archive& io) { archive_all(io, fronts, one); });
        return fronts;
    };
    for (const piece& each : pieces_) {
        if (each.has_rests == 0) {
            for (const index_t f : read(each, values_)) {
                done[static_cast<std::size_t>(f)] = 1;
            }
        }
    }
    const auto waits = [&](index_t f) {
        const std::int32_t p = parent_[static_cast<std::size_t>(f)];
        return done[static_cast<std::size_t>(f)] == 1 && p != -1 && done[static_cast<std::size_t>(p)] == 0;
    };
    for (const piece& each : pieces_) {
        if (each.has_rests == 1) {
            whole.rests.push_back(each.number);
            for (const index_t f : read(each, rest_)) {
                whole.open.insert(f);
            }
        }
    }
    std::erase_if(whole.open, [&](index_t f) { return !waits(f); });
    for (index_t f = 0; f < static_cast<index_t>(done.size()); ++f) {
        if (waits(f) && !whole.open.contains(f)) {
            throw input_error(in_->path(), 0, "the checkpoint has a front without what its parent needs");
        }
    }
}

void front_keeper::after(index_t front, const std::vector<std::int32_t>& children, progress& mine)
{
    if (in_ == nullptr) {
        return;
    }
    for (const std::int32_t child : children) {
        mine.open.erase(child);
    }
    if (parent_[static_cast<std::size_t>(front)] != -1) {
        mine.open.insert(front);
    }
    mine.fresh.push_back(front);
    if (clock::now() - mine.last >= std::chrono::duration<double>(in_->seconds())) {
        save(mine);
    }
}

void front_keeper::join(progress& whole, progress& part)
{
    whole.fresh.insert(whole.fresh.end(), part.fresh.begin(), part.fresh.end());
    whole.open.merge(part.open);
    whole.rests.insert(whole.rests.end(), part.rests.begin(), part.rests.end());
    whole.last = std::min(whole.last, part.last);
    part = {};
}

void front_keeper::forget_taken(const std::vector<char>& done, progress& whole) const
{
    std::erase_if(whole.open, [&](index_t f) {
        const std::int32_t p = parent_[static_cast<std::size_t>(f)];
        return p == -1 || done[static_cast<std::size_t>(p)] == 1;
    });
}

void front_keeper::finish(progress& mine)
{
    mine.open.clear();
    if (in_ != nullptr && (!mine.fresh.empty() || !mine.rests.empty())) {
        save(mine);
    }
}

void front_keeper::save(progress& mine)
{
    const std::lock_guard<std::mutex> one_at_a_time(turn_);
    const std::vector<piece> before = pieces_;
    const std::int64_t next_before = next_;
    std::vector<checkpoint::change> changes;
    const auto add = [&](std::vector<std::int64_t> fronts, bool rests) {
        const std::int64_t number = next_++;
        pieces_.push_back({number, rests ? 1 : 0});
        changes.push_back({key_of(number), [this, fronts = std::move(fronts), rests](state_archive& io) mutable {
                               archive_all(io, fronts, rests ? rest_ : values_);
                           }});
        return number;
    };
    if (!mine.fresh.empty()) {
        add({mine.fresh.begin(), mine.fresh.end()}, false);
    }
    for (const std::int64_t number : mine.rests) {
        std::erase_if(pieces_, [&](const piece& each) { return each.number == number; });
        changes.push_back({key_of(number), {}});
    }
    std::vector<std::int64_t> rests;
    if (!mine.open.empty()) {
        rests.push_back(add({mine.open.begin(), mine.open.end()}, true));
    }
    changes.push_back({key_, [this](state_archive& io) { archive_list(io); }});
    mine.last = clock::now();
    if (in_->save(changes)) {
        mine.fresh.clear();
        mine.rests = std::move(rests);
    } else {
        pieces_ = before;
        next_ = next_before;
    }
}

}  // namespace residua
