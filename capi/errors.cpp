#include "errors.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include <residua/blas/base/library.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/options/option_text.hpp>

namespace residua::capi {
namespace {

constexpr std::size_t most_bytes = 1024;
thread_local char last_error[most_bytes] = "";

int keep(const char* function, const char* words, int code) noexcept
{
    std::snprintf(last_error, most_bytes, "%s: %s", function, words);
    for (char* c = last_error; *c != '\0'; ++c) {
        if (*c == '\n') {
            *c = ' ';
        }
    }
    return code;
}

}  // namespace

int code_of_exception(const char* function) noexcept
{
    try {
        throw;
    } catch (const busy_handle& e) {
        return keep(function, e.what(), RESIDUA_BUSY);
    } catch (const option_error& e) {
        return keep(function, e.what(), RESIDUA_OPTION);
    } catch (const unsupported_error& e) {
        return keep(function, e.what(), RESIDUA_UNSUPPORTED);
    } catch (const io::stopped_error& e) {
        return keep(function, e.what(), RESIDUA_UNSUPPORTED);
    } catch (const resource_error& e) {
        return keep(function, e.what(), RESIDUA_OUT_OF_MEMORY);
    } catch (const error& e) {  // sizes, decimals
        return keep(function, e.what(), RESIDUA_INVALID);
    } catch (const std::bad_alloc&) {
        return keep(function, "out of memory", RESIDUA_OUT_OF_MEMORY);
    } catch (const std::length_error&) {
        return keep(function, "out of memory: an array would be larger than any memory", RESIDUA_OUT_OF_MEMORY);
    } catch (const std::exception& e) {
        return keep(function, e.what(), RESIDUA_INTERNAL);
    } catch (...) {
        return keep(function, "an exception without words", RESIDUA_INTERNAL);
    }
}

void require_pointer(const void* pointer, const char* name)
{
    if (pointer == nullptr) {
        throw invalid_argument(std::string(name) + " is NULL");
    }
}

void refuse_kind(const char* name)
{
    throw invalid_argument(std::string(name) + " is a handle of another kind, or was freed");
}

}  // namespace residua::capi

using namespace residua::capi;

const char* residua_version(void) { return RESIDUA_VERSION; }

const char* residua_blas(void)
{
    try {
        static const std::string text = [] {
            const residua::blas::library_info& info = residua::blas::library();
            const std::string advice = residua::blas::advice(info);
            return to_string(info) + (advice.empty() ? "" : "\n" + advice);
        }();
        return text.c_str();
    } catch (const std::bad_alloc&) {
        return "";
    }
}

const char* residua_error(void) { return last_error; }

const char* residua_code_name(int code)
{
    switch (code) {
        case RESIDUA_OK:
            return "ok";
        case RESIDUA_INVALID:
            return "invalid";
        case RESIDUA_OPTION:
            return "option";
        case RESIDUA_UNSUPPORTED:
            return "unsupported";
        case RESIDUA_OUT_OF_MEMORY:
            return "out_of_memory";
        case RESIDUA_BUSY:
            return "busy";
        case RESIDUA_INTERNAL:
            return "internal";
        default:
            return "unknown";
    }
}
