// How fast sums and products of expansions are, after [CJMP16]: chains of them (chain_run.hpp), on a CUDA device where there
// is one, by kernels with a number a thread and with a term a lane, in registers and with shared memory; else on one thread
// of the host. A sample of the chains is checked against MPFR, and on a device against the bits of the host. See
// docs/performance_trials.md; chain_tables.py prints the tables there from what this writes.
//
//   chain_bench [output.json] [chains] [samples] [operation] [terms]
//
// "" for no file; 0 for as many chains or samples as usual; "" for both operations, add and mul; 0 for all of 2, 4, 8, 16 and 32
// terms. Exit status 1 if a result is wrong, 2 for what is none of these.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <residua/arith/base/bits.hpp>
#include <residua/blas/base/buffer.hpp>

#include <apps/residua/bench/operands.hpp>
#include <apps/residua/bench/timing.hpp>

#include "chain.hpp"

namespace residua {
namespace {

using json = nlohmann::ordered_json;

constexpr index_t most_samples = 32;
constexpr std::uint64_t seed = 1;

/// What the command line asks for.
struct wanted {
    std::string file;
    index_t chains = 0;
    long samples = 0;
    std::string operation;
    int terms = 0;
};

/// A chain of the run, computed on the host.
struct chain_sample {
    index_t chain = 0;
    std::vector<double> end;
    real exact;
};

/// Chains with their operands and results on an executor, and the samples that results are judged by.
template <class Exec>
struct chain_case {
    Exec exec;
    buffer<Exec, double> operands;
    buffer<Exec, double> results;
    chain_run run;
    std::vector<chain_sample> samples;
    chain_cost cost;  ///< the mean of the samples

    chain_case(const Exec& where, const chain_pool& pool, const chain_run& request)
        : exec(where),
          operands(static_cast<index_t>(pool.words().size()), where),
          results(request.chains * request.terms, where),
          run(request)
    {
        const auto count = std::min(run.chains, most_samples);
        for (index_t s = 0; s < count; ++s) {
            const index_t i = count == 1 ? 0 : s * (run.chains - 1) / (count - 1);
            chain_end end = run_chain(run.function, pool, i, run.links);
            cost.flops += end.cost.flops / static_cast<double>(count);
            cost.shuffles += end.cost.shuffles / static_cast<double>(count);
            cost.votes += end.cost.votes / static_cast<double>(count);
            samples.push_back({i, std::move(end.terms), exact_chain(run.function, pool, i, run.links)});
        }
    }

