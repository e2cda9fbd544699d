#!/usr/bin/env bash
# Man pages and completions in the tree are what the command tree says today, and well-formed.
set -euo pipefail
cd "$GEDGE_SOURCE_DIR"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

bash cli/generate.sh "$GEDGE" "$fresh"
for folder in man completions; do
  [ -n "$(ls "$fresh/$folder")" ]
  diff -r "$folder" "$fresh/$folder" ||
    { echo "mend with: cmake --build build/release --target pages"; exit 1; }
done

bash -n completions/gedge.bash
for shell in zsh fish; do # their scripts are checked where the shell is at hand
  case $shell in zsh) script=completions/_gedge ;; fish) script=completions/gedge.fish ;; esac
  if command -v $shell >/dev/null; then $shell -n $script; fi
done

if command -v mandoc >/dev/null; then
  # "style" would also name the operating system that a page does not mention.
  mandoc -Tlint -Wwarning man/*.[1-8]
else
  echo "mandoc is not installed: the pages were compared, but not checked"
fi
