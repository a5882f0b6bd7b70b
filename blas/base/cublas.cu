#include <residua/blas/base/cublas.cuh>

#include <residua/blas/base/shared_library.hpp>

namespace residua::blas::detail {

cublas_functions load_cublas(const char* op, const std::string& file, int major)
{
    shared_library library(op, "cuBLAS", major, file);
    const auto find = [&](auto*& function, const char* name) { library.find(function, name); };
    cublas_functions f;
    find(f.property, "cublasGetProperty");
    int found = 0;
    if (f.property(MAJOR_VERSION, &found) != CUBLAS_STATUS_SUCCESS) {
        found = 0;
    }
    library.require_version(found);
    find(f.status_string, "cublasGetStatusString");
    find(f.create, "cublasCreate_v2");
    find(f.destroy, "cublasDestroy_v2");
    find(f.set_math_mode, "cublasSetMathMode");
    find(f.set_stream, "cublasSetStream_v2");
    find(f.sgemm, "cublasSgemm_v2_64");
    find(f.dgemm, "cublasDgemm_v2_64");
    find(f.strsm, "cublasStrsm_v2_64");
    find(f.gemm_ex, "cublasGemmEx_64");
    find(f.gemm_strided_batched_ex, "cublasGemmStridedBatchedEx_64");
    find(f.product_create, "cublasLtMatmulDescCreate");
    find(f.product_destroy, "cublasLtMatmulDescDestroy");
    find(f.product_set, "cublasLtMatmulDescSetAttribute");
    find(f.layout_create, "cublasLtMatrixLayoutCreate");
    find(f.layout_destroy, "cublasLtMatrixLayoutDestroy");
    find(f.layout_set, "cublasLtMatrixLayoutSetAttribute");
    find(f.preference_create, "cublasLtMatmulPreferenceCreate");
    find(f.preference_destroy, "cublasLtMatmulPreferenceDestroy");
    find(f.preference_set, "cublasLtMatmulPreferenceSetAttribute");
    find(f.find_algorithms, "cublasLtMatmulAlgoGetHeuristic");
    find(f.algorithm_get, "cublasLtMatmulAlgoConfigGetAttribute");
    find(f.multiply, "cublasLtMatmul");
    library.keep();
    return f;
}

const cublas_functions& cublas(const char* op)
{
    static const cublas_functions functions =
        load_cublas(op, "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR), CUBLAS_VER_MAJOR);
    return functions;
}

void require_cublas(const char* op, cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw cuda_error(std::string(op) + ": cuBLAS: " + cublas(op).status_string(status));
    }
}

cublasHandle_t cublas_of(const char* op, const cuda_executor& exec)
{
    struct handle {
        cublasHandle_t get = nullptr;
        int device = -1;

        ~handle() { destroy(); }

        void destroy()
        {
            if (get != nullptr) {
                (void)cublas("").destroy(get);
                get = nullptr;
                device = -1;
            }
        }
    };
    const cublas_functions& f = cublas(op);
    static thread_local handle h;
    if (h.device != exec.device) {
        h.destroy();
        require_cublas(op, f.create(&h.get));
        require_cublas(op, f.set_math_mode(h.get, CUBLAS_PEDANTIC_MATH));
        h.device = exec.device;
    }
    require_cublas(op, f.set_stream(h.get, exec.stream));
    return h.get;
}

}  // namespace residua::blas::detail
