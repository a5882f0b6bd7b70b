#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <residua/blas/base/library.hpp>

namespace residua::blas {
namespace {

std::string better(const char* core, bool has_avx2, bool has_avx512)
{
    const char* const name = detail::better_core(core, has_avx2, has_avx512);
    return name != nullptr ? name : "";
}

TEST(blas_library, suggests_kernels_for_instructions_that_the_core_lacks)
{
    for (const char* const old : {"Prescott", "Nehalem", "Sandybridge", "Barcelona", "Excavator"}) {
        EXPECT_EQ(better(old, true, true), "SkylakeX") << old;
        EXPECT_EQ(better(old, true, false), "Haswell") << old;
        EXPECT_EQ(better(old, false, false), "") << old;
    }
    for (const char* const with_avx2 : {"Haswell", "Zen"}) {
        EXPECT_EQ(better(with_avx2, true, true), "SkylakeX") << with_avx2;
        EXPECT_EQ(better(with_avx2, true, false), "") << with_avx2;
    }
    for (const char* const recent : {"SkylakeX", "Cooperlake", "SapphireRapids", "of a later release"}) {
        EXPECT_EQ(better(recent, true, true), "") << recent;
    }
}

TEST(blas_library, is_described_and_its_advice_names_the_variable)
{
    const library_info old{"OpenBLAS", "0.3.21", "Prescott", "SkylakeX"}, right{"OpenBLAS", "0.3.21", "Zen", ""};

    EXPECT_EQ(to_string(old), "OpenBLAS 0.3.21, kernels for Prescott");
    EXPECT_NE(advice(old).find("OPENBLAS_CORETYPE=SkylakeX"), std::string::npos);
    EXPECT_EQ(advice(right), "");
    EXPECT_EQ(to_string({"/usr/lib/libblas.so.3", "", "", ""}), "/usr/lib/libblas.so.3");
}

TEST(blas_library, is_found_and_what_the_user_chose_stays)
{
    const library_info& info = library();

    EXPECT_FALSE(info.name.empty());
    EXPECT_EQ(info.name == "OpenBLAS", !info.core.empty());
    if (std::getenv("OPENBLAS_CORETYPE") != nullptr) {
        EXPECT_EQ(info.suggested_core, "");
    }
}

}  // namespace
}  // namespace residua::blas
