#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/planes.hpp>

using namespace residua;

namespace {

using qd = expansion<double, 4>;

/// As QD has it.
struct qd_real {
    double x[4];
};

std::vector<qd> numbers(int n)
{
    std::vector<qd> all;
    for (int i = 0; i < n; ++i) {
        all.push_back(qd(i + 1.0) / qd(3.0));
    }
    return all;
}

std::string refusal(auto&& call)
{
    try {
        call();
    } catch (const dimension_error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST(planes_test, hold_term_after_term_and_come_back)
{
    for (const int n : {0, 1, 7, 600}) {
        const std::vector<qd> x = numbers(n);

        const vector<host_executor, qd> p = planes(x);

        ASSERT_EQ(p.size(), n);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < 4; ++k) {
                EXPECT_EQ(p.view().plane(k)[i], x[static_cast<std::size_t>(i)][k]);
            }
        }
        std::vector<qd> back(x.size());
        interleaved(p.view(), std::span<qd>(back));
        for (std::size_t i = 0; i < x.size(); ++i) {
            EXPECT_TRUE(back[i] == x[i]);
        }
    }
}

TEST(planes_test, take_the_structures_of_other_libraries)
{
    const std::vector<qd> x = numbers(5);
    std::vector<qd_real> theirs(5);
    std::vector<std::array<double, 4>> arrays(5);

    interleaved(planes(x).view(), std::span(theirs));
    interleaved(planes<qd>(std::span(theirs)).view(), std::span(arrays));

    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t k = 0; k < 4; ++k) {
            EXPECT_EQ(theirs[i].x[k], x[i].t[k]);
            EXPECT_EQ(arrays[i][k], x[i].t[k]);
        }
    }
}

TEST(planes_test, refuse_sizes_and_strides_that_cannot_be_right)
{
    std::vector<qd> room(5);
    vector<host_executor, qd> p(6);
    EXPECT_EQ(refusal([&] { interleaved(p.view(), std::span(room)); }),
              "interleaved: numbers and room differ: 6 and 5");

    vector_view<host_executor, qd> view = p.view();
    view.start.plane_stride = 5;
    EXPECT_EQ(refusal([&] { require_planes("x", view); }), "x: a view of 6 numbers has planes 5 apart, which overlap");
    view = {{nullptr, 8}, 6};
    EXPECT_EQ(refusal([&] { require_planes("x", view); }), "x: a view of 6 numbers has no memory");
    EXPECT_EQ(refusal([&] {
                  require_planes("x", vector_view<host_executor, qd>{{p.view().data(), 8}, -1});
              }),
              "x: a view of -1 numbers has a negative size");
    EXPECT_EQ(refusal([&] { require_planes("x", vector_view<host_executor, qd>{}); }), "");

    matrix<host_executor, qd> m(4, 3);
    matrix_view<host_executor, qd> a = m.view();
    EXPECT_EQ(refusal([&] { require_planes("a", a); }), "");
    a.ld = 3;
    EXPECT_EQ(refusal([&] { require_planes("a", a); }),
              "a: a view of 4 x 3 numbers has columns 3 apart, which overlap");
    a = m.view();
    a.start.plane_stride = a.ld * 2 + 3;
    const std::string apart = std::to_string(a.start.plane_stride);
    EXPECT_EQ(refusal([&] { require_planes("a", a); }),
              "a: a view of 4 x 3 numbers has planes " + apart + " apart, which overlap");
}
