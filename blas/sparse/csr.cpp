#include <residua/blas/sparse/csr.hpp>

#include <residua/blas/base/instantiate.hpp>

namespace residua {

template <class V>
csr<host_executor, V> transpose(const csr<host_executor, V>& a)
{
    csr<host_executor, V> t(a.cols(), a.rows(), a.entries());
    const auto next = t.row_begin();
    for (const column_t j : a.col()) {
        ++next[static_cast<std::size_t>(j) + 1];
    }
    for (std::size_t j = 0; j + 1 < next.size(); ++j) {
        next[j + 1] += next[j];
    }

    // Rows of A in order, so that columns of A' ascend; next[j] moves on to where row j + 1 begins.
    const auto begin = a.row_begin();
    for (index_t i = 0; i < a.rows(); ++i) {
        for (index_t p = begin[i]; p < begin[i + 1]; ++p) {
            const index_t q = next[a.col()[p]]++;
            t.col()[q] = static_cast<column_t>(i);
            t.value().store(q, a.value().load(p));
        }
    }
    for (std::size_t j = next.size() - 1; j > 0; --j) {
        next[j] = next[j - 1];
    }
    next[0] = 0;
    return t;
}

#define RESIDUA_INSTANTIATE(...) \
    template csr<host_executor, __VA_ARGS__> transpose(const csr<host_executor, __VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua
