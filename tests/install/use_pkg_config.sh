#!/usr/bin/env bash
# use_pkg_config.sh PKG_CONFIG PREFIX LIBDIR SOURCE PROGRAM: compiles SOURCE to PROGRAM with what PKG_CONFIG says of the
# residua that is installed in PREFIX, and runs it.
set -euo pipefail
pkg_config="$1" prefix="$2" libdir="$3" source="$4" program="$5"

export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
flags="$("$pkg_config" --cflags --libs residua)"
# shellcheck disable=SC2086
"${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror "$source" $flags -o "$program"
LD_LIBRARY_PATH="$prefix/$libdir" "$program"
