# mpfr::mpfr, the MPFR library together with GMP. Debian ships neither with a CMake package.
find_path(MPFR_INCLUDE_DIR mpfr.h)
find_library(MPFR_LIBRARY mpfr)
find_path(GMP_INCLUDE_DIR gmp.h)
find_library(GMP_LIBRARY gmp)
mark_as_advanced(MPFR_INCLUDE_DIR MPFR_LIBRARY GMP_INCLUDE_DIR GMP_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(mpfr
    REQUIRED_VARS MPFR_LIBRARY MPFR_INCLUDE_DIR GMP_LIBRARY GMP_INCLUDE_DIR)

if(mpfr_FOUND AND NOT TARGET mpfr::mpfr)
    add_library(mpfr::gmp UNKNOWN IMPORTED)
    set_target_properties(mpfr::gmp PROPERTIES
        IMPORTED_LOCATION "${GMP_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${GMP_INCLUDE_DIR}")
    add_library(mpfr::mpfr UNKNOWN IMPORTED)
    set_target_properties(mpfr::mpfr PROPERTIES
        IMPORTED_LOCATION "${MPFR_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${MPFR_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES mpfr::gmp)
endif()
