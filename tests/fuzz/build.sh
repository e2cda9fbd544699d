#!/usr/bin/env bash
# Builds preset `fuzz` for a suite that was itself built by another compiler.
set -euo pipefail
cmake=${1:?usage: build.sh CMAKE}
cd "$(dirname "$0")/../.."
if ! command -v clang++ >/dev/null; then
  echo "[skipped] clang++ is not installed (Debian: clang libclang-rt-14-dev llvm)"
  exit 0
fi
"$cmake" --preset fuzz
"$cmake" --build --preset fuzz
