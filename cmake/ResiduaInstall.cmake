# The install tree: find_package(residua) gives residua::io, arith, blas, solvers and c, with COMPONENTS those alone.
#
# Files belong to one of the components program, library, development, python, mpi and petsc, which are the packages of
# ResiduaPackages.cmake.
include(CMakePackageConfigHelpers)
set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/residua")
configure_file("${PROJECT_SOURCE_DIR}/cmake/residua-config.cmake.in" "${PROJECT_BINARY_DIR}/residua-config.cmake" @ONLY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/residua-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/residua-config.cmake"
    "${PROJECT_BINARY_DIR}/residua-config-version.cmake" cmake/Findmetis.cmake cmake/Findmpfr.cmake
    DESTINATION "${config_dir}" COMPONENT development)
