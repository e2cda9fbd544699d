#!/usr/bin/env bash
# One way of using the installed package: find_package, pkg_config, c_module, or the list of files.
# CMakeLists.txt beside this sets PREFIX, WORK, SOURCE, VERSION, the compilers and their flags.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$WORK"
mkdir -p "$WORK"

expect_plan() { # what the consumer must print, whichever way it was built
  local said
  said=$("$1")
  printf '%s\n' "$said"
  [[ $said == "gedge $VERSION puts default/web-0 on edge-1" ]]
}

find_package() {
  "$CMAKE" -S "$here/program" -B "$WORK" -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX" \
    -DCMAKE_BUILD_TYPE=Release -DGEDGE_EXPECTED="$VERSION"
  "$CMAKE" --build "$WORK"
  expect_plan "$WORK/consumer"
}

pkg_config() {
  command -v pkg-config >/dev/null || { echo "[skipped] pkg-config is not installed"; exit 77; }
  PKG_CONFIG_PATH=$(dirname "$(find "$PREFIX" -name gedge.pc)")
  export PKG_CONFIG_PATH
  [ "$(pkg-config --modversion gedge)" = "$VERSION" ]
  # shellcheck disable=SC2046,SC2086  # flags are words
  "$CXX" -std=c++20 $CXXFLAGS "$here/program/consumer.cpp" -o "$WORK/consumer" \
    $(pkg-config --cflags --libs gedge)
  expect_plan "$WORK/consumer"
}

c_module() {
  local module
  for module in "$SOURCE"/plugins/*/*.c; do
    "$CC" -std=c11 -Wall -Wextra -Wpedantic -Werror -fPIC -shared -fvisibility=hidden \
      -I"$PREFIX/include" "$module" -o "$WORK/module.so"
    nm -D --defined-only "$WORK/module.so" >"$WORK/exports"
    [ "$(wc -l <"$WORK/exports")" -eq 1 ] || { echo "$module:"; cat "$WORK/exports"; exit 1; }
  done
}

installed_files() { # exactly the public headers, and a data file for every one in the tree
  diff <(cd "$SOURCE/libgedge/include" && find gedge -type f | sort) \
    <(cd "$PREFIX/include" && find . -type f -printf '%P\n' | sort)
  local file
  for file in "$SOURCE"/man/*.[1-8] "$SOURCE"/libgedge/schemas/*.json \
    "$SOURCE"/libgedge/manifests/*; do
    [ ! -e "$file" ] || [ -n "$(find "$PREFIX" -name "$(basename "$file")")" ] ||
      { echo "not installed: $file"; exit 1; }
  done
}

# Reads all of its input, unlike `grep -q`, so that the program before it never meets a closed pipe.
expect() { grep -E "$1" >/dev/null || { echo "not found: $1"; exit 1; }; }

hardened() { # what preset release promises: PIE, full RELRO, stack canaries, fortified calls
  if [[ $TYPE_FLAGS != *_FORTIFY_SOURCE* ]]; then
    echo "[skipped] only preset release hardens"
    exit 77
  fi
  local program=$PREFIX/bin/gedge command agent quick object
  command=$(find "$PREFIX" -name gedge-command.so) # all of gedge but main() and --version
  agent=$(find "$PREFIX" -name gedge-daemon.so)
  readelf -hW "$program" | expect 'Type: *DYN'
  quick=$(find "$PREFIX" -name gedge-quick.so)
  for object in "$program" "$command" "$agent" "$quick"; do
    readelf -lW "$object" | expect GNU_RELRO
    readelf -dW "$object" | expect 'FLAGS_1.* NOW'
  done
  readelf -sW --dyn-syms "$command" | expect __stack_chk_fail
  readelf -sW --dyn-syms "$command" | expect '__(mem|str|v?snprintf|read)[a-z]*_chk'
}

"$1"
