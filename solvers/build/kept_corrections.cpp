#include <residua/solvers/build/kept_corrections.hpp>

#include <cstdint>
#include <utility>

#include <residua/solvers/checkpoint/hashing_archive.hpp>

namespace residua {
namespace {

/// One call of stop_rule::on_iteration.
struct seen_residual {
    std::int64_t column, iteration;
    double residual;
};

/// Columns that are computed together, with the residuals that their callers have seen. Resumed runs show them again.
class kept_columns final : public run_keeper {
public:
    kept_columns(checkpoint& in, const content_key& key, std::vector<correction>& columns) : state_(in, key)
    {
        for (correction& each : columns) {
            const auto column = static_cast<std::int64_t>(tell_.size());
            tell_.push_back(each.rule.on_iteration);
            each.rule.on_iteration = [this, column](index_t k, double residual) {
                seen_.push_back({column, k, residual});
                tell({column, k, residual});
            };
            each.rule.keeper = this;
        }
    }

    bool is_due() const override { return state_.is_due(); }
    void keep(const state_function& state) override
    {
        state_.keep([&](state_archive& io) {
            io.list(seen_);
            state(io);
        });
    }
    bool find(const state_function& state) override
    {
        const bool found = state_.find([&](state_archive& io) {
            io.list(seen_);
            state(io);
        });
        for (const seen_residual& each : seen_) {
            tell(each);
        }
        return found;
    }

    /// The residuals that were shown of one column.
    std::vector<seen_residual> seen_of(std::int64_t column) const
    {
        std::vector<seen_residual> mine;
        for (const seen_residual& each : seen_) {
            if (each.column == column) {
                mine.push_back(each);
            }
        }
        return mine;
    }

private:
    void tell(const seen_residual& what) const
    {
        const auto column = static_cast<std::size_t>(what.column);
        if (column < tell_.size() && tell_[column]) {
            tell_[column](what.iteration, what.residual);
        }
    }

    kept_state state_;
    std::vector<std::function<void(index_t, double)>> tell_;
    std::vector<seen_residual> seen_;
};

content_key done_key(const content_key& column) { return content_hash("correction").add(column).key(); }

void archive_done(state_archive& io, std::vector<seen_residual>& seen, correction& column)
{
    io.list(seen);
    column.report.archive(io);
    column.d.archive(io);
}

/// Whether the checkpoint has the correction. If so, reads it, and shows its residuals again.
bool find_done(const checkpoint& in, const content_key& key, correction& column)
{
    std::vector<seen_residual> seen;
    const bool found = in.find(done_key(key), [&](state_archive& io) { archive_done(io, seen, column); });
    for (const seen_residual& each : seen) {
        if (column.rule.on_iteration) {
            column.rule.on_iteration(each.iteration, each.residual);
        }
    }
    return found;
}

bool was_stopped(const correction& column)
{
    return column.report.status == solve_status::interrupted || column.report.status == solve_status::time_limit;
}

/// Computes columns together, none of which the checkpoint has, and saves them unless one was stopped.
void compute_and_keep(checkpoint& in, const std::vector<content_key>& keys, const std::vector<correction*>& columns,
                      correction_engine& by)
{
    content_hash all("columns at work");
    std::vector<correction> at_work;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        all.add(keys[j]);
        at_work.push_back({.r = columns[j]->r, .rule = columns[j]->rule});
    }
    kept_columns kept(in, all.key(), at_work);
    by.correct(at_work);
    std::vector<checkpoint::change> changes;
    bool stopped = false;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        columns[j]->d = std::move(at_work[j].d);
        columns[j]->report = std::move(at_work[j].report);
        stopped = stopped || was_stopped(*columns[j]);
        if (!was_stopped(*columns[j])) {
            changes.push_back({done_key(keys[j]), [&kept, &columns, j](state_archive& io) {
                                   auto seen = kept.seen_of(static_cast<std::int64_t>(j));
                                   archive_done(io, seen, *columns[j]);
                               }});
        }
    }
    if (stopped) {
        return;  // what was saved last is nearest to the end
    }
    changes.push_back({all.key(), {}});
    in.save(changes);
}

class kept_engine final : public correction_engine {
public:
    kept_engine(checkpoint& states, const content_key& key, std::unique_ptr<correction_engine> engine)
        : states_(states), key_(key), engine_(std::move(engine))
    {}

    void correct(std::vector<correction>& columns) override
    {
        std::vector<content_key> keys;
        std::vector<correction*> left;
        for (correction& each : columns) {
            const content_key key = key_of(key_, each);
            if (find_done(states_, key, each)) {
                continue;
            }
            if (together()) {
                keys.push_back(key);
                left.push_back(&each);
            } else {
                compute_and_keep(states_, {key}, {&each}, *engine_);
            }
        }
        if (!left.empty()) {
            compute_and_keep(states_, keys, left, *engine_);
        }
    }

    bool together() const override { return engine_->together(); }
    bool on_device() const override { return engine_->on_device(); }
    index_t shared_by() const override { return engine_->shared_by(); }
    const factorization* factors() const override { return engine_->factors(); }

private:
    checkpoint& states_;
    content_key key_;
    std::unique_ptr<correction_engine> engine_;
};

}  // namespace

content_key key_of(const scaled_matrix& m)
{
    return content_hash("matrix")
        .add(m.rows)
        .add_all(m.row_begin)
        .add_all(m.column)
        .add_all(m.values)
        .add_all(m.row_exponent)
        .add_all(m.column_exponent)
        .key();
}

content_key key_of(const content_key& engine, const correction& of)
{
    content_hash hash("column");
    hash.add(engine)
        .add(of.rule.relative_residual)
        .add(of.rule.normal_reduction)
        .add(of.rule.max_iterations)
        .add(of.rule.keeps_bits);
    hashing_archive io(hash);
    of.r.archive(io);
    return hash.key();
}

std::unique_ptr<correction_engine> kept_in(checkpoint& states, const content_key& key,
                                           std::unique_ptr<correction_engine> engine)
{
    return std::make_unique<kept_engine>(states, key, std::move(engine));
}

}  // namespace residua
