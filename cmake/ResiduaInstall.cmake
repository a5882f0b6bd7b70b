# The install tree: find_package(residua) gives residua::io, arith, blas and solvers; residua::c alone with COMPONENTS c.
include(CMakePackageConfigHelpers)
set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/residua")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/residua-config.cmake.in"
    "${PROJECT_BINARY_DIR}/residua-config.cmake" INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/residua-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(EXPORT residua-targets NAMESPACE residua:: DESTINATION "${config_dir}" COMPONENT development)
install(FILES "${PROJECT_BINARY_DIR}/residua-config.cmake"
    "${PROJECT_BINARY_DIR}/residua-config-version.cmake" cmake/Findmetis.cmake cmake/Findmpfr.cmake
    DESTINATION "${config_dir}" COMPONENT development)
