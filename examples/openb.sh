#!/usr/bin/env bash
# examples/openb.sh DIR [gedge plan options]: plans a production cluster's trace of GPU shares.
#
# DIR holds the two CSV files of the open trace "cluster-trace-gpu-v2023" (1,523 nodes, 8,152 pods):
# openb_node_list_all_node.csv (sn,cpu_milli,memory_mib,gpu,model) and
# openb_pod_list_default.csv (name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,...).
# They become Node and Pod objects in the notation of Alibaba's open GPU share scheduler, which the policy
# GpuShare reads: a share must fit on one card; the sum over a node's cards is not enough.
set -euo pipefail
dir=${1:?usage: examples/openb.sh DIR [gedge plan options]}
shift
gedge=${GEDGE:-gedge}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -F, '
  NR == 1 { printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["; next }
  {
    printf "%s\n{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"labels\":{", (NR > 2 ? "," : ""), $1
    printf "\"kubernetes.io/hostname\":\"%s\"", $1
    if ($5 != "") printf ",\"alibabacloud.com/gpu-card-model\":\"%s\"", $5
    printf "}},\"status\":{\"allocatable\":{\"cpu\":\"%dm\",\"memory\":\"%dMi\",\"pods\":\"1001\"", $2, $3
    if ($4 > 0) printf ",\"alibabacloud.com/gpu-count\":\"%d\",\"alibabacloud.com/gpu-milli\":\"%d\"", $4, $4 * 1000
    printf "}}}"
  }
  END { print "]}" }' "$dir/openb_node_list_all_node.csv" >"$work/nodes.json"

awk -F, '
  NR == 1 { printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["; next }
  {
    printf "%s\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"annotations\":{", (NR > 2 ? "," : ""), $1
    if ($4 > 0) printf "\"alibabacloud.com/gpu-count\":\"%d\",\"alibabacloud.com/gpu-milli\":\"%d\"", $4, $5
    if ($4 > 0 && $6 != "") printf ",\"alibabacloud.com/gpu-card-model\":\"%s\"", $6
    printf "}},\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"trace\",\"resources\":{\"requests\":"
    printf "{\"cpu\":\"%dm\",\"memory\":\"%dMi\"}}}]}}", $2, $3
  }
  END { print "]}" }' "$dir/openb_pod_list_default.csv" >"$work/pods.json"

status=0
"$gedge" plan --cluster "$work/nodes.json" -f "$work/pods.json" "$@" >"$work/plan" 2>"$work/messages" || status=$?
if [ "$status" -gt 1 ]; then
  cat "$work/messages" >&2
  exit "$status"
fi

# POD and NODE are the first two columns of the table; a pod without a node has "-".
awk -F, -v plan="$work/plan" '
  BEGIN {
    while ((getline line < plan) > 0) {
      split(line, column, "\t")
      node[column[1]] = column[2]
    }
  }
  FNR == 1 { file++; next }
  file == 1 { cards += $4; next }
  {
    pods++
    asked += $4 * $5
    if (node[$1] != "-" && node[$1] != "") { placed++; used += $4 * $5 } else { left++; left_gpu += ($4 > 0) }
  }
  END {
    printf "placed %d of %d pods\n", placed, pods
    printf "GPU use: %.1f of %d cards (%.2f %%), asked for: %.1f\n", used / 1000, cards, used / cards / 10, asked / 1000
    printf "unplaced: %d pods, %d of them want a GPU\n", left, left_gpu
  }' "$dir/openb_node_list_all_node.csv" "$dir/openb_pod_list_default.csv"
grep -h "nodes are available" "$work/messages" | sort | uniq -c | sort -rn | head -5 || true
exit "$status"
