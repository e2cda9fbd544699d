#!/usr/bin/env bash
# generate.sh GEDGE FOLDER: writes FOLDER/man and FOLDER/completions, all from the command tree of
# that gedge.
set -euo pipefail
gedge=$1 folder=$2
mkdir -p "$folder/man" "$folder/completions"
for page in $("$gedge" __man); do
  "$gedge" __man "$page" >"$folder/man/$page"
done
"$gedge" completion bash >"$folder/completions/gedge.bash"
"$gedge" completion zsh >"$folder/completions/_gedge"
"$gedge" completion fish >"$folder/completions/gedge.fish"
