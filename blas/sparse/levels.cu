#include <residua/blas/sparse/levels.hpp>

namespace residua::blas {
namespace {

buffer<cuda_executor, index_t> copied(const cuda_executor& exec, const std::vector<index_t>& from)
{
    buffer<host_executor, index_t> words(static_cast<index_t>(from.size()));
    std::copy(from.begin(), from.end(), words.data());
    return to_device(exec, words);
}

}  // namespace

device_levels::device_levels(const cuda_executor& exec, const row_levels& levels)
    : triangle_(levels.triangle),
      rows_(copied(exec, levels.rows)),
      begin_(copied(exec, levels.begin)),
      host_begin_(levels.begin)
{
    const auto depth = static_cast<index_t>(host_begin_.size()) - 1;
    for (index_t l = 0; l < depth; ++l) {
        const bool narrow = width(l) <= narrow_width;
        if (narrow && !launches_.empty() && launches_.back().narrow) {
            launches_.back().last = l + 1;
        } else {
            launches_.push_back({l, l + 1, narrow});
        }
    }
}

}  // namespace residua::blas
