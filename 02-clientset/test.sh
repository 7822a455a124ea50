#!/usr/bin/env bash
# Runs this chapter's checks on a kind cluster: your code, or the reference with --solution.
exec "$(dirname "$0")/../scripts/kind-test.sh" --keep "$(basename "$(cd "$(dirname "$0")" && pwd)")" "$@"
