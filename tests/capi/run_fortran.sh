#!/usr/bin/env bash
# run_fortran.sh GFORTRAN MODULES TEST LIBRARY FOLDER: compiles TEST and the modules in the folder MODULES into FOLDER, and runs it.
set -euo pipefail
gfortran="$1" modules="$2" test="$3" library="$4" folder="$5"

mkdir -p "$folder"
cd "$folder"
"$gfortran" -std=f2018 -Wall -Wextra -Wno-compare-reals -Werror -fcheck=all "$modules/residua_c.f90" "$modules/residua.f90" \
    "$test" "$library" "-Wl,-rpath,$(dirname "$library")" -o fortran_test
./fortran_test
