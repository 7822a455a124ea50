#!/usr/bin/env bash
# Measures chapter 07's controller on the embedded cluster, in one run, and the
# figures of docs/performance.md with it:
#
#   5 parallel writers that POST the Ingresses straight; the solution and a
#   controller-runtime controller from the start of the process until all
#   Ingresses are there; the solution with the client's default limits; memory
#   and writes at rest.
#
# usage: scripts/bench-controller.sh [-repeats 5] [-large 5000] [-large-repeats 3]
set -euo pipefail
cd "$(dirname "$0")/.."

# An empty cluster of its own, unless WORKSHOP_DIR names one.
unset KUBECONFIG
export WORKSHOP_DIR=${WORKSHOP_DIR:-$PWD/.workshop/bench}
mkdir -p "$WORKSHOP_DIR/bin"
go build -o "$WORKSHOP_DIR/bin/workshop" ./cmd/workshop
go build -o "$WORKSHOP_DIR/bin/controller" ./solutions/07-controller
(cd cmd/benchcontroller && go build -o "$WORKSHOP_DIR/bin/benchcontroller" .)
if ! "$WORKSHOP_DIR/bin/workshop" status >/dev/null 2>&1; then
  trap '"$WORKSHOP_DIR/bin/workshop" down --purge >/dev/null' EXIT
  "$WORKSHOP_DIR/bin/workshop" up
fi
echo "load: $(uptime | sed 's/.*average: //')"
"$WORKSHOP_DIR/bin/benchcontroller" -kubeconfig "$WORKSHOP_DIR/kubeconfig" -program "$WORKSHOP_DIR/bin/controller" "$@"
