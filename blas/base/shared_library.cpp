#include <residua/blas/base/shared_library.hpp>

#include <utility>

#include <dlfcn.h>

namespace residua::blas::detail {

void shared_library::closes::operator()(void* library) const { (void)dlclose(library); }

shared_library::shared_library(std::string op, std::string name, int major, std::string file)
    : op_(std::move(op)),
      name_(std::move(name)),
      file_(std::move(file)),
      major_(major),
      library_(dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL))
{
    if (library_ == nullptr) {
        const char* const reason = dlerror();  // names the file, or one that it needs
        fail(reason != nullptr ? reason : file_);
    }
}

void* shared_library::address(const char* symbol) const
{
    void* const function = dlsym(library_.get(), symbol);
    if (function == nullptr) {
        fail(file_ + " has no function " + symbol);
    }
    return function;
}

void shared_library::require_version(int found) const
{
    if (found != major_) {
        fail(file_ + " is of version " + std::to_string(found));
    }
}

void shared_library::fail(const std::string& why) const
{
    throw cuda_error(op_ + ": " + name_ + " " + std::to_string(major_) + " cannot be used: " + why +
                     "; install it, or name its folder in LD_LIBRARY_PATH");
}

}  // namespace residua::blas::detail
