# The toolchain of the preset aarch64: Debian's cross compiler, Debian's libraries for the target in build/aarch64/libraries, where
# tools/check --aarch64 unpacks them, and qemu-user for what was built.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(libraries "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/libraries")
cmake_path(NORMAL_PATH libraries)
set(folders "${libraries}/usr/lib/aarch64-linux-gnu" "${libraries}/usr/lib/aarch64-linux-gnu/openblas-pthread"
    "${libraries}/lib/aarch64-linux-gnu")
list(JOIN folders ":" folders_of_loader)
set(CMAKE_FIND_ROOT_PATH "${libraries}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_PATH /usr/lib/aarch64-linux-gnu/openblas-pthread)  # no alternatives are set there
set(BLA_VENDOR OpenBLAS)
foreach(kind EXE SHARED)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-rpath-link,${folders_of_loader}")
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64;-L;/usr/aarch64-linux-gnu;-E;LD_LIBRARY_PATH=${folders_of_loader}")
