#pragma once

#include <residua/io/error.hpp>

struct CUstream_st;  // what cudaStream_t points to: no host file needs CUDA's headers

namespace residua {

/// One stream of a CUDA device. Operations are queued on it and return before they are done.
struct cuda_executor {
    CUstream_st* stream = nullptr;  ///< the default stream if null
};

/// A CUDA call or a kernel that failed: the operation, what CUDA says, and its error name.
class cuda_error : public error {
public:
    using error::error;
};

}  // namespace residua
