#include <residua/blas/rns/launch.cuh>

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include <residua/blas/rns/launch_table.hpp>

namespace residua::blas::detail {
namespace {

std::mutex guard;
int forced = 0;

}  // namespace

const rns_set<rns_most_moduli>* on_device(const cuda_executor& exec, const rns_format& format)
{
    using set = rns_set<rns_most_moduli>;
    static std::map<std::pair<int, int>, set*> made;  // of device and count; they live as long as the program
    const std::lock_guard lock(guard);
    set*& p = made[{exec.device, format.count()}];
    if (p == nullptr) {
        const device_guard current(exec);
        set* memory = nullptr;
        require_cuda("constants of the moduli", cudaMalloc(&memory, sizeof(set)));
        require_cuda("constants of the moduli", cudaMemcpy(memory, &format.set(), sizeof(set), cudaMemcpyHostToDevice));
        p = memory;
    }
    return p;
}

int choose_block(const rns_format& format)
{
    if (forced > 0) {
        return forced;
    }
    for (const rns_launch_row& row : rns_launch_table) {
        if (format.count() <= row.most_moduli) {
            return row.block;
        }
    }
    return most_block;
}

void force_block(int block) { forced = block; }

int blocks_together(const cuda_executor& exec, const void* kernel, int block)
{
    static std::map<std::tuple<int, const void*, int>, int> known;  // of device, kernel and block
    const std::lock_guard lock(guard);
    int& blocks = known[{exec.device, kernel, block}];
    if (blocks == 0) {
        const device_guard current(exec);
        int each = 0;
        int processors = 0;
        require_cuda("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, block, 0));
        require_cuda("occupancy", cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, exec.device));
        if (each == 0) {
            throw cuda_error("a kernel does not fit on the device " + std::to_string(exec.device));
        }
        blocks = each * processors;
    }
    return blocks;
}

}  // namespace residua::blas::detail
