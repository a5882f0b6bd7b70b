#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/base/view.hpp>

namespace {

// In PTX the name of this kernel holds the bytes of T on the host, and its declaration the bytes of the parameter.
// parameter_sizes.cmake compares the two.
template <unsigned Bytes, class T>
__global__ void takes(T)
{}

}  // namespace

namespace residua {

template <class T>
void launch(const T& x)
{
    takes<sizeof(T)><<<1, 1>>>(x);
}

template <class T>
struct views {
    static void launch_all(const vector_view<cuda_executor, T>& x,
                           const vector_view<cuda_executor, const T, index_t>& y,
                           const matrix_view<cuda_executor, T>& a)
    {
        launch(x);
        launch(y);
        launch(a);
    }
};
template struct views<double>;
template struct views<expansion<double, 4>>;
template struct views<multidigit>;
template struct views<rns>;

}  // namespace residua
