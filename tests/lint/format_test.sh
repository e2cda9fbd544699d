#!/usr/bin/env bash
# Every C and C++ source is as clang-format 14 would write it. To mend: clang-format -i FILE...
set -euo pipefail
cd "$GEDGE_SOURCE_DIR"
if ! command -v clang-format >/dev/null; then
  echo "[skipped] clang-format is not installed"
  exit 77
fi
if [[ $(clang-format --version) != *"version 14."* ]]; then
  echo "[skipped] another clang-format than 14 has other opinions: $(clang-format --version)"
  exit 77
fi
find libgedge cli plugins examples tests -path tests/data -prune -o \
  \( -name '*.[ch]pp' -o -name '*.[ch]' \) -print0 | sort -z |
  xargs -0 -n 16 -P 2 clang-format --dry-run --Werror
