#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <residua/io/error.hpp>
#include <residua/solvers/options/preconditioners.hpp>

namespace residua {

/// The methods that solve() has. `automatic` is resolved from the system.
///
/// A new one is an enumerator here, a row of `solve_methods` (methods/list.hpp) in the same place, and a header with the
/// method and its traits.
enum class method {
    automatic,
    cg,
    minres,
    gmres,
    bicgstab,
    bicgstabl,
    idr,
    tfqmr,
    bicg,
    cocg,
    cocr,
    lsqr,
    refine,
    gmres_ir,
    direct
};

/// How many numbers in its format a method keeps.
struct method_memory {
    double vectors = 0.0;  ///< how many vectors of n numbers, where the method computes
    double scalars = 0.0;  ///< how many numbers on the host
};

/// What is known about a method before it runs. The header of a method has its traits.
struct method_traits {
    residua::method method;
    std::string_view name;                 ///< on the command line and in reports
    std::string_view systems;              ///< which A it is for, for the documentation
    std::string_view step_cost;            ///< the cost of one iteration, for the documentation
    bool symmetric = false;                ///< A must be symmetric; if it is complex, hermitian
    bool complex_symmetric = false;        ///< A must equal its transpose, not conjugated, and M need not be definite
    bool definite = false;                 ///< A must be positive definite
    bool rectangular = false;              ///< takes A of any shape, for least squares
    bool transpose = false;                ///< takes products with A' too
    bool restarts = false;                 ///< solve_options::restart changes it
    bool complex_scalars = false;          ///< has complex scalars for complex systems (space/complex_space.hpp)
    bool breaks_down_by_accident = false;  ///< may break down where A is nonsingular: more bits may help
    bool by_factors = false;               ///< corrections by factors of A, whose precision can be chosen
    bool dense = false;                    ///< direct: factors in the working format, no iterations
    bool together = false;                 ///< takes several right-hand sides together
    bool in_rns_on_gpu = false;       ///< on a GPU in RNS floats too, by factors or with a preconditioner by products
    bool preconditioned = false;      ///< takes a preconditioner
    double vector_operations = 12.0;  ///< in one iteration, roughly
    /// its own preconditioner, where the diagonal of A allows it; for a method by factors the first that is tried
    residua::preconditioner preferred = preconditioner::none;
    /// what it keeps for one right-hand side, n the larger size of A, and solve_options::restart
    method_memory (*memory)(index_t n, index_t restart) = nullptr;
};

/// The row of a method. The row of `automatic` has what solve() may pick: any shape, restarts.
const method_traits& traits_of(method m) noexcept;

/// All rows but the row of `automatic`, in the order of the enumeration.
std::span<const method_traits> all_methods() noexcept;

/// The method of that name, "auto" being `automatic`; empty: there is none.
std::optional<method> method_named(std::string_view name) noexcept;

/// The name of a method.
std::string_view to_string(method m) noexcept;

/// Whether a method runs with a preconditioner: methods by factors with LU and Cholesky factors, methods for symmetric
/// matrices with definite preconditioners, other ones that take a preconditioner with general ones, the rest with none.
/// `automatic` fits everywhere; with the method `automatic` nothing else does but a function.
bool fits(method m, preconditioner p) noexcept;

/// The preconditioners that fit a method, its own first.
std::vector<preconditioner> fitting_preconditioners(method m);

/// A method's own preconditioner: `factors` for a method by factors; none if the preferred one needs a diagonal without
/// zeros and there is none.
preconditioner default_preconditioner(method m, bool nonzero_diagonal,
                                      preconditioner factors = preconditioner::lu) noexcept;

/// throws  unsupported_error for a method with a preconditioner that does not fit it
void require_fitting(method m, preconditioner p);

/// Whether a method with a preconditioner, or with its own, runs on a GPU in RNS floats: by factors, or with a
/// preconditioner that is applied by products.
bool runs_in_rns_on_gpu(method m, preconditioner p) noexcept;

/// The names of the methods that have a trait, such as &method_traits::restarts, and of such preconditioners.
std::vector<std::string_view> names_with(bool method_traits::*trait);
std::vector<std::string_view> names_with(bool preconditioner_traits::*trait);

/// "a, b or c"
std::string listed(const std::vector<std::string_view>& names, std::string_view last_word = "or");

}  // namespace residua
