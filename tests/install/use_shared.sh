#!/usr/bin/env bash
# use_shared.sh CMAKE PROJECT BUILD GENERATOR CXX RESIDUA: builds PROJECT, installs it, moves what was installed, takes the build
# away and runs the program.
set -euo pipefail
cmake="$1" project="$2" build="$3" generator="$4" cxx="$5" residua="$6"

rm -rf "$build" "$build.installed"
"$cmake" -S "$project" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" \
    -DRESIDUA="$residua" -DCMAKE_INSTALL_LIBDIR=lib/below
"$cmake" --build "$build"
"$cmake" --install "$build" --prefix "$build/installed"
mv "$build/installed" "$build.installed"
rm -rf "$build"
env -u LD_LIBRARY_PATH "$build.installed/bin/residua"
for library in "$build.installed"/lib/below/*.so; do
    if env -u LD_LIBRARY_PATH ldd "$library" | grep 'not found'; then
        echo "$library does not find what it links"
        exit 1
    fi
done
