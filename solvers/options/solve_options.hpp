#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/base/number_format.hpp>
#include <residua/solvers/options/methods.hpp>

namespace residua {

/// Where a method computes. `automatic` takes a GPU only for RNS floats that were asked for and for large systems.
enum class executor { automatic, host, cuda };

/// What is measured beside the whole: seconds of each part and memory. `host`: where the host computes, by its clock, at
/// some 0.1 us for each product and each application of a preconditioner; `everywhere`: where a device does, too, which is
/// waited for before and after each of them, so that nothing overlaps.
enum class profiling { none, host, everywhere };

std::string_view to_string(number_format value) noexcept;
std::string_view to_string(executor value) noexcept;

/// Whether this build has a CUDA side.
bool built_with_cuda() noexcept;

/// The precisions that a format is raised through, in bits, ascending: 53, 106, 159, 212, 318, 424, 636, 848, 1272,
/// 1696, 2544, 3392, 4096 by default and of expansions from 106 on, multi-digit floats 128, 192, 256, 384, ...,
/// 4096. A request for other bits is served by the next one. RNS floats serve any up to rns_format::most_bits, by the
/// next of their precisions, some 15 bits apart; multi-digit floats serve any from 64 to 4096 exactly.
const std::vector<long>& available_precisions(number_format format = number_format::automatic);

/// The format that serves `bits` bits by default, by the tuning table: native to 53, expansion, multidigit to 4096.
/// refine, which lives by exact residuals, has a border of its own.
///
/// throws  unsupported_error for bits that no format has
number_format format_of(long bits, method m = method::automatic);

/// One line of the convergence history.
struct history_entry {
    index_t column = 0;  ///< which of several right-hand sides, from 0
    index_t iteration = 0;
    real recursive;             ///< recursive ||r|| / ||b||
    std::optional<real> exact;  ///< true ||b - A x|| / ||b||, where it was computed
    double seconds = 0.0;       ///< since the solve began
    long precision_bits = 0;
};

/// The default of solve_options::restart, and of GMRES everywhere.
inline constexpr index_t default_restart = 50;

/// The default of solve_options::max_iterations.
constexpr index_t default_iterations(index_t unknowns) { return std::max<index_t>(10 * unknowns, 1000); }

/// The default of solve_options::rtol is 2^-default_tolerance_bits(p) for a method in p bits.
constexpr double default_tolerance_bits(long bits) { return 0.9 * static_cast<double>(bits); }

class long_vector;
class processes;

struct solve_options {
    residua::method method = residua::method::automatic;
    residua::preconditioner preconditioner = residua::preconditioner::automatic;
    std::string petsc_options = {};   ///< of preconditioner::petsc: "-pc_type icc"
    node_facts nodes = {};            ///< for preconditioner::amg and preconditioner::petsc alone
    given_preconditioner given = {};  ///< the functions of preconditioner::given
    number_format format = number_format::automatic;
    long precision_bits = 0;  ///< 0: chosen, and raised where it does not suffice
    /// precision of the factors of refine and gmres_ir, served by binary32, by binary64 or by a higher precision, dense
    /// ones also by binary32 with products of 11 bits; 0: binary64, then more where corrections by these stagnate and
    /// factors in more bits are within reach
    long factor_bits = 0;
    std::optional<real> rtol = {};  ///< empty: 2^-default_tolerance_bits(p)
    std::optional<real> atol = {};  ///< empty: 0
    residua::executor executor = residua::executor::automatic;
    int device = 0;              ///< which GPU, from 0
    int threads = 0;             ///< of the host; 0: as OpenMP has them, but no more than io::available_processors()
    index_t max_iterations = 0;  ///< 0: default_iterations(n)
    index_t restart = default_restart;  ///< of GMRES
    int digits = 0;                     ///< wanted correct digits of x; 0: not asked
    double time_limit_seconds = 0.0;    ///< for each solve; 0: no limit
    bool estimate_condition = true;     ///< also the forward error; costs factors
    /// all processes, for process 0 of several that share the work, while the others serve (solvers/serve.hpp); null:
    /// this process alone
    residua::processes* processes = nullptr;
    profiling profile = profiling::none;
    std::vector<real> initial_guess = {};  ///< empty: zero; for several right-hand sides one guess after the other
    /// the guesses instead, one for each right-hand side, if several processes have them in pieces, as they have b
    /// (linear_system::b_in_pieces, share_numbers()); empty: initial_guess
    std::vector<std::shared_ptr<const long_vector>> guess_in_pieces = {};
    /// for iluk the level, for ilut the entries that it keeps beyond those of A; empty: the preconditioner's default
    std::optional<index_t> fill = {};
    /// a file in which the solve leaves its state, for another one to go on from: docs/checkpoints.md; empty: none
    std::string checkpoint = {};
    bool resume = false;               ///< goes on from the checkpoint, which is there, and leaves later states in it
    double checkpoint_seconds = 60.0;  ///< between two saves of one state
    /// called when a state cannot be saved, with the reason; the solve goes on; may be empty
    std::function<void(const std::string&)> on_checkpoint_failure = {};
    /// called for every history entry as it is made; may be empty
    std::function<void(const history_entry&)> on_history = {};
    /// asked at least ten times a second, by one thread at a time, which need not be the caller's; true ends the solve with
    /// the best x so far; may be empty
    std::function<bool()> interrupted = {};
    /// vectors that span what A takes to zero, each of n numbers, for iterative methods: x is the shortest solution then, and of
    /// a symmetric A the report has what part of b is outside of its range; empty: none are given
    std::vector<std::vector<real>> null_space = {};
    /// T and w of least squares: x makes sum_i w_i (b - A x)_i^2 + T^2 ||x||_2^2 least, exactly with these numbers, for an A of any
    /// shape; without digits, 16 are sought. Empty: T = 0, and all w_i = 1
    std::optional<real> damp = {};
    std::vector<real> weights = {};

    bool has_weights_or_damp() const { return damp || !weights.empty(); }
    bool has_guess() const { return !guess_in_pieces.empty() || !initial_guess.empty(); }
};

}  // namespace residua
