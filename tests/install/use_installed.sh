#!/usr/bin/env bash
# use_installed.sh CMAKE PROJECT BUILD PREFIX GENERATOR CXX FLAGS: builds and tests PROJECT on the
# residua that is installed in PREFIX.
set -euo pipefail
cmake="$1" project="$2" build="$3" prefix="$4" generator="$5" cxx="$6" flags="$7"

rm -rf "$build"
"$cmake" -S "$project" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" \
    -DCMAKE_C_FLAGS="$flags" --no-warn-unused-cli -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON
grep -q "^residua_DIR:PATH=$prefix/" "$build/CMakeCache.txt" || {
    echo "found another residua than the one in $prefix"
    exit 1
}
"$cmake" --build "$build"
cd "$build"
"$(dirname "$cmake")/ctest" --output-on-failure --no-tests=error
