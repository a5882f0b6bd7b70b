#include <algorithm>
#include <cmath>

#include <petsc/private/matimpl.h>

#include "engine.hpp"

namespace residua_petsc {
namespace {

/// Adds x to a sum of doubles, exactly.
///
/// from  the exact sums of [She97]
void add(std::vector<double>& sum, double x)
{
    std::size_t kept = 0;
    for (double y : sum) {
        const double total = x + y, of_y = total - x;
        const double rest = (x - (total - of_y)) + (y - of_y);
        if (rest != 0.0) {
            sum[kept++] = rest;
        }
        x = total;
    }
    sum.resize(kept);
    if (x != 0.0 || kept == 0) {
        sum.push_back(x);
    }
}

}  // namespace

PetscErrorCode read_null_space(Mat a, all_processes& all, std::vector<double>& numbers, PetscInt& vectors)
{
    numbers.clear();
    vectors = 0;
    MatNullSpace space = nullptr;
    PetscCall(MatGetNullSpace(a, &space));
    if (space == nullptr) {
        return 0;
    }
    if (space->remove != nullptr) {
        SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
                "residua needs the vectors of a null space, and this one is a function");
    }
    PetscBool constants = PETSC_FALSE;
    PetscInt count = 0, rows = 0;
    const Vec* others = nullptr;
    PetscCall(MatNullSpaceGetVecs(space, &constants, &count, &others));
    PetscCall(MatGetSize(a, &rows, nullptr));
    numbers.assign(all.leads() && constants == PETSC_TRUE ? static_cast<std::size_t>(rows) : 0, 1.0);
    for (PetscInt i = 0; i < count; ++i) {
        std::vector<double> one;
        PetscCall(all.gather(others[i], one));
        numbers.insert(numbers.end(), one.begin(), one.end());
    }
    vectors = count + (constants == PETSC_TRUE ? 1 : 0);
    return 0;
}

PetscErrorCode range_is_known(Mat a, bool transposed, bool& known)
{
    MatNullSpace space = nullptr;
    PetscCall(MatGetNullSpace(a, &space));
    PetscBool constants = PETSC_FALSE;
    PetscInt others = 0;
    if (space != nullptr) {
        PetscCall(MatNullSpaceGetVecs(space, &constants, &others, nullptr));
    }
    known = constants == PETSC_TRUE && others == 0;
    if (known && !transposed) {
        Vec ones = nullptr, sums = nullptr;
        PetscCall(MatCreateVecs(a, &sums, &ones));
        PetscCall(VecSet(ones, 1.0));
        PetscCall(MatMultTranspose(a, ones, sums));
        double largest = 0.0;
        PetscCall(VecNorm(sums, NORM_INFINITY, &largest));
        PetscCall(VecDestroy(&sums));
        PetscCall(VecDestroy(&ones));
        known = largest == 0.0;
    }
    return 0;
}

std::vector<double> without_mean(const double* b, PetscInt n, int most, int& terms)
{
    std::vector<double> sum, mean;
    double squares = 0.0;
    for (PetscInt i = 0; i < n; ++i) {
        add(sum, b[i]);
        squares += b[i] * b[i];
    }
    const auto size = static_cast<double>(n);
    if (std::abs(sum.back()) > size * 0x1p-53 * std::sqrt(size * squares)) {
        return {};
    }
    while (static_cast<int>(mean.size()) < std::min(most, most_terms - 1) && sum.back() != 0.0) {
        const double part = sum.back() / size, product = part * size;
        add(sum, -product);
        add(sum, -std::fma(part, size, -product));
        mean.push_back(-part);
    }
    std::vector<double> all;
    terms = static_cast<int>(mean.size()) + 1;
    for (PetscInt i = 0; i < n && !mean.empty(); ++i) {
        all.push_back(b[i]);
        all.insert(all.end(), mean.begin(), mean.end());
    }
    return all;
}

}  // namespace residua_petsc
