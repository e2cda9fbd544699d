# Sourced by tests/run.sh and examples/quickstart.sh: packages and builds on a fresh machine.

gedge_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n== %s\n' "$*"; }

packages_of() { # GROUP...: the names of these groups in packages.txt
  local group
  for group in "$@"; do
    awk -v group="$group" '$1 == group { print $2 }' "$gedge_top/tests/packages.txt"
  done
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    printf 'error: neither root nor sudo; ask an administrator to run: %s\n' "$*" >&2
    return 1
  fi
}

apt_install() { as_root apt-get install -q -y --no-install-recommends "$@" </dev/null; }

install_packages() { # GROUP...: installs what is missing, and nothing else
  local wanted missing=() package
  mapfile -t wanted < <(packages_of "$@")
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "not a Debian system, so nothing is installed; these are needed (Debian's names)"
    printf '  %s\n' "${wanted[*]}"
    return 0
  fi
  for package in "${wanted[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${#missing[@]} packages: ${missing[*]}"
  # Old or absent package lists are the usual reason for a failure, so they are renewed only then.
  if ! apt_install "${missing[@]}"; then
    as_root apt-get update -q </dev/null
    apt_install "${missing[@]}"
  fi
}

jobs() { nproc 2>/dev/null || echo 2; }

build_preset() { # PRESET TARGET...: configures if need be and builds
  local preset=$1
  shift
  say "building preset $preset in build/$preset"
  (
    cd "$gedge_top"
    cmake --preset "$preset"
    cmake --build --preset "$preset" --parallel "$(jobs)" ${1:+--target "$@"}
  )
}
