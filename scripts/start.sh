#!/usr/bin/env bash
# Brings up the workshop's own Kubernetes API server and runs the first chapter's
# reference solution against it. It needs Go and nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v go >/dev/null; then
  echo "start.sh: there is no go command. Install Go from https://go.dev/dl/ and run this again." >&2
  exit 2
fi

echo "Building the workshop's command: a minute or two the first time, then nothing."
go tool workshop up

# A KUBECONFIG of the user's own counts for every chapter program; for this run the workshop's counts.
own=${KUBECONFIG-}
KUBECONFIG=$(go tool workshop kubeconfig)
export KUBECONFIG

echo
echo "\$ go run ./solutions/01-restclient"
go run ./solutions/01-restclient

cat <<'TEXT'

That was the reference solution of chapter 01. Now write your own:
  1. read the guide    01-restclient/README.md
  2. edit              01-restclient/main.go, beginning with step 1
  3. run               go run ./01-restclient
  4. check             go tool workshop check 01
Lost? `go tool workshop` alone says where you are and what comes next.
TEXT
if [ -n "$own" ] && [ "$own" != "$KUBECONFIG" ]; then
  echo
  echo "Your shell has KUBECONFIG=$own. The chapters would go there and be refused: run 'unset KUBECONFIG' first."
fi
