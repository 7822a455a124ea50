#!/usr/bin/env bash
# Runs the controller of chapter 07 many times under faults, and compares what it
# leaves in the cluster with a model of the chapter's rules. -h lists the options.
#
# usage: scripts/chaos.sh [-n RUNS] [-seed S] [-parallel N] [-fault FILE | -faults] [-plan]
set -euo pipefail
cd "$(dirname "$0")/.."

# The cluster is a second one beside the learner's, unless WORKSHOP_DIR names one.
unset KUBECONFIG
export WORKSHOP_DIR=${WORKSHOP_DIR:-$PWD/.workshop/chaos}
mkdir -p "$WORKSHOP_DIR/bin"
go build -o "$WORKSHOP_DIR/bin/workshop" ./cmd/workshop
go build -o "$WORKSHOP_DIR/bin/chaos" ./cmd/chaos
if ! "$WORKSHOP_DIR/bin/workshop" status >/dev/null 2>&1; then
  trap '"$WORKSHOP_DIR/bin/workshop" down >/dev/null' EXIT
  "$WORKSHOP_DIR/bin/workshop" up
fi
"$WORKSHOP_DIR/bin/chaos" "$@"
