#!/usr/bin/env bash
# examples/openb.sh DIR [gedge plan options]: plans the trace of a production cluster of GPU shares.
#
# DIR holds the two CSV files of the open trace "cluster-trace-gpu-v2023" (1,523 nodes, 8,152 pods):
#   openb_node_list_all_node.csv  sn,cpu_milli,memory_mib,gpu,model
#   openb_pod_list_default.csv    name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,...
# They become Node and Pod objects in the notation of Alibaba's open GPU share scheduler, which the
# policy GpuShare reads: a share must fit on one card; the sum over a node's cards is not enough.
# The plan is verified, too.
# GEDGE names the command where it is not on PATH. Ends as `gedge plan` does.
set -euo pipefail
dir=${1:?usage: examples/openb.sh DIR [gedge plan options]}
shift
nodes=$dir/openb_node_list_all_node.csv pods=$dir/openb_pod_list_default.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

functions='
  function list() { printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" }
  function object(kind, name) {
    printf "%s\n{\"apiVersion\":\"v1\",\"kind\":\"%s\",", (NR == 2 ? "" : ","), kind
    printf "\"metadata\":{\"name\":\"%s\"", name
  }
  function gpu(field, value) { return "\"alibabacloud.com/gpu-" field "\":\"" value "\"" }
  function amounts(cpu, memory) {
    printf "\"cpu\":\"%dm\",\"memory\":\"%dMi\"", cpu, memory
  }
'
awk -F, "$functions"'
  NR == 1 { list(); next }
  {
    object("Node", $1)
    printf ",\"labels\":{\"kubernetes.io/hostname\":\"%s\"", $1
    if ($5 != "") printf ",%s", gpu("card-model", $5)
    printf "}},\"status\":{\"allocatable\":{"
    amounts($2, $3)
    if ($4 + 0) printf ",%s,%s", gpu("count", $4), gpu("milli", $4 * 1000)
    printf ",\"pods\":\"1000\"}}}"
  }
  END { print "]}" }' "$nodes" >"$work/nodes.json"
awk -F, "$functions"'
  NR == 1 { list(); next }
  {
    object("Pod", $1)
    printf ",\"annotations\":{"
    if ($4 + 0) printf "%s,%s", gpu("count", $4), gpu("milli", $5)
    if ($4 + 0 && $6 != "") printf ",%s", gpu("card-model", $6)
    printf "}},\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"trace\","
    printf "\"resources\":{\"requests\":{"
    amounts($2, $3)
    printf "}}}]}}"
  }
  END { print "]}" }' "$pods" >"$work/pods.json"

status=0
input=(--cluster "$work/nodes.json" -f "$work/pods.json")
"${GEDGE:-gedge}" plan "${input[@]}" --out "$work/plan.json" "$@" \
  >"$work/plan" 2>"$work/messages" || status=$?
if [ "$status" -gt 1 ]; then
  cat "$work/messages" >&2
  exit "$status"
fi

# POD and NODE are the first two columns of the table; a pod without a node has "-".
awk -F, '
  FILENAME == ARGV[1] { split($0, column, "\t"); node[column[1]] = column[2]; next }
  FNR == 1 { next }
  FILENAME == ARGV[2] { cards += $4; next }
  { pods++; asked += $4 * $5 }
  node[$1] == "-" { left++; if ($4 + 0) left_gpu++; next }
  node[$1] != "" { placed++; used += $4 * $5 }
  END {
    printf "placed %d of %d pods\n", placed, pods
    printf "GPU use: %.1f of %d cards (%.2f %%), ", used / 1000, cards, used / cards / 10
    printf "asked for: %.1f\n", asked / 1000
    printf "unplaced: %d pods, %d of them want a GPU\n", left, left_gpu
  }' "$work/plan" "$nodes" "$pods"
sed -n 's/.*\(0\/[0-9]* nodes are available.*\)/\1/p' "$work/messages" |
  sort | uniq -c | sort -rn | awk 'NR <= 5'
"${GEDGE:-gedge}" verify "$work/plan.json" "${input[@]}"
exit "$status"
