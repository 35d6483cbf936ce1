#!/usr/bin/env bash
# All static checks; goes on after a failure. Needs a configured build/release for clang-tidy.
# clang-tidy reads the C++ files changed since CHANGED (a commit; default: where main parted from origin/main, or the last
# commit); CLANG_TIDY=all reads every file, CLANG_TIDY=none no file.
set -uo pipefail
cd "$(dirname "$0")/.."
venv=.venv/bin
failed=()

check() {
  local name=$1
  shift
  echo "-- $name"
  "$@" || failed+=("$name")
}

list() {  # files with one of the given suffixes
  python3 -c 'import sys; sys.path.insert(0, "scripts"); import source_tree
print(*source_tree.select(set(sys.argv[1:])), sep="\n")' "$@"
}

changed_since() {
  if [ -n "${CHANGED:-}" ]; then
    echo "$CHANGED"
    return
  fi
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse -q --verify 'HEAD~1' || true)
  fi
  echo "$base"
}

tidy_files() {
  case ${CLANG_TIDY:-changed} in
    none) return ;;
    all) list .cpp ;;
    *)
      local base
      base=$(changed_since)
      [ -n "$base" ] && git diff --name-only --diff-filter=d "$base" -- '*.cpp'
      ;;
  esac | grep -v '^tests/kernels/golden/' | in_build
}

in_build() {  # of the names read, those that build/release compiles
  python3 -c 'import json, os, sys
known = {os.path.relpath(entry["file"]) for entry in json.load(open("build/release/compile_commands.json"))}
print(*[name for name in sys.stdin.read().split() if name in known], sep="\n")'
}

clang_tidy() {
  local files
  [ -f build/release/compile_commands.json ] || {
    echo "build/release is not configured: make build"
    return 1
  }
  files=$(tidy_files | grep .) || {
    echo "no changed C++ file"
    return
  }
  without_precompiled_headers
  echo "$files" | xargs -P "$(nproc)" -n 1 clang-tidy-22 --quiet -p build/release/tidy 2>/dev/null
}

without_precompiled_headers() {  # they need not be built, and a missing include shows
  mkdir -p build/release/tidy
  sed 's/ -Xclang -include-pch -Xclang [^ ]* -Xclang -include -Xclang [^ ]*//' build/release/compile_commands.json \
    >build/release/tidy/compile_commands.json
}

clang_format() {
  local found
  found=$(list .cpp .h | grep -v '^tests/kernels/golden/' |
    xargs clang-format-22 --dry-run -Werror --ferror-limit=1 2>&1 | grep ': error:')
  [ -z "$found" ] || { echo "$found" && return 1; }
}

check "layers" python3 scripts/check_layers.py
check "size budget" python3 scripts/size_budget.py
check "tree" python3 scripts/check_tree.py
check "clang-format" clang_format
check "ruff" $venv/ruff check --quiet
check "ruff format" $venv/ruff format --check --quiet
check "mypy" $venv/mypy --no-error-summary
check "clang-tidy" clang_tidy

if [ ${#failed[@]} = 0 ]; then
  echo "lint: all passed"
else
  echo "lint: FAILED: $(IFS=,; echo "${failed[*]}")"
  exit 1
fi
