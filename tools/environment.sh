# shellcheck shell=bash
# Sourced by tools/quickstart and tools/check: where the checkout is, and what this machine has.

script="$(realpath "$0")"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# The comment at the top of the script that runs.
usage()
{
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$script"
}

# The CUDA compiler: on PATH or where the toolkit puts it. Prints nothing when there is none.
find_nvcc()
{
    local candidate
    for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" \
        "${CUDA_PATH:-}/bin/nvcc" /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc; do
        if [[ -n "$candidate" && -x "$candidate" ]]; then
            echo "$candidate"
            return
        fi
    done
}

has_gpu()
{
    command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}

# Compile through ccache where it is. Paths below the checkout count as relative, so that the
# build folders share what they have compiled.
use_ccache()
{
    if command -v ccache >/dev/null; then
        export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
        export CCACHE_BASEDIR="$root"
    fi
}

# timed NAME COMMAND...: runs the command and adds "NAME 12 s" to `phases`; on failure the
# script ends and says in which phase.
phases=()
phase=""
timed()
{
    local start=$SECONDS
    phase="$1"
    shift
    "$@"
    phases+=("$phase $((SECONDS - start)) s")
    phase=""
}

# The phases in one line: "packages 0 s, configure 4 s".
phase_times()
{
    local line
    printf -v line '%s, ' "${phases[@]}"
    echo "${line%, }"
}

say_failed_phase()
{
    local status=$?
    if [[ $status -ne 0 && -n "$phase" ]]; then
        echo "$(basename "$script"): $phase failed (status $status)" >&2
    fi
}
trap say_failed_phase EXIT
