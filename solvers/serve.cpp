// The processes that serve.
#include <residua/solvers/serve.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <residua/blas/base/check.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/build/shared_engine.hpp>
#include <residua/solvers/build/shared_matrix.hpp>
#include <residua/solvers/files/read_part.hpp>
#include <residua/solvers/files/read_rhs_part.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/space/long_vector.hpp>

namespace residua {
namespace {

/// A part of an engine, and how many threads it has.
struct served_part {
    std::unique_ptr<engine_part> part;
    int threads;
};

/// What a process has for process 0, by the numbers that this gave.
class service {
public:
    service(processes& all, const std::function<bool()>& interrupted) : all_(all), interrupted_(interrupted) {}

    /// Does what process 0 calls for, until that calls for the end; returns its code.
    int serve()
    {
        for (;;) {
            service_order order;
            broadcast(all_, order);
            if (order.what == service_call::end) {
                return static_cast<int>(order.code);
            }
            serve(order);
        }
    }

private:
    void serve(service_order& order)
    {
        switch (order.what) {
            case service_call::take_matrix:
                matrices_.emplace(order.number, matrix_part::hand_out(all_, partition(order.begin), nullptr));
                break;
            case service_call::read_matrix:
                if (std::optional<read_part> read = read_part_of(all_, order.path, order.transposed)) {
                    matrices_.emplace(order.number, std::move(read->part));
                }
                break;
            case service_call::outline:
                (void)matrices_.at(order.number).outline();
                break;
            case service_call::give_matrix:
                (void)matrices_.at(order.number).gathered();
                break;
            case service_call::residual:
                numbers_.emplace(order.made, matrices_.at(order.number).residual(operand(order, 0), operand(order, 1)));
                break;
            case service_call::largest_ratio:
                (void)matrices_.at(order.number).largest_ratio(operand(order, 0), operand(order, 1), operand(order, 2));
                break;
            case service_call::name_numbers:
                keep(order.made, matrices_.at(order.number).named(order.rhs));
                break;
            case service_call::read_numbers:
                if (std::optional<read_rhs_part> read =
                        read_rhs_part_of(all_, order.path, matrices_.at(order.number).rows())) {
                    for (number_part& each : read->columns) {
                        numbers_.emplace(order.made++, std::move(each));
                    }
                }
                break;
            case service_call::invert: {
                preconditioner_part made = make_preconditioner_part(
                    all_, matrices_.at(order.number), order.preconditioner,
                    {.definite = order.definite, .indefinite_matrix = order.indefinite_matrix});
                if (made.inverse) {
                    matrices_.emplace(order.made, *std::move(made.inverse));
                }
                break;
            }
            case service_call::forget_matrix:
                matrices_.erase(order.number);
                break;
            case service_call::take_numbers:
                numbers_.emplace(order.made, number_part::hand_out(all_, matrices_.at(order.number).rows(), nullptr));
                break;
            case service_call::give_numbers:
                (void)numbers_.at(order.number).between(order.first, order.last);
                break;
            case service_call::zero_numbers:
                numbers_.emplace(order.made, number_part::zeros(all_, numbers_.at(order.number).rows(), order.bits));
                break;
            case service_call::put_numbers:
                numbers_.at(order.number).put(order.first, order.last, nullptr);
                break;
            case service_call::round_numbers:
                keep(order.made, numbers_.at(order.number).rounded(order.bits));
                break;
            case service_call::add_numbers:
                numbers_.emplace(order.made, numbers_.at(order.number).plus(operand(order, 0), order.bits));
                break;
            case service_call::norm2:
                (void)numbers_.at(order.number).norm2();
                break;
            case service_call::norm_inf:
                (void)numbers_.at(order.number).norm_inf();
                break;
            case service_call::forget_numbers:
                numbers_.erase(order.number);
                break;
            case service_call::make:
                make(order);
                break;
            case service_call::correct:
                correct(order);
                break;
            case service_call::forget:
                parts_.erase(order.number);
                break;
            case service_call::end:
                break;
        }
    }

    const number_part& operand(const service_order& order, std::size_t i) const
    {
        return numbers_.at(order.operands.at(i));
    }

    void keep(index_t number, std::optional<number_part> made)
    {
        if (made) {
            numbers_.emplace(number, *std::move(made));
        }
    }

    void make(const service_order& order)
    {
        const int threads = std::min<int>(order.make.threads, io::available_processors());
        const io::thread_limit limit(threads);
        const engine_rows parts{matrices_.at(order.make.matrix),
                                order.make.inverse > 0 ? &matrices_.at(order.make.inverse) : nullptr};
        parts_[order.number] = {make_engine_part(order.make, parts, all_), threads};
    }

    void correct(service_order& order)
    {
        const served_part& of = parts_.at(order.number);
        const io::thread_limit limit(of.threads);
        order.rule.poll = [this] {
            return interrupted_ && interrupted_() ? std::optional(solve_status::interrupted) : std::nullopt;
        };
        if (order.operands.front() == 0) {
            of.part->correct(order.rule, order.has_keeper);
        } else {
            keep(order.made, of.part->correct(operand(order, 0), order.rule, order.has_keeper));
        }
    }

    processes& all_;
    const std::function<bool()>& interrupted_;
    std::map<index_t, matrix_part> matrices_;
    std::map<index_t, number_part> numbers_;
    std::map<index_t, served_part> parts_;
};

void end_service(processes& all, int code)
{
    service_order end{.what = service_call::end, .code = code};
    broadcast(all, end);
}

}  // namespace

linear_system share_rows(processes& all, linear_system system)
{
    if (system.rows != system.cols || !system.exact.empty()) {
        throw unsupported_error("share_rows: a matrix of binary64 numbers that is square can be shared");
    }
    const std::shared_ptr<shared_matrix> shared = shared_matrix::hand_out(all, system);
    static_cast<sparse_matrix&>(system) = {.rows = system.rows, .cols = system.cols, .complex = system.complex};
    shared->look();
    system.elsewhere = shared;
    return system;
}

void share_rhs(linear_system& system)
{
    system.b_in_pieces = share_numbers(system, system.b);
    if (system.b_in_pieces != nullptr) {
        system.b = std::vector<real>();  // its memory is free
    }
}

std::shared_ptr<const long_vector> share_numbers(const linear_system& system, const std::vector<real>& numbers)
{
    require_equal("share_numbers", "numbers and rows", static_cast<index_t>(numbers.size()), system.rows);
    long_vector v = long_vector::exactly(numbers);
    if (v.in_mpfr()) {
        return nullptr;
    }
    return std::make_shared<const long_vector>(system.elsewhere->handed_out(v.on(host_executor{})), v.bits());
}

bool make_rhs(linear_system& system, const named_rhs& rhs)
{
    const numbers_elsewhere::pointer b = system.elsewhere->named(rhs);
    if (b != nullptr) {
        system.b = std::vector<real>();
        system.b_in_pieces = std::make_shared<const long_vector>(b, b->format().bits());
    }
    return b != nullptr;
}

int lead_or_serve(processes& all, const std::function<int()>& lead, const std::function<bool()>& interrupted)
{
    if (all.rank() != 0) {
        try {
            return service(all, interrupted).serve();
        } catch (const std::exception& e) {
            all.end_all(e.what());
        }
    }
    int code = 1;
    try {
        code = lead();
    } catch (...) {
        end_service(all, code);
        throw;
    }
    end_service(all, code);
    return code;
}

}  // namespace residua
