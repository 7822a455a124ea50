#!/bin/sh
# Builds the control plane with the flags of buildflags.txt: build.sh OUT
set -eu
cd "$(dirname "$0")"
out=$1
set --
while IFS= read -r line; do
	case $line in '' | '#'*) ;; *) set -- "$@" "$line" ;; esac
done <buildflags.txt
exec go build -o "$out" "$@" .
