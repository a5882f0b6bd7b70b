#!/usr/bin/env bash
# scripts_test.sh ROOT: the shell scripts parse, pass shellcheck where it is installed, and refuse
# options they do not know; what tools/gpu-bundle writes parses; the package list is well formed.
set -euo pipefail
cd "$1"

status=0
fault()
{
    echo "FAULT: $*"
    status=1
}

scripts=()
while IFS= read -r file; do
    if head -c 100 "$file" | grep -qE '^#!.*bash|shellcheck shell=bash'; then
        scripts+=("$file")
    fi
done <<<"$(find tools .ci tests examples data bench -type f)"

for script in "${scripts[@]}"; do
    bash -n "$script" || fault "$script does not parse"
    if [[ $script != *.sh && ! -x $script ]]; then
        fault "$script is not executable"
    fi
done
if command -v shellcheck >/dev/null; then
    shellcheck -x "${scripts[@]}" || fault "shellcheck"
else
    echo "shellcheck is not installed: only parsed"
fi

for tool in tools/quickstart tools/check tools/gpu-bundle tools/make-packages tools/make-wheel tools/package-test tools/docs \
    tools/analyse; do
    "$tool" --help | grep -q "^$tool" || fault "$tool --help"
    code=0
    "$tool" --no-such-option >/dev/null 2>&1 || code=$?
    [[ $code -eq 2 ]] || fault "$tool --no-such-option: status $code, not 2"
done

written="$(sed -n "/<<'END'\$/,/^END\$/{//d;p}" tools/gpu-bundle)"
[[ $written == *"source.tar.gz"* ]] || fault "tools/gpu-bundle writes no script that unpacks sources"
bash -n <<<"$written" || fault "a script that tools/gpu-bundle writes does not parse"
if command -v shellcheck >/dev/null; then
    shellcheck -s bash -e SC1091 - <<<"$written" || fault "shellcheck of what tools/gpu-bundle writes"
fi

malformed="$(grep -vE '^#' tools/packages | grep -vE '^(build|check|sparse|package|fuzz|tsan|analysis|coverage|docs) +[a-z0-9.+-]+ +[^ ]' || true)"
[[ -z $malformed ]] || fault "tools/packages: $malformed"
twice="$(awk '!/^#/ { print $1, $2 }' tools/packages | sort | uniq -d)"
[[ -z $twice ]] || fault "tools/packages names twice: $twice"

echo "${#scripts[@]} scripts: ${scripts[*]}"
exit $status
