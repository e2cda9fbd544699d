#!/usr/bin/env bash
# The openb trace, converted and planned by the example as its comment says: what is placed, how
# much of the cards is used, and that what is not placed is explained.
set -euo pipefail
data=${GEDGE_DATA_DIR:-}/cluster-traces/openb
if [ ! -d "$data" ]; then
  echo "[skipped] GEDGE_DATA_DIR is not set"
  exit 77
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
status=0
"$GEDGE_SOURCE_DIR/examples/openb.sh" "$data" >"$out" || status=$?
cat "$out"
[ "$status" -eq 1 ] # some pods are unschedulable
grep -Fx 'placed 8073 of 8152 pods' "$out"
grep -Fx 'GPU use: 5729.1 of 6212 cards (92.23 %), asked for: 6086.8' "$out"
grep -Fx 'unplaced: 79 pods, 79 of them want a GPU' "$out"
grep -F 'no single card with enough free alibabacloud.com/gpu-milli' "$out"
