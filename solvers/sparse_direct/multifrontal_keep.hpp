#pragma once

#include <algorithm>
#include <cstdint>

#include <residua/solvers/checkpoint/hashing_archive.hpp>
#include <residua/solvers/space/space_state.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

/// The fronts of multifrontal in a checkpoint. Included where it is instantiated.
namespace residua {

/// The key of all that the bits of the factors depend on.
template <array_space S>
content_key multifrontal<S>::key_of(const matrix_entries& m) const
{
    content_hash hash("factors");
    hash.add(kind())
        .add(analysis_->in_pairs)
        .add(precision_of(space_))
        .add(options_.panel)
        .add(run_time_format<element>)
        .add(m.a.rows);
    hash.add_all(m.a.row_begin).add_all(m.a.column).add_all(m.a.values);
    hash.add_all(analysis_->tree.unknown).add_all(analysis_->tree.first_pivot);
    hashing_archive io(hash);
    for (real each : m.exact) {
        archive(io, each);
    }
    return hash.key();
}

template <array_space S>
void multifrontal<S>::archive_values(state_archive& io, index_t f)
{
    front& at = front_[static_cast<std::size_t>(f)];
    io.list(at.row);
    io.list(at.column);
    io.list(at.is_pair);
    const auto require = [&](bool holds) {
        if (!holds) {
            throw unsupported_error("a front in a checkpoint is not one of this matrix");
        }
    };
    const auto is_pivot = [n = size()](std::int32_t k) { return k >= 0 && k < n; };
    for (const auto* labels : {&at.row, &at.column}) {
        require(std::all_of(labels->begin(), labels->end(), is_pivot));
    }
    io.at_most(at.columns, at.order());
    io.at_most(at.pivots, at.columns);
    require(at.row.size() == at.column.size() && at.below() == static_cast<index_t>(analysis_->tree.below(f).size()) &&
            at.is_pair.size() <= at.row.size() &&
            (kind() != factor_kind::ldl || static_cast<index_t>(at.is_pair.size()) >= at.pivots));
    if (io.reads()) {
        at.values.emplace(space_.make_vector(size_of_values(at)));
    }
    archive(io, space_, *at.values);
}

template <array_space S>
void multifrontal<S>::archive_rest(state_archive& io, index_t f)
{
    front& at = front_[static_cast<std::size_t>(f)];
    if (io.reads()) {
        at.rest.emplace(space_.make_vector(at.below() * at.below()));
    } else {
        bring_rest(at);
    }
    archive(io, space_, *at.rest);
}

}  // namespace residua
