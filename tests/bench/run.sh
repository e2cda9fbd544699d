#!/usr/bin/env bash
# tests/bench/run.sh [--quick] [--alone|--live] [ROW]...: builds preset release, measures every row
# of the goals, and writes tests/bench/RESULTS.md, and RESULTS_LIVE.md of the rows that need an API
# server all the time. Takes half an hour, and 80 minutes for the latter, on two cores.
#
#   --alone   only the rows of RESULTS.md
#   --live    only the rows of RESULTS_LIVE.md
#   --quick   smaller and fewer runs, without the rows that take minutes
#   ROW       only these rows (a wrong one lists them)
#
# With --quick or ROWs the report goes to build/bench/RESULTS.md instead: each file that is kept in
# the tree is always one whole run.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

usage() { sed -n 's/^# \{0,1\}//; 2,12p' "${BASH_SOURCE[0]}"; }

work=$gedge_top/build/bench
parts=(--alone --live)
arguments=()
for word in "$@"; do
  case $word in
    -h | --help) usage; exit 0 ;;
    --alone | --live) parts=("$word") ;;
    --*) [ "$word" = --quick ] || { usage >&2; exit 2; } ;&
    *) arguments+=("$word") ;;
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

# measure REPORT WORDS...: with Debian's Python, whose packages numpy and yaml are.
measure() {
  say "measuring"
  /usr/bin/python3 "$gedge_top/tests/bench/suite.py" "$gedge_top" "$work" "$@"
}

if [ "${#arguments[@]}" -gt 0 ]; then
  [ "${#parts[@]}" -eq 2 ] || arguments+=("${parts[@]}")
  measure "$work/RESULTS.md" "${arguments[@]}"
else
  for part in "${parts[@]}"; do
    report=$gedge_top/tests/bench/RESULTS.md
    [ "$part" = --alone ] || report=$gedge_top/tests/bench/RESULTS_LIVE.md
    measure "$report" "$part"
  done
fi
find "$work" -mindepth 1 ! -path "$work/RESULTS.md" -delete
