#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <residua/io/interruption.hpp>
#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/processes/matrix_part.hpp>
#include <residua/solvers/processes/number_part.hpp>
#include <residua/solvers/processes/processes.hpp>
#include <residua/solvers/processes/shared_archive.hpp>

/// Engines whose work several processes share. Process 0 has the session, with the whole matrix, and makes all
/// decisions. The others have the rows of a method that it sends them, and do what it calls for (serve.hpp).
namespace residua {

/// What process 0 calls for.
enum class service_call : std::int64_t {
    take_matrix,
    read_matrix,
    give_matrix,
    outline,
    residual,
    largest_ratio,
    name_numbers,
    read_numbers,
    invert,
    forget_matrix,
    take_numbers,
    give_numbers,
    zero_numbers,
    put_numbers,
    round_numbers,
    add_numbers,
    norm2,
    norm_inf,
    forget_numbers,
    make,
    correct,
    forget,
    end
};

/// What a process needs for its part of an engine, but for the rows of its matrices.
struct engine_order {
    arithmetic in{};
    residua::method method = residua::method::cg;
    index_t restart = 0;
    index_t matrix = 0;               ///< its number
    index_t inverse = 0;              ///< that of the M to multiply with; 0: there is none
    bool needs_norm = false;          ///< whether there is a method_problem::matrix_norm
    bool complex_scalars = false;     ///< whether the method has them, for the real form of a complex system
    bool has_polynomial = false;      ///< whether a Chebyshev polynomial in M A multiplies M
    double lower = 0.0, upper = 0.0;  ///< its interval
    std::int32_t threads = 0;         ///< the most that a process may use
    std::int32_t device = -1;         ///< the device of process 0, from which others count (own_device()); -1: the host

    void archive(state_archive& io);
};

/// How process 0 begins a call.
struct service_order {
    service_call what = service_call::end;
    index_t number = 0;            ///< of an engine, a matrix or numbers
    engine_order make{};           ///< for `make`
    stop_rule rule{};              ///< for `correct`; its functions stay where they are
    bool has_keeper = false;       ///< whether process 0 has a keeper for this rule
    std::int64_t code = 0;         ///< for `end`: what serve() returns
    std::vector<index_t> begin{};  ///< for `take_matrix`: the first rows of all processes, and the number of rows
    std::string path{};            ///< for `read_matrix` and `read_numbers`
    bool transposed = false;       ///< as io::text has it
    long bits = 0;                 ///< for `round_numbers`, `add_numbers` and `zero_numbers`
    named_rhs rhs{};               ///< for `name_numbers`
    index_t first = 0, last = 0;   ///< for `give_numbers` and `put_numbers`: rows first, ..., last - 1
    index_t made = 0;              ///< the number of what is made: M, or numbers, several with consecutive ones
    /// The numbers of other arguments, in the order that functions have them; for `correct` that of the residual, 0: process
    /// 0 has it.
    std::array<index_t, 3> operands{};
    residua::preconditioner preconditioner{};
    bool definite = false, indefinite_matrix = false;  ///< preconditioner_options

    void archive(state_archive& io);
};

/// The order of process 0 on all.
///
/// together
void broadcast(processes& all, service_order& order);

/// The parts of a process of the matrices that an order is about.
struct engine_rows {
    const matrix_part& matrix;
    const matrix_part* inverse;  ///< null: there is none
};

/// f() on process 0 while the others do the same: nothing stops it there alone, and an exception ends all.
template <class F>
auto or_end_all(processes& all, const F& f)
{
    const io::stop_function goes_on;
    const io::interruption never(goes_on);
    std::string why = "an exception";
    try {
        return f();
    } catch (const refused_state&) {
        throw;
    } catch (const std::exception& e) {
        why = e.what();
    } catch (...) {
    }
    all.end_all(why);
    throw error(why);  // for compilers that do not see that a virtual function never returns
}

/// f() on process 0, and on the others what the order says.
template <class F>
auto ask(processes& all, service_order order, const F& f)
{
    return or_end_all(all, [&] {
        broadcast(all, order);
        return f();
    });
}

/// The part of an engine that a process has.
class engine_part {
public:
    virtual ~engine_part() = default;

    /// One correction, of the residual that process 0 has.
    ///
    /// rule        the numbers of the rule of process 0, and a poll() of this process
    /// has_keeper  whether process 0 has a keeper
    /// together
    virtual void correct(const stop_rule& rule, bool has_keeper) = 0;
    /// The same for a residual in pieces. The correction is in the same pieces. It is empty if process 0 could not take a state.
    virtual std::optional<number_part> correct(const number_part& residual, const stop_rule& rule, bool has_keeper) = 0;
};

/// What processes share: methods, and preconditioners that are made of products.
bool shares(method m);
bool shares(preconditioner p);
/// Their names.
std::vector<std::string_view> shared_methods();
std::vector<std::string_view> shared_preconditioners();

/// Whether processes share the work of such an engine with this preconditioner. Products with a dense matrix in binary64 have sums in another order,
/// so process 0 computes them alone.
bool is_shared(const arithmetic& in, const engine_request& request, preconditioner p);

/// The engine of process 0.
///
/// needs     is_shared(in, request, its preconditioner), request.shared
/// together  with serve() on the others, as its functions; its destructor too
std::unique_ptr<correction_engine> make_shared_engine(const arithmetic& in, const engine_request& request);

/// The part of another process.
///
/// together  with make_shared_engine() on process 0
std::unique_ptr<engine_part> make_engine_part(const engine_order& order, const engine_rows& rows, processes& all);

/// The same for multi-digit floats, which are compiled alone.
std::unique_ptr<correction_engine> make_shared_multidigit_engine(const arithmetic& in, const engine_request& request);
std::unique_ptr<engine_part> make_multidigit_part(const engine_order& order, const engine_rows& rows, processes& all);

/// The same where each process computes on a device, in any format; in builds with CUDA.
///
/// needs     request.device
std::unique_ptr<correction_engine> make_shared_device_engine(const arithmetic& in, const engine_request& request);
/// needs     order.device >= 0
/// throws    cuda_error if there is no device
std::unique_ptr<engine_part> make_device_part(const engine_order& order, const engine_rows& rows, processes& all);

/// The order for an engine of process 0, but for the numbers of matrices.
engine_order order_of(const arithmetic& in, const engine_request& request);

}  // namespace residua
