#!/usr/bin/env bash
# simulate_test.sh [RUNS FAULTS]: the failover that README.md shows: what it prints is there, twice
# the same, and with faults of every kind between scheduler and cluster, at least so many in so many
# runs, every invariant holds.
set -euo pipefail
runs=${1:-90} least=${2:-20000}
cd "$GEDGE_SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scenario=examples/failover.yaml

"$GEDGE" simulate $scenario >"$work/first" 2>&1
"$GEDGE" simulate $scenario >"$work/second" 2>&1
cmp "$work/first" "$work/second"

# README aligns columns, a pipe separates them by tabs.
sed -n '/^\$ gedge simulate/,/^```/p' README.md | sed '1d;$d;/^\.\.\.$/d' |
  sed -E 's/^ +//; s/  +/\t/g' >"$work/shown"
[ "$(wc -l <"$work/shown")" -ge 10 ]
while IFS= read -r line; do
  grep -qxF -- "$line" "$work/first" || { echo "README shows, but nobody prints: $line"; exit 1; }
done <"$work/shown"

churn=tests/data/scenarios/churn.yaml
play() { "$GEDGE" simulate $churn --seed 7 -o json -q || [ $? -eq 1 ]; } # some find no place
play >"$work/first"
play | cmp - "$work/first"
"$GEDGE" simulate $churn --runs "$runs" -o json >"$work/runs"
grep -q '"breaches": \[\]' "$work/runs"
faults=$(sed -n 's/.*"faults": \([0-9]*\).*/\1/p' "$work/runs")
echo "$faults faults in $runs runs, no breach"
[ "$faults" -ge "$least" ]
"$GEDGE" simulate tests/data/scenarios/together.yaml --runs "$((runs / 2))" -o json >"$work/runs"
grep -q '"breaches": \[\]' "$work/runs"
seed=1012 # a pod that was read before it went held its place
"$GEDGE" simulate tests/data/scenarios/together.yaml --seed $seed --runs 1 -q >"$work/run" 2>&1 ||
  [ $? -eq 1 ]
for seed in 164 373 1574; do # promises that nobody could redeem held places
  "$GEDGE" simulate $churn --seed $seed --runs 1 -q >"$work/run" 2>&1 || [ $? -eq 1 ]
done
