#!/bin/sh
# Compares what the first build costs with and without the measures taken here.
#
# It measures CPU seconds (user + sys) of three builds in one run:
#   1. the client-go packages that learners' programs need, into an empty cache
#   2. the baseline (etcd + kube-apiserver + kube-controller-manager in one
#      binary, default flags), into a copy of that cache
#   3. the control plane with the flags of buildflags.txt, into another copy
# and says what 3 costs as a share of 2. It needs about 6 GB of disk and, on two
# cores, a quarter of an hour.
#
# usage: measure-build.sh [WORKDIR]    WORKDIR is kept when given, for reuse
set -eu
cd "$(dirname "$0")"

if [ $# -gt 0 ]; then
  work=$1
  mkdir -p "$work"
else
  work=$(mktemp -d)
  trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
fi

# cpu NAME COMMAND...: runs COMMAND, says what it used and keeps the sum.
cpu() {
  name=$1
  shift
  echo "$name: building …" >&2
  begin=$(date +%s)
  ("$@" && times) >"$work/times" || {
    echo "$name: the build failed" >&2
    exit 1
  }
  seconds=$(tail -n 1 "$work/times" | awk '
		{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += t[1] * 60 + t[2] } print sum }')
  echo "$seconds" >"$work/$name.cpu"
  echo "$name: $seconds CPU s, $(($(date +%s) - begin)) s" >&2
}

# with CACHE COMMAND...: runs COMMAND on that build cache.
with() {
  cache=$1
  shift
  env GOCACHE="$cache" "$@"
}

learner=$(sed 's/#.*//' testdata/learner-packages.txt)
if [ ! -f "$work/learner.cpu" ]; then
  # shellcheck disable=SC2086 # one argument a package
  cpu learner with "$work/learner" go build $learner
fi
if [ ! -f "$work/baseline.cpu" ]; then
  rm -rf "$work/baseline"
  cp -R "$work/learner" "$work/baseline"
  cpu baseline with "$work/baseline" go build -o "$work/baseline.bin" ./testdata/baseline
fi
rm -rf "$work/ours"
cp -R "$work/learner" "$work/ours"
cpu ours with "$work/ours" ./go.sh build -o "$work/ours.bin" .

awk -v l="$(cat "$work/learner.cpu")" -v b="$(cat "$work/baseline.cpu")" -v o="$(cat "$work/ours.cpu")" 'BEGIN {
	printf "client-go for learners  %7.1f CPU s\n", l
	printf "baseline, beyond that   %7.1f CPU s\n", b
	printf "controlplane, likewise  %7.1f CPU s\n", o
	printf "share                   %7.2f\n", o / b
}'
du -sm "$work/learner" "$work/baseline" "$work/ours" | awk '{ print "cache in MiB " $0 }' >&2
