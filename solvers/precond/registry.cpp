#include <residua/solvers/options/preconditioners.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include <residua/solvers/precond/made_preconditioner.hpp>
#include <residua/solvers/precond/petsc.hpp>

namespace residua {
namespace {

made_preconditioner by_factors(triangular_factors made)
{
    made_preconditioner result;
    result.failure = made.failure;
    result.factors = std::move(made);
    return result;
}

made_preconditioner by_product(approximate_inverse made)
{
    made_preconditioner result;
    result.failure = std::move(made.failure);
    result.inverse = std::move(made.matrix);
    return result;
}

made_preconditioner make_jacobi(const sparse_matrix& a, const preconditioner_options& options)
{
    return by_product(jacobi_of(a, options));
}

made_preconditioner make_block_jacobi(const sparse_matrix& a, const preconditioner_options& options)
{
    return by_product(invert_blocks(a, options.definite));
}

made_preconditioner make_ssor(const sparse_matrix& a, const preconditioner_options& options)
{
    return by_factors(factorize_ssor(a, options.definite));
}

made_preconditioner make_ilu0(const sparse_matrix& a, const preconditioner_options&)
{
    return by_factors(factorize_ilu0(a));
}

made_preconditioner make_iluk(const sparse_matrix& a, const preconditioner_options& options)
{
    return by_factors(factorize_iluk(a, options.fill.value_or(iluk_default_level)));
}

made_preconditioner make_ilut(const sparse_matrix& a, const preconditioner_options& options)
{
    return by_factors(factorize_ilut(a, {.fill = options.fill.value_or(ilut_options{}.fill)}));
}

made_preconditioner make_ic0(const sparse_matrix& a, const preconditioner_options&)
{
    return by_factors(factorize_ic0(a));
}

made_preconditioner make_chebyshev(const sparse_matrix& a, const preconditioner_options&)
{
    made_preconditioner result;
    result.polynomial = find_chebyshev_interval(a);
    result.failure = result.polynomial->failure;
    if (result.failure.empty()) {
        approximate_inverse diagonal = invert_diagonal(a, true);
        result.inverse = std::move(diagonal.matrix);
        result.failure = std::move(diagonal.failure);
    }
    return result;
}

/// BoomerAMG uses a block size and no near-null vectors, GAMG both. With 4 smoothings elasticity takes fewer iterations
/// than with 2, which is the default (docs/multigrid.md).
made_preconditioner make_amg(const sparse_matrix& a, const preconditioner_options& options)
{
    const bool has_vectors = options.nodes != nullptr && options.nodes->has_vectors();
    return make_petsc_preconditioner(
        a, has_vectors ? "-pc_type gamg -mg_levels_ksp_max_it 4" : "-pc_type hypre -pc_hypre_type boomeramg", options);
}

made_preconditioner make_petsc(const sparse_matrix& a, const preconditioner_options& options)
{
    return make_petsc_preconditioner(a, options.petsc, options);
}

constexpr preconditioner_traits rows[] = {
    {
        .preconditioner = preconditioner::automatic,
        .name = "auto",
        .formula = "",
        .needs = "",
    },
    {
        .preconditioner = preconditioner::none,
        .name = "none",
        .formula = "the identity",
        .needs = "nothing",
        .definite = true,
        .general = true,
        .by_products = true,
    },
    {
        .preconditioner = preconditioner::jacobi,
        .name = "jacobi",
        .formula = "inverse(D), of a complex matrix too; for minres with absolute values",
        .needs = "a nonzero diagonal",
        .definite = true,
        .general = true,
        .by_products = true,
        .needs_diagonal = true,
        .make = make_jacobi,
    },
    {
        .preconditioner = preconditioner::block_jacobi,
        .name = "block-jacobi",
        .formula = "inverses of the diagonal blocks of 8 rows each, in their order",
        .needs = "nonsingular blocks; for cg and minres positive definite ones",
        .definite = true,
        .general = true,
        .by_products = true,
        .make = make_block_jacobi,
    },
    {
        .preconditioner = preconditioner::ssor,
        .name = "ssor",
        .formula = "symmetric Gauss-Seidel (omega = 1): inverse of (D + L) inverse(D) (D + U)",
        .needs = "a nonzero diagonal; for cg and minres a positive one",
        .definite = true,
        .general = true,
        .needs_diagonal = true,
        .make = make_ssor,
    },
    {
        .preconditioner = preconditioner::ilu0,
        .name = "ilu0",
        .formula = "incomplete LU factors with the entries of A",
        .needs = "no zero pivot",
        .general = true,
        .needs_diagonal = true,
        .make = make_ilu0,
    },
    {
        .preconditioner = preconditioner::iluk,
        .name = "iluk",
        .formula = "incomplete LU factors with fill up to a level, 1 by default",
        .needs = "no zero pivot",
        .general = true,
        .needs_diagonal = true,
        .takes_fill = true,
        .make = make_iluk,
    },
    {
        .preconditioner = preconditioner::ilut,
        .name = "ilut",
        .formula = "incomplete LU factors of A, rows matched with columns, scaled and in reverse Cuthill-McKee order; "
                   "they drop what "
                   "is below 1e-3 of the 2-norm of its row, and keep in a row of L, and of U, only the largest: 10 "
                   "more than A has "
                   "there by default",
        .needs = "a matrix that is not structurally singular",
        .general = true,
        .loses_symmetry = true,
        .takes_fill = true,
        .make = make_ilut,
    },
    {
        .preconditioner = preconditioner::ic0,
        .name = "ic0",
        .formula = "incomplete Cholesky factors with the entries of A, in reverse Cuthill-McKee order",
        .needs = "positive pivots",
        .definite = true,
        .needs_diagonal = true,
        .make = make_ic0,
    },
    {
        .preconditioner = preconditioner::chebyshev,
        .name = "chebyshev",
        .formula = "s(inverse(D) A) inverse(D), s the Chebyshev polynomial of degree 8 for [b/30, b], b a bound of the "
                   "eigenvalues of inverse(D) A",
        .needs = "a positive diagonal",
        .definite = true,
        .by_products = true,
        .needs_diagonal = true,
        .make = make_chebyshev,
    },
    {
        .preconditioner = preconditioner::lu,
        .name = "lu",
        .formula = "LU factors with pivoting",
        .needs = "a matrix that is not singular in the precision of the factors",
        .general = true,
        .factors = true,
    },
    {
        .preconditioner = preconditioner::cholesky,
        .name = "cholesky",
        .formula = "Cholesky factors: half of the operations of `lu`, or less",
        .needs = "a symmetric matrix that is positive definite in the precision of the factors",
        .definite = true,
        .general = true,
        .factors = true,
    },
    {
        .preconditioner = preconditioner::ldl,
        .name = "ldl",
        .formula = "L D L' factors, D of blocks of one and two rows: half of the operations of `lu`, or less",
        .needs = "a symmetric matrix, or a sparse complex symmetric one, that is not singular in the precision of the "
                 "factors",
        .general = true,
        .factors = true,
    },
    {
        .preconditioner = preconditioner::amg,
        .name = "amg",
        .formula =
            "algebraic multigrid: a cycle of hypre's BoomerAMG with PETSc's defaults, of GAMG with near-null vectors",
        .needs = "the plug-in residua-petsc; for cg and minres a symmetric positive definite A",
        .definite = true,
        .general = true,
        .loses_symmetry = true,
        .by_function = true,
        .make = make_amg,
    },
    {
        .preconditioner = preconditioner::petsc,
        .name = "petsc",
        .formula = "what PETSc makes by its options: petsc:OPTIONS, as in petsc:\"-pc_type icc\"",
        .needs = "the plug-in residua-petsc; for cg and minres options that give a symmetric positive definite M",
        .definite = true,
        .general = true,
        .loses_symmetry = true,
        .by_function = true,
        .make = make_petsc,
    },
    {
        .preconditioner = preconditioner::given,
        .name = "given",
        .formula = "a function of the caller's, in C++, C and Python",
        .needs = "for cg and minres a symmetric positive definite M, by the caller's word",
        .definite = true,
        .general = true,
        .by_function = true,
    },
};

constexpr bool in_order()
{
    for (std::size_t k = 0; k < std::size(rows); ++k) {
        if (rows[k].preconditioner != static_cast<preconditioner>(k)) {
            return false;
        }
    }
    return true;
}
static_assert(in_order(), "the rows stand in the order of the enumeration");

// The numbers that the texts above name.
static_assert(jacobi_block_rows == 8 && iluk_default_level == 1 && chebyshev_degree == 8 && chebyshev_ratio == 30.0);
static_assert(ilut_options{}.fill == 10 && ilut_options{}.drop == 1e-3);

}  // namespace

const preconditioner_traits& traits_of(preconditioner p) noexcept { return rows[static_cast<std::size_t>(p)]; }

std::span<const preconditioner_traits> all_preconditioners() noexcept { return std::span(rows).subspan(1); }

std::optional<preconditioner> preconditioner_named(std::string_view name) noexcept
{
    const auto* const row = std::ranges::find(rows, name, &preconditioner_traits::name);
    return row == std::end(rows) ? std::nullopt : std::optional(row->preconditioner);
}

std::string_view to_string(preconditioner p) noexcept { return traits_of(p).name; }

made_preconditioner make_preconditioner(preconditioner p, const sparse_matrix& a, const preconditioner_options& options)
{
    const preconditioner_traits& row = traits_of(p);
    if (p == preconditioner::none) {
        return {};
    }
    if (row.make == nullptr) {
        throw unsupported_error("the preconditioner " + std::string(row.name) + " is not made from a matrix alone");
    }
    return row.make(a, options);
}

}  // namespace residua
