#!/usr/bin/env bash
# Runs every test of the workshop: format, vet, unit tests, starters, solutions,
# faults and right variants. It uses a cluster of its own under .workshop/test and stops it again.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD

# Neither a learner's cluster and progress nor another kubeconfig takes part.
unset KUBECONFIG
export WORKSHOP_DIR=$top/.workshop/test

part() {
  printf '\n== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60))
}

part "gofmt"
unformatted=$(find . -name '*.go' -not -path '*/testdata/*' -not -path './.workshop/*' -print0 | xargs -0 gofmt -l)
if [ -n "$unformatted" ]; then
  echo "not formatted; run gofmt -w on:" >&2
  echo "$unformatted" >&2
  exit 1
fi

part "the tools: cluster up"
workshop=$WORKSHOP_DIR/bin/workshop
mkdir -p "$WORKSHOP_DIR/bin"
go build -o "$workshop" ./cmd/workshop
beside='' # a process that runs beside the parts
trap 'kill $beside 2>/dev/null || true; "$workshop" down' EXIT
"$workshop" up

part "go vet"
go vet ./...
# go.sh uses the flags that the control plane is built with, so that nothing is
# compiled a second time.
cmd/controlplane/go.sh vet ./...
(cd cmd/benchcontroller && go vet ./...)

part "starters equal to what the solutions generate"
"$workshop" dev starters --check

part "unit tests"
# With the race detector where that compiles no second client-go.
raced=(todo stepresult course gosource starter runner faults learner)
go test -race "${raced[@]/#/./internal/}"
# All others but those of the cluster, which come next.
others=$(go list ./internal/... ./cmd/... | grep -Ev "/internal/(cluster|$(IFS='|' && echo "${raced[*]}"))")
# shellcheck disable=SC2086 # one argument a package
go test $others

# These mostly wait for clusters of their own.
part "the cluster, beside the next parts: kill -9 during writes, a server without the marker, one namespace"
WORKSHOP_CLUSTER_TESTS=1 go test ./internal/cluster/... ./internal/clustertest >"$WORKSHOP_DIR/cluster.log" 2>&1 &
beside=$!

part "control plane"
cmd/controlplane/go.sh test ./...

# A program under judgement mostly waits, so that many share a core.
parallel=8

# The course's own list, so that a chapter joins by its entry there.
chapters=$(sed -n 's/^ *- id: *//p' internal/course/course.yaml)

part "facts of every chapter"
# shellcheck disable=SC2046,SC2086 # one argument a chapter
go test -run '^TestFact' $(printf './%s ' $chapters)

part "starters and solutions of every chapter"
"$workshop" dev verify --parallel "$parallel"

part "the cluster: how its tests ended"
status=0
wait "$beside" || status=$?
beside=''
cat "$WORKSHOP_DIR/cluster.log"
[ "$status" = 0 ] || exit "$status"

# faults judges those of one chapter. What fails is tried once more: a verdict
# that changes is told apart, as "unsteady", from one that is wrong.
faults() {
  local log=$WORKSHOP_DIR/faults.log failed
  if "$workshop" dev faults "$1" --named-only --parallel "$parallel" | tee "$log"; then
    return
  fi
  failed=$(sed -n 's/^FAIL \([^ :]*\):.*/\1/p' "$log" | paste -sd '|')
  [ -n "$failed" ] || return 1
  echo "trying again: $failed"
  "$workshop" dev faults "$1" --run "^($failed)\$"
  echo "UNSTEADY in $1, failed once and not twice: $failed"
}

part "faults and right variants of every chapter"
for chapter in $chapters; do
  faults "$chapter"
done

if grep -qx 07-controller <<<"$chapters"; then
  part "a short chaos test of the controller"
  scripts/chaos.sh -n 20
fi

part "all tests passed"
