# residua_add_component(name DEPENDS ... HEADERS ... SOURCES ... CUDA_HEADERS ... CUDA_SOURCES ...
# NO_CUDA_SOURCES ...)
# makes the target residua_<name> (residua::<name>) from one top-level folder.
#
#  * <residua/<name>/x.hpp> is the file <name>/x.hpp: through a one-line forwarding
#    header in the build tree, as the file itself in the install tree.
#  * Only headers of the component and of its DEPENDS can be included, so an include
#    against the direction of the data does not compile.
#  * Every header is compiled alone (and twice in one file) by residua_<name>_header_check.

# Warnings of our own targets; never exported. Where they are no errors nobody reads them, and GCC takes three per cent of its time
# for them.
add_library(residua_warnings INTERFACE)
if(RESIDUA_WARNINGS_AS_ERRORS)
    target_compile_options(residua_warnings INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wdouble-promotion;-Wno-sign-conversion;-Wno-unknown-pragmas>)
    # GCC 12 sees overlaps in sums of std::string, and offsets of what std::vector frees, that are not there (its bug 105651).
    target_compile_options(residua_warnings INTERFACE
        $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-free-nonheap-object>)
    target_compile_options(residua_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()

# residua_optimise(target LEVEL): by -O1 or -O2 where a build type optimises at all, for code whose work is done in other files.
function(residua_optimise target level)
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo>>:${level}>)
endfunction()

if(RESIDUA_SANITIZE)
    add_compile_options(-fsanitize=${RESIDUA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${RESIDUA_SANITIZE})
endif()

# Large device code compiles in a quarter to a half of the time, without most optimisations: for machines that do not run it.
# On a card the code of --Ofast-compile=mid of nvcc 13.0 gives numbers of 1000 bits wrong signs.
option(RESIDUA_QUICK_DEVICE_CODE "Compile device code quickly, for machines without a GPU: on one it runs many times as long" OFF)
function(residua_compile_device_code_quickly target)
    target_compile_options(${target} PRIVATE
        "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${RESIDUA_QUICK_DEVICE_CODE}>>:--Ofast-compile=max;--compress-mode=size>")
endfunction()

# C++20 for the CUDA sources of a target, and no fused multiply-add behind our back.
function(residua_set_cuda_options target)
    if(NOT RESIDUA_ENABLE_CUDA)
        return()
    endif()
    if(CMAKE_VERSION VERSION_LESS 3.25.2)  # does not know C++20 for nvcc
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
    else()
        target_compile_features(${target} PRIVATE cuda_std_20)
    endif()
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;-Xcompiler=-ffp-contract=off>")
    residua_compile_device_code_quickly(${target})
endfunction()

# residua_compile_together(target GROUP files...)
# With RESIDUA_COMPILE_TOGETHER, GROUP becomes one translation unit: its files are small and read the same headers, and
# names in their anonymous namespaces differ. A file in no group is compiled alone, and so is one with COMPILE_OPTIONS.
option(RESIDUA_COMPILE_TOGETHER "Compile small files in groups: a build from nothing takes less time, a change more" OFF)
function(residua_compile_together target group)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${RESIDUA_COMPILE_TOGETHER} UNITY_BUILD_MODE GROUP
        UNITY_BUILD_CODE_AFTER_INCLUDE "#undef RESIDUA_INSTANTIATE")
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
endfunction()

# A shared library that finds those of the components beside itself, wherever they are installed.
function(residua_find_beside target)
    if(BUILD_SHARED_LIBS)
        set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
endfunction()

# Installs a program, which finds the shared libraries from where it is installed.
function(residua_install_program target)
    if(BUILD_SHARED_LIBS)
        file(RELATIVE_PATH libraries "/x/${CMAKE_INSTALL_BINDIR}" "/x/${CMAKE_INSTALL_LIBDIR}")
        set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
    endif()
    install(TARGETS ${target} COMPONENT program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

function(residua_add_component name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" 
        "DEPENDS;HEADERS;SOURCES;CUDA_HEADERS;CUDA_SOURCES;NO_CUDA_SOURCES")
    set(target residua_${name})
    set(forward "${PROJECT_BINARY_DIR}/include/${name}")
    set(headers ${arg_HEADERS})
    set(sources ${arg_SOURCES})
    if(RESIDUA_ENABLE_CUDA)
        list(APPEND headers ${arg_CUDA_HEADERS})
        list(APPEND sources ${arg_CUDA_SOURCES})
    else()
        list(APPEND sources ${arg_NO_CUDA_SOURCES})
    endif()

    if(sources)
        add_library(${target} ${sources})
        set(scope PUBLIC)
        target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:residua_warnings>)
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    add_library(residua::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(${target} ${scope} cxx_std_20)
    if(sources)
        residua_set_cuda_options(${target})
    endif()
    target_include_directories(${target} ${scope}
        $<BUILD_INTERFACE:${forward}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    list(TRANSFORM arg_DEPENDS PREPEND residua::)
    target_link_libraries(${target} ${scope} ${arg_DEPENDS})

    set(probes)
    foreach(header IN LISTS headers)
        set(from "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
        file(CONFIGURE OUTPUT "${forward}/residua/${name}/${header}"
            CONTENT "#include \"${from}\"\n" @ONLY)
        get_filename_component(folder "${header}" DIRECTORY)
        install(FILES "${from}" COMPONENT development
            DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/residua/${name}/${folder}")
        if(RESIDUA_BUILD_TESTS)
            string(MAKE_C_IDENTIFIER "${header}" id)
            set(suffix cpp)
            if(header MATCHES "\\.cuh$")
                set(suffix cu)
            endif()
            set(probe "${PROJECT_BINARY_DIR}/header_check/${name}_${id}.${suffix}")
            set(line "#include <residua/${name}/${header}>\n")
            file(CONFIGURE OUTPUT "${probe}" CONTENT "${line}${line}" @ONLY)
            list(APPEND probes "${probe}")
        endif()
    endforeach()
    if(probes)
        add_library(${target}_header_check OBJECT ${probes})
        target_link_libraries(${target}_header_check PRIVATE residua::${name} residua_warnings)
        residua_set_cuda_options(${target}_header_check)
        target_compile_options(${target}_header_check PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
    endif()

    if(sources)
        set_target_properties(${target} PROPERTIES
            VERSION "${PROJECT_VERSION}" SOVERSION "${RESIDUA_SOVERSION}")
        residua_find_beside(${target})
    endif()
    install(TARGETS ${target} EXPORT residua-${name}-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
    install(EXPORT residua-${name}-targets NAMESPACE residua:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/residua"
        COMPONENT development)
endfunction()
