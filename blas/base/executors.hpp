#pragma once

/// Calls INSTANTIATE(Exec) for every executor that this build has.
#if defined(RESIDUA_CUDA)
#define RESIDUA_FOR_EACH_EXECUTOR(INSTANTIATE) \
    INSTANTIATE(host_executor)                 \
    INSTANTIATE(cuda_executor)
#else
#define RESIDUA_FOR_EACH_EXECUTOR(INSTANTIATE) INSTANTIATE(host_executor)
#endif
