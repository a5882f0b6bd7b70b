#!/bin/sh
# with_core.sh CORE COMMAND...: with OpenBLAS's kernels for that processor; 77 where this one lacks the instructions.
case $1 in
    Haswell) needs='avx2' ;;
    SkylakeX) needs='avx512bw' ;;
    *) needs='.' ;;
esac
if ! grep -qw "^flags.*$needs" /proc/cpuinfo; then
    echo "SKIPPED: no $needs on this processor, which the kernels for $1 need"
    exit 77
fi
export OPENBLAS_CORETYPE="$1"
shift
exec "$@"
