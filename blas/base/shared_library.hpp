#pragma once

#include <memory>
#include <string>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua::blas::detail {

/// A library that is loaded when the first of its functions is needed, not linked: programs start without it, and do
/// everything else. It is closed at the end unless keep() was called.
class shared_library {
public:
    /// op, name  of the operation that needs it and of the library, in errors
    ///
    /// throws  cuda_error "op: name major cannot be used: reason; install it, or name its folder in LD_LIBRARY_PATH"
    shared_library(std::string op, std::string name, int major, std::string file);

    /// Sets `function` to the address of a function.
    ///
    /// throws  cuda_error, as above, if there is none of this name
    template <class F>
    void find(F*& function, const char* symbol) const
    {
        function = reinterpret_cast<F*>(address(symbol));
    }

    /// Checks that the library is of the wanted major version.
    ///
    /// throws  cuda_error, as above
    void require_version(int found) const;

    /// Lets the library stay loaded for good.
    void keep() { (void)library_.release(); }

private:
    struct closes {
        void operator()(void* library) const;
    };

    void* address(const char* symbol) const;
    [[noreturn]] void fail(const std::string& why) const;

    std::string op_, name_, file_;
    int major_;
    std::unique_ptr<void, closes> library_;
};

}  // namespace residua::blas::detail
