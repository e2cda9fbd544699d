#!/usr/bin/env bash
# tests/bench/run.sh [--quick] [ROW]...: builds preset release, measures every row of the goals,
# and writes tests/bench/RESULTS.md. Takes most of an hour on two cores.
#
#   --quick   smaller and fewer runs, without the rows that take minutes
#   ROW       only these rows (a wrong one lists them)
#
# With --quick or ROWs the report goes to build/bench/RESULTS.md instead: what is kept in the tree
# is always one whole run.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

usage() { sed -n 's/^# \{0,1\}//; 2,10p' "${BASH_SOURCE[0]}"; }

work=$gedge_top/build/bench
report=$gedge_top/tests/bench/RESULTS.md
arguments=()
for word in "$@"; do
  case $word in
    -h | --help) usage; exit 0 ;;
    --*) [ "$word" = --quick ] || { usage >&2; exit 2; } ;&
    *) arguments+=("$word") report=$work/RESULTS.md ;;
  esac
done

install_packages build bench
build_preset release benchmarks
rm -rf "$work"
mkdir -p "$work"
case " ${arguments[*]-} " in
  "  " | *" kubernetes "*)
    "$gedge_top/tests/support/control_plane.sh" binaries ||
      say "no kube-scheduler: its row will be void"
    ;;
esac
say "measuring"
# Debian's Python: numpy and yaml come from its packages.
/usr/bin/python3 "$gedge_top/tests/bench/suite.py" "$gedge_top" "$work" "$report" \
  ${arguments[@]+"${arguments[@]}"}
find "$work" -mindepth 1 ! -path "$work/RESULTS.md" -delete
