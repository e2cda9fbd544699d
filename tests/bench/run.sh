#!/usr/bin/env bash
# Builds preset release and prints every figure that the benchmarks measure.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
build_preset release
for source in "$gedge_top"/tests/bench/*_bench.cpp; do
  name=$(basename "$source" _bench.cpp)
  say "$name"
  "$gedge_top/build/release/bin/bench_$name"
done
