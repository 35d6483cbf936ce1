#!/usr/bin/env bash
# Everything that CI runs, on one Python and one torch. Goes on after a failure, so that one run shows them all; the last line
# sums up. The environment is set up before (scripts/setup.sh test).
set -uo pipefail
cd "$(dirname "$0")/.."
logs=build/test-logs
mkdir -p "$logs"
summary=()
failed=0

# step NAME COMMAND…: runs it, keeps its output, notes its own closing line.
step() {
  local name=$1 start=$SECONDS status closing
  shift
  printf '\n== %s\n' "$name"
  "$@" 2>&1 | tee "$logs/$name.log"
  status=$?
  closing=$(grep -E "${closing_line:-.}" "$logs/$name.log" | tail -n 1 | sed 's/^[= ]*//; s/[= ]*$//')
  [ $status = 0 ] || failed=1
  summary+=("$(printf '%-8s %-6s %5d s  %s' "$name" "$([ $status = 0 ] && echo ok || echo FAILED)" \
    $((SECONDS - start)) "$closing")")
  return $status
}

cases() {  # GoogleTest's own count, summed over the programs
  grep -hoE '^\[  PASSED  \] [0-9]+' "build/release/Testing/Temporary/LastTest.log" | awk '{ n += $4 } END { print n + 0 }'
}

if closing_line='^\[|ninja:' step build scripts/build.sh release; then
  closing_line='tests passed' step ctest ctest --test-dir build/release --output-on-failure -j "$(nproc)"
  summary[-1]+=" ($(cases) cases)"
  closing_line='passed|failed|error|no tests ran' step pytest .venv/bin/python -m pytest
fi
closing_line='^lint:' step lint scripts/lint.sh

printf '\n'
printf '%s\n' "${summary[@]}"
if [ $failed = 0 ]; then
  echo "make test: all passed in $SECONDS s"
else
  echo "make test: FAILED (logs in $logs)"
fi
exit $failed
