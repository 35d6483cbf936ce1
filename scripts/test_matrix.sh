#!/usr/bin/env bash
# The Python tests against a wheel, on every supported Python and torch. Takes long and is started by hand: make test-matrix
#   scripts/test_matrix.sh [PYTHON TORCH]      one of them: scripts/test_matrix.sh 3.12 2.11.0
# A Python that is neither on this machine nor to be had through uv counts as a failure. Wheels and logs: build/matrix.
set -uo pipefail
cd "$(dirname "$0")/.."
uv=$PWD/.venv/bin/uv
[ -x "$uv" ] || .venv/bin/pip install -q --disable-pip-version-check uv==0.13.9 || exit 1
export SSL_CERT_FILE=${SSL_CERT_FILE:-${PIP_CERT:-$(.venv/bin/pip config get global.cert 2>/dev/null)}}
[ -n "$SSL_CERT_FILE" ] || unset SSL_CERT_FILE
matrix=build/matrix
mkdir -p "$matrix"

wheel_for() {  # PYTHON: builds the wheel once
  ls "$matrix/wheels-$1"/litz-*.whl 2>/dev/null && return
  "$uv" build -q --wheel --python "$1" --out-dir "$matrix/wheels-$1" . >&2 && ls "$matrix/wheels-$1"/litz-*.whl
}

run_one() {  # PYTHON TORCH
  local venv=$matrix/py$1-torch$2 wheel
  wheel=$(wheel_for "$1") || return 1
  "$uv" venv -q --clear --python "$1" "$venv" || return 1
  "$uv" pip install -q --python "$venv/bin/python" "$wheel" "torch==$2" torchvision \
    $(grep -E '^(pytest|hypothesis|transformers|timm|numpy)==' scripts/requirements-*.txt -h) || return 1
  "$venv/bin/python" -m pytest -p no:cacheprovider tests/python
}

if [ $# = 2 ]; then
  combinations=("$1 $2")
else
  combinations=()
  for python in 3.11 3.12 3.13; do for torch in 2.11.0 2.14.1; do combinations+=("$python $torch"); done; done
fi

failed=0
summary=()
for combination in "${combinations[@]}"; do
  read -r python torch <<<"$combination"
  log=$matrix/py$python-torch$torch.log
  echo "== Python $python, torch $torch"
  if run_one "$python" "$torch" 2>&1 | tee "$log"; then result=ok; else result=FAILED failed=1; fi
  summary+=("Python $python, torch $torch: $result  $(tail -n 1 "$log")")
done
printf '%s\n' "${summary[@]}"
exit $failed
