#!/usr/bin/env bash
# examples/quickstart.sh: from a fresh Debian machine to a plan. Installs what is missing, builds
# the command and asks it where every pod of examples/site goes, and why one of them goes nowhere.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../tests/setup.sh"
cd "$gedge_top"

install_packages build
build_preset release bin/gedge

show() { # COMMAND...: prints and runs it; 1 is an answer ("not everything fits"), not a failure
  printf '\n$ %s\n' "$*"
  "$@" || [ $? -eq 1 ]
}

say "a small city: four boxes at a crossing, two rooms near by, a cloud"
PATH=$gedge_top/build/release/bin:$PATH
site=(--cluster examples/site/nodes.yaml --rtt examples/site/rtt.csv -f examples/site/app.yaml)
show gedge plan "${site[@]}"
show gedge explain archive-0 "${site[@]}"

say "this was build/release/bin/gedge; 'gedge help' lists what else it does"
