#!/usr/bin/env bash
# Every example program prints exactly what its opening comment says that it prints.
set -euo pipefail
programs=$GEDGE_BUILD_DIR/bin/examples
if [ ! -d "$programs" ]; then
  echo "[skipped] the examples are not built (GEDGE_BUILD_EXAMPLES)"
  exit 77
fi

run=0
for source in "$GEDGE_SOURCE_DIR"/examples/*.cpp; do
  name=$(basename "$source" .cpp)
  expected=$(sed -n '/^#include/q; /Prints:$/,$ { s,^//   ,,p }' "$source")
  [ -n "$expected" ] || { echo "$name does not say what it prints"; exit 1; }
  diff <(printf '%s\n' "$expected") <("$programs/$name") || { echo "$name printed that"; exit 1; }
  run=$((run + 1))
done
echo "$run programs print what they say"
[ "$run" -ge 2 ]
