#!/usr/bin/env bash
# The kind stage of CI: every chapter's solution on real nodes. It takes at most
# so many minutes, and what the host cannot do counts as not run, in one line that
# names the cause. A chapter that fails on kind fails the stage.
#
# usage: .ci/kind.sh MINUTES
set -euo pipefail
cd "$(dirname "$0")/.."
limit=$(($1 * 60))

not_run() {
  echo "kind stage: not run: $1"
  exit 0
}
# left is how many seconds there are still; none ends the stage.
left() {
  local n=$((limit - SECONDS))
  [ "$n" -gt 0 ] || return 1
  echo "$n"
}
# limited WHAT COMMAND...: runs a command within the time that is left. Past it
# the stage ends; else the command's own status counts.
limited() {
  local what=$1 seconds status=0
  shift
  seconds=$(left) || not_run "its $((limit / 60)) minutes were over before $what"
  timeout --kill-after=30 "$seconds" "$@" || status=$?
  case $status in
    124 | 137) not_run "its $((limit / 60)) minutes were over during $what" ;;
  esac
  return "$status"
}

export WORKSHOP_DIR=$PWD/.workshop/ci-kind
logs=$(mktemp -d)
dockerd=''
cleanup() {
  # A chapter that was cut off leaves its cluster.
  if [ -e "$WORKSHOP_DIR/kind/record.json" ]; then
    go run ./cmd/workshop down --purge || true
  fi
  if [ -n "$dockerd" ]; then
    kill "$dockerd" 2>/dev/null || true
    wait "$dockerd" 2>/dev/null || true
  fi
  rm -rf "$logs"
}
trap cleanup EXIT

# bounding holds the capabilities that a child of this process can have.
bounding=$((16#$(awk '$1 == "CapBnd:" { print $2 }' /proc/self/status 2>/dev/null || echo 0)))
all=$(((1 << ($(cat /proc/sys/kernel/cap_last_cap 2>/dev/null || echo -1) + 1)) - 1))

if ! docker info >/dev/null 2>&1; then
  [ "$(uname -s)" = Linux ] || not_run "no Docker daemon answers, and it can be started on Linux only"
  [ "$(id -u)" = 0 ] || not_run "no Docker daemon answers, and it cannot be started without root"
  for bit in 12:CAP_NET_ADMIN 21:CAP_SYS_ADMIN; do
    [ $((bounding >> ${bit%:*} & 1)) = 1 ] || not_run "this host withholds ${bit#*:}, without which no container starts"
  done
  if ! command -v dockerd >/dev/null || ! command -v docker >/dev/null || ! command -v iptables >/dev/null; then
    command -v apt-get >/dev/null || not_run "there is no Docker here, and no apt-get to install it with"
    echo "installing Docker from Debian"
    limited "the installation of Docker" sh -c "{
      apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker.io iptables
    } >'$logs/apt' 2>&1" ||
      not_run "Docker cannot be installed: $(tail -n 1 "$logs/apt")"
  fi
  options=()
  if [ "$bounding" != "$all" ]; then
    # Docker asks for every capability where only those that are held can be given.
    go build -o "$logs/runc-held" .ci/runc-held/main.go
    options=(--add-runtime "held=$logs/runc-held" --default-runtime held)
  fi
  echo "starting the Docker daemon"
  dockerd "${options[@]}" >"$logs/dockerd" 2>&1 &
  dockerd=$!
  for ((i = 0; i < 60; i++)); do
    docker info >/dev/null 2>&1 && break
    kill -0 "$dockerd" 2>/dev/null || break
    sleep 1
  done
  docker info >/dev/null 2>&1 || not_run "the Docker daemon does not start: $(tail -n 1 "$logs/dockerd")"
fi

image=$(scripts/node-image/build.sh --print-tag)
limited "the build of the node image" scripts/node-image/build.sh ||
  not_run "the node image cannot be built here; the lines above say why"

status=0
limited "the chapters on kind" scripts/kind-test.sh --solution --image "$image" || status=$?
case $status in
  0) ;;
  3) not_run "no kind cluster comes up here; the lines above say why" ;;
  *)
    echo "kind stage: failed" >&2
    exit 1
    ;;
esac
echo "kind stage: passed in $((SECONDS / 60)) min $((SECONDS % 60)) s"
