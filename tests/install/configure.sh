#!/usr/bin/env bash
# configure.sh CMAKE PROJECT BUILD GENERATOR CXX OPTION...: configures PROJECT anew in BUILD, without a build type.
set -euo pipefail
cmake="$1" project="$2" build="$3" generator="$4" cxx="$5"
shift 5

rm -rf "$build"
env -u CMAKE_BUILD_TYPE "$cmake" -S "$project" -B "$build" -G "$generator" -DCMAKE_CXX_COMPILER="$cxx" "$@"
