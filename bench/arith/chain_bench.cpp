#include <algorithm>
#include <memory>
#include <utility>

#include <residua/arith/base/bits.hpp>
#include <residua/blas/base/buffer.hpp>

#include <apps/residua/bench/case.hpp>
#include <apps/residua/bench/operands.hpp>

namespace residua {
namespace {

constexpr index_t most_samples = 32;

/// A chain of the run, computed on the host.
struct chain_sample {
    index_t chain = 0;
    std::vector<double> end;
    real exact;
};

/// A kernel with its operands and results on the device, and the samples that its results are judged by.
struct kernel_run {
    cuda_executor exec;
    buffer<cuda_executor, double> operands;
    buffer<cuda_executor, double> results;
    chain_run run;
    std::vector<chain_sample> samples;
    chain_cost cost;  ///< the mean of the samples

    kernel_run(const cuda_executor& where, const chain_pool& pool, const chain_run& request)
        : exec(where),
          operands(static_cast<index_t>(pool.words().size()), where),
          results(request.chains * request.terms, where),
          run(request)
    {
        detail::cuda_copy_in(exec, operands.data(), pool.words().data(), pool.words().size() * sizeof(double));
        run.from = chain_operands_at(operands.data(), run.terms);
        run.result = results.data();
        const index_t count = std::min(run.chains, most_samples);
        for (index_t s = 0; s < count; ++s) {
            const index_t i = count == 1 ? 0 : s * (run.chains - 1) / (count - 1);
            chain_end end = run_chain(run.function, pool, i, run.links);
            cost.flops += end.cost.flops / static_cast<double>(count);
            cost.shuffles += end.cost.shuffles / static_cast<double>(count);
            cost.votes += end.cost.votes / static_cast<double>(count);
            samples.push_back({i, std::move(end.terms), exact_chain(run.function, pool, i, run.links)});
        }
    }

    bench_verdict judge() const
    {
        bench_verdict verdict{.relative_error = real(),
                              .error_bound = chain_error_bound(run.function, run.terms, run.links),
                              .hash = 0,
                              .same_bits = true};
        word_hash hash;
        std::vector<double> got(static_cast<std::size_t>(run.terms));
        for (const chain_sample& sample : samples) {
            detail::cuda_copy_out(exec, got.data(), results.data() + sample.chain * run.terms,
                                  got.size() * sizeof(double));
            for (std::size_t k = 0; k < got.size(); ++k) {
                hash.add(to_bits(got[k]));
                verdict.same_bits &= to_bits(got[k]) == to_bits(sample.end[k]);
            }
            const real error = abs(exact_sum(got) - sample.exact) / real(chain_largest);
            verdict.relative_error = max(verdict.relative_error, error);
        }
        verdict.hash = hash.value();
        return verdict;
    }
};

}  // namespace

void each_kernel(const cuda_executor& exec, const bench_request& request,
                 const std::function<void(const bench_case&)>& measure)
{
    const int terms =
        *std::find_if(std::begin(chain_terms), std::end(chain_terms), [&](int n) { return 53L * n >= request.bits; });
    const bool products = request.op == operation::mul;
    const chain_pool pool(products, terms, request.seed);
    for (const chain_storage storage : {chain_storage::registers, chain_storage::shared}) {
        for (const chain_function function : chain_functions(products)) {
            const auto kernel = std::make_shared<const kernel_run>(exec, pool,
                                                                   chain_run{.function = function,
                                                                             .terms = terms,
                                                                             .storage = storage,
                                                                             .chains = request.size,
                                                                             .links = chain_links(terms),
                                                                             .from = {},
                                                                             .result = nullptr});
            const chain_run& run = kernel->run;
            const auto numbers = static_cast<double>(run.chains);
            measure({.precision_bits = 53L * terms,
                     .operations = numbers * run.links,
                     .bytes = 8.0 * terms * numbers,
                     .run = [kernel] { launch(kernel->exec, kernel->run); },
                     .judge = [kernel] { return kernel->judge(); },
                     .chain = chain_facts{.function = function,
                                          .storage = storage,
                                          .terms = terms,
                                          .links = run.links,
                                          .fit = fit_of(exec, run),
                                          .cost = kernel->cost}});
        }
    }
}

}  // namespace residua
