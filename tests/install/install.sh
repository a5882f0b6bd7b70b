#!/usr/bin/env bash
# install.sh CMAKE BUILD SOURCE PREFIX: installs BUILD and moves the result to PREFIX, which must not matter.
set -euo pipefail
cmake="$1" build="$2" source="$3" prefix="$4"

rm -rf "$prefix" "$prefix.before"
"$cmake" --install "$build" --prefix "$prefix.before" >/dev/null
mv "$prefix.before" "$prefix"

if grep -rlF -e "$build" -e "$source" -e "$prefix.before" "$prefix" --include='*.cmake' --include='*.hpp'; then
    echo "these installed files name the source, build or first install folder"
    exit 1
fi
if grep -rlF CUDA::cublas "$prefix" --include='*.cmake'; then
    echo "these installed files link cuBLAS, which is loaded when it is needed"
    exit 1
fi
find "$prefix" -type f | sed "s|^$prefix/||" | sort
