#include <string>

#include <gtest/gtest.h>

#include <residua/blas/base/cublas.cuh>

namespace residua::blas::detail {
namespace {

const std::string library = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);

/// What load_cublas says where it fails.
std::string refusal(const std::string& file, int major)
{
    try {
        load_cublas("product", file, major);
    } catch (const cuda_error& e) {
        return e.what();
    }
    return "";
}

TEST(cublas, is_loaded_when_it_is_needed_and_needs_no_gpu_for_that)
{
    const cublas_functions& f = cublas("product");

    EXPECT_NE(std::string(f.status_string(CUBLAS_STATUS_NOT_SUPPORTED)).find("not supported"), std::string::npos);
    EXPECT_EQ(&cublas("product"), &f);
}

TEST(cublas, that_is_not_there_is_named_in_one_line)
{
    EXPECT_EQ(refusal("libcublas.so.0", CUBLAS_VER_MAJOR),
              "product: cuBLAS " + std::to_string(CUBLAS_VER_MAJOR) +
                  " cannot be used: libcublas.so.0: cannot open shared object file: No such file or directory; install "
                  "it, or name its folder in LD_LIBRARY_PATH");
}

TEST(cublas, of_another_major_version_is_refused)
{
    EXPECT_NE(
        refusal(library, CUBLAS_VER_MAJOR + 1).find(library + " is of version " + std::to_string(CUBLAS_VER_MAJOR)),
        std::string::npos);
}

TEST(cublas, without_a_function_is_refused)
{
    EXPECT_NE(refusal("libm.so.6", CUBLAS_VER_MAJOR).find("libm.so.6 has no function cublasGetProperty"),
              std::string::npos);
}

TEST(cublas, reports_a_status_with_the_operation)
{
    try {
        require_cublas("product", CUBLAS_STATUS_NOT_SUPPORTED);
        FAIL() << "no exception";
    } catch (const cuda_error& e) {
        EXPECT_EQ(e.what(),
                  std::string("product: cuBLAS: ") + cublas("product").status_string(CUBLAS_STATUS_NOT_SUPPORTED));
    }
}

}  // namespace
}  // namespace residua::blas::detail
