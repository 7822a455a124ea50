#!/usr/bin/env bash
# Runs the controller of chapter 07 inside of the kind cluster, as its deploy/ says:
# two replicas with the ServiceAccount's own rights. A Service gets its Ingress, the
# leader is deleted, the other takes over, and everything is removed again.
#
# usage: scripts/kind-deploy.sh [--solution]      (after: up --provider kind)
set -euo pipefail
cd "$(dirname "$0")/.."

program=./07-controller
case ${1-} in
  '') ;;
  --solution) program=./solutions/07-controller ;;
  *)
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
    exit 2
    ;;
esac
unset KUBECONFIG
state=${WORKSHOP_DIR:-$PWD/.workshop}
runtime=$(sed -n 's/.*"runtime":"\([a-z]*\)".*/\1/p' "$state/kind/record.json" 2>/dev/null) || true
if [ -z "$runtime" ]; then
  echo "kind-deploy.sh: there is no kind cluster in $state; run: go tool workshop up --provider kind" >&2
  exit 3
fi
node=client-go-workshop-control-plane
# In full, since Podman would make localhost/ of a short name.
image=docker.io/library/service-ingress-controller:dev
own=service-ingress
test=deploy-test
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work" # it becomes the root of the image

# kubectl comes from the node, so that none is built for a few calls.
kubectl() { "$runtime" exec -i "$node" kubectl --kubeconfig=/etc/kubernetes/admin.conf "$@"; }

cleanup() {
  status=$?
  if [ "$status" != 0 ]; then
    kubectl -n "$own" get pods,leases || true
    kubectl -n "$own" logs -l app.kubernetes.io/name=service-ingress-controller --tail=20 --prefix || true
  fi
  kubectl delete namespace "$test" --ignore-not-found --wait=false >/dev/null || true
  kubectl delete -k /tmp/deploy --ignore-not-found >/dev/null || true
  rm -rf "$work"
}

# until_true WHAT SECONDS COMMAND...: waits until the command succeeds.
until_true() {
  local what=$1 end=$((SECONDS + $2))
  shift 2
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || {
      echo "kind-deploy.sh: waited in vain for $what" >&2
      return 1
    }
    sleep 1
  done
}

# deploy/Dockerfile makes the same image where a registry is reached: the program,
# alone, and a user that is not root. A program of this machine's own platform is what
# the checks have compiled already; the C library that it is linked with goes along.
echo "building the image from $program"
platform=linux/$("$runtime" exec "$node" uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
if [ "$platform" = "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" ] && command -v ldd >/dev/null; then
  go build -ldflags='-s -w' -o "$work/controller" "$program"
  for library in $(ldd "$work/controller" 2>/dev/null | grep -o '/[^ )]*'); do
    mkdir -p "$work/$(dirname "$library")"
    cp -L "$library" "$work$library"
  done
else
  CGO_ENABLED=0 GOOS=linux GOARCH=${platform#*/} go build -ldflags='-s -w' -o "$work/controller" "$program"
fi
tar -C "$work" -c . | "$runtime" import --change 'ENTRYPOINT ["/controller"]' --change 'USER 65532:65532' - "$image" >/dev/null
for each in $(kubectl get nodes -o 'jsonpath={.items[*].metadata.name}'); do
  "$runtime" save "$image" | "$runtime" exec -i "$each" ctr -n k8s.io images import --all-platforms - >/dev/null
done
"$runtime" rmi "$image" >/dev/null

echo "applying 07-controller/deploy"
trap cleanup EXIT
"$runtime" exec "$node" rm -rf /tmp/deploy
tar -C 07-controller -c deploy | "$runtime" exec -i "$node" tar -C /tmp -x
kubectl apply -k /tmp/deploy >/dev/null
kubectl -n "$own" rollout status deployment/service-ingress-controller --timeout=180s

# service NAME: a Service that asks for an Ingress.
service() {
  kubectl -n "$test" apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Service
metadata:
  name: $1
  annotations:
    ingress/http: "true"
spec:
  ports:
    - {name: http, port: 80}
YAML
}
has_ingress() { [ "$(kubectl -n "$test" get ingress "$1" -o 'jsonpath={.metadata.ownerReferences[0].kind}' 2>/dev/null)" = Service ]; }
# leader is the pod that holds the Lease.
leader() { kubectl -n "$own" get lease service-ingress-controller -o 'jsonpath={.spec.holderIdentity}' | cut -d_ -f1; }
other_leads() {
  local now
  now=$(leader) && [ -n "$now" ] && [ "$now" != "$first" ]
}

kubectl create namespace "$test" >/dev/null
service before
until_true "the Ingress of service $test/before" 60 has_ingress before
first=$(leader)
echo "service before has its Ingress; the leader is $first"
kubectl -n "$own" delete pod "$first" --wait=false >/dev/null
until_true "another leader than $first" 60 other_leads
service after
until_true "the Ingress of service $test/after" 60 has_ingress after
echo "service after has its Ingress; the leader is $(leader)"
kubectl -n "$test" annotate service before ingress/http- >/dev/null
gone() { ! kubectl -n "$test" get ingress before >/dev/null 2>&1; }
until_true "the Ingress of service $test/before to go" 60 gone
echo "the controller of chapter 07 runs in the cluster"
