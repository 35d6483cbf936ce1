#!/usr/bin/env bash
# Configures (first time only) and builds one preset into build/<preset>: all of it, or the targets named.
#   scripts/build.sh [release|debug|asan|tsan|no-llvm] [--configure-only | TARGET…]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-release}
log=build/$preset/configure.log
if [ ! -f "build/$preset/build.ninja" ]; then
  mkdir -p "build/$preset"
  python=(-DLITZ_BUILD_PYTHON=ON -DPython_EXECUTABLE="$PWD/.venv/bin/python")
  # The sanitizers' runtimes would have to be loaded into Python first.
  case $preset in asan | tsan) python=() ;; esac
  if ! cmake --preset "$preset" "${python[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
fi
[ "${2:-}" = --configure-only ] || cmake --build --preset "$preset" ${2:+--target "${@:2}"}
