#include <residua/solvers/processes/open_processes.hpp>

#include <dlfcn.h>

namespace residua {

std::unique_ptr<processes> open_processes(const std::string& file)
{
    if (file.empty()) {
        return std::make_unique<one_process>();
    }
    const auto fail = [&file](const std::string& why) {
        throw resource_error("processes: " + file + " cannot be used: " + why +
                             "; install residua-mpi, or name its folder in LD_LIBRARY_PATH");
    };
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const reason = dlerror();
        fail(reason != nullptr ? reason : "it cannot be opened");
    }
    using make_function = processes* (*)(std::int64_t);
    const auto make = reinterpret_cast<make_function>(dlsym(library, "residua_make_processes"));
    if (make == nullptr) {
        fail("it has no function residua_make_processes");
    }
    std::unique_ptr<processes> all(make(processes_interface));
    if (all == nullptr) {
        fail("it was made for another version of residua");
    }
    return all;
}

}  // namespace residua
