#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <residua/io/error.hpp>

#include "residua.h"

namespace residua::capi {

/// An error that gives RESIDUA_INVALID, with this message.
class invalid_argument : public error {
public:
    using error::error;
};

/// RESIDUA_BUSY.
class busy_handle : public error {
public:
    using error::error;
};

/// The code of the exception that is being handled. Its message becomes that of residua_error(). Allocates nothing.
int code_of_exception(const char* function) noexcept;

/// The body of a function of the interface, without exceptions: RESIDUA_OK, or the code of what `work` threw.
template <class Work>
int guarded(const char* function, const Work& work) noexcept
{
    try {
        work();
        return RESIDUA_OK;
    } catch (...) {
        return code_of_exception(function);
    }
}

/// *to = value, unless `to` is NULL
template <class T>
void put(T* to, const std::type_identity_t<T>& value)
{
    if (to != nullptr) {
        *to = value;
    }
}

/// throws  invalid_argument "NAME is NULL"
void require_pointer(const void* pointer, const char* name);
[[noreturn]] void refuse_kind(const char* name);

/// The object that the handle stands for.
///
/// throws  invalid_argument if it is NULL or a handle of another kind
template <class Handle>
Handle& handle(Handle* pointer, const char* name)
{
    require_pointer(pointer, name);
    if (pointer->kind != Handle::own_kind) {
        refuse_kind(name);
    }
    return *pointer;
}

/// guarded(), for a function that makes something: *to is set to NULL first.
///
/// make  returns a std::unique_ptr to it
template <class Made, class Make>
int guarded_making(const char* function, Made** to, const char* name, const Make& make) noexcept
{
    return guarded(function, [&] {
        require_pointer(to, name);
        *to = nullptr;
        *to = make().release();
    });
}

}  // namespace residua::capi
