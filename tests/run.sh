#!/usr/bin/env bash
# tests/run.sh [--quick] [-- CTEST-ARGS]: sets up a Debian machine, builds release, runs the tests.
#
#   --quick      unit tests only
#   CTEST-ARGS   go to ctest as they are: -- -L conformance -V
#
# GEDGE_DATA_DIR     folder of public data; tests that need it are skipped without it
# GEDGE_FUZZ_SECONDS how long each fuzz target runs (default: three minutes for all together)
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$gedge_top"

usage() { sed -n 's/^# \{0,1\}//; 2,8p' "$gedge_top/tests/run.sh"; }

groups=(build test fuzz lint)
selection=()
while [ $# -gt 0 ]; do
  case $1 in
    --quick) groups=(build test) selection=(-L '^unit$') ;;
    --) shift; break ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done

install_packages "${groups[@]}"
build_preset release
if [ $# -eq 0 ]; then
  selection+=(-LE '^long$')
  # The suite would build the fuzz targets by itself, but without showing how far it is.
  # So it is with the control plane: where there is none, its tests say what that means.
  if [[ " ${groups[*]} " == *" fuzz "* ]]; then
    bash tests/fuzz/build.sh cmake
    bash tests/support/control_plane.sh binaries || true
  fi
fi

say "running the tests"
cd build/release
exec ctest --output-on-failure --no-tests=error --parallel "$(jobs)" \
  ${selection[@]+"${selection[@]}"} "$@"
