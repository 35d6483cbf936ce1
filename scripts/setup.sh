#!/usr/bin/env bash
# Brings a Debian machine to the point where Litz builds: packages by apt, a virtual environment in .venv.
#   scripts/setup.sh build|test|bench      (each includes what stands before it)
# Does only what is missing; a second call takes a fraction of a second. LITZ_PYTHON: the Python to use (python3).
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${1:-test}

apt_build=(build-essential cmake ninja-build ccache clang-22 lld-22 llvm-22-dev libclang-22-dev libfmt-dev
  nlohmann-json3-dev libcli11-dev libgtest-dev libzstd-dev zlib1g-dev ca-certificates python3 python3-dev python3-venv)
apt_test=(git clang-format-22 clang-tidy-22)
apt_bench=(libbenchmark-dev)

case $profile in
  build) packages=("${apt_build[@]}") requirements=(build) ;;
  test) packages=("${apt_build[@]}" "${apt_test[@]}") requirements=(build test) ;;
  bench) packages=("${apt_build[@]}" "${apt_test[@]}" "${apt_bench[@]}") requirements=(build test bench) ;;
  *)
    echo "usage: scripts/setup.sh build|test|bench" >&2
    exit 2
    ;;
esac

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "Packages are missing and there is neither root nor sudo. As root: $*" >&2
    exit 1
  fi
}

install_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  if ! command -v apt-get >/dev/null; then
    echo "This is no Debian machine. What is needed: ${packages[*]}" >&2
    exit 1
  fi
  echo "Installing: ${missing[*]}"
  as_root apt-get update -qq
  local absent=()
  for package in "${missing[@]}"; do
    [ -n "$(apt-cache policy "$package" 2>/dev/null)" ] || absent+=("$package")
  done
  if [ ${#absent[@]} != 0 ]; then
    echo "apt knows no package ${absent[*]}. Debian 12 has Clang 22 in its security archive: enable bookworm-security in" \
      "/etc/apt/sources.list or /etc/apt/sources.list.d and try again." >&2
    exit 1
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# uv installs several times faster than pip but does not read pip's configuration: it is used where pip has no index of its
# own configured, and pip is the fallback.
install_requirements() {
  local files=() name
  for name in "${requirements[@]}"; do files+=(-r "scripts/requirements-$name.txt"); done
  if ! .venv/bin/pip config list | grep -q index &&
    .venv/bin/pip install -q --disable-pip-version-check uv==0.13.9; then
    local cert
    cert=$(.venv/bin/pip config get global.cert 2>/dev/null || true)
    SSL_CERT_FILE=${SSL_CERT_FILE:-${PIP_CERT:-$cert}} .venv/bin/uv pip install -q --compile-bytecode --python .venv/bin/python "${files[@]}" && return
    echo "uv could not install; trying pip"
  fi
  .venv/bin/pip install -q --disable-pip-version-check "${files[@]}"
}

make_venv() {
  local wanted stamp=.venv/litz-$profile.stamp name
  wanted=$(for name in "${requirements[@]}"; do cat "scripts/requirements-$name.txt"; done | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  [ -x .venv/bin/pip ] || "${LITZ_PYTHON:-python3}" -m venv .venv
  echo "Installing Python packages ($profile) into .venv"
  install_requirements
  # The environment sees the package in the build folder, its entry points included.
  pwd | sed 's|$|/build/release/python|' >"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/litz.pth"
  echo "$wanted" >"$stamp"
}

install_packages
make_venv
