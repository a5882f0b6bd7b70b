#include <gtest/gtest.h>

#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/solve.hpp>

namespace residua {
namespace {

TEST(gallery_test, gives_the_entries_of_a_symmetric_matrix_with_their_mirror_images)
{
    const io::coo<real> a = all_entries(make_gallery(gallery_kind_of("pascal"), {.n = 3}));

    EXPECT_EQ(a.row, (std::vector<index_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(a.col, (std::vector<index_t>{0, 1, 2, 0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(a.value,
              (std::vector<real>{real(1), real(1), real(1), real(1), real(2), real(3), real(1), real(3), real(6)}));
}

TEST(gallery_test, makes_systems_of_every_kind)
{
    for (const gallery_kind& kind : gallery()) {
        SCOPED_TRACE(kind.name);
        io::coo<real> a = all_entries(make_gallery(kind, {.n = 4}));
        std::vector<real> b(static_cast<std::size_t>(a.rows), real(1));
        const linear_system system = make_system(a, std::move(b));

        EXPECT_NO_THROW(require_valid(system));
        EXPECT_EQ(&gallery_kind_of(kind.name), &kind);
    }
}

TEST(gallery_test, entries_are_right_to_the_digits_asked_for)
{
    const io::coo<real> a = all_entries(make_gallery(gallery_kind_of("hilbert"), {.n = 3, .digits = 60}));

    EXPECT_LE(abs(a.value[1] * real(2) - real(1)), real("1e-60", 300));
    EXPECT_LE(abs(a.value[2] * real(3) - real(1)), real("1e-60", 300));
}

TEST(gallery_test, digits_are_40_unless_a_condition_number_asks_for_more)
{
    EXPECT_EQ(gallery_digits(gallery_kind_of("hilbert"), {.cond = real("1e90", 64)}), 40);
    EXPECT_EQ(gallery_digits(gallery_kind_of("randsvd"), {.cond = real("1e9", 64)}), 40);
    EXPECT_EQ(gallery_digits(gallery_kind_of("randsvd"), {.cond = real("1e90", 64)}), 114);
    EXPECT_EQ(gallery_digits(gallery_kind_of("randsvd"), {.cond = real("1e90", 64), .digits = 7}), 7);
}

TEST(gallery_test, refuses_what_no_matrix_has)
{
    EXPECT_THROW(gallery_kind_of("hilbrt"), unsupported_error);
    EXPECT_THROW(make_gallery(gallery_kind_of("pascal"), {.n = 0}), dimension_error);
    EXPECT_THROW(make_gallery(gallery_kind_of("poisson3d"), {.n = 2000}), dimension_error);
    EXPECT_THROW(make_gallery(gallery_kind_of("randsvd"), {.n = 3, .cond = real(0.5)}), error);
    EXPECT_THROW(make_gallery(gallery_kind_of("hilbert"), {.n = 3, .digits = -1}), error);
}

}  // namespace
}  // namespace residua
