#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/level1/axpy.hpp>

using namespace residua;

namespace {

/// Device memory for the planes of n numbers, freed at the end of the test.
template <class T>
class device_vector {
public:
    explicit device_vector(const vector<host_executor, T>& from)
        : size_(from.size()), stride_(from.view().plane_stride)
    {
        require_cuda("cudaMalloc", cudaMalloc(&data_, bytes() + 8));
        require_cuda("cudaMemcpy", cudaMemcpy(data_, from.view().data, bytes(), cudaMemcpyDefault));
    }
    ~device_vector() { cudaFree(data_); }
    device_vector(const device_vector&) = delete;
    device_vector& operator=(const device_vector&) = delete;

    vector_view<cuda_executor, T> view() const { return {data_, size_, stride_}; }

    vector<host_executor, T> to_host() const
    {
        vector<host_executor, T> x(size_);
        require_cuda("cudaMemcpy", cudaMemcpy(x.view().data, data_, bytes(), cudaMemcpyDefault));
        return x;
    }

private:
    std::size_t bytes() const
    {
        return static_cast<std::size_t>(stride_) * number_traits<T>::terms * sizeof(double);
    }

    double* data_ = nullptr;
    index_t size_;
    index_t stride_;
};

/// Full-precision numbers, some of them zero, some of which cancel a partner.
template <class T>
vector<host_executor, T> random_vector(index_t n, std::mt19937_64& random)
{
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    vector<host_executor, T> x(n);
    for (index_t i = 0; i < n; ++i) {
        T number{0.0};
        double scale = std::ldexp(1.0, static_cast<int>(random() % 64) - 32);
        for (int k = 0; k < number_traits<T>::terms && random() % 16 != 0; ++k) {
            number = number + T{scale * value(random)};
            scale *= 0x1p-53;
        }
        x.set(i, number);
    }
    return x;
}

template <class T>
bool same_bits(const vector<host_executor, T>& x, const vector<host_executor, T>& y)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        const auto a = x.view();
        const auto b = y.view();
        if (std::memcmp(a.data + k * a.plane_stride, b.data + k * b.plane_stride,
                        static_cast<std::size_t>(a.size) * sizeof(double)) != 0) {
            return false;
        }
    }
    return true;
}

template <class T>
struct axpy_cuda_test : testing::Test {
    void SetUp() override
    {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
            GTEST_SKIP() << "no CUDA device";
        }
    }
};
using formats = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>>;
TYPED_TEST_SUITE(axpy_cuda_test, formats);

}  // namespace

TYPED_TEST(axpy_cuda_test, gives_the_bits_of_the_host)
{
    std::mt19937_64 random(91);
    for (const index_t n : {0, 1, 31, 32, 33, 255, 257, 100003, 1000003}) {
        const auto x = random_vector<TypeParam>(n, random);
        auto y = random_vector<TypeParam>(n, random);
        for (index_t i = 0; i < n; i += 7) {
            y.set(i, -x.get(i));  // y + x cancels
        }
        const TypeParam a = n % 2 == 0 ? TypeParam{1.0} : random_vector<TypeParam>(1, random).get(0);
        const device_vector<TypeParam> device_x(x), device_y(y);

        blas::axpy<TypeParam>(cuda_executor{}, a, device_x.view(), device_y.view());
        blas::axpy<TypeParam>(host_executor{}, a, x.view(), y.view());

        require_cuda("cudaDeviceSynchronize", cudaDeviceSynchronize());
        EXPECT_TRUE(same_bits(y, device_y.to_host())) << "n = " << n;
    }
}

TYPED_TEST(axpy_cuda_test, works_on_one_vector_twice)
{
    std::mt19937_64 random(92);
    auto y = random_vector<TypeParam>(1000, random);
    const TypeParam a = random_vector<TypeParam>(1, random).get(0);
    const device_vector<TypeParam> device_y(y);

    blas::axpy<TypeParam>(cuda_executor{}, a, device_y.view(), device_y.view());
    blas::axpy<TypeParam>(host_executor{}, a, y.view(), y.view());

    EXPECT_TRUE(same_bits(y, device_y.to_host()));
}

TYPED_TEST(axpy_cuda_test, refuses_vectors_of_different_size)
{
    const vector_view<cuda_executor, TypeParam> x{nullptr, 3, 8}, y{nullptr, 4, 8};

    EXPECT_THROW(blas::axpy<TypeParam>(cuda_executor{}, TypeParam{1.0}, x, y), dimension_error);
}

TEST(require_cuda_test, names_the_operation_and_the_error)
{
    try {
        require_cuda("some_op", cudaErrorInvalidValue);
        FAIL() << "no exception";
    } catch (const cuda_error& e) {
        EXPECT_NE(std::string(e.what()).find("some_op"), std::string::npos);
        EXPECT_NE(std::string(e.what()).find("cudaErrorInvalidValue"), std::string::npos);
    }
}
