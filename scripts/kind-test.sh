#!/usr/bin/env bash
# Runs the checks of chapters on a kind cluster: real nodes in containers. It
# brings the cluster up if there is none, and removes one that it made; one that
# was stopped is stopped again.
#
# usage: scripts/kind-test.sh [CHAPTER...] [--solution] [--keep] [--image IMAGE]
#
#   CHAPTER     01 or 01-restclient; default: all
#   --solution  check the reference programs, not yours
#   --keep      leave the cluster for the next time
#   --image     the node image, if not the usual one
#
# It ends with 1 when a chapter does not pass, and with 3 when there is no cluster.
set -euo pipefail
cd "$(dirname "$0")/.."

chapters=() check=() up=() keep=''
while [ $# -gt 0 ]; do
  case $1 in
    --solution) check+=(--solution) ;;
    --keep) keep=yes ;;
    --image)
      up+=(--image "${2:?--image wants a name}")
      shift
      ;;
    -h | --help)
      sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
      exit
      ;;
    -*)
      echo "kind-test.sh: there is no option $1; -h lists them" >&2
      exit 2
      ;;
    *) chapters+=("$1") ;;
  esac
  shift
done
# The course's own list, so that a chapter joins by its entry there.
known=$(sed -n 's/^ *- id: *//p' internal/course/course.yaml)
for chapter in ${chapters[@]+"${chapters[@]}"}; do
  # Asked before a cluster is made for nothing.
  if ! grep -q -x -e "$chapter" -e "$chapter-.*" -e ".*-$chapter" <<<"$known"; then
    echo "kind-test.sh: there is no chapter $chapter; there are: ${known//$'\n'/ }" >&2
    exit 2
  fi
done
if [ ${#chapters[@]} = 0 ]; then
  while read -r chapter; do
    chapters+=("$chapter")
  done <<<"$known"
fi

# A kind cluster that you work with anyway is used; else a second one is made
# beside your cluster, in a state directory of its own.
unset KUBECONFIG
if [ -z "${WORKSHOP_DIR:-}" ] && [ "$(cat .workshop/provider 2>/dev/null)" != kind ]; then
  export WORKSHOP_DIR=$PWD/.workshop/kind
fi
workshop=$(mktemp -d)/workshop
cleanup() { rm -rf "$(dirname "$workshop")"; }
trap cleanup EXIT
go build -o "$workshop" ./cmd/workshop

if ! status=$("$workshop" status -o json 2>/dev/null); then
  began=$SECONDS
  if [ -z "$keep" ]; then
    # A cluster that is only stopped holds somebody's data.
    purge=''
    case $status in *'"state": "absent"'*) purge=--purge ;; esac
    trap '"$workshop" down $purge || true; cleanup' EXIT
  fi
  "$workshop" up --provider kind ${up[@]+"${up[@]}"} || exit 3
  echo "the cluster took $((SECONDS - began)) s"
fi

# judge CHAPTER: checks it. A reference that fails is tried once more, to tell a
# check that is unsteady from one that does not hold on kind.
judge() {
  "$workshop" check "$1" --all ${check[@]+"${check[@]}"} && return
  [ ${#check[@]} -gt 0 ] || return
  echo "trying $1 again"
  "$workshop" check "$1" --all "${check[@]}" || return
  echo "UNSTEADY on kind, failed once and not twice: $1"
}

passed=0 failed=()
for chapter in "${chapters[@]}"; do
  began=$SECONDS
  if judge "$chapter"; then
    passed=$((passed + 1)) verdict=passed
  else
    failed+=("$chapter") verdict=failed
  fi
  echo "== $chapter on kind: $verdict after $((SECONDS - began)) s"
done
case " ${chapters[*]} " in
  *" 07"*)
    # A program that does not pass needs not be tried in the cluster.
    if [[ " ${failed[*]-} " != *" 07"* ]]; then
      began=$SECONDS
      scripts/kind-deploy.sh ${check[@]+"${check[@]}"} || failed+=("07 in the cluster")
      echo "== 07 in the cluster: $((SECONDS - began)) s"
    fi
    ;;
esac
if [ -n "$keep" ]; then
  echo "the cluster goes on; to remove it: ${WORKSHOP_DIR:+WORKSHOP_DIR=$WORKSHOP_DIR }go tool workshop down --purge"
fi
echo "chapters on kind: $passed passed, ${#failed[@]} failed${failed[*]+: ${failed[*]}}"
[ ${#failed[@]} = 0 ]
