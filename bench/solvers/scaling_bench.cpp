// Weak and strong scaling of CG over processes, on their threads or on their GPUs: Poisson's equation on a square or a
// cube, a random right-hand side, no preconditioner. Prints one JSON object a line. The systems, as their names say:
//
//   mpirun -n 4 scaling_bench [--cuda] [--library FILE] [--bits 106,212,424,848] [--iterations 40] [--alone] SYSTEM...
//
//   weak2d=1024     1024 x 1024 points for each process
//   weak3d=128      128 x 128 x 128 points for each process
//   strong2d=2048   2048 x 2048 points in all
//   strong3d=256    256 x 256 x 256 points in all
//
// --alone: process 0 then solves the same system alone, and x must have the same bits. Exit status 1 if it has not.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <residua/arith/base/random.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/processes/distributed_rows.hpp>
#include <residua/solvers/processes/open_processes.hpp>
#include <residua/solvers/processes/own_device.hpp>
#include <residua/solvers/space/any_operator.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

#include "timed_processes.hpp"

namespace residua::bench {
namespace {

/// A system as the command line names it, for a number of processes.
struct grid {
    std::string name;
    index_t nx = 1, ny = 1, nz = 1;  ///< z is slowest

    index_t n() const { return nx * ny * nz; }
};

grid grid_of(const std::string& name, index_t processes)
{
    const std::size_t sign = name.find('=');
    const std::string kind = name.substr(0, sign);
    const index_t side = sign == std::string::npos ? 0 : std::atol(name.c_str() + sign + 1);
    if (side > 0 && kind == "weak2d") {
        return {name, side, side * processes, 1};
    }
    if (side > 0 && kind == "weak3d") {
        return {name, side, side, side * processes};
    }
    if (side > 0 && kind == "strong2d") {
        return {name, side, side, 1};
    }
    if (side > 0 && kind == "strong3d") {
        return {name, side, side, side};
    }
    throw error(name + ": a system is weak2d, weak3d, strong2d or strong3d, = and the points of a side");
}

/// Rows first, ..., last - 1 of Poisson's matrix.
sparse_matrix rows_of(const grid& g, index_t first, index_t last)
{
    sparse_matrix a{.rows = last - first, .cols = g.n(), .row_begin = {0}, .column = {}, .values = {}};
    for (index_t i = first; i < last; ++i) {
        const index_t x = i % g.nx;
        const index_t y = i / g.nx % g.ny;
        const index_t z = i / (g.nx * g.ny);
        const auto put = [&](bool there, index_t j, double value) {
            if (there) {
                a.column.push_back(static_cast<std::int32_t>(j));
                a.values.push_back(value);
            }
        };
        put(z > 0, i - g.nx * g.ny, -1.0);
        put(y > 0, i - g.nx, -1.0);
        put(x > 0, i - 1, -1.0);
        put(true, i, g.nz > 1 ? 6.0 : 4.0);
        put(x + 1 < g.nx, i + 1, -1.0);
        put(y + 1 < g.ny, i + g.nx, -1.0);
        put(z + 1 < g.nz, i + g.nx * g.ny, -1.0);
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }
    return a;
}

/// The sum over all elements of a hash of the words and the place of each, so that any cut has the same one.
template <class H>
std::uint64_t hash_of(const H& on_host, const typename H::vector& x, index_t first)
{
    std::uint64_t sum = 0;
    auto one = on_host.make_host_vector(1);
    for (index_t i = 0; i < x.size(); ++i) {
        one.set(0, x.get(i));
        std::uint64_t hash = static_cast<std::uint64_t>(first + i);
        one.for_each_buffer([&](auto& words) {
            for (const std::byte each : std::as_bytes(words.span())) {
                hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x100000001b3;  // FNV-1a
            }
        });
        sum += splitmix64{hash}();
    }
    return sum;
}

constexpr index_t first_timed = 5;

/// Elements first, ..., first + count - 1 of the right-hand side: thirds of random numbers from -1 to 1. With these the
/// residual falls from the first iterations on, so that x is not the one from which CG begins.
template <class S>
typename S::vector right_side(const S& space, index_t first, index_t count)
{
    auto b = space.make_host_vector(count);
    const auto third = space.make_scalar(1.0) / space.make_scalar(3.0);
    for (index_t i = 0; i < count; ++i) {
        splitmix64 random{static_cast<std::uint64_t>(first + i)};
        b.set(i, space.make_scalar(uniform(random)) * third);
    }
    return space.placed(std::move(b));
}

/// Runs CG from x = 0 for this many iterations and returns x and the seconds of an iteration. The first few are not
/// timed; `begins` and `ends` are called where timing begins and ends.
template <class S, class Begin, class End>
std::pair<typename S::vector, double> iterate(const S& space, const any_operator<S>& a, index_t n,
                                              const typename S::vector& b, index_t iterations, const Begin& begins,
                                              const End& ends)
{
    auto x = space.make_vector(n);
    cg_workspace<S> work(space, n);
    double begin = 0.0;
    double end = 0.0;
    stop_rule rule;
    rule.relative_residual = 1e-300;
    rule.max_iterations = iterations;
    rule.on_iteration = [&](index_t k, double) {
        if (k == first_timed) {
            begins();
            begin = seconds_now();
        }
        if (k == iterations) {
            end = seconds_now();
            ends();
        }
    };
    const iteration_report report = cg(space, a, any_operator<S>{}, b, x, rule, work);
    if (report.iterations != iterations) {
        throw error("cg ended after " + std::to_string(report.iterations) + " iterations: " + report.message);
    }
    if (!(report.recursive_residual < 1.0)) {
        throw error("no x of these iterations is better than 0: x is no evidence");
    }
    return {std::move(x), (end - begin) / static_cast<double>(iterations - first_timed)};
}

struct outcome {
    double seconds = 0.0;  ///< for an iteration, of the slowest process, as the next ones
    double joining = 0.0, exchanging = 0.0, share = 0.0;
    index_t joins = 0, bytes_of_join = 0, messages = 0, bytes_sent = 0;  ///< in an iteration, the most of any process
    std::uint64_t hash = 0;
};

/// By all processes.
template <class S>
outcome run_together(const S& local, processes& given, const grid& g, index_t iterations)
{
    using D = distributed_space<S>;
    timed_processes all(given);
    const D space(local, partition::even(g.n(), blas::block_of_sum<typename S::element>(g.n()), all.count()), all);
    const auto rows = std::make_shared<const distributed_rows<S>>(space, rows_of(g, space.first(), space.last()));
    any_operator<D> a;
    a.function = [rows](const D& on, const auto& x, auto& y) { rows->apply(on, x, y); };
    a.exact_residual = [rows](const D& on, const auto& x, const auto& b, auto& r) { rows->residual(on, x, b, r); };
    timed_processes::sums sums;
    const auto b = right_side(space, space.first(), space.last() - space.first());
    const auto [x, seconds] = iterate(
        space, a, g.n(), b, iterations, [&] { all.so_far = {}; }, [&] { sums = all.so_far; });

    const auto timed = static_cast<double>(iterations - first_timed);
    std::vector<double> most{seconds,
                             sums.seconds_of_joins / timed,
                             sums.seconds_of_exchanges / timed,
                             (sums.seconds_of_joins + sums.seconds_of_exchanges) / (timed * seconds),
                             sums.bytes_sent / timed,
                             static_cast<double>(sums.messages) / timed};
    maximum(given, std::span<double>(most));
    outcome result{most[0], most[1], most[2], most[3]};
    result.joins = static_cast<index_t>(static_cast<double>(sums.joins) / timed);
    result.bytes_of_join = sums.joins > 0 ? static_cast<index_t>(sums.bytes_of_joins) / sums.joins : 0;
    result.bytes_sent = static_cast<index_t>(most[4]);
    result.messages = static_cast<index_t>(most[5]);

    result.hash = hash_of(local.host_counterpart(), space.fetched(x), space.first());
    given.join(std::as_writable_bytes(std::span<std::uint64_t>(&result.hash, 1)),
               [](std::span<const std::byte> left, std::span<std::byte> right) {
                   std::uint64_t p = 0;
                   std::uint64_t q = 0;
                   std::memcpy(&p, left.data(), sizeof p);
                   std::memcpy(&q, right.data(), sizeof q);
                   q += p;
                   std::memcpy(right.data(), &q, sizeof q);
               });
    return result;
}

/// By this process, in the space of one process.
template <class S>
outcome run_alone(const S& space, const grid& g, index_t iterations)
{
    const auto b = right_side(space, 0, g.n());
    const auto [x, seconds] = iterate(
        space, matrix_in(space, rows_of(g, 0, g.n())), g.n(), b, iterations, [] {}, [] {});
    outcome result{.seconds = seconds};
    result.hash = hash_of(space.host_counterpart(), space.fetched(x), 0);
    return result;
}

std::string processor()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0) {
            return line.substr(line.find(':') + 2);
        }
    }
    return "unknown";
}

