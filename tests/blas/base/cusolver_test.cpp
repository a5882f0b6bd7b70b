#include <string>

#include <gtest/gtest.h>

#include <residua/blas/base/cusolver.cuh>

namespace residua::blas::detail {
namespace {

/// What load_cusolver says where it fails.
std::string refusal(const std::string& file, int major)
{
    try {
        load_cusolver("factors", file, major);
    } catch (const cuda_error& e) {
        return e.what();
    }
    return "";
}

TEST(cusolver, is_loaded_when_it_is_needed_and_needs_no_gpu_for_that)
{
    const cusolver_functions& f = cusolver("factors");

    int major = 0;
    EXPECT_EQ(f.property(MAJOR_VERSION, &major), CUSOLVER_STATUS_SUCCESS);
    EXPECT_EQ(major, CUSOLVER_VER_MAJOR);
    EXPECT_EQ(&cusolver("factors"), &f);
}

TEST(cusolver, that_is_not_there_is_named_in_one_line)
{
    EXPECT_EQ(
        refusal("libcusolver.so.0", CUSOLVER_VER_MAJOR),
        "factors: cuSOLVER " + std::to_string(CUSOLVER_VER_MAJOR) +
            " cannot be used: libcusolver.so.0: cannot open shared object file: No such file or directory; install "
            "it, or name its folder in LD_LIBRARY_PATH");
}

TEST(cusolver, of_another_major_version_is_refused)
{
    EXPECT_NE(refusal(cusolver_file(), CUSOLVER_VER_MAJOR + 1)
                  .find(cusolver_file() + " is of version " + std::to_string(CUSOLVER_VER_MAJOR)),
              std::string::npos);
}

TEST(cusolver, without_a_function_is_refused)
{
    EXPECT_NE(refusal("libm.so.6", CUSOLVER_VER_MAJOR).find("libm.so.6 has no function cusolverGetProperty"),
              std::string::npos);
}

TEST(cusolver, reports_a_status_with_the_operation)
{
    try {
        require_cusolver("factors", CUSOLVER_STATUS_ALLOC_FAILED);
        FAIL() << "no exception";
    } catch (const cuda_error& e) {
        EXPECT_STREQ(e.what(), "factors: cuSOLVER: status 2");
    }
}

}  // namespace
}  // namespace residua::blas::detail
