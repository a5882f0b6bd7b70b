#!/usr/bin/env bash
# install_unbuilt.sh CMAKE SOURCE BUILD GENERATOR CXX: an installation of what is not built says what to do and installs nothing.
set -euo pipefail
cmake="$1" source="$2" build="$3" generator="$4" cxx="$5"

rm -rf "$build"
"$cmake" -S "$source" -B "$build" -G "$generator" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" \
    -DRESIDUA_BUILD_TESTS=OFF
for component in program library development; do
    if told="$("$cmake" --install "$build" --prefix "$build/prefix" --component $component 2>&1)"; then
        echo "$component is installed, but not built"
        exit 1
    fi
    if ! tr -s '[:space:]' ' ' <<<"$told" | grep -q "is not built: run cmake --build"; then
        echo "$component: $told"
        exit 1
    fi
done
if "$cmake" --install "$build" --prefix "$build/prefix" >/dev/null 2>&1 || [[ -e "$build/prefix" ]]; then
    echo "something is installed"
    exit 1
fi
