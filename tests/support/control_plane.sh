#!/usr/bin/env bash
# tests/support/control_plane.sh: a real etcd and kube-apiserver on loopback, without nodes.
#
#   binaries       print the folder of the programs; they are built once where there are none
#   start DIR      start etcd and kube-apiserver on free ports; DIR/env says where they listen, and
#                  DIR/kubeconfig is that of their administrator; lines of DIR/apiserver-more are
#                  further flags of kube-apiserver
#   scheduler DIR  start kube-scheduler beside them, without the limits of its client; members of
#                  DIR/scheduler-more.yaml, a JSON object, are added to its configuration
#   scheduler-command DIR  prints the words that would start it so, one a line
#   stop-scheduler DIR
#   restart DIR NAME  kill etcd, apiserver or scheduler at once, and start it as before
#   stop DIR       stop what was started in DIR
#
# KUBEBUILDER_ASSETS names a folder with other programs (etcd, kube-apiserver, kube-scheduler).
# DIR keeps the data of etcd and every log: a folder on tmpfs takes the disk out of a measurement.
# Exit status: 3 where the programs can be neither found nor built.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

kubernetes=1.20.2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gedge/kubernetes-$kubernetes
recipe=with-new-reflect2  # a file that says how what lies in the cache was built

usage() { sed -n 's/^# \{0,1\}//; 2,16p' "${BASH_SOURCE[0]}"; }

note() { printf '%s\n' "$*" >&2; }

# The machine's own sources of this release, as sources of source packages, in a file of our own:
# apt's configuration stays as it is.
source_lists() { # DIRECTORY
  local codename
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mkdir -p "$1/lists/partial" "$1/parts"
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    awk -v code="$codename" '$1 == "deb" && $0 ~ " " code "(-[a-z]+)? " {
      $1 = "deb-src"; print }' >"$1/parts/one-line.list" || true
  cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
    awk -v RS= -v code="$codename" '$0 ~ "Suites:[^\n]* " code "(-[a-z]+)?( |\n)" {
      sub(/Types:[^\n]*/, "Types: deb-src"); print; print "" }' >"$1/parts/stanzas.sources" || true
}

fetch_source() { # DIRECTORY: unpacks Debian's source of kubernetes in DIRECTORY/tree
  source_lists "$1"
  local options=(-q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$1/parts"
    -o "Dir::State::Lists=$1/lists" -o APT::Sandbox::User=root)
  (
    cd "$1"
    apt-get "${options[@]}" update
    apt-get "${options[@]}" source --download-only "kubernetes"
    dpkg-source -x kubernetes_*.dsc tree
  ) >&2
}

# The reflect2 of that source walks over maps as Go before 1.18 laid them out: a server with custom
# resources would die of it. Debian's own package of reflect2 knows the newer layout.
renew_reflect2() { # TREE
  local vendored=$1/vendor/github.com/modern-go/reflect2
  rm "$vendored"/*.go "$vendored"/*.s
  cp /usr/share/gocode/src/github.com/modern-go/reflect2/*.{go,s} "$vendored"
  rm -f "$vendored"/*_test.go
}

compile() { # TREE FOLDER
  local tree=$1 folder=$2
  renew_reflect2 "$tree"
  mkdir -p "$tree/.go/src/k8s.io"
  ln -sfn "$tree" "$tree/.go/src/k8s.io/kubernetes"
  (
    cd "$tree/.go/src/k8s.io/kubernetes"
    export GOPATH=$tree/.go GOCACHE=$tree/.cache PATH=/usr/lib/go-1.19/bin:$PATH CGO_ENABLED=0
    export GOFLAGS= KUBE_GIT_VERSION=v$kubernetes KUBE_GIT_TREE_STATE=archive KUBE_GIT_COMMIT=none
    nice -n 19 make WHAT="cmd/kube-apiserver cmd/kube-scheduler cmd/kube-controller-manager"
  ) >&2
  cp "$tree"/_output/local/bin/linux/*/kube-{apiserver,scheduler,controller-manager} "$folder"
  ln -s "$(command -v etcd)" "$folder/etcd"
  touch "$folder/$recipe"
}

build() { # into the cache, whole or not at all
  note "building kube-apiserver and kube-scheduler $kubernetes once, into $cache"
  local work
  mkdir -p "$(dirname "$cache")"
  work=$(mktemp -d "$cache.XXXXXX")
  chmod 755 "$work"
  mkdir "$work/bin"
  if install_packages plane >&2 && fetch_source "$work" && compile "$work/tree" "$work/bin"; then
    rm -rf "$cache"
    mv "$work/bin" "$cache"
    chmod -R u+w "$work"
    rm -rf "$work"
  else
    note "cannot build them; what there is lies in $work"
    note "set KUBEBUILDER_ASSETS to a folder with etcd, kube-apiserver and kube-scheduler"
    return 3
  fi
}

binaries() {
  if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
    echo "$KUBEBUILDER_ASSETS"
    return
  fi
  [ -e "$cache/$recipe" ] || build || exit 3
  [ -x "$cache/etcd" ] || install_packages plane >&2
  echo "$cache"
}

free_ports() { # COUNT
  python3 - "$1" <<'PYTHON'
import socket
import sys

held = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in held))
PYTHON
}

launch() { # DIR NAME COMMAND...: in the background, its log and process id kept
  local dir=$1 name=$2
  shift 2
  printf '%q ' "$@" >"$dir/$name.command"
  setsid "$@" >>"$dir/$name.log" 2>&1 </dev/null &
  echo $! >"$dir/$name.pid"
}

