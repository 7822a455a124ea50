#!/bin/bash
# Compares a warm start of the control plane with one of a bare etcd +
# kube-apiserver + kube-controller-manager, in one run and on the same
# credentials, and shows the resident memory of both at rest.
#
# A start is timed from the first process to the first answer to "get the
# ServiceAccount default", for the control plane also to the phase "ready",
# which is what "up" waits for. The two kinds take turns; medians are shown.
#
# usage: measure-start.sh [BIN]   BIN keeps the four binaries for reuse
#        RUNS=5                   number of starts of each kind
#        REST=60                  seconds of rest before memory is read
set -euo pipefail
cd "$(dirname "$0")"
runs=${RUNS:-5} rest=${REST:-60}
work=$(mktemp -d)
bin=${1:-$work/bin}
mkdir -p "$bin"
pids=()

finish() {
  stop_all
  rm -rf "$work"
}
trap finish EXIT

# stop_all ends the processes, the last one first: an API server whose etcd is
# gone would wait for it.
stop_all() {
  local i pid
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
    pid=${pids[i]}
    kill "$pid" 2>/dev/null || true
    for _ in {1..100}; do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  pids=()
}

log() { echo "$*" >&2; }

build() {
  log "building what is missing in $bin …"
  [ -x "$bin/controlplane" ] || ./go.sh build -o "$bin/controlplane" .
  [ -x "$bin/etcd" ] || go build -o "$bin/etcd" go.etcd.io/etcd/server/v3
  local name
  for name in kube-apiserver kube-controller-manager; do
    [ -x "$bin/$name" ] || go build -o "$bin/$name" "k8s.io/kubernetes/cmd/$name"
  done
}

now() { date +%s%N; }
since() { echo $((($(now) - $1) / 1000000)); }

# account URL: succeeds once the ServiceAccount default is served.
account() {
  curl -sf -o "$work/account" --max-time 5 --cacert "$pki/ca.crt" --cert "$pki/admin.crt" --key "$pki/admin.key" \
    "$1/api/v1/namespaces/default/serviceaccounts/default"
}

# served URL BEGIN: waits for the account and prints the time in ms.
served() {
  until account "$1"; do sleep 0.02; done
  since "$2"
}

start_ours() {
  local begin
  begin=$(now)
  "$bin/controlplane" serve --dir "$work/ours" --kubeconfig "$work/kubeconfig" 2>"$work/ours.log" &
  pids+=($!)
  until grep -q "\"pid\": $!," "$work/ours/status.json" 2>/dev/null; do sleep 0.02; done
  until grep -q '"url"' "$work/ours/status.json"; do
    [ -s "$work/ours/port" ] && break
    sleep 0.02
  done
  ours_served=$(served "https://127.0.0.1:$(cat "$work/ours/port")" "$begin")
  until grep -q '"phase": "ready"' "$work/ours/status.json"; do sleep 0.02; done
  ours_ready=$(since "$begin")
}

start_bare() {
  local begin etcd=http://127.0.0.1:$((base + 1)) api=https://127.0.0.1:$base
  begin=$(now)
  "$bin/etcd" --data-dir "$work/bare" --log-level error --listen-client-urls "$etcd" --advertise-client-urls "$etcd" \
    --listen-peer-urls "http://127.0.0.1:$((base + 2))" 2>"$work/etcd.log" &
  pids+=($!)
  "$bin/kube-apiserver" --etcd-servers "$etcd" --bind-address 127.0.0.1 --advertise-address 192.0.2.1 --secure-port "$base" \
    --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key" --client-ca-file "$pki/ca.crt" \
    --service-account-issuer https://kubernetes.default.svc.cluster.local --service-account-key-file "$pki/service-account.key" \
    --service-account-signing-key-file "$pki/service-account.key" --service-cluster-ip-range 10.96.0.0/16 \
    --authorization-mode RBAC 2>"$work/apiserver.log" &
  pids+=($!)
  "$bin/kube-controller-manager" --kubeconfig "$work/bare.kubeconfig" --leader-elect=false --bind-address 127.0.0.1 \
    --secure-port $((base + 3)) --service-account-private-key-file "$pki/service-account.key" --root-ca-file "$pki/ca.crt" \
    2>"$work/kcm.log" &
  pids+=($!)
  bare_served=$(served "$api" "$begin")
}

# resident: MiB that the running processes keep resident together.
resident() {
  local pid sum=0
  for pid in "${pids[@]}"; do
    sum=$((sum + $(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")))
  done
  echo $((sum / 1024))
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

build
pki=$work/ours/pki base=$((20000 + $$ % 10000))
log "first starts, which fill the data directories …"
start_ours
log "  controlplane: served after $ours_served ms, ready after $ours_ready ms"
stop_all
sed "s|server: .*|server: https://127.0.0.1:$base|" "$work/kubeconfig" >"$work/bare.kubeconfig"
start_bare
log "  bare: served after $bare_served ms"
sleep 5
stop_all

for i in $(seq "$runs"); do
  start_bare
  sleep 3
  stop_all
  echo "$bare_served" >>"$work/bare.ms"
  start_ours
  sleep 3
  stop_all
  echo "$ours_served" >>"$work/served.ms"
  echo "$ours_ready" >>"$work/ready.ms"
  log "warm start $i: bare $bare_served ms; controlplane served $ours_served ms, ready $ours_ready ms"
done

start_ours
log "resting for $rest s …"
sleep "$rest"
ours_rss=$(resident)
stop_all
start_bare
sleep "$rest"
bare_rss=$(resident)
stop_all

bare=$(median <"$work/bare.ms") served=$(median <"$work/served.ms") ready=$(median <"$work/ready.ms")
awk -v b="$bare" -v s="$served" -v r="$ready" -v o="$ours_rss" -v m="$bare_rss" 'BEGIN {
	printf "warm start, median            bare %5d ms\n", b
	printf "controlplane, account served       %5d ms  %.2f of bare\n", s, s / b
	printf "controlplane, ready                %5d ms  %.2f of bare\n", r, r / b
	printf "resident at rest              bare %5d MiB\n", m
	printf "controlplane                       %5d MiB\n", o
}'
