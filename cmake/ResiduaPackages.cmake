# Debian packages, for `cpack` in the build folder of the preset `packages`: residua, libresidua0.1, libresidua-dev, with
# RESIDUA_BUILD_PYTHON python3-residua and, where these are built, residua-mpi with processes of MPI and residua-petsc with the plug-in for
# PETSc. Each is one component of what is installed, with what Debian asks of a package: copyright, changelog, compressed manual pages, dependencies by dpkg-shlibdeps.
# Debian asks for a name and an address. The project has no address, so the default is one that cannot exist.
set(RESIDUA_MAINTAINER "The residua authors <residua@packages.invalid>" CACHE STRING "Maintainer of the Debian packages: NAME <ADDRESS>")
if(BUILD_SHARED_LIBS)
    message(FATAL_ERROR "RESIDUA_BUILD_PACKAGES: the packages hold one shared library, libresidua.so.${RESIDUA_SOVERSION}; "
        "take BUILD_SHARED_LIBS=OFF")
endif()
foreach(part APPS C)
    if(NOT RESIDUA_BUILD_${part})
        message(FATAL_ERROR "RESIDUA_BUILD_PACKAGES: needs RESIDUA_BUILD_${part}=ON")
    endif()
endforeach()

set(version "${PROJECT_VERSION}-1")
set(packages program/residua library/libresidua${RESIDUA_SOVERSION} development/libresidua-dev)
if(RESIDUA_BUILD_PYTHON)
    list(APPEND packages python/python3-residua)
endif()
foreach(plugin mpi petsc)
    if(TARGET residua_${plugin})
        list(APPEND packages ${plugin}/residua-${plugin})
    endif()
endforeach()
set(folder "${PROJECT_BINARY_DIR}/debian")

# The licence as a field of debian/copyright: lines begin with a blank, and a dot stands for an empty one.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where it is set
file(READ LICENSE license)
string(REGEX MATCH "Copyright \\(c\\) ([0-9]+), ([^\n]+)" found "${license}")
set(copyright "${CMAKE_MATCH_1} ${CMAKE_MATCH_2}")
string(REGEX REPLACE "^BSD 3-Clause License\n+Copyright[^\n]*\n+" "" license "${license}")
string(STRIP "${license}" license)
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
configure_file(cmake/debian/copyright.in "${folder}/copyright" @ONLY)
configure_file(cmake/debian/changelog.in "${folder}/changelog.Debian" @ONLY)
configure_file(CHANGELOG.md "${folder}/changelog" COPYONLY)
add_custom_command(OUTPUT "${folder}/changelog.Debian.gz" "${folder}/changelog.gz"
    COMMAND gzip -9nkf "${folder}/changelog.Debian" "${folder}/changelog"
    DEPENDS "${folder}/changelog.Debian" "${folder}/changelog" VERBATIM)
add_custom_target(residua_changelogs ALL DEPENDS "${folder}/changelog.Debian.gz" "${folder}/changelog.gz")

foreach(package IN LISTS packages)
    get_filename_component(name "${package}" NAME)
    get_filename_component(component "${package}" DIRECTORY)
    list(APPEND CPACK_COMPONENTS_ALL ${component})
    install(FILES "${folder}/copyright" "${folder}/changelog.Debian.gz" "${folder}/changelog.gz"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${name}" COMPONENT ${component})
    string(TOUPPER "${component}" COMPONENT)
    set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME "${name}")
    set(overrides "# These packages are not uploaded to Debian.\n${name}: initial-upload-closes-no-bugs\n")
    if(component MATCHES "^(library|mpi|petsc)$")
        string(APPEND overrides "# CPack writes postinst and postrm that run ldconfig.\n"
            "${name}: maintscript-calls-ldconfig\n")
    endif()
    if(component MATCHES "^(mpi|petsc)$")
        string(APPEND overrides "# The library opens it by its name, and nothing links it.\n"
            "${name}: sharedobject-in-library-directory-missing-soname\n")
    endif()
    file(CONFIGURE OUTPUT "${folder}/overrides/${name}" CONTENT "${overrides}" @ONLY)
    install(FILES "${folder}/overrides/${name}" COMPONENT ${component}
        DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides")
endforeach()
install(FILES README.md docs/command-line.md docs/how-it-works.md docs/limits.md docs/report-figures.md docs/solving.md
    docs/troubleshooting.md COMPONENT program
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/residua")
install(FILES docs/c-interface.md docs/how-it-works.md docs/numbers.md docs/report-figures.md docs/solving.md COMPONENT development
    DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libresidua-dev")
install(CODE [[
    file(GLOB pages "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man/man1/residua*.1")
    execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
]] COMPONENT program)

if(RESIDUA_BUILD_PYTHON)
    set(modules lib/python3/dist-packages/residua)
    install(TARGETS residua_python LIBRARY DESTINATION "${modules}" COMPONENT python)
    install(DIRECTORY python/residua/ DESTINATION "${modules}" COMPONENT python
        PATTERN __pycache__ EXCLUDE PATTERN ".*" EXCLUDE)
    install(FILES docs/python.md DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/python3-residua" COMPONENT python)
    get_directory_property(Python_VERSION_MINOR DIRECTORY python DEFINITION Python_VERSION_MINOR)
    math(EXPR next_minor "${Python_VERSION_MINOR} + 1")  # a module is for one minor version of Python
    set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
        "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next_minor}), python3-numpy (>= 1:1.24)")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-scipy, python3-mpmath, python3-matplotlib")
    set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
        "${PROJECT_SOURCE_DIR}/cmake/debian/postinst;${PROJECT_SOURCE_DIR}/cmake/debian/prerm")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/deb")
set(CPACK_PACKAGE_CONTACT "${RESIDUA_MAINTAINER}")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "solver of ill-conditioned linear systems")
set(about "residua solves real linear systems that double precision cannot solve, in
formats of 53 to 4096 bits, and says honestly how many digits of its answer
are right.\n")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${about}This package has the program residua.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_MULTIARCH same)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${folder}/shlibs;${folder}/triggers")
file(CONFIGURE OUTPUT "${folder}/triggers" CONTENT "activate-noawait ldconfig\n" @ONLY)
# What packages of programs that link it depend on:
file(CONFIGURE OUTPUT "${folder}/shlibs" @ONLY
    CONTENT "libresidua @RESIDUA_SOVERSION@ libresidua@RESIDUA_SOVERSION@ (>= @version@)\n")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "${about}This package has the library with the C interface.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)  # nothing in it is linked, and cpack asks file(1) about each of its files
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libresidua${RESIDUA_SOVERSION} (= ${version}), \
libmpfr-dev, libgmp-dev, libeigen3-dev, libopenblas-dev | liblapack-dev, libmetis-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "cmake, libfmt-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${about}This package has the headers and libraries for C++20 and for C, with their
CMake and pkg-config files.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "${about}This package has the Python module residua.")
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION math)
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_DEBIAN_MPI_DESCRIPTION "${about}This package has what several processes started by mpirun need to
share a solve.")
set(CPACK_DEBIAN_PETSC_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PETSC_PACKAGE_RECOMMENDS "libresidua${RESIDUA_SOVERSION} (= ${version}), openmpi-bin")
set(CPACK_DEBIAN_PETSC_DESCRIPTION "${about}This package has the plug-in for preconditioners of PETSc, multigrid among
them, and for solves of residua in programs of PETSc, which need
libresidua${RESIDUA_SOVERSION}. Debian's PETSc contains parts of SuiteSparse under the GPL,
and so what is made of both is under the GPL.")
include(CPack)
