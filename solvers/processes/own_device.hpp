#pragma once

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/processes/processes.hpp>

namespace residua {

/// The device of a process: the processes of a machine take its devices in turn, from device `first` on. Where there
/// are more processes than devices, some share one.
///
/// throws  cuda_error if there is none that can be used
inline cuda_executor own_device(const processes& all, int first)
{
    const auto count = static_cast<index_t>(cuda_devices().size());
    return make_cuda_executor(count == 0 ? first : static_cast<int>((first + all.rank_on_machine()) % count));
}

}  // namespace residua
