#include <residua/blas/base/cusolver.cuh>

#include <residua/blas/base/shared_library.hpp>

namespace residua::blas::detail {

cusolver_functions load_cusolver(const char* op, const std::string& file, int major)
{
    shared_library library(op, "cuSOLVER", major, file);
    const auto find = [&](auto*& function, const char* name) { library.find(function, name); };
    cusolver_functions f;
    find(f.property, "cusolverGetProperty");
    int found = 0;
    if (f.property(MAJOR_VERSION, &found) != CUSOLVER_STATUS_SUCCESS) {
        found = 0;
    }
    library.require_version(found);
    find(f.create, "cusolverDnCreate");
    find(f.destroy, "cusolverDnDestroy");
    find(f.set_stream, "cusolverDnSetStream");
    find(f.set_deterministic_mode, "cusolverDnSetDeterministicMode");
    find(f.create_parameters, "cusolverDnCreateParams");
    find(f.destroy_parameters, "cusolverDnDestroyParams");
    find(f.getrf_bytes, "cusolverDnXgetrf_bufferSize");
    find(f.getrf, "cusolverDnXgetrf");
    find(f.potrf_bytes, "cusolverDnXpotrf_bufferSize");
    find(f.potrf, "cusolverDnXpotrf");
    library.keep();
    return f;
}

std::string cusolver_file() { return "libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR); }

const cusolver_functions& cusolver(const char* op)
{
    static const cusolver_functions functions = load_cusolver(op, cusolver_file(), CUSOLVER_VER_MAJOR);
    return functions;
}

void require_cusolver(const char* op, cusolverStatus_t status)
{
    if (status != CUSOLVER_STATUS_SUCCESS) {
        throw cuda_error(std::string(op) + ": cuSOLVER: status " + std::to_string(static_cast<int>(status)));
    }
}

cusolverDnHandle_t cusolver_of(const char* op, const cuda_executor& exec)
{
    struct handle {
        cusolverDnHandle_t get = nullptr;
        int device = -1;

        ~handle() { destroy(); }

        void destroy()
        {
            if (get != nullptr) {
                (void)cusolver("").destroy(get);
                get = nullptr;
                device = -1;
            }
        }
    };
    const cusolver_functions& f = cusolver(op);
    static thread_local handle h;
    if (h.device != exec.device) {
        h.destroy();
        require_cusolver(op, f.create(&h.get));
        require_cusolver(op, f.set_deterministic_mode(h.get, CUSOLVER_DETERMINISTIC_RESULTS));
        h.device = exec.device;
    }
    require_cusolver(op, f.set_stream(h.get, exec.stream));
    return h.get;
}

}  // namespace residua::blas::detail
