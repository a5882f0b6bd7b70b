#include <residua/blas/base/single_threaded_blas.hpp>

// OpenBLAS's own; absent in other libraries.
extern "C" int openblas_get_num_threads() __attribute__((weak));
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

namespace residua::blas::detail {

single_threaded_blas::single_threaded_blas()
{
    if (openblas_get_num_threads != nullptr && openblas_set_num_threads != nullptr) {
        before_ = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
}

single_threaded_blas::~single_threaded_blas()
{
    if (before_ > 0) {
        openblas_set_num_threads(before_);
    }
}

std::mutex& single_threaded_blas::turn()
{
    static std::mutex all;
    return all;
}

}  // namespace residua::blas::detail
