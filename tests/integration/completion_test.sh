#!/usr/bin/env bash
# Completion of bash: loads, offers commands, flags, values, files, and the live words of the files
# at hand.
set -euo pipefail
cd "$GEDGE_SOURCE_DIR"
PATH="$(dirname "$GEDGE"):$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/app.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: cam}
spec: {containers: [{name: c, image: c}]}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop}
spec: {containers: [{name: c, image: c}]}
YAML

source completions/gedge.bash
failures=0

# expect "WORDS" COMMAND-LINE...: what is offered for the last word, in any order.
expect() {
  local wanted=$1 got
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _gedge 2>"$work/noise" || true
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd' ')
  if [[ $got != "$wanted" || -s $work/noise ]]; then
    echo "$*: offered '$got', expected '$wanted'" && cat "$work/noise"
    failures=$((failures + 1))
  fi
}

expect "plan" gedge pl
expect "validate verify version" gedge v
expect "--help --version" gedge --
expect "--rtt --rtt-by --rtt-names --rtt-stat --rtt-unit --rtt-zero" gedge plan --rtt
expect "json" gedge plan -o j
expect "json name table wide yaml" gedge plan --output ""
expect "json" gedge plan --output = j
expect "missing" gedge plan --rtt-zero = m
expect "edge edge-scheduler" gedge plan --profile edge
expect "kube" gedge policies --profile kub
expect "bash fish zsh" gedge completion ""
expect "view" gedge config ""
expect "convert" gedge matrix con
expect "svg" gedge matrix show -o s
expect "stale suspicious" gedge matrix check --only s
expect "--noise" gedge matrix diff a b --noi
expect "$work/app.yaml" gedge matrix convert "$work/ap"
expect "$work/app.yaml" gedge matrix convert x.csv -o csv y.csv "$work/ap"
expect "csv" gedge matrix convert -o c
expect "--names-out" gedge matrix convert --na
expect "config" gedge help conf
expect "view" gedge help config ""
expect "--color --compat" gedge config view --co
expect "$work/app.yaml" gedge plan -f "$work/ap"
expect "cam shop/cart" gedge explain -f "$work/app.yaml" ""
expect "shop/cart" gedge explain -f "$work/app.yaml" s
expect "shop/cart" gedge explain --filename = "$work/app.yaml" s
site=synthetic:nodes=6,tiers=2/2/2
expect "edge-1 edge-2" gedge why-not cam --cluster $site -f "$work/app.yaml" edge
expect "cam" gedge why-not --cluster synthetic:nodes=2 -f "$work/app.yaml" c
expect "" gedge explain -f "$work/no-such-file.yaml" ""
printf '%s\n' 'apiVersion: gedge.io/v1alpha1' 'kind: Autoscaler' \
  'metadata: {name: shoot, namespace: shop}' 'spec:' '  target: {kind: Deployment, name: cart}' \
  '  max: 2' \
  '  metrics: [{pods: requests, average: 1}]' --- 'apiVersion: apps/v1' 'kind: Deployment' \
  'metadata: {name: cart, namespace: shop}' >"$work/scale.yaml"
expect "shop/shoot" gedge scale explain -f "$work/scale.yaml" ""
expect "shoot" gedge scale explain -n shop -f "$work/scale.yaml" ""
expect "shop/cart" gedge scale recommend -f "$work/scale.yaml" ""
expect "" gedge nonsense ""

# What shells wait for: silence on every error, and an answer within 50 ms (printed, not judged: the
# machine may be busy).
for kind in pods nodes autoscalers workloads nonsense ""; do
  noise=$("$GEDGE" __complete "$kind" plan -f /dev/null/x --cluster live 2>&1) ||
    { echo "__complete $kind failed"; failures=1; }
  [[ -z $noise ]] || { echo "__complete $kind is not silent: $noise"; failures=1; }
done
start=$(date +%s%N)
"$GEDGE" __complete pods plan -f "$work/app.yaml" >/dev/null
echo "__complete pods took $((($(date +%s%N) - start) / 1000)) us"
exit $((failures > 0))
