// The processes that serve.
#include <residua/solvers/serve.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>

#include <residua/io/team.hpp>
#include <residua/solvers/build/shared_engine.hpp>

namespace residua {
namespace {

/// A part of an engine, and how many threads it has.
struct served_part {
    std::unique_ptr<engine_part> part;
    int threads;
};

int serve(processes& all, const std::function<bool()>& interrupted)
{
    std::map<index_t, served_part> parts;
    for (;;) {
        service_order order;
        broadcast(all, order);
        switch (order.what) {
            case service_call::make: {
                const int threads = std::min<int>(order.make.threads, io::available_processors());
                const io::thread_limit limit(threads);
                const engine_rows own = scatter_rows(all, order.make, nullptr);
                parts[order.engine] = {make_engine_part(order.make, own, all), threads};
                break;
            }
            case service_call::correct: {
                const served_part& of = parts.at(order.engine);
                const io::thread_limit limit(of.threads);
                order.rule.poll = [&interrupted] {
                    return interrupted && interrupted() ? std::optional(solve_status::interrupted) : std::nullopt;
                };
                of.part->correct(order.rule, order.has_keeper);
                break;
            }
            case service_call::forget:
                parts.erase(order.engine);
                break;
            case service_call::end:
                return static_cast<int>(order.code);
        }
    }
}

void end_service(processes& all, int code)
{
    service_order end{.what = service_call::end, .code = code};
    broadcast(all, end);
}

}  // namespace

int lead_or_serve(processes& all, const std::function<int()>& lead, const std::function<bool()>& interrupted)
{
    if (all.rank() != 0) {
        try {
            return serve(all, interrupted);
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
