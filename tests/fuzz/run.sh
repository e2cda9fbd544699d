#!/usr/bin/env bash
# Runs one libFuzzer target for GEDGE_FUZZ_SECONDS, or for SECONDS where that is not set.
# What it finds stays beside the program: corpus-NAME/ grows from run to run, crash-* are findings.
set -euo pipefail
program=${1:?usage: run.sh PROGRAM NAME SECONDS} name=$2 seconds=${GEDGE_FUZZ_SECONDS:-$3}
seeds=$(cd "$(dirname "$0")" && pwd)/corpus/$name
if [ ! -x "$program" ]; then
  echo "[skipped] $program is not built"
  exit 0
fi
found=$(dirname "$program")/../corpus-$name
mkdir -p "$found"
folders=("$found")
if [ -d "$seeds" ]; then folders+=("$seeds"); fi
# 2 GB and five minutes for one input, however busy the machine: more is a finding, as a crash is.
exec "$program" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=300 -print_final_stats=1 \
  -artifact_prefix="$found/../crash-$name-" "${folders[@]}"
