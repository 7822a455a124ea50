#!/usr/bin/env bash
# Reads every file and runs nothing: line ends, scripts (shfmt, shellcheck), Go
# code (golangci-lint with .golangci.yml). The linters are a module of their own,
# scripts/lint; the first run compiles them, which takes some 2 minutes of CPU.
# Only shellcheck is no Go program: without it that part is left out, and says so.
#
#   lint.sh          report
#   lint.sh --fix    format what can be formatted, then report
set -euo pipefail
cd "$(dirname "$0")/.."

fix=''
case ${1-} in
  '') ;;
  --fix) fix=yes ;;
  *)
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
    ;;
esac

part() {
  printf '\n== %s (%d min %02d s)\n' "$1" $((SECONDS / 60)) $((SECONDS % 60))
}

status=0
bad() {
  echo "lint: $1" >&2
  status=1
}

tool() {
  local name=$1
  shift
  go tool -modfile="$top/scripts/lint/go.mod" "$name" "$@"
}
top=$PWD

part "line ends are LF, as .gitattributes says"
if git ls-files --eol | grep -E '^i/(crlf|mixed)|^i/[a-z]+ +w/(crlf|mixed)'; then
  bad "these files have CRLF line ends"
fi

part "scripts: shfmt, with the style of .editorconfig"
scripts=()
while IFS= read -r file; do
  scripts+=("$file")
done < <(git ls-files -z | xargs -0 go tool -modfile="$top/scripts/lint/go.mod" shfmt -f)
[ "${#scripts[@]}" -gt 0 ] || bad "found no script"
[ -z "$fix" ] || tool shfmt -w "${scripts[@]}"
tool shfmt -d "${scripts[@]}" || bad "not formatted; run: scripts/lint.sh --fix"

part "scripts: shellcheck"
if command -v shellcheck >/dev/null; then
  shellcheck "${scripts[@]}" || bad "shellcheck"
else
  echo "NOT RUN: shellcheck is not installed (Debian, Ubuntu: apt-get install shellcheck; macOS: brew install shellcheck)"
fi

# golangci DIR: lints the module in DIR.
golangci() {
  local flags=(--allow-parallel-runners)
  [ -z "$fix" ] || flags+=(--fix)
  (cd "$1" && tool golangci-lint run "${flags[@]}" ./...)
}

part "Go: golangci-lint, the main module"
golangci . || bad "golangci-lint"

part "Go: golangci-lint, cmd/benchcontroller"
golangci cmd/benchcontroller || bad "golangci-lint in cmd/benchcontroller"

# The linter asks "go list" to compile what cmd/controlplane imports, all of
# Kubernetes. With the flags of buildflags.txt that is the build of "workshop up".
part "Go: golangci-lint, cmd/controlplane (on a new machine it compiles Kubernetes: 5 to 15 minutes)"
wrapper=$(mktemp -d)
trap 'rm -rf "$wrapper"' EXIT
cat >"$wrapper/go" <<'END'
#!/usr/bin/env bash
PATH=${PATH#*:}
[ "$1" != list ] || exec ./go.sh "$@"
exec go "$@"
END
chmod +x "$wrapper/go"
linter=$(tool -n golangci-lint)
(
  cd cmd/controlplane
  PATH=$wrapper:$PATH "$linter" run --allow-parallel-runners ${fix:+--fix} ./...
) || bad "golangci-lint in cmd/controlplane"

[ "$status" = 0 ] || exit "$status"
part "no findings"
