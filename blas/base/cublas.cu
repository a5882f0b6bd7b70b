#include <residua/blas/base/cublas.cuh>

#include <memory>

#include <dlfcn.h>

namespace residua::blas::detail {

cublas_functions load_cublas(const char* op, const std::string& file, int major)
{
    const auto fail = [&](const std::string& why) {
        throw cuda_error(std::string(op) + ": cuBLAS " + std::to_string(major) + " cannot be used: " + why +
                         "; install it, or name its folder in LD_LIBRARY_PATH");
    };
    struct closes {
        void operator()(void* library) const { (void)dlclose(library); }
    };
    std::unique_ptr<void, closes> library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (library == nullptr) {
        const char* const reason = dlerror();  // names the file, or one that it needs
        fail(reason != nullptr ? reason : file);
    }
    const auto find = [&]<class F>(F*& function, const char* name) {
        function = reinterpret_cast<F*>(dlsym(library.get(), name));
        if (function == nullptr) {
            fail(file + " has no function " + name);
        }
    };
    cublas_functions f;
    find(f.property, "cublasGetProperty");
    int found = 0;
    if (f.property(MAJOR_VERSION, &found) != CUBLAS_STATUS_SUCCESS || found != major) {
        fail(file + " is of version " + std::to_string(found));
    }
    find(f.status_string, "cublasGetStatusString");
    find(f.create, "cublasCreate_v2");
    find(f.destroy, "cublasDestroy_v2");
    find(f.set_math_mode, "cublasSetMathMode");
    find(f.set_stream, "cublasSetStream_v2");
    find(f.sgemm, "cublasSgemm_v2_64");
    find(f.dgemm, "cublasDgemm_v2_64");
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
    (void)library.release();  // stays loaded
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