    /// The row of the report. `got` copies the results of a chain to the host.
    template <class Got>
    json row(const timing& time, const Got& got) const
    {
        real largest;
        bool same_bits = true;
        word_hash hash;
        std::vector<double> terms(static_cast<std::size_t>(run.terms));
        for (const chain_sample& sample : samples) {
            got(sample.chain, terms);
            for (std::size_t k = 0; k < terms.size(); ++k) {
                hash.add(to_bits(terms[k]));
                same_bits &= to_bits(terms[k]) == to_bits(sample.end[k]);
            }
            largest = max(largest, abs(exact_sum(terms) - sample.exact) / real(chain_largest));
        }
        const real bound = chain_error_bound(run.function, run.terms, run.links);
        const double operations = static_cast<double>(run.chains) * run.links;
        char hash_text[17];
        std::snprintf(hash_text, sizeof hash_text, "%016llx", static_cast<unsigned long long>(hash.value()));
        return {{"operation", is_product(run.function) ? "mul" : "add"},
                {"kernel", to_string(run.function)},
                {"memory", to_string(run.storage)},
                {"terms", run.terms},
                {"size", run.chains},
                {"links", run.links},
                {"median_ms", 1e3 * time.median_seconds},
                {"min_ms", 1e3 * time.least_seconds},
                {"repeats", time.samples},
                {"operations_per_second", operations / time.median_seconds},
                {"flops", cost.flops},
                {"shuffles", cost.shuffles},
                {"votes", cost.votes},
                {"same_bits", same_bits},
                {"relative_error", to_string(largest, 6)},
                {"error_bound", is_finite(bound) ? json(to_string(bound, 6)) : json(nullptr)},
                {"right", same_bits && largest <= bound},
                {"hash", hash_text}};
    }
};

/// On one thread of the host: the sequential functions, as kernels with a number a thread compute them.
json measured(const host_executor& exec, const chain_pool& pool, const chain_run& request, const wanted& what, double)
{
    chain_case<host_executor> chains(exec, pool, request);
    const auto run = [&] {
        for (index_t i = 0; i < request.chains; ++i) {
            const chain_end end = run_chain(request.function, pool, i, request.links);
            std::copy(end.terms.begin(), end.terms.end(), chains.results.data() + i * request.terms);
        }
    };
    const timing time = measure(exec, run, what.samples);
    return chains.row(time, [&](index_t chain, std::vector<double>& terms) {
        std::copy_n(chains.results.data() + chain * request.terms, terms.size(), terms.begin());
    });
}

#if defined(RESIDUA_CUDA)
json measured(const cuda_executor& exec, const chain_pool& pool, const chain_run& request, const wanted& what,
              double fma_per_second)
{
    chain_case<cuda_executor> chains(exec, pool, request);
    detail::cuda_copy_in(exec, chains.operands.data(), pool.words().data(), pool.words().size() * sizeof(double));
    chain_run& run = chains.run;
    run.from = chain_operands_at(chains.operands.data(), run.terms);
    run.result = chains.results.data();
    const timing time = measure(
        exec, [&] { launch(exec, run); }, what.samples);
    json row = chains.row(time, [&](index_t chain, std::vector<double>& terms) {
        detail::cuda_copy_out(exec, terms.data(), run.result + chain * run.terms, terms.size() * sizeof(double));
    });
    const chain_fit fit = fit_of(exec, run);
    const double flops = chains.cost.flops * row["operations_per_second"].get<double>();
    row.update({{"share_of_fma", flops / fma_per_second},
                {"registers", fit.registers},
                {"local_bytes", fit.local_bytes},
                {"block_threads", fit.block_threads},
                {"block_chains", fit.block_chains},
                {"block_shared_bytes", fit.shared_bytes},
                {"blocks", fit.blocks}});
    return row;
}
#endif

template <class Exec>
json rows_on(const Exec& exec, const wanted& what, double fma_per_second)
{
    constexpr bool on_host = std::same_as<Exec, host_executor>;
    json rows = json::array();
    for (const bool products : {false, true}) {
        if (!what.operation.empty() && what.operation != (products ? "mul" : "add")) {
            continue;
        }
        for (const int terms : chain_terms) {
            if (what.terms != 0 && what.terms != terms) {
                continue;
            }
            const chain_pool pool(products, terms, seed);
            for (const chain_storage storage : {chain_storage::registers, chain_storage::shared}) {
                for (const chain_function function : chain_functions(products)) {
                    if (on_host && (storage == chain_storage::shared || is_on_lanes(function))) {
                        continue;
                    }
                    const chain_run request{.function = function,
                                            .terms = terms,
                                            .storage = storage,
                                            .chains = what.chains > 0 ? what.chains
                                                      : on_host       ? 1024
                                                                      : 1081344,
                                            .links = chain_links(terms),
                                            .from = {},
                                            .result = nullptr};
                    rows.push_back(measured(exec, pool, request, what, fma_per_second));
                    const json& r = rows.back();
                    std::printf("%-4s %-11s %-10s %2d terms %10.4f ms %9.0f Mop/s %s\n",
                                r["operation"].get<std::string>().c_str(), r["kernel"].get<std::string>().c_str(),
                                on_host ? "host" : r["memory"].get<std::string>().c_str(), terms,
                                r["median_ms"].get<double>(), 1e-6 * r["operations_per_second"].get<double>(),
                                r["right"].get<bool>() ? "right" : "WRONG");
                    std::fflush(stdout);
                }
            }
        }
    }
    return rows;
}

json document_of(const wanted& what)
{
#if defined(RESIDUA_CUDA)
    if (const std::vector<cuda_device> devices = cuda_devices(); !devices.empty()) {
        const cuda_executor exec = make_cuda_executor();
        const double fma_per_second = measure_fma_rate(exec);
        return {{"benchmark", "chain_bench"},
                {"device", devices.front().name},
                {"ceiling", {{"fma_per_second", fma_per_second}}},
                {"rows", rows_on(exec, what, fma_per_second)}};
    }
#endif
    return {{"benchmark", "chain_bench"}, {"device", "host"}, {"rows", rows_on(host_executor{}, what, 0.0)}};
}

int run(const wanted& what)
{
    const json document = document_of(what);
    const json& rows = document["rows"];
    if (rows.empty()) {
        std::fputs("chain_bench: operations are add and mul, terms are 2, 4, 8, 16 and 32\n", stderr);
        return 2;
    }
    if (!what.file.empty()) {
        std::ofstream(what.file) << document.dump(1) << "\n";
    }
    return std::all_of(rows.begin(), rows.end(), [](const json& r) { return r["right"].get<bool>(); }) ? 0 : 1;
}

}  // namespace
}  // namespace residua

int main(int argc, char** argv)
{
    const auto word = [&](int k) { return std::string(k < argc ? argv[k] : ""); };
    const auto number = [&](int k) { return std::atol(word(k).c_str()); };
    try {
        return residua::run({word(1), number(2), number(3), word(4), static_cast<int>(number(5))});
    } catch (const std::exception& e) {
        std::fprintf(stderr, "chain_bench: %s\n", e.what());
        return 1;
    }
}
