#!/usr/bin/env bash
# scripts_test.sh ROOT: the shell scripts parse, pass shellcheck where it is installed, and refuse
# options they do not know; what tools/gpu-bundle writes parses; tools/gpu-sanitize tells the shares that ended from the others;
# the package list is well formed.
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
    tools/analyse tools/gpu-sanitize; do
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

# tools/gpu-sanitize with a compute-sanitizer that has findings in one share, does not end in one, and does not work for one
at="$(mktemp -d)"
trap 'rm -rf "$at"' EXIT
cat >"$at/compute-sanitizer" <<'END'
#!/usr/bin/env bash
case "$*,$GTEST_SHARD_INDEX" in
    *racecheck*,1) exit 9 ;;
    *initcheck*,0) sleep 60 ;;
    *initcheck*,1) exit 0 ;;
esac
echo "ERROR SUMMARY: 0 errors"
END
printf '#!/usr/bin/env bash\nseq -f "  test %%g" 9\n' >"$at/program"
chmod +x "$at/compute-sanitizer" "$at/program"
code=0
told="$(PATH="$at:$PATH" tools/gpu-sanitize --limit 1 --log "$at/log" "$at/program" | sed 's/, [0-9]* s$//' | sort)" || code=$?
expected="gpu-sanitize: 5 of 8 shares ended without a finding
initcheck program 0/2: NOT ENDED
initcheck program 1/2: FAILED, status 1
memcheck program 0/2: without a finding
memcheck program 1/2: without a finding
racecheck program 0/2: without a finding
racecheck program 1/2: FINDINGS
synccheck program 0/2: without a finding
synccheck program 1/2: without a finding"
[[ $code -eq 1 && $told == "$expected" ]] || fault "tools/gpu-sanitize, status $code, says: $told"
told="$(PATH="$at:$PATH" tools/gpu-sanitize --tool synccheck --log "$at/log" "$at/program")" || fault "tools/gpu-sanitize again"
[[ $told == "gpu-sanitize: 2 of 2 shares ended without a finding" ]] || fault "tools/gpu-sanitize again: $told"
told="$(PATH="$at:$PATH" tools/gpu-sanitize --tool memcheck --share 2 --log "$at/log" "$at/program" | tail -1)" || fault "tools/gpu-sanitize --share"
[[ $told == "gpu-sanitize: 5 of 5 shares ended without a finding" ]] || fault "tools/gpu-sanitize --share: $told"

# tools/install-packages without apt, and on a system of apt where one package is missing
mkdir "$at/few" "$at/apt"
for program in awk bash cat dirname env grep mktemp rm sed; do
    ln -s "$(command -v $program)" "$at/few/$program"
done
code=0
told="$(PATH="$at/few" tools/install-packages build 2>&1)" || code=$?
[[ $code -eq 5 && $told == *"has no apt"*"libmpfr-dev"*"cmake --preset release"* && $(wc -l <<<"$told") -eq 1 ]] ||
    fault "tools/install-packages without apt, status $code, says: $told"
cat >"$at/apt/dpkg-query" <<'END'
#!/usr/bin/env bash
for name in "${@:3}"; do
    [[ $name == libfmt-dev ]] || echo "ii $name"
done
END
cat >"$at/apt/apt-get" <<END
#!/usr/bin/env bash
[[ "\$*" != *" install "* ]] || echo "\$@" >"$at/installed"
END
cat >"$at/apt/sudo" <<'END'
#!/usr/bin/env bash
exec "${@:2}"
END
chmod +x "$at/apt/dpkg-query" "$at/apt/apt-get" "$at/apt/sudo"
PATH="$at/apt:$at/few" tools/install-packages build 2>/dev/null || fault "tools/install-packages on a system of apt"
[[ $(<"$at/installed") == *"--no-install-recommends libfmt-dev" ]] ||
    fault "tools/install-packages installs: $(<"$at/installed")"

malformed="$(grep -vE '^#' tools/packages | grep -vE '^(build|check|sparse|mpi|package|fuzz|tsan|analysis|coverage|docs|aarch64) +[a-z0-9.+-]+ +[^ ]' || true)"
[[ -z $malformed ]] || fault "tools/packages: $malformed"
twice="$(awk '!/^#/ { print $1, $2 }' tools/packages | sort | uniq -d)"
[[ -z $twice ]] || fault "tools/packages names twice: $twice"

echo "${#scripts[@]} scripts: ${scripts[*]}"
exit $status