std::string today()
{
    char text[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

std::string hexadecimal(std::uint64_t hash)
{
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return text;
}

struct arguments {
    bool cuda = false, alone = false;
    std::string library;
    std::vector<long> bits{106, 212, 424, 848};
    index_t iterations = 40;
    std::vector<std::string> systems;
};

arguments arguments_of(int argc, char** argv)
{
    arguments given;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto next = [&]() -> std::string {
            if (++i >= argc) {
                throw error(word + " needs a value");
            }
            return argv[i];
        };
        if (word == "--cuda") {
            given.cuda = true;
        } else if (word == "--alone") {
            given.alone = true;
        } else if (word == "--library") {
            given.library = next();
        } else if (word == "--iterations") {
            given.iterations = std::atol(next().c_str());
        } else if (word == "--bits") {
            given.bits.clear();
            std::istringstream list(next());
            for (std::string each; std::getline(list, each, ',');) {
                given.bits.push_back(std::atol(each.c_str()));
            }
        } else {
            (void)grid_of(word, 1);
            given.systems.push_back(word);
        }
    }
    if (given.iterations <= first_timed || given.systems.empty()) {
        throw error("a system is needed, and more than " + std::to_string(first_timed) + " iterations");
    }
    return given;
}

/// Calls f(space) with the format that solve() takes for these bits.
template <class Exec, class F>
void with_space(const Exec& exec, long bits, const F& f)
{
    switch (bits) {
        case 53:
            return f(blas_space<Exec, double>{exec, {}});
        case 106:
            return f(blas_space<Exec, expansion<double, 2>>{exec, {}});
        case 212:
            return f(blas_space<Exec, expansion<double, 4>>{exec, {}});
        default:
            return f(multidigit_space<Exec>{exec, multidigit_format(bits)});
    }
}

template <class Exec>
bool run_all(const Exec& exec, const std::string& card, const arguments& given, processes& all)
{
    const std::vector<std::byte> cards = gather(all, std::as_bytes(std::span(card)));
    bool same = true;
    for (const std::string& name : given.systems) {
        const grid g = grid_of(name, all.count());
        for (const long bits : given.bits) {
            with_space(exec, bits, [&](const auto& space) {
                const outcome together = run_together(space, all, g, given.iterations);
                nlohmann::json line{{"date", today()},
                                    {"commit", RESIDUA_COMMIT},
                                    {"processor", processor()},
                                    {"processes", all.count()},
                                    {"threads", io::available_threads()},
                                    {"executor", given.cuda ? "cuda" : "host"},
                                    {"system", name},
                                    {"unknowns", g.n()},
                                    {"precision_bits", bits},
                                    {"iterations", given.iterations},
                                    {"seconds_per_iteration", together.seconds},
                                    {"seconds_in_joins", together.joining},
                                    {"seconds_in_exchanges", together.exchanging},
                                    {"share_of_communication", together.share},
                                    {"joins_per_iteration", together.joins},
                                    {"bytes_per_join", together.bytes_of_join},
                                    {"messages_per_iteration", together.messages},
                                    {"bytes_sent_per_iteration", together.bytes_sent},
                                    {"hash", hexadecimal(together.hash)}};
                if (given.cuda) {
                    line["cards"] = std::string(reinterpret_cast<const char*>(cards.data()), cards.size());
                }
                if (given.alone && all.rank() == 0) {
                    const outcome alone = run_alone(space, g, given.iterations);
                    line["seconds_per_iteration_alone"] = alone.seconds;
                    line["same_bits_alone"] = alone.hash == together.hash;
                    same = same && alone.hash == together.hash;
                }
                std::vector<std::byte> turn(1);
                all.broadcast(turn);  // the others sleep meanwhile
                if (all.rank() == 0) {
                    std::printf("%s\n", line.dump().c_str());
                    std::fflush(stdout);
                }
            });
        }
    }
    return same;
}

int run_program(int argc, char** argv)
{
    const arguments given = arguments_of(argc, argv);
    const std::unique_ptr<processes> all = open_processes(given.library);
    try {
        bool same = true;
        if (given.cuda) {
#if defined(RESIDUA_CUDA)
            const cuda_executor exec = own_device(*all, 0);
            std::string card = "device " + std::to_string(exec.device);
            for (const cuda_device& each : cuda_devices()) {
                card += each.number == exec.device ? ", " + each.name : "";
            }
            same = run_all(exec, card + "; ", given, *all);
#else
            throw unsupported_error("--cuda: this build computes on the host only");
#endif
        } else {
            same = run_all(host_executor{}, "", given, *all);
        }
        if (!same) {
            std::fprintf(stderr, "scaling_bench: x has other bits than on one process\n");
        }
        return maximum(*all, same ? 0 : 1);
    } catch (const std::exception& e) {
        if (all->count() > 1) {
            all->end_all(e.what());
        }
        throw;
    }
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    try {
        return residua::bench::run_program(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "scaling_bench: %s\n", e.what());
        return 2;
    }
}