wait_until() { # DIR NAME COMMAND...: a minute at most, and as long as NAME runs
  local dir=$1 name=$2 tries=0
  shift 2
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 "$(cat "$dir/$name.pid")" 2>/dev/null; then
      note "$name did not start; the end of $dir/$name.log:"
      tail -n 20 "$dir/$name.log" >&2
      return 1
    fi
    sleep 0.1
  done
}

ready() { curl -sfk -H "Authorization: Bearer $2" "https://127.0.0.1:$1/readyz"; }

kubeconfig() { # DIR SERVER TOKEN
  cat >"$1/kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters:
- {name: plane, cluster: {server: "$2", certificate-authority: certificates/apiserver.crt}}
users: [{name: admin, user: {token: "$3"}}]
contexts: [{name: plane, context: {cluster: plane, user: admin}}]
current-context: plane
YAML
  chmod 600 "$1/kubeconfig"
}

start() { # DIR
  local dir=$1 bin client peer api token more=()
  bin=$(binaries)
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd)
  [ ! -f "$dir/apiserver-more" ] || mapfile -t more <"$dir/apiserver-more"
  read -r client peer api < <(free_ports 3)
  token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
  printf 'server=https://127.0.0.1:%s\ntoken=%s\n' "$api" "$token" >"$dir/env"
  chmod 600 "$dir/env"
  echo "$token,admin,admin,\"system:masters\"" >"$dir/tokens.csv"
  chmod 600 "$dir/tokens.csv"
  openssl genrsa -out "$dir/accounts.key" 2048 2>/dev/null
  launch "$dir" etcd "$bin/etcd" --name=plane --data-dir="$dir/etcd" \
    --listen-client-urls="http://127.0.0.1:$client" \
    --advertise-client-urls="http://127.0.0.1:$client" \
    --listen-peer-urls="http://127.0.0.1:$peer" \
    --initial-advertise-peer-urls="http://127.0.0.1:$peer" \
    --initial-cluster="plane=http://127.0.0.1:$peer"
  wait_until "$dir" etcd curl -sf "http://127.0.0.1:$client/health"
  # TaintNodesByCondition would taint every fake node as not ready, for ever.
  launch "$dir" apiserver "$bin/kube-apiserver" --etcd-servers="http://127.0.0.1:$client" \
    --cert-dir="$dir/certificates" --secure-port="$api" --bind-address=127.0.0.1 \
    --token-auth-file="$dir/tokens.csv" --authorization-mode=RBAC \
    --service-account-key-file="$dir/accounts.key" \
    --service-account-signing-key-file="$dir/accounts.key" \
    --service-account-issuer=https://kubernetes.default.svc \
    --service-cluster-ip-range=10.0.0.0/24 \
    --disable-admission-plugins=ServiceAccount,TaintNodesByCondition \
    --max-requests-inflight=4000 --max-mutating-requests-inflight=2000 "${more[@]}"
  wait_until "$dir" apiserver ready "$api" "$token"
  kubeconfig "$dir" "https://127.0.0.1:$api" "$token"
}

scheduler_command() { # DIR: configures it; the words that start it, one a line
  local dir bin health
  dir=$(cd "$1" && pwd)
  bin=$(binaries)
  health=127.0.0.1:$(free_ports 1)
  cat >"$dir/scheduler.yaml" <<YAML
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: "$dir/kubeconfig", qps: 5000, burst: 5000}
leaderElection: {leaderElect: false}
healthzBindAddress: $health
metricsBindAddress: $health
YAML
  if [ -f "$dir/scheduler-more.yaml" ]; then
    python3 - "$dir/scheduler-more.yaml" >>"$dir/scheduler.yaml" <<'PYTHON'
import json
import sys

with open(sys.argv[1]) as file:
    for key, value in json.load(file).items():
        print(f"{key}: {json.dumps(value)}")
PYTHON
  fi
  printf '%s\n' "$bin/kube-scheduler" --config="$dir/scheduler.yaml" --secure-port=0
}

scheduler() { # DIR
  local dir health command
  dir=$(cd "$1" && pwd)
  command=$(scheduler_command "$dir")
  mapfile -t command <<<"$command"
  health=$(sed -n 's/^healthzBindAddress: //p' "$dir/scheduler.yaml")
  launch "$dir" scheduler "${command[@]}"
  wait_until "$dir" scheduler curl -sf "http://$health/healthz"
}

restart() { # DIR NAME
  local dir id
  dir=$(cd "$1" && pwd)
  id=$(cat "$dir/$2.pid")
  kill -KILL "$id" 2>/dev/null || true
  while kill -0 "$id" 2>/dev/null; do sleep 0.05; done
  eval "launch \"\$dir\" \"\$2\" $(cat "$dir/$2.command")"
}

end() { # DIR NAME...
  local dir=$1 name id
  shift
  for name in "$@"; do
    [ -f "$dir/$name.pid" ] || continue
    id=$(cat "$dir/$name.pid")
    kill "$id" 2>/dev/null || true
    while kill -0 "$id" 2>/dev/null; do sleep 0.05; done
    rm "$dir/$name.pid"
  done
}

stop() { end "$1" scheduler apiserver etcd; } # DIR

case "${1:-} $#" in
  "binaries 1") binaries ;;
  "restart 3") restart "$2" "$3" ;;
  "start 2" | "scheduler 2" | "stop 2") "$1" "$2" ;;
  "scheduler-command 2") scheduler_command "$2" ;;
  "stop-scheduler 2") end "$2" scheduler ;;
  *) usage >&2; exit 2 ;;
esac
