// Columns of entries in SIMD lanes have the bits of one entry after the other, which is what a device computes.
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/level2/combine_elements.hpp>

#include "tests/blas/dense/every_operation.hpp"

namespace residua::support {
namespace {

template <class T>
class dense_combine_test : public testing::Test {};
using types = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 4>,
                             expansion<double, 6>, expansion<double, 8>>;
TYPED_TEST_SUITE(dense_combine_test, types);

}  // namespace

TYPED_TEST(dense_combine_test, columns_have_the_bits_of_single_entries)
{
    using T = TypeParam;
    using namespace blas::detail;
    const host_executor host;
    biased_random random;
    SCOPED_TRACE(random.trace());
    const dense_operands<T> o({}, 37, 21, 1, random);
    const auto a = cut(o.a.view()), b = cut(o.b.view());
    const auto d = cut(o.d.view()), x = cut(o.x.view());
    using term = entry_term<host_executor, T>;
    const std::vector<term> terms{{.x = places_of(a)},
                                  {.x = places_of(a), .number = o.alpha},
                                  {.x = places_of(b), .number = T{-0.25}},
                                  {.x = places_of(a), .entry = places_by_row(d)},
                                  {.x = places_of(b), .entry = places_by_col(x)},
                                  {.x = places_by_row(d), .entry = places_by_col(x)},
                                  {.x = places_of(a), .magnitude = true}};
    for (const diagonals& of :
         {diagonals{}, triangle_of(blas::uplo::lower), triangle_of(blas::uplo::upper, blas::diag::unit)}) {
        for (const term& first : terms) {
            for (std::size_t k = 0; k < terms.size(); ++k) {  // the last one is no second term: there is none then
                const auto second = terms[k].magnitude ? std::optional<term>{} : terms[k];
                auto by_columns = o.b, by_entries = o.b;
                using sum = entry_sum<host_executor, T>;
                combine_entries(host, "test", sum{cut(by_columns.view()), first, second, of});
                const combine_numbers<host_executor, T> f{sum{cut(by_entries.view()), first, second, of}};
                for (index_t q = 0; q < 37 * 21; ++q) {
                    f(q);
                }
                for (index_t j = 0; j < by_entries.cols(); ++j) {
                    for (index_t i = 0; i < by_entries.rows(); ++i) {
                        const T one = by_columns.get(i, j), other = by_entries.get(i, j);
                        for (int t = 0; t < array_traits<T>::terms; ++t) {
                            ASSERT_EQ(to_bits(residua::term(one, t)), to_bits(residua::term(other, t)));
                        }
                    }
                }
            }
        }
    }
}

}  // namespace residua::support
