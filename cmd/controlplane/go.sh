#!/bin/bash
# Runs a go command in this module with the flags of buildflags.txt, so that
# every use shares one build cache: go.sh build -o OUT . | go.sh test -short ./...
#
# The compiler is a short-lived process: with a lazier garbage collector it needs
# a fifth less CPU time and hardly more memory (docs/performance.md). GOGC is no
# part of the cache key.
set -euo pipefail
cd "$(dirname "$0")"
export GOGC=${GOGC:-400}
flags=()
while IFS= read -r line; do
  case $line in '' | '#'*) ;; *) flags+=("$line") ;; esac
done <buildflags.txt
verb=$1
shift
exec go "$verb" "${flags[@]}" "$@"
