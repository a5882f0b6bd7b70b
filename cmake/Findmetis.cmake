# metis::metis, the METIS library. Debian ships it without a CMake package.
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(metis REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR)

if(metis_FOUND AND NOT TARGET metis::metis)
    add_library(metis::metis UNKNOWN IMPORTED)
    set_target_properties(metis::metis PROPERTIES
        IMPORTED_LOCATION "${METIS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${METIS_INCLUDE_DIR}")
endif()
